"""Counts of bootstrap training sets, many at a time."""

from __future__ import annotations

import numpy as np

from karat.typing import Ints

ROWS = 256  # training sets drawn together per stratum: a constant, so that a longer bootstrap begins with a shorter
DRAWS = 2**20  # held in memory at a time; the stream does not depend on it


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    out = np.empty((rows, n), dtype=np.intp)
    step = max(1, DRAWS // n)
    for start in range(0, rows, step):
        some = out[start : start + step]
        drawn = rng.integers(0, n, size=some.shape)
        drawn += np.arange(len(some))[:, None] * n
        some[:] = np.bincount(drawn.ravel(), minlength=some.size).reshape(some.shape)
    return out


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n.

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the number of stars between two
    bars (Yousef, AUC: Nonparametric Estimators and Their Smoothness, lemma 2).
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1
