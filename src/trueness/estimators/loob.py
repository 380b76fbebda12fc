"""LOOB and LPOB: the leave-one-out bootstrap of a mean over cases, and the leave-pair-out bootstrap of an AUC."""

import math
from dataclasses import replace

import numpy as np

from trueness.estimators.influence import Contrast, losses_of, paired
from trueness.estimators.influence.case_influence import CaseMeans, FirstOrder, variance
from trueness.estimators.influence.draws import Draws
from trueness.estimators.influence.pair_influence import OverPairs, PairMeans, Sums, by_ranks
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.estimators.influence.second_order import missing, orders_of
from trueness.estimators.method import Method, Undefined
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.words import INDEPENDENT_CASES, INFLUENCE, Estimand, StandardError
from trueness.sample.fits import Fits
from trueness.typing import Bools

OF_BOOTSTRAP_SETS = (
    INDEPENDENT_CASES,
    "the difference is between means over training sets of this size, not between the two rules fitted on all cases; "
    "bootstrap training sets hold about 63 % of the cases.",
)
FIRST_ORDER = (
    *OF_BOOTSTRAP_SETS,
    "the influence function counts interactions of cases more than once; the p-value is usually too large.",
)
OF_INFLUENCE = StandardError("influence", INFLUENCE.words, *INFLUENCE.sources, assumes=FIRST_ORDER)
CORRECTED = StandardError(
    "influence-corrected",
    "the corrected standard error of the influence function",
    "efron_tibshirani_1997",
    assumes=FIRST_ORDER,
)
SECOND_ORDER = StandardError(
    "second-order",
    "the standard error of the second order",
    "hoeffding_1948",
    assumes=(
        *OF_BOOTSTRAP_SETS,
        "the variance is of second order, correct to leading order in 1/n; t with min(n1, n2) − 1 degrees of freedom is "
        "a convention that held its level in simulations (trueness help comparison).",
    ),
)
SE = (CORRECTED, OF_INFLUENCE, SECOND_ORDER)
LOOB = Method(
    "loob",
    "the leave-one-out bootstrap",
    "efron_tibshirani_1997",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=150,
    recommended={"bootstrap"},
)
LPOB = Method(
    "lpob",
    "the leave-pair-out bootstrap",
    "yousef_assessment",
    "yousef_auc",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=160,
    recommended={"bootstrap"},
)


def loob_difference(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    means = CaseMeans.over(c.fits.design, c.losses(), c.metric, undefined)
    return means.note_fixed_classes(difference_spread(means, se, c.fits.kept)).noting(skipped_cases(means.skipped))


@LOOB.on(CaseLoss, se=SE, pairs=paired(loob_difference))
def loob(fits: Fits, loss: CaseLoss, *, se: str | None, undefined: Undefined) -> Estimate:
    """Leave-one-out bootstrap: each case is tested only by rules that were not trained on it.

    E_i = Σ_b I_i^b L_i^b / Σ_b I_i^b,   Err = mean E_i

    Efron & Tibshirani (1997), eq. 17; Yousef, ML Assessment, eq. 32.
    """
    means = case_means(fits, loss, undefined)
    out = means.note_fixed_classes(spread(Estimate(means.value), means, se or SE[0], fits.kept, loss.offset))
    return out.noting(skipped_cases(means.skipped))


def pair_means(
    fits: Fits,
    metric: AUC,
    undefined: Undefined,
    sums: Sums,
    *,
    draws: Draws | None = None,
    minus: Fits | None = None,
    second_order: bool = False,
) -> OverPairs:
    """Of one rule, or of its difference from another: pair by pair, or by ranks where the pairs are many."""
    if by_ranks(fits, metric, sums, rules=1 if minus is None else 2, second_order=second_order):
        return PlacementMeans.over(fits, metric, minus, draws).check(undefined)
    return PairMeans.over(fits, metric, undefined, draws, minus)


def by_ranks_note(means: OverPairs) -> Note | None:
    """Where ranks replaced sums over single pairs; None otherwise."""
    if not isinstance(means, PlacementMeans):
        return None
    sizes = means.design.sample.sizes.astype(float)
    pairs = max(sizes[target] * (means.design.n - sizes[target]) for target in means.metric.targets)
    return Note("pairs-by-ranks", pairs=pairs)


def lpob_difference(a: Fits, b: Fits, metric: AUC, *, se: str | None, undefined: Undefined) -> Estimate:
    """Paired difference, with the second-order standard error unless another is asked for."""
    sums: Sums = "exact" if se == SECOND_ORDER else "auto"
    means = pair_means(a, metric, undefined, sums, minus=b, second_order=se in (None, SECOND_ORDER))
    return difference_spread(means, se, means.keep).noting(by_ranks_note(means))


@LPOB.on(AUC, se=SE, options=("sums",), pairs=lpob_difference)
def lpob(fits: Fits, metric: AUC, *, se: str | None, undefined: Undefined, sums: Sums = "auto") -> Estimate:
    """Leave-pair-out bootstrap: each pair is tested only by rules that were trained on neither of its cases.

    A_ij = Σ_b I_i I_j ψ_ij / Σ_b I_i I_j,   AUC = mean A_ij

    Yousef, ML Assessment, eq. 60. Where pairs are many, ranks give the sums (`PlacementMeans`).
    """
    wanted: Sums = "exact" if se == SECOND_ORDER and sums == "auto" else sums
    means = pair_means(fits, metric, undefined, wanted, second_order=se == SECOND_ORDER)
    out = spread(Estimate(means.value), means, se or SE[0], means.keep)
    return out.noting(skipped_pairs(means.skipped), by_ranks_note(means))


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
    return Note("cases-skipped", skipped=skipped)


def skipped_pairs(skipped: int) -> Note | None:
    """Where some pairs were never tested by one rule; None where all were."""
    if not skipped:
        return None
    return Note("pairs-skipped", skipped=skipped)


def spread(out: Estimate, means: CaseMeans | OverPairs, se: str, keep: Bools, offset: bool = False) -> Estimate:
    """`out` with its standard error, influence and Monte-Carlo error; of a value that training offsets, the standard error
    is at least that of one rule."""
    influence, monte_carlo = means.influence()
    mc = np.zeros(len(keep))
    mc[keep] = monte_carlo
    out = out.with_(influence=influence, mc_influence=mc, mc_se=float(np.linalg.norm(mc)), se_method=se)
    if se == "influence":
        return out.with_(se=math.sqrt(variance(means.design, influence)))
    first = means.first_order()
    first = first.not_below_one_rule() if offset else first
    if se == "second-order":
        return _second_order(out, means, first)
    value = math.sqrt(first.variance)
    return _doubted(out.with_(se=value, se_mc_se=value * first.noise / 2), first.doubt())  # SD(√V) ≈ SD(V)/(2√V)


def _doubted(out: Estimate, doubt: Note | None) -> Estimate:
    """With the replicates that a doubt about its standard error asks for."""
    return out if doubt is None else out.with_(needed=doubt.data.get("needed")).noting(doubt)


def difference_spread(means: CaseMeans | OverPairs, se: str | None, keep: Bools) -> Estimate:
    """The second-order standard error unless another is asked for, or this one is not available."""
    why = missing(means) if se is None else ""
    out = spread(Estimate(means.value), means, se or (CORRECTED if why else SECOND_ORDER), keep)
    if why:
        out = out.noting(Note("first-order-se", reason=why))
    return out


def _second_order(out: Estimate, means: CaseMeans | OverPairs, first: FirstOrder) -> Estimate:
    """With t(min(n1, n2) − 1), a convention that held its level in simulations (trueness help appendix/math, section 5)."""
    orders = orders_of(means)
    if first.variance != first.total:  # the first order was held to its limits
        orders = replace(orders, v1=first.variance)
    df = int(means.design.sample.sizes.min()) - 1
    value = math.sqrt(orders.variance)
    unsure = orders.sd(first.sd) / (2 * value) if value > 0 else 0.0
    doubt = first.doubt() or first.held() or orders.too_few()
    return _doubted(out.with_(se=value, se_mc_se=unsure, df=df), doubt)
