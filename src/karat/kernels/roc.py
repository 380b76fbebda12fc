"""The empirical ROC curve in whole numbers: counts of positives and negatives at or above every score."""

from __future__ import annotations

import numpy as np

from karat.kernels import jit


def curve_counts(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct scores, high to low (v,), and how many positives and negatives are at or above each (v,), (v,)."""
    values, tp, fp = curve_points(scores, positive)
    return values[1:], tp[1:], fp[1:]


def curve_points(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `curve_counts`, with a first point (v + 1,) at which no case is called positive; its threshold is +∞."""
    scores = np.asarray(scores, dtype=float)
    return _merge(np.sort(scores[positive]), np.sort(scores[~positive]))


@jit
def _merge(up, down):
    """Both sorted upwards; read from the highest score down, one point per distinct score."""
    n1, n2 = len(up), len(down)
    values, tp, fp = np.empty(n1 + n2 + 1), np.empty(n1 + n2 + 1, np.int64), np.empty(n1 + n2 + 1, np.int64)
    values[0], tp[0], fp[0] = np.inf, 0, 0
    i, j, v = n1 - 1, n2 - 1, 0
    while i >= 0 or j >= 0:
        score = up[i] if j < 0 or (i >= 0 and up[i] > down[j]) else down[j]
        while i >= 0 and up[i] == score:
            i -= 1
        while j >= 0 and down[j] == score:
            j -= 1
        v += 1
        values[v], tp[v], fp[v] = score, n1 - 1 - i, n2 - 1 - j
    return values[: v + 1], tp[: v + 1], fp[: v + 1]
