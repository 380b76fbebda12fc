"""Counts of two labels at each distinct score: of cases sorted by label, and of rows whose scores may be equal."""

from __future__ import annotations

import numpy as np

from karat.kernels import jit


def count_sorted(first: np.ndarray, second: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """(v,) rows (score, first, second), high to low, of the scores of each label sorted upwards."""
    out = np.empty(len(first) + len(second), dtype)
    return out[: _count_sorted(first, second, out)]


def add_equal(rows: np.ndarray) -> np.ndarray:
    """(v,) the rows sorted from high to low, those of equal scores added."""
    order = np.argsort(-rows["score"], kind="stable")  # fast for some sorted runs in a row
    out = np.empty_like(rows)
    return out[: _add_equal(rows, order, out)]


@jit
def _count_sorted(first, second, out):
    i, j, v = len(first) - 1, len(second) - 1, 0
    while i >= 0 or j >= 0:
        score = first[i] if j < 0 or (i >= 0 and first[i] > second[j]) else second[j]
        i0, j0 = i, j
        while i >= 0 and first[i] == score:
            i -= 1
        while j >= 0 and second[j] == score:
            j -= 1
        out[v]["score"], out[v]["first"], out[v]["second"] = score + 0.0, i0 - i, j0 - j  # −0 is 0
        v += 1
    return v


@jit
def _add_equal(rows, order, out):
    v = -1
    for k in order:
        if v < 0 or rows[k]["score"] != out[v]["score"]:
            v += 1
            out[v]["score"], out[v]["first"], out[v]["second"] = rows[k]["score"], 0, 0
        out[v]["first"] += rows[k]["first"]
        out[v]["second"] += rows[k]["second"]
    return v + 1
