"""Drawing: counts of a bootstrap, ordered or not, all replicates at once."""

from __future__ import annotations

import numpy as np

# Rows drawn in one call of the generator. A constant, so that the stream does not depend on memory or B.
ROWS = 256


def smallest_counts(n: int, *, ordered: bool = True) -> np.dtype:
    """An unsigned type that holds every count a bootstrap of n units is likely to have (checked when filling)."""
    return np.dtype(np.uint8 if ordered or n < 256 else np.uint16 if n < 65_536 else np.uint32)


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> np.ndarray:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    drawn = rng.integers(0, n, size=(rows, n))
    drawn += np.arange(rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> np.ndarray:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n  (seeds/004, lemma 2).

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the
    number of stars between two bars.
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1
