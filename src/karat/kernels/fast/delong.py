"""DeLong's vector: both placements by buckets, O(n) for most scores and O(n log n) at worst."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import _fill, _room, _twice_below


@njit(cache=True, error_model="numpy")
def _place(values, reference, out, ordered, starts, where):
    """Share of the reference below each value, ties counting ½; returns the sum of its numerators, twice."""
    low, last, scale = _fill(reference, ordered, starts, where)
    total = np.int64(0)
    for i in range(len(values)):
        twice = _twice_below(values[i], ordered, starts, low, last, scale)
        total += twice
        out[i] = twice / (2 * len(reference))
    return total


@njit(cache=True, error_model="numpy")
def _delong(scores, positive):
    n = len(scores)
    n1 = 0
    for k in range(n):
        n1 += positive[k]
    n2 = n - n1
    up, down, v10 = np.empty(n1 + 1), np.empty(n2 + 1), np.empty(n1 + 1)
    i, j = 0, 0
    for k in range(n):
        up[i] = down[j] = scores[k]  # no branch: the one that is wrong is overwritten
        i += positive[k]
        j += not positive[k]
    ordered, starts, where = _room(max(n1, n2))
    value = _place(up[:n1], down[:n2], v10, ordered, starts, where) / (2 * n1 * n2)
    _place(down[:n2], up[:n1], down, ordered, starts, where)  # now the share of positives below each negative
    # one case has no sample variance: its vector is NaN, and so is the standard error
    scale1 = 1 / np.sqrt(n1 * (n1 - 1)) if n1 > 1 else np.nan
    scale2 = 1 / np.sqrt(n2 * (n2 - 1)) if n2 > 1 else np.nan
    g = np.empty(n)
    i, j = 0, 0
    for k in range(n):
        of_up, of_down = (v10[i] - value) * scale1, (1 - down[j] - value) * scale2
        g[k] = of_up if positive[k] else of_down
        i += positive[k]
        j += not positive[k]
    return value, g


def delong_influence(scores, positive):
    return _delong(np.ascontiguousarray(scores, dtype=float), np.ascontiguousarray(positive, dtype=np.bool_))
