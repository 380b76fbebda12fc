"""Wilcoxon's signed-rank test (1945) and the sign test: two models over data sets, without a normal distribution."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.comparisons.assumptions import INDEPENDENT_PAIRS, PAIRED_VALUES
from trueness.comparisons.inputs import NO_SPREAD, check_alternative, paired_values, values_of
from trueness.comparisons.registry import comparison
from trueness.formulas.intervals import from_tails, tail
from trueness.result import Estimate, Note, TestResult
from trueness.result.digits import counted
from trueness.typing import Alternative, Floats

MAX_PAIRS_FOR_EXACT = 200  # beyond, the normal approximation is accurate enough
SYMMETRIC = "the differences are symmetric about their centre."


@comparison("values", "Is one of two models usually better over data sets? By the ranks of the differences")
def wilcoxon(e1: npt.ArrayLike, e2: npt.ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """W = sum of the ranks of the positive differences; pairs without a difference are dropped.

    The p-value is exact, with ties too: all 2^m signs of the observed ranks, counted by convolution. `difference` is
    the Hodges–Lehmann median of the Walsh averages.

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Values of the two models on n data sets.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "less": the values of the first model are smaller.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> comparisons.wilcoxon([5, 7, 9, 6, 8], [4, 5, 6, 2, 3]).p_value
    0.0625
    """
    check_alternative(alternative)
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    # differences of decimals that differ in the last bits only are ties
    size = NO_SPREAD * max(float(np.abs(values_of(e, "e", 1)).max()) for e in (e1, e2))
    ranks = stats.rankdata(np.round(np.abs(moved) / size)) if len(moved) else np.zeros(0)
    w = float(ranks[moved > 0].sum())
    i, j = np.triu_indices(len(x))
    d = _median((x[i] + x[j]) / 2, "the median of Walsh averages has none without a density")
    zeros = len(x) - len(moved)
    message = f"{counted(zeros, 'pair')} without a difference {'was' if zeros == 1 else 'were'} dropped."
    notes = (Note("zero-differences-dropped", message, dropped=zeros),) if zeros else ()
    assumptions = (PAIRED_VALUES, INDEPENDENT_PAIRS, SYMMETRIC)
    return TestResult("Wilcoxon signed-rank", w, _p(ranks, w, alternative), None, alternative, d, assumptions, notes)


def _p(ranks: Floats, w: float, alternative: Alternative) -> float:
    if not len(ranks):
        return 1.0
    if len(ranks) <= MAX_PAIRS_FOR_EXACT:
        return from_tails(*signed_rank_tails(ranks, w), alternative)
    gap, sd = w - ranks.sum() / 2, math.sqrt((ranks**2).sum() / 4)  # with the variance of the observed ranks
    if alternative == "two-sided":
        shift = math.copysign(min(0.5, abs(gap)), gap)  # continuity correction
    else:
        shift = 0.5 if alternative == "greater" else -0.5
    return min(1.0, tail((gap - shift) / sd, alternative))


def signed_rank_tails(ranks: Floats, w: float) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) where every rank has either sign with probability ½."""
    steps = np.rint(2 * ranks).astype(int)  # average ranks are halves
    law = np.zeros(int(steps.sum()) + 1)
    law[0] = 1.0
    for step in steps:
        law[step:] = 0.5 * law[step:] + 0.5 * law[:-step]
        law[:step] *= 0.5
    at = round(2 * w)
    return float(law[: at + 1].sum()), float(law[at:].sum())


def _median(values: Floats, why_no_se: str) -> Estimate:
    note = Note("no-se-method", f"No standard error: {why_no_se}.")
    return Estimate(float(np.median(values)), metric="median difference").noting(note)


@comparison("values", "Is one of two models usually better over data sets? By counting wins")
def sign(e1: npt.ArrayLike, e2: npt.ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """The number of positive differences is binomial(m, ½); pairs without a difference are dropped.

    Parameters
    ----------
    e1, e2, alternative
        As in `wilcoxon`.

    Returns
    -------
    TestResult
    """
    check_alternative(alternative)
    x = paired_values(e1, e2, least=1)
    higher, lower = int((x > 0).sum()), int((x < 0).sum())
    equal = len(x) - higher - lower
    law = stats.binom(higher + lower, 0.5)
    p = from_tails(float(law.cdf(higher)), float(law.sf(higher - 1)), alternative) if higher + lower else 1.0
    message = f"{higher} higher, {lower} lower, {equal} without a difference."
    note = Note("win-counts", message, higher=higher, lower=lower, equal=equal)
    d = _median(x, "the sign test uses signs only")
    return TestResult("Sign", higher, p, None, alternative, d, (PAIRED_VALUES, INDEPENDENT_PAIRS), (note,))
