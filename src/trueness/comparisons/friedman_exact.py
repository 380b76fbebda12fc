"""Exact distribution of ranks without a difference: every order of the models on a data set is equally likely."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from trueness.result.digits import SMALLEST_P
from trueness.typing import Array, Floats, Ints

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
