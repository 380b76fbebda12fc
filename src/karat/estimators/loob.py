"""LOOB: the leave-one-out bootstrap."""

from __future__ import annotations

import math

import numpy as np

from karat.estimators.influence.case_influence import (
    CaseMeans,
    difference_of_losses,
    losses_of,
    never_left_out,
    variance,
)
from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.influence.second_order import missing, orders_of
from karat.estimators.registry import MEAN, estimator
from karat.metrics.metric import CaseLoss
from karat.result import Estimate
from karat.sample.fits import Fits

MOSTLY_NOISE = 0.05  # a corrected variance below this share of the exact one is the small rest of a difference
SE = ("influence-corrected", "influence", "second-order")


def loob_difference(a: Fits, b: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    keep = a.kept & b.kept
    means = CaseMeans.over(a.design, difference_of_losses(a, b, loss, keep), loss, undefined)
    return difference_spread(means, se, keep).noting(never_left_out(means.skipped))


@estimator("loob", kinds={"bootstrap"}, metrics=CaseLoss, se=SE, estimand=MEAN, pairs=loob_difference)
def loob(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: str) -> Estimate:
    """Leave-one-out bootstrap: each case judged only by rules that never saw it.

    E_i = Σ_b I_i^b L_i^b / Σ_b I_i^b,   Err = mean E_i                              (seeds/000, eq. 32)
    """
    means = CaseMeans.over(fits.design, losses_of(fits, loss), loss, undefined)
    out = means.note_fixed_classes(spread(Estimate(means.value), means, se or SE[0], fits.kept))
    return out.noting(never_left_out(means.skipped))


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
        return second_order(out, means, exact)
    corrected = means.corrected_variance()
    if corrected > MOSTLY_NOISE * exact**2:
        return out.with_(se=math.sqrt(corrected))
    return nothing_left(out, exact)


def nothing_left(out: Estimate, exact: float) -> Estimate:
    """Noise of the replicates was subtracted and next to nothing is left: so small a standard error would be a lie."""
    return out.with_(se=exact, se_method="influence").noting(
        "The corrected variance is not positive, or next to nothing, so the standard error is the exact one."
        if exact > 0
        else ""
    )


def difference_spread(means: CaseMeans | PairMeans, se: str | None, keep: np.ndarray) -> Estimate:
    """The second-order standard error unless another is asked for, or this one is not worked out."""
    why = missing(means) if se is None else ""
    out = spread(Estimate(means.value), means, se or ("influence-corrected" if why else "second-order"), keep)
    if why:
        out = out.noting(
            f"First-order standard error, as a rule too large for a difference; the second-order one: {why}."
        )
    return out


def second_order(out: Estimate, means: CaseMeans | PairMeans, exact: float) -> Estimate:
    """MATH 5, with t(min(n1, n2) − 1): a convention that worked, not a derived number."""
    orders = orders_of(means)
    if orders.v1 <= MOSTLY_NOISE * exact**2:
        return nothing_left(out, exact)
    df = int(means.design.sample.sizes.min()) - 1
    return out.with_(se=math.sqrt(orders.variance), df=df).noting(orders.too_few())
