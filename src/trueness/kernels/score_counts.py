"""Counts of two labels at each distinct score, from high to low: of cases, which is their ROC curve, and of rows."""

from __future__ import annotations

import numpy as np

from trueness.kernels import jit

COUNTS = np.dtype([("score", np.float64), ("first", np.int64), ("second", np.int64)])


def count_scores(scores: np.ndarray, first: np.ndarray) -> np.ndarray:
    """(v,) rows of `COUNTS`: distinct scores, how many cases `first` (n,), and how many others have each. −0 is 0."""
    out = np.empty(len(scores), COUNTS)
    return out[: _count_sorted(np.sort(scores[first]), np.sort(scores[~first]), out)]


def curve_counts(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct scores (v,), and how many positives and negatives are at or above each (v,), (v,)."""
    values, tp, fp = curve_points(scores, positive)
    return values[1:], tp[1:], fp[1:]


def curve_points(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `curve_counts`, with a first point (v + 1,) at which no case is called positive; its threshold is +∞."""
    rows = count_scores(np.asarray(scores, dtype=float), positive)
    tp, fp = (np.append(0, np.cumsum(rows[name])) for name in ("first", "second"))
    return np.append(np.inf, rows["score"]), tp, fp


def add_equal(rows: np.ndarray) -> np.ndarray:
    """(v,) the rows sorted from high to low, those of equal scores added."""
    order = np.argsort(-rows["score"], kind="stable")  # fast for some sorted runs in a row
    out = np.empty_like(rows)
    return out[: _add_equal(rows, order, out)]


@jit
def _count_sorted(first, second, out):
    """Both sorted upwards; writes the rows to `out`, and returns how many there are."""
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
