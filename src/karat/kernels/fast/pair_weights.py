"""The weights of one case for its sums over pairs, as whole numbers of two bytes.

32 sums run side by side, in lanes of two bytes each, so no sum of a lane may overflow, whatever cases are left out and
come before. Weights differ little from their mean, which is added by itself; what they lose when they are rounded is
kept as a second number, the rest. The residuals of a pair add up to 0 over all replicates: the part of the loss that
would change this is given back.
"""

from __future__ import annotations

import numpy as np

from karat.kernels.fast.inner import inner
from karat.kernels.fast.lanes import LANES

ROOM = 32_600  # the largest sum of a lane, before each of up to 128 terms is rounded
SPARSE = 16  # every so many pairs are enough for a typical one


@inner
def total_of(x):
    """Σ x, one after the other; `x.sum()` takes longer to compile."""
    total = 0.0
    for j in range(len(x)):
        total += x[j]
    return total


@inner
def _weigh(won, times, drop, of_positives, share, w, v):
    """w_j = 1/(D − drop), and v_j = −w_j times the mean of [place_j < t]: A, or 1 − A for a negative case.

    Both are 0 for a pair that was never left out together: it is in no sum. `share` becomes 1/D.
    """
    for j in range(len(won)):
        d = np.float64(times[j])
        w[j] = 1.0 / max(d - drop, 1.0) if d > 0 else 0.0
        share[j] = 1.0 / max(d, 1.0)
    for j in range(len(won)):
        a = won[j] * share[j]
        v[j] = -w[j] * (a if of_positives else 1.0 - a)


@inner
def _differences(share, w, v, dw, dv):
    """From w = 1/(D − 1) to 1/D, and so for v: (1 − s) w − dw = w (1 − 1/D), s a typical 1/D, so that dw is small."""
    total = 0.0
    for j in range(0, len(share), SPARSE):
        total += share[j]
    typical = total / (-(-len(share) // SPARSE))
    for j in range(len(share)):
        dw[j] = w[j] * (share[j] - typical)
        dv[j] = v[j] * (share[j] - typical)
    return typical


@inner
def _add_lanes(x, start, end, lane, size):
    """lane_l += Σ x, and size_l += Σ |x|, over the elements of each lane from start to end."""
    for k in range(start, end, LANES):
        for j in range(LANES):
            value = x[np.uint64(k + j)]  # an unsigned index needs no check for negative ones
            lane[j] += value
            size[j] += abs(value)


@inner
def _centre(x, lanes):
    """Takes the mean from x, and returns it. The order of the sum is fixed."""
    lanes[:] = 0
    _add_lanes(x, np.int64(0), len(x), lanes[0], lanes[1])
    mean = total_of(lanes[0]) / len(x)
    for j in range(len(x)):
        x[j] -= mean
    return mean


@inner
def _units(x, y, width, lanes):
    """How many units make 1, so that no sum of some of x and some of y in a lane can overflow."""
    largest = 0.0
    for a in range(0, len(x), width):
        lanes[:] = 0
        _add_lanes(x, a, a + width, lanes[0], lanes[1])
        _add_lanes(y, a, a + width, lanes[0], lanes[1])
        for j in range(LANES):
            largest = max(largest, (lanes[1, j] + abs(lanes[0, j])) / 2)  # all positive ones, or all negative ones
    return ROOM / largest if largest > 0 else 1.0


@inner
def _two_bytes(x, scale, finer, whole, rest):
    """x as whole numbers of two bytes, and what this rounds off as whole numbers of a part of their unit.

    What is missing still, or without the rests where `finer` is 0, is left in x.
    """
    for j in range(len(x)):
        units = x[j] * scale
        nearest = np.floor(units + 0.5)
        more = np.floor(finer * (units - nearest) + 0.5)
        whole[j], rest[j] = np.int16(nearest), np.int16(more)
        x[j] = units - nearest - (more / finer if finer > 0 else 0.0)


@inner
def _missing(won, times, of_positives, w, v, lanes):
    """What w and v are on average over the left-out pairs of all replicates: Σ (Σ_b [place_j < t] w + D v) / Σ D."""
    lanes[:] = 0
    sums, pairs, end = lanes[0], lanes[1], len(times) // LANES * LANES
    a, b = (1.0, 0.0) if of_positives else (-1.0, 1.0)
    for k in range(0, end, LANES):
        for j in range(LANES):
            i = np.uint64(k + j)
            sums[j] += (a * won[i] + b * times[i]) * w[i] + times[i] * v[i]
            pairs[j] += times[i]
    for j in range(end, len(times)):
        sums[0] += (a * won[j] + b * times[j]) * w[j] + times[j] * v[j]
        pairs[0] += times[j]
    return total_of(sums) / max(total_of(pairs), 1.0)


@inner
def _split(won, times, of_positives, finer, w, v, width, lanes, before, left_out):
    """w and v in two bytes. Returns the units of the whole numbers and of the rests, and what to add a left-out pair,
    so that the sums over all replicates, which are 0, stay so."""
    scale = _units(w, v, width, lanes)
    _two_bytes(w, scale, finer, before[0], before[1])
    _two_bytes(v, scale, finer, left_out[0], left_out[1])
    missing = _missing(won, times, of_positives, w, v, lanes)
    return 1.0 / scale, 1.0 / (scale * finer) if finer > 0 else 0.0, missing / scale
