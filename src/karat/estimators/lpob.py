"""LPOB: the leave-pair-out bootstrap."""

from __future__ import annotations

from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.loob import SE, difference_spread, spread
from karat.estimators.registry import MEAN, Undefined, estimator
from karat.metrics.auc import AUC
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.note import Note
from karat.sample.fits import Fits


def lpob_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    means = PairMeans.difference(a, b, metric, undefined)
    return difference_spread(means, se, means.keep)


@estimator("lpob", kinds={"bootstrap"}, metrics=AUC, se=SE, estimand=MEAN, pairs=lpob_difference)
def lpob(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Leave-pair-out bootstrap: each pair is tested only by rules that were trained on neither of its cases.

    A_ij = Σ_b I_i I_j ψ_ij / Σ_b I_i I_j,   AUC = mean A_ij

    Yousef, ML Assessment, eq. 60.
    """
    means = PairMeans.over(fits, metric, undefined)
    out = spread(Estimate(means.value), means, se or SE[0], means.keep)
    return out.noting(skipped_pairs(means.skipped, "left out together"))


def skipped_pairs(skipped: int, how: str) -> Note | None:
    """Where some pairs were never tested by one rule; None where all were."""
    if not skipped:
        return None
    message = counted(skipped, f"pair was never {how} and is skipped.", f"pairs were never {how} and are skipped.")
    return Note("pairs-skipped", message, skipped=skipped)
