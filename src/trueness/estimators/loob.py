"""LOOB and LPOB: the leave-one-out bootstrap of a mean over cases, and the leave-pair-out bootstrap of an AUC."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from trueness.estimators.influence import Contrast, losses_of, paired
from trueness.estimators.influence.case_influence import CaseMeans, variance
from trueness.estimators.influence.first_order import FirstOrder
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.registry import BOOTSTRAP_SETS, Undefined, estimator
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss
from trueness.result import Estimate
from trueness.result.digits import counted
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.typing import Bools

SE = ("influence-corrected", "influence", "second-order")


def loob_difference(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    means = CaseMeans.over(c.fits.design, c.losses(), c.metric, undefined)
    return means.note_fixed_classes(difference_spread(means, se, c.fits.kept)).noting(skipped_cases(means.skipped))


@estimator("loob", kinds={"bootstrap"}, metrics=CaseLoss, se=SE, estimand=BOOTSTRAP_SETS, pairs=paired(loob_difference))
def loob(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Leave-one-out bootstrap: each case is tested only by rules that were not trained on it.

    E_i = Σ_b I_i^b L_i^b / Σ_b I_i^b,   Err = mean E_i

    Efron & Tibshirani (1997), eq. 17; Yousef, ML Assessment, eq. 32.
    """
    means = case_means(fits, loss, undefined)
    out = means.note_fixed_classes(spread(Estimate(means.value), means, se or SE[0], fits.kept))
    return out.noting(skipped_cases(means.skipped))


def lpob_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    means = PairMeans.over(a, metric, undefined, minus=b)
    return difference_spread(means, se, means.keep)


@estimator("lpob", kinds={"bootstrap"}, metrics=AUC, se=SE, estimand=BOOTSTRAP_SETS, pairs=lpob_difference)
def lpob(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Leave-pair-out bootstrap: each pair is tested only by rules that were trained on neither of its cases.

    A_ij = Σ_b I_i I_j ψ_ij / Σ_b I_i I_j,   AUC = mean A_ij

    Yousef, ML Assessment, eq. 60.
    """
    means = PairMeans.over(fits, metric, undefined)
    out = spread(Estimate(means.value), means, se or SE[0], means.keep)
    return out.noting(skipped_pairs(means.skipped, "left out together"))


def case_means(fits: Fits, loss: CaseLoss, undefined: Undefined) -> CaseMeans:
    """E_i of every case; the sums over replicates are computed once for all estimators."""
    losses = losses_of(fits, loss)
    sums = fits.cached(
        ("case means", loss.key, undefined),
        lambda: replace(CaseMeans.over(fits.design, losses, loss, undefined), losses=lambda: iter(())),
    )
    return replace(sums, losses=losses)  # kept apart: losses refer to the fits, and the cache must not


def skipped_cases(skipped: int) -> Note | None:
    """Where some cases were never left out; None where all were."""
    if not skipped:
        return None
    message = counted(skipped, "case was never left out and is skipped.", "cases were never left out and are skipped.")
    return Note("cases-skipped", message, skipped=skipped)


def skipped_pairs(skipped: int, how: str) -> Note | None:
    """Where some pairs were never tested by one rule; None where all were."""
    if not skipped:
        return None
    message = counted(skipped, f"pair was never {how} and is skipped.", f"pairs were never {how} and are skipped.")
    return Note("pairs-skipped", message, skipped=skipped)


def spread(out: Estimate, means: CaseMeans | PairMeans, se: str, keep: Bools) -> Estimate:
    """`out` with its standard error, influence and Monte-Carlo error."""
    influence, monte_carlo = means.influence()
    mc = np.zeros(len(keep))
    mc[keep] = monte_carlo
    out = out.with_(influence=influence, mc_influence=mc, mc_se=float(np.linalg.norm(mc)), se_method=se)
    if se == "influence":
        return out.with_(se=math.sqrt(variance(means.design, influence)))
    first = means.first_order()
    if se == "second-order":
        return _second_order(out, means, first)
    value = math.sqrt(first.variance)
    return out.with_(se=value, se_mc_se=value * first.noise / 2).noting(first.doubt())  # SD(√V) ≈ SD(V)/(2√V)


def difference_spread(means: CaseMeans | PairMeans, se: str | None, keep: Bools) -> Estimate:
    """The second-order standard error unless another is asked for, or this one is not available."""
    from trueness.estimators.influence.second_order import missing

    why = missing(means) if se is None else ""
    out = spread(Estimate(means.value), means, se or ("influence-corrected" if why else "second-order"), keep)
    if why:
        message = f"First-order standard error, usually too large for a difference. Second-order: {why}."
        out = out.noting(Note("first-order-se", message, reason=why))
    return out


def _second_order(out: Estimate, means: CaseMeans | PairMeans, first: FirstOrder) -> Estimate:
    """With t(min(n1, n2) − 1), a convention that held its level in simulations (docs/math.md, section 5)."""
    from trueness.estimators.influence.second_order import orders_of

    orders = orders_of(means)
    if first.variance != first.total:  # the first order was held to its limits
        orders = replace(orders, v1=first.variance)
    df = int(means.design.sample.sizes.min()) - 1
    value = math.sqrt(orders.variance)
    unsure = orders.sd(first.sd) / (2 * value) if value > 0 else 0.0
    return out.with_(se=value, se_mc_se=unsure, df=df).noting(first.doubt() or first.held() or orders.too_few())
