"""Wilcoxon's signed-rank test and the sign test: two models over data sets, without a normal law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import NO_SPREAD, paired_values, values_of
from karat.comparisons.paired_t import INDEPENDENT, PAIRED
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, sided, tail
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.test_result import TestResult

EXACT_UP_TO = 200  # pairs; beyond, the normal approximation is good to all digits that matter
SYMMETRIC = "the differences are symmetric about their centre."


@comparison("values", "Is one of two models usually better over data sets? By the ranks of the differences")
def wilcoxon(e1: Any, e2: Any, alternative: str = "two-sided") -> TestResult:
    """W = Σ of the ranks of the positive differences (Wilcoxon 1945); pairs without a difference are left out.

    The p-value is exact, with ties too: all 2^m signs of the ranks that were seen, counted by
    convolution. `difference` is the Hodges–Lehmann median of the Walsh averages.

    Examples
    --------
    >>> from karat import comparisons
    >>> comparisons.wilcoxon([5, 7, 9, 6, 8], [4, 5, 6, 2, 3]).p_value
    0.0625
    """
    check_alternative(alternative)
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    m = len(moved)
    notes = (
        (f"{counted(len(x) - m, 'pair', 'pairs')} without a difference {'is' if len(x) - m == 1 else 'are'} left out.",)
        if m < len(x)
        else ()
    )
    # differences of decimals that differ in the last bits only are ties
    size = NO_SPREAD * max(float(np.abs(values_of(e, "e", 1)).max()) for e in (e1, e2))
    ranks = stats.rankdata(np.round(np.abs(moved) / size)) if m else np.zeros(0)
    w = float(ranks[moved > 0].sum())
    if m == 0:
        p = 1.0
    elif m <= EXACT_UP_TO:
        p = sided(*signed_rank_tails(ranks, w), alternative)
    else:  # continuity-corrected, with the variance of the ranks that were seen
        mean, sd = ranks.sum() / 2, math.sqrt((ranks**2).sum() / 4)
        gap = w - mean
        if alternative == "two-sided":
            shift = math.copysign(min(0.5, abs(gap)), gap)
        else:
            shift = 0.5 if alternative == "greater" else -0.5
        p = min(1.0, tail((gap - shift) / sd, alternative))
    return TestResult(
        "Wilcoxon signed-rank",
        w,
        p,
        alternative=alternative,
        difference=_hodges_lehmann(x),
        assumptions=(PAIRED, INDEPENDENT, SYMMETRIC),
        notes=notes,
    )


def signed_rank_tails(ranks: np.ndarray, w: float) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) where every rank has either sign with probability ½."""
    steps = np.rint(2 * ranks).astype(int)  # average ranks are halves
    law = np.zeros(int(steps.sum()) + 1)
    law[0] = 1.0
    for step in steps:
        law[step:] = 0.5 * law[step:] + 0.5 * law[:-step]
        law[:step] *= 0.5
    at = round(2 * w)
    return float(law[: at + 1].sum()), float(law[at:].sum())


def _hodges_lehmann(x: np.ndarray) -> Estimate:
    i, j = np.triu_indices(len(x))
    return Estimate(float(np.median((x[i] + x[j]) / 2)), metric="median difference").noting(
        "No standard error: a median of Walsh averages has none without a density."
    )


@comparison("values", "Is one of two models usually better over data sets? By counting wins")
def sign(e1: Any, e2: Any, alternative: str = "two-sided") -> TestResult:
    """The number of positive differences is binomial(m, ½); pairs without a difference are left out."""
    check_alternative(alternative)
    x = paired_values(e1, e2, least=1)
    above, below = int((x > 0).sum()), int((x < 0).sum())
    m = above + below
    law = stats.binom(m, 0.5)
    p = 1.0 if m == 0 else sided(float(law.cdf(above)), float(law.sf(above - 1)), alternative)
    return TestResult(
        "Sign",
        float(above),
        p,
        alternative=alternative,
        difference=Estimate(float(np.median(x)), metric="median difference").noting(
            "No standard error: the sign test knows the signs only."
        ),
        assumptions=(PAIRED, INDEPENDENT),
        notes=(f"{above} higher, {below} lower, {len(x) - m} without a difference.",),
    )
