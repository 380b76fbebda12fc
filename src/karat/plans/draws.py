"""Counts of bootstrap training sets, many at a time."""

from __future__ import annotations

import numpy as np

from karat.kernels.draws import count_draws
from karat.typing import Array, Ints

ROWS = 256  # training sets drawn together per stratum: a constant, so that a longer bootstrap begins with a shorter
DRAWS = 2**20  # held in memory at a time; the stream does not depend on it


def add_bootstrap_counts(rng: np.random.Generator, members: Ints, counts: Array) -> None:
    """Draw as many of the members as there are, with replacement, and count them; once per row of `counts`.

    Parameters
    ----------
    rng : Generator
    members : (m,) array of int
        Columns of `counts`.
    counts : (rows, n) uint8 array
        That one of m units is drawn more than 255 times has a probability below 10⁻⁵⁰⁰.
    """
    m = len(members)
    step = max(1, DRAWS // m)
    for start in range(0, len(counts), step):
        some = counts[start : start + step]
        count_draws(rng.integers(0, m, size=(len(some), m), dtype=np.uint32), members, some)


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    out = np.zeros((rows, n), dtype=np.uint8)
    add_bootstrap_counts(rng, np.arange(n), out)
    return out.astype(np.intp)


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n.

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the number of stars between two
    bars (Yousef, AUC: Nonparametric Estimators and Their Smoothness, lemma 2).
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1
