"""DeLong's vector: all cases sorted once by buckets, then one walk from the lowest score to the highest, which knows
how many cases of each class are below. O(n) for most scores. Where many scores share a bucket (ties, outliers) each
class is placed in the other by itself, O(n log n) at worst.
"""

from __future__ import annotations

import threading

import numpy as np
from numba import njit

from karat.kernels.fast.auc import BUCKETS, LARGE, ONE, PART, SMALL, TWO, _bucket, _fill, _range, _room, _twice_below
from karat.kernels.fast.inner import inner

NARROW = 3  # buckets a case
BIT, NO_BIT = np.uint32(1), np.uint32(0)
MOST = 1 << 31  # cases whose places, and a bit for the class, go into four bytes


@inner
def _scatter(x, member, low, last, scale, starts, values, members, limit):
    """Cases in the order of their buckets; False, and nothing done, where one holds more than `limit` of them."""
    starts[:] = 0
    for v in x:
        starts[_bucket(v, low, last, scale) + TWO] += ONE
    total, most = np.uint32(0), np.uint32(0)
    for k in range(2, len(starts)):
        most = starts[k] if starts[k] > most else most
        total = np.uint32(total + starts[k])
        starts[k] = total
    if most > limit:
        return False
    for i in range(len(x)):
        k = _bucket(x[i], low, last, scale) + ONE
        at = starts[k]
        values[at], members[at] = x[i], member[i]
        starts[k] = at + ONE
    return True


@inner
def _settle(values, members):
    """Sorted by insertion: no value is far from its place."""
    for i in range(1, len(values)):
        v = values[i]
        if values[i - 1] > v:
            m, j = members[i], i
            while j > 0 and values[j - 1] > v:
                values[j], members[j] = values[j - 1], members[j - 1]
                j -= 1
            values[j], members[j] = v, m


@inner
def _walk(values, members, before, ups, twice):
    """twice[case] = 2 × the cases of the other class below it, plus those that tie. `before` cases come first, `ups` of
    them positive. Returns the positives now, and the sum of `twice` over those met."""
    n, total, i = len(values), np.int64(0), 0
    while i < n:
        end, tied = i + 1, np.int64(members[i] & BIT)
        while end < n and values[end] == values[i]:
            tied += members[end] & BIT
            end += 1
        of_up, of_down = 2 * (before + i - ups) + (end - i - tied), 2 * ups + tied
        for q in range(i, end):
            twice[members[q] >> BIT] = of_up if members[q] & BIT else of_down
        total += tied * of_up
        ups += tied
        i = end
    return ups, total


@inner
def _in_order(x, member, values, members, starts):
    """Cases sorted into `values` and `members`; False where a bucket holds too many."""
    low, last, scale = _range(x)
    last, scale = last * NARROW / BUCKETS, scale * NARROW / BUCKETS
    m = len(x)
    if not _scatter(x, member, low, last, scale, starts[: NARROW * m + 3], values, members, SMALL):
        return False
    _settle(values[:m], members[:m])
    return True


@njit(cache=True, error_model="numpy")
def _walk_range(x, member, values, members, starts, before, ups, twice):
    """`_walk` over cases that stay in the cache; −1 positives where a bucket holds too many."""
    if not _in_order(x, member, values, members, starts):
        return np.int64(-1), np.int64(0)
    return _walk(values[: len(x)], members[: len(x)], before, ups, twice)


@njit(cache=True, error_model="numpy")
def _walk_ranges(scores, member, twice, parted, members):
    """`_walk` over ranges of the scores, one after the other, in the room of `parted`."""
    n = len(scores)
    parts = (n >> 12) + 1
    low, last, scale = _range(scores)
    begins = np.empty(parts + 2, np.uint32)
    _scatter(
        scores, member, low, min(last, parts - 1.0), scale * (parts - 1) / (BUCKETS * n), begins, parted, members, n
    )
    room = PART
    values, some, starts = np.empty(room), np.empty(room, np.uint32), np.empty(NARROW * room + 3, np.uint32)
    before, ups, total = np.int64(0), np.int64(0), np.int64(0)
    for k in range(parts):
        end = np.int64(begins[k + 1])  # where the next range begins, now that all are filled
        if end - before > room:
            return np.int64(-1)
        if end > before:
            x, m = parted[before:end], members[before:end]
            ups, more = _walk_range(x, m, values, some, starts, before, ups, twice)
            if ups < 0:
                return np.int64(-1)
            total += more
            before = end
    return total


@njit(cache=True, error_model="numpy")
def _number(positive, member):
    """The number of each case, and its class in the lowest bit."""
    for i in range(len(positive)):
        member[i] = np.uint32(2 * i + positive[i])


class _Room(threading.local):
    """Memory of a thread that is kept between calls: asking for it anew costs as much as the sums."""

    def __init__(self):
        self.values, self.members, self.member = np.empty(LARGE), np.empty(LARGE, np.uint32), np.empty(LARGE, np.uint32)
        self.starts, self.twice = np.empty(NARROW * LARGE + 3, np.uint32), np.empty(LARGE, np.uint32)


ROOM = _Room()


def _twice(scores, positive):
    """2 × the sum of ψ, and (n,) for every case 2 × the cases of the other class below it, plus those that tie."""
    n, total = len(scores), -1
    twice = ROOM.twice[:n] if n <= LARGE else np.empty(n, np.uint32 if n < MOST else np.uint64)
    if n <= LARGE:
        member = ROOM.member[:n]
        _number(positive, member)
        ups, total = _walk_range(scores, member, ROOM.values, ROOM.members, ROOM.starts, 0, 0, twice)
        total = total if ups >= 0 else -1
    elif n < MOST:
        member = np.empty(n, np.uint32)
        _number(positive, member)
        total = _walk_ranges(scores, member, twice, np.empty(n), np.empty(n, np.uint32))
    return (total, twice) if total >= 0 else _placed(scores, positive, twice)


@inner
def _place(values, reference, out, ordered, starts, where):
    """2 × the reference below each value, plus ties; returns the sum."""
    low, last, scale = _fill(reference, ordered, starts, where)
    total = np.int64(0)
    for i in range(len(values)):
        twice = _twice_below(values[i], ordered, starts, low, last, scale)
        total += twice
        out[i] = twice
    return total


@njit(cache=True, error_model="numpy")
def _placed(scores, positive, twice):
    """What `_twice` gives, for any scores: each class placed in the other."""
    up, down = scores[positive], scores[~positive]
    n1, n2 = len(up), len(down)
    ordered, starts, where = _room(max(n1, n2))
    of_up, of_down = np.empty(n1 + 1, np.int64), np.empty(n2 + 1, np.int64)
    total = _place(up, down, of_up, ordered, starts, where)
    _place(down, up, of_down, ordered, starts, where)
    i, j = 0, 0
    for k in range(len(scores)):
        twice[k] = of_up[i] if positive[k] else of_down[j]
        i += positive[k]
        j += not positive[k]
    return total, twice


@njit(cache=True, error_model="numpy")
def _scaled(twice, positive, n1, n2, value, g):
    """g: V10 of the positives and V01 of the negatives, centred and scaled."""
    # one case has no sample variance: its vector is NaN, and so is the standard error
    scale1 = 1 / np.sqrt(n1 * (n1 - 1)) if n1 > 1 else np.nan
    scale2 = 1 / np.sqrt(n2 * (n2 - 1)) if n2 > 1 else np.nan
    for k in range(len(g)):
        t = np.float64(np.int64(twice[k]))
        of_up, of_down = (t / (2 * n2) - value) * scale1, (1 - t / (2 * n1) - value) * scale2
        g[k] = of_up if positive[k] else of_down


def delong_influence(scores, positive):
    scores, positive = np.ascontiguousarray(scores, dtype=float), np.ascontiguousarray(positive, dtype=np.bool_)
    n1 = int(np.count_nonzero(positive))
    n2 = len(scores) - n1
    total, twice = _twice(scores, positive)
    value, g = total / (2 * n1 * n2), np.empty(len(scores))
    _scaled(twice, positive, n1, n2, value, g)
    return value, g


@njit(cache=True, error_model="numpy")
def _class_extremes(scores, positive):
    lowest = low = np.inf
    highest = high = -np.inf
    for k in range(len(scores)):  # no branches
        s = scores[k]
        up, up_most = (s, s) if positive[k] else (np.inf, -np.inf)
        down, down_most = (np.inf, -np.inf) if positive[k] else (s, s)
        lowest = up if up < lowest else lowest
        highest = up_most if up_most > highest else highest
        low = down if down < low else low
        high = down_most if down_most > high else high
    return lowest, highest, low, high


def class_extremes(scores, positive):
    return _class_extremes(np.ascontiguousarray(scores, dtype=float), np.ascontiguousarray(positive, dtype=np.bool_))
