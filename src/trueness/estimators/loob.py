"""LOOB and LPOB: the leave-one-out bootstrap of a mean over cases, and the leave-pair-out bootstrap of an AUC."""

import math
from dataclasses import replace

import numpy as np

from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans, variance
from trueness.estimators.influence.draws import Draws
from trueness.estimators.influence.pair_influence import OverPairs, PairMeans, Sums, by_ranks
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.estimators.influence.second_order import missing, orders_of
from trueness.estimators.method import Method
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.words import INDEPENDENT_CASES, INFLUENCE, Estimand, StandardError
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


@LOOB.on(CaseLoss, se=SE, pairs=True)
def loob(c: Contrast) -> Estimate:
    """Leave-one-out bootstrap: each case is tested only by rules that were not trained on it.

    E_i = Σ_b I_i^b L_i^b / Σ_b I_i^b,   Err = mean E_i

    Efron & Tibshirani (1997), eq. 17; Yousef, ML Assessment, eq. 32.
    """
    means = case_means(c)
    return means.note_fixed_classes(spread(means, c)).noting(skipped("cases", means.skipped))


@LPOB.on(AUC, se=SE, options=("sums",), pairs=True)
def lpob(c: Contrast, sums: Sums = "auto") -> Estimate:
    """Leave-pair-out bootstrap: each pair is tested only by rules that were trained on neither of its cases.

    A_ij = Σ_b I_i I_j ψ_ij / Σ_b I_i I_j,   AUC = mean A_ij

    Yousef, ML Assessment, eq. 60. Where pairs are many, ranks give the sums (`PlacementMeans`).
    """
    second = c.se == SECOND_ORDER or (c.other is not None and c.se is None)
    means = pair_means(c, "exact" if c.se == SECOND_ORDER and sums == "auto" else sums, second_order=second)
    return spread(means, c).noting(*means_notes(means))


def pair_means(c: Contrast, sums: Sums, draws: Draws | None = None, second_order: bool = False) -> OverPairs:
    """Of one rule, or of its difference from another: pair by pair, or by ranks where the pairs are many."""
    rules = 1 if c.other is None else 2
    if by_ranks(c.fits, c.metric, sums, rules=rules, second_order=second_order):
        return PlacementMeans.over(c, draws).check(c.undefined)
    return PairMeans.over(c, draws)


def means_notes(means: OverPairs) -> tuple[Note | None, ...]:
    """Where some pairs were never tested by one rule, and where ranks replaced sums over single pairs."""
    note = skipped("pairs", means.skipped)
    if not isinstance(means, PlacementMeans):
        return (note,)
    sizes = means.design.sample.sizes.astype(float)
    pairs = max(sizes[target] * (means.design.n - sizes[target]) for target in means.metric.targets)
    return note, Note("pairs-by-ranks", pairs=pairs)


def case_means(c: Contrast) -> CaseMeans:
    """E_i of every case; of one rule the sums over replicates are computed once for all estimators."""
    if c.other is not None:
        return CaseMeans.over(c)
    sums = c.fits.cached(
        ("case means", c.metric.key, c.undefined), lambda: replace(CaseMeans.over(c), losses=lambda: iter(()))
    )
    return replace(sums, losses=c.losses())  # kept apart: losses refer to the fits, and the cache must not


def skipped(what: str, which: Bools | int) -> Note | None:
    """Where some cases, pairs or folds could not be evaluated; None where all could."""
    number = int(np.sum(which))
    return Note(f"{what}-skipped", skipped=number) if number else None


def spread(means: CaseMeans | OverPairs, c: Contrast) -> Estimate:
    """The mean with its standard error, influence and Monte-Carlo error. A difference has the second-order standard error
    unless another is asked for, or this one is not available; that of a value that training offsets is at least that of
    one rule. The second order has t(min(n1, n2) − 1), a convention that held its level in simulations (trueness help
    appendix/math, section 5)."""
    se, why = c.se or CORRECTED, ""
    if c.other is not None and c.se is None:
        why = missing(means)
        se = CORRECTED if why else SECOND_ORDER
    influence, monte_carlo = means.influence()
    mc = np.zeros(len(c.fits.kept))
    mc[c.fits.kept] = monte_carlo
    norm = float(np.linalg.norm(mc))
    out = Estimate(means.value, mc_se=norm, influence=influence, mc_influence=mc, se_method=StandardError.of(se))
    if se == OF_INFLUENCE:
        return out.with_(se=math.sqrt(variance(means.design, influence)))
    first = means.first_order()
    if isinstance(means, CaseMeans) and c.metric.offset and c.other is None:
        first = first.not_below_one_rule()
    if se == SECOND_ORDER:
        orders = orders_of(means)
        if first.variance != first.total:  # the first order was held to its limits
            orders = replace(orders, v1=first.variance)
        value = math.sqrt(orders.variance)
        unsure = orders.sd(first.sd) / (2 * value) if value > 0 else 0.0
        out = out.with_(se=value, se_mc_se=unsure, df=int(means.design.sample.sizes.min()) - 1)
        doubt = first.doubt(second=True) or orders.too_few()
    else:
        value, doubt = math.sqrt(first.variance), first.doubt()
        out = out.with_(se=value, se_mc_se=value * first.noise / 2)  # SD(√V) ≈ SD(V)/(2√V)
    if doubt is not None:
        out = out.with_(needed=doubt.data.get("needed")).noting(doubt)
    return out.noting(Note("first-order-se", reason=why)) if why else out
