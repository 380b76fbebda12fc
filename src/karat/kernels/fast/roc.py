"""The counts of a ROC curve, compiled: each class is sorted by ranges and buckets, then the two are merged."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import BUCKETS, PART, _fill, _part, _range, _room, _split


@njit(cache=True, error_model="numpy")
def _sort(x, out, ordered, starts, where):
    """x sorted into `out`, for values that stay in the cache. Buckets are in order, so no value moves far."""
    if len(x) == 0:
        return
    _fill(x, ordered, starts, where)
    out[0] = ordered[0]
    for i in range(1, len(x)):
        v = ordered[i]
        j = i
        while j > 0 and out[j - 1] > v:
            out[j] = out[j - 1]
            j -= 1
        out[j] = v


@njit(cache=True, error_model="numpy")
def _sort_all(x, parted, out):
    """x sorted into `out`, range by range in the room of `parted`."""
    if len(x) <= PART:
        ordered, starts, where = _room(len(x))
        _sort(x, out, ordered, starts, where)
        return
    parts = (len(x) >> 12) + 1
    low, last, scale = _range(x)
    begins = _part(x, low, min(last, parts - 1.0), scale * (parts - 1) / (BUCKETS * len(x)), parts, parted)
    ordered, starts, where = _room(PART)
    for k in range(parts):
        a, b = begins[k], begins[k + 1]
        if b - a > len(where):
            ordered, starts, where = _room(b - a)
        _sort(parted[a:b], out[a:b], ordered, starts, where)


@njit(cache=True, error_model="numpy")
def _merge(up, down, values, tp, fp):
    """Both sorted upwards; written from the highest score down, ties in one place. Returns how many scores differ."""
    n1, n2 = len(up), len(down)
    i, j, v = n1 - 1, n2 - 1, -1
    last = np.nan
    while i >= 0 and j >= 0:  # no branches: which class comes next cannot be foreseen
        u, d = up[i], down[j]
        score = u if u > d else d
        i -= not u < d  # in this form a NaN, which nobody should give, ends the walk too
        j -= not d < u
        v += score != last
        last = score
        values[v], tp[v], fp[v] = score, n1 - 1 - i, n2 - 1 - j
    while i >= 0:
        v += up[i] != last
        last = up[i]
        i -= 1
        values[v], tp[v], fp[v] = last, n1 - 1 - i, n2 - 1 - j
    while j >= 0:
        v += down[j] != last
        last = down[j]
        j -= 1
        values[v], tp[v], fp[v] = last, n1 - 1 - i, n2 - 1 - j
    return v + 1


def curve_counts(scores, positive):
    values, tp, fp = curve_points(scores, positive)
    return values[1:], tp[1:], fp[1:]


def curve_points(scores, positive):
    scores, positive = np.ascontiguousarray(scores, dtype=float), np.ascontiguousarray(positive, dtype=np.bool_)
    n, n1 = len(scores), int(np.count_nonzero(positive))
    up, down = np.empty(n1 + 1), np.empty(n - n1 + 1)
    _split(scores, positive, up, down)
    values, tp, fp = np.empty(n + 1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    values[0], tp[0], fp[0] = np.inf, 0, 0
    parted, ordered = tp[1:].view(np.float64), np.empty(n)  # tp is not written before parted is read
    _sort_all(up[:n1], parted[:n1], ordered[:n1])
    _sort_all(down[:-1], parted[n1:], ordered[n1:])
    v = _merge(ordered[:n1], ordered[n1:], values[1:], tp[1:], fp[1:]) + 1
    return values[:v], tp[:v], fp[:v]
