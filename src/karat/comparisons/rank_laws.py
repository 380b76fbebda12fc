"""Exact laws of ranks without a difference: every order of the models on a data set is equally likely."""

from __future__ import annotations

import math
import sys
from functools import lru_cache

import numpy as np
from scipy import stats

ENUMERATED = 1e9  # tables of ranks: up to so many the exact p-value is counted
AT_A_TIME = 400_000  # … as long as no step holds more sums than this


def sign_p(one: int, other: int) -> float:
    """Two-sided sign test: so many wins of either model, or more, of as many data sets that tell them apart."""
    p = 2 * float(stats.binom.cdf(min(one, other), one + other, 0.5))
    return min(1.0, max(p, sys.float_info.min))


def largest_not_found(n: int, told_apart: int, alpha: float) -> float:
    """Of two models on n data sets, the largest difference of mean ranks that the sign test does not find at α."""
    for fewer in range(told_apart // 2 + 1):
        if sign_p(fewer, told_apart - fewer) >= alpha:
            return (told_apart - 2 * fewer) / n
    return 0.0


def log_arrangements(r: np.ndarray) -> float:
    """log of the number of tables with these ranks in each row, the row with the most arrangements held fixed.

    A row with ties of sizes t has k!/Π t! distinct arrangements; turning all columns alike changes nothing, so one
    row may stay as it is.
    """
    logs = _log_ways(r)
    return sum(logs) - max(logs)


def _log_ways(r: np.ndarray) -> list[float]:
    return [
        math.lgamma(r.shape[1] + 1) - sum(math.lgamma(t + 1) for t in np.unique(row, return_counts=True)[1])
        for row in r
    ]


def least_p(r: np.ndarray) -> float:
    """The p-value of the most extreme of these tables: no test of their ranks can have a smaller one."""
    return max(math.exp(-log_arrangements(r)), sys.float_info.min)


def exact_p(r: np.ndarray) -> float | None:
    """Friedman's p from all permutations of the ranks within rows; None where there are too many of them."""
    if r.shape[1] == 2:
        return sign_p(int((r[:, 0] < r[:, 1]).sum()), int((r[:, 0] > r[:, 1]).sum()))
    few = log_arrangements(r) <= math.log(ENUMERATED) and max(_log_ways(r)) <= math.log(AT_A_TIME)
    return permutation_p(r) if few else None


@lru_cache(maxsize=32)
def arrangements(row: tuple[int, ...]) -> np.ndarray:
    """(ways, k) every different order of these numbers, ties counted once."""
    if len(row) <= 1:
        return np.array([row])
    parts = []
    for first in sorted(set(row)):
        at = row.index(first)
        rest = arrangements(row[:at] + row[at + 1 :])
        parts.append(np.hstack([np.full((len(rest), 1), first), rest]))
    return np.vstack(parts)


def permutation_p(r: np.ndarray) -> float | None:
    """P(Σ_j R_j² ≥ that of the table) where the ranks of each row are permuted, by counting all of them.

    χ² and F rise with Σ_j R_j², so it is the exact p of both. Column sums are kept sorted: the rows to come treat all
    columns alike, and there are few different sums of many tables.
    """
    ways = [arrangements(tuple(sorted(row))) for row in (2 * r).round().astype(int).tolist()]  # whole numbers
    ways.sort(key=len, reverse=True)
    sums: np.ndarray = ways[0][:1]  # (states, k)
    weight: np.ndarray = np.ones(1)  # (states,)
    for rows in ways[1:]:
        if len(sums) * len(rows) > AT_A_TIME:
            return None
        every = np.sort((sums[:, None, :] + rows[None, :, :]).reshape(-1, r.shape[1]), axis=1)
        sums, where = _distinct(every)
        weight = np.bincount(where, np.repeat(weight / len(rows), len(rows)))
    seen = ((2 * r).round().sum(axis=0) ** 2).sum()
    return min(1.0, float(weight[(sums**2).sum(axis=1) >= seen - 0.5].sum()))


def _distinct(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of whole numbers, and which of them each row is; told apart by one number a row if it fits."""
    base, digits = int(sums.max()) + 1, sums.shape[1]
    if base**digits >= 2**62:
        rows, where = np.unique(sums, axis=0, return_inverse=True)
        return rows, where.ravel()
    places = np.array([base**d for d in range(digits)], dtype=np.int64)
    _, first, where = np.unique(sums.astype(np.int64) @ places, return_index=True, return_inverse=True)
    return sums[first], where.ravel()
