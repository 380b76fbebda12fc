"""LOOB: the leave-one-out bootstrap."""

from __future__ import annotations

import math

import numpy as np

from karat.errors import InputError
from karat.estimators.registry import MEAN, estimator
from karat.metrics.metric import CaseLoss
from karat.result import Estimate
from karat.sample.fits import Fits
from karat.uncertainty.case_influence import CaseMeans, difference_of_losses, losses_of, variance
from karat.uncertainty.pair_influence import PairMeans
from karat.uncertainty.second_order import second_order_cases, second_order_pairs

SE = ("influence-corrected", "influence", "second-order")


def loob_difference(a: Fits, b: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    keep = a.kept & b.kept
    means = CaseMeans.over(a.design, difference_of_losses(a, b, loss, keep), loss, undefined)
    if se is None:
        se = "influence-corrected" if a.sample.groups is not None else "second-order"
    return spread(Estimate(means.value), means, se, keep)


@estimator("loob", kinds={"bootstrap"}, metrics=CaseLoss, se=SE, estimand=MEAN, pairs=loob_difference)
def loob(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Leave-one-out bootstrap: each case judged only by rules that never saw it.

    E_i = Σ_b I_i^b L_i^b / Σ_b I_i^b,   Err = mean E_i                              (seeds/000, eq. 32)
    """
    means = CaseMeans.over(fits.design, losses_of(fits, loss), loss, undefined)
    out = spread(Estimate(means.value), means, se or SE[0], fits.kept)
    if means.skipped:
        out = out.noting(f"{means.skipped} cases were never left out and are skipped.")
    return out


def spread(out: Estimate, means: CaseMeans | PairMeans, se: str, keep: np.ndarray) -> Estimate:
    """`out` with its standard error, influence and Monte-Carlo error."""
    influence, monte_carlo = means.influence()
    mc = np.zeros(len(keep))
    mc[keep] = monte_carlo
    exact = math.sqrt(variance(means.design, influence))
    out = out.with_(influence=influence, mc_influence=mc, mc_se=float(np.linalg.norm(mc)), se_method=se)
    if se == "influence":
        return out.with_(se=exact)
    if se == "second-order":
        return second_order(out, means)
    corrected = means.corrected_variance()
    if corrected > 0:
        return out.with_(se=math.sqrt(corrected))
    return out.with_(se=exact, se_method="influence").noting(
        "The corrected variance is not positive, so the standard error is the exact one: too few replicates."
        if exact > 0
        else ""
    )


def second_order(out: Estimate, means: CaseMeans | PairMeans) -> Estimate:
    """SECOND_ORDER P2, with t(min(n1, n2) − 1): a convention that worked, not a derived number."""
    if means.design.sample.groups is not None:
        raise InputError(
            "the second-order standard error is not worked out for groups", do='Use se="influence-corrected"'
        )
    value = second_order_pairs(means) if isinstance(means, PairMeans) else second_order_cases(means)
    df = int(means.design.sample.sizes.min()) - 1
    return out.with_(se=math.sqrt(value), df=df)
