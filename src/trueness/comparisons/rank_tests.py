"""Tests of paired values without a distribution: sign, Wilcoxon's signed ranks, permutation."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import check_whole, generator_of
from trueness.comparisons.registry import (
    INDEPENDENT_PAIRS,
    NO_SPREAD,
    PAIRED_VALUES,
    at_least_as_extreme,
    blocks,
    comparison,
    paired_values,
    values_of,
    without_se,
)
from trueness.formulas.intervals import from_tails, tail
from trueness.result.notes import Note
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import SMALLEST_P
from trueness.typing import Alternative, Array, Bools, Floats, Ints, Rng

MAX_PAIRS_FOR_EXACT = 200  # beyond, the normal approximation is accurate enough
SYMMETRIC = "the differences are symmetric about their centre."


@comparison("values", "Is one usually better, by ranks?")
def wilcoxon(e1: npt.ArrayLike, e2: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
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
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    # differences of decimals that differ in the last bits only are ties
    size = NO_SPREAD * max(float(np.abs(values_of(e, "e", 1)).max()) for e in (e1, e2))
    ranks = stats.rankdata(np.round(np.abs(moved) / size)) if len(moved) else np.zeros(0)
    w = float(ranks[moved > 0].sum())
    p = 1.0
    if 0 < len(moved) <= MAX_PAIRS_FOR_EXACT:
        p = from_tails(*signed_rank_tails(ranks, w), alternative)
    elif len(moved):
        gap, sd = w - ranks.sum() / 2, math.sqrt((ranks**2).sum() / 4)  # with the variance of the observed ranks
        shift = {"less": -0.5, "greater": 0.5}.get(alternative, math.copysign(min(0.5, abs(gap)), gap))  # continuity
        p = min(1.0, tail((gap - shift) / sd, alternative))
    i, j = np.triu_indices(len(x))
    d = without_se(float(np.median((x[i] + x[j]) / 2)), "median difference")
    notes = (Note("zero-differences-dropped", dropped=len(x) - len(moved)),) if len(moved) < len(x) else ()
    assumptions = (PAIRED_VALUES, INDEPENDENT_PAIRS, SYMMETRIC)
    return TestResult("Wilcoxon signed-rank", w, p, None, alternative, d, assumptions, notes)


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


@comparison("values", "Is one usually better, by wins?")
def sign(e1: npt.ArrayLike, e2: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """The number of positive differences is binomial(m, ½); pairs without a difference are dropped.

    Parameters
    ----------
    e1, e2, alternative
        As in `wilcoxon`.

    Returns
    -------
    TestResult
    """
    x = paired_values(e1, e2, least=1)
    higher, lower = int((x > 0).sum()), int((x < 0).sum())
    equal = len(x) - higher - lower
    law = stats.binom(higher + lower, 0.5)
    p = from_tails(float(law.cdf(higher)), float(law.sf(higher - 1)), alternative) if higher + lower else 1.0
    note = Note("win-counts", higher=higher, lower=lower, equal=equal)
    d = without_se(float(np.median(x)), "median difference")
    return TestResult("Sign", higher, p, None, alternative, d, (PAIRED_VALUES, INDEPENDENT_PAIRS), (note,))


MAX_PAIRS_TO_ENUMERATE = 16  # pairs that differ: all 2^16 sign patterns are enumerated


@comparison("values", "Equally good on average?")
def permutation(
    e1: npt.ArrayLike,
    e2: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_permutations: int = 10_000,
    rng: Rng = None,
) -> TestResult:
    """Mean difference, referred to its distribution when each pair is exchanged with probability ½.

    The pairs may be data sets (one value each) or the cases of one test set (one loss each). Up to 16 pairs that
    differ, all exchanges are enumerated. Beyond, p = (1 + #{at least as extreme}) / (1 + n_permutations).

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Values of the two models.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "less": the values of the first model are smaller.
    n_permutations : int, default 10000
        Number of random exchanges, where not all are enumerated.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    TestResult
    """
    check_whole("n_permutations", n_permutations, 1)
    x = paired_values(e1, e2, least=1)
    moved = x[x != 0]
    m = len(moved)

    def extreme(signs: Array) -> Bools:
        return at_least_as_extreme(signs @ moved, moved.sum(), alternative, 1e-12 * np.abs(moved).sum())

    if m == 0:
        p, note = 1.0, NO_DIFFERENCE
    elif m <= MAX_PAIRS_TO_ENUMERATE:
        signs = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)  # the first row is the observed one
        p, note = float(extreme(signs).mean()), Note("exchanges", count=2**m, all=True)
    else:
        generator, beyond = generator_of(rng), 0
        for b in blocks(n_permutations, m):
            beyond += int(extreme(np.where(generator.random((b, m)) < 0.5, -1.0, 1.0)).sum())
        p = (1 + beyond) / (1 + n_permutations)
        note = Note("exchanges", count=n_permutations, all=False)
    d = without_se(float(x.mean()), "mean difference")
    assumptions = (PAIRED_VALUES, INDEPENDENT_PAIRS, "the models are exchangeable within a pair without a difference.")
    return TestResult("Paired permutation", d.value, p, None, alternative, d, assumptions, (note,))


MAX_TABLES = 1e9  # the exact p-value is counted up to this number of tables of ranks …
MAX_SUMS = 400_000  # … as long as no step holds more sums of ranks than this


def exact_p(r: Floats) -> float | None:
    """Friedman's p from all permutations of the ranks (N, k) within rows; None where there are too many of them."""
    if r.shape[1] == 2:
        return sign_p(int((r[:, 0] < r[:, 1]).sum()), int((r[:, 0] > r[:, 1]).sum()))
    few = _log_tables(r) <= math.log(MAX_TABLES) and max(_log_orders(r)) <= math.log(MAX_SUMS)
    return permutation_p(r) if few else None


def least_p(r: Floats) -> float:
    """The p-value of the most extreme of these tables: no test of their ranks can have a smaller one."""
    return max(math.exp(-_log_tables(r)), SMALLEST_P)


def sign_p(one: int, other: int) -> float:
    """Two-sided sign test of two models with this many wins each."""
    p = 2 * float(stats.binom.cdf(min(one, other), one + other, 0.5))
    return min(1.0, max(p, SMALLEST_P))


def largest_not_rejected(n: int, untied: int, alpha: float) -> float:
    """The largest difference of mean ranks of two models on n data sets that the sign test does not reject at α."""
    for fewer in range(untied // 2 + 1):
        if sign_p(fewer, untied - fewer) >= alpha:
            return (untied - 2 * fewer) / n
    return 0.0


def _log_tables(r: Floats) -> float:
    """log of the number of tables with these ranks in each row.

    The row with the most orders is held fixed: permuting all columns alike changes nothing.
    """
    logs = _log_orders(r)
    return sum(logs) - max(logs)


def _log_orders(r: Floats) -> list[float]:
    """log of k!/Π t! for each row, with t the sizes of its ties."""
    return [
        math.lgamma(r.shape[1] + 1) - sum(math.lgamma(t + 1) for t in np.unique(row, return_counts=True)[1])
        for row in r
    ]


@lru_cache(maxsize=32)
def orders(row: tuple[int, ...]) -> Array:
    """(ways, k) every distinct order of these numbers."""
    if len(row) <= 1:
        return np.array([row])
    parts = []
    for first in sorted(set(row)):
        at = row.index(first)
        rest = orders(row[:at] + row[at + 1 :])
        parts.append(np.hstack([np.full((len(rest), 1), first), rest]))
    return np.vstack(parts)


def permutation_p(r: Floats) -> float | None:
    """P(Σ_j R_j² ≥ that of the table) where the ranks of each row are permuted, by counting all tables.

    χ² and F increase with Σ_j R_j², so it is the exact p of both. Column sums are kept sorted: later rows treat all
    columns alike, so few distinct sums stand for many tables.
    """
    ways = [orders(tuple(sorted(row))) for row in (2 * r).round().astype(int).tolist()]  # whole numbers
    ways.sort(key=len, reverse=True)
    sums: Array = ways[0][:1]  # (states, k)
    weight: Array = np.ones(1)  # (states,)
    for rows in ways[1:]:
        if len(sums) * len(rows) > MAX_SUMS:
            return None
        every = np.sort((sums[:, None, :] + rows[None, :, :]).reshape(-1, r.shape[1]), axis=1)
        sums, where = _distinct(every)
        weight = np.bincount(where, np.repeat(weight / len(rows), len(rows)))
    seen = ((2 * r).round().sum(axis=0) ** 2).sum()
    return min(1.0, float(weight[(sums**2).sum(axis=1) >= seen - 0.5].sum()))


def _distinct(sums: Array) -> tuple[Array, Ints]:
    """The distinct rows of whole numbers, and which of them each row is."""
    base, digits = int(sums.max()) + 1, sums.shape[1]
    if base**digits >= 2**62:
        rows, where = np.unique(sums, axis=0, return_inverse=True)
        return rows, where.ravel()
    places = np.array([base**d for d in range(digits)], dtype=np.int64)  # rows are compared faster as numbers
    _, first, where = np.unique(sums.astype(np.int64) @ places, return_index=True, return_inverse=True)
    return sums[first], where.ravel()
