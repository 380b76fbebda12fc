"""LPOB: the leave-pair-out bootstrap."""

from __future__ import annotations

from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.loob import SE, difference_spread, spread
from karat.estimators.registry import MEAN, estimator
from karat.metrics.auc import AUC
from karat.result import Estimate
from karat.result.digits import counted
from karat.sample.fits import Fits


def lpob_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: str) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    means = PairMeans.difference(a, b, metric, undefined)
    return difference_spread(means, se, means.keep)


@estimator("lpob", kinds={"bootstrap"}, metrics=AUC, se=SE, estimand=MEAN, pairs=lpob_difference)
def lpob(fits: Fits, metric: AUC, *, se: str | None, undefined: str) -> Estimate:
    """Leave-pair-out bootstrap: each pair judged only by rules that saw neither of its cases.

    A_ij = Σ_b I_i I_j ψ_ij / Σ_b I_i I_j,   AUC = mean A_ij                        (seeds/000, eq. 60)
    """
    means = PairMeans.over(fits, metric, undefined)
    out = spread(Estimate(means.value), means, se or SE[0], means.keep)
    if means.skipped:
        how = "never left out together, and skipped."
        out = out.noting(f"{counted(means.skipped, 'pair was', 'pairs were')} {how}")
    return out
