"""The order of the left-out cases of each replicate, compiled, and how the sums over pairs read it."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import ONE, SMALL, _bucket, _fill, _room
from karat.kernels.fast.delong import BIT, NARROW, _in_order

WIDTH, LANES = 2048, 64  # cases of a tile, and a multiple that fills the registers


@njit(cache=True, error_model="numpy", inline="always")
def _below(s, ordered, starts, low, last, scale):
    """How many values are less than s, and how many are less or the same."""
    k = _bucket(s, low, last, scale)
    a, b = np.uint64(starts[k]), np.uint64(starts[k + ONE])
    if b <= a + SMALL:
        less, up_to = np.int64(a), np.int64(a)
        i = a
        while i < b:
            v = ordered[i]
            less += np.int64(v < s)
            up_to += np.int64(v <= s)
            i += ONE
    else:
        less = np.int64(a) + np.searchsorted(ordered[a:b], s)
        up_to = np.int64(a) + np.searchsorted(ordered[a:b], s, side="right")
    return less, up_to


@njit(cache=True, error_model="numpy")
def _left_out(scores, out, kind, values, member):
    m = 0
    for i in range(len(scores)):
        values[m], member[m] = scores[i], np.uint32(2 * i + kind)  # no branch: overwritten where it is not left out
        m += out[i]
    return m


@njit(cache=True, error_model="numpy")
def _rank(own, members, rank, other, other_members, less, up_to, ordered, starts, where):
    """Ranks within a class, and what of it lies below the cases of the other class."""
    if len(own):
        low, last, scale = _fill(own, ordered, starts, where)
        for k in range(len(own)):
            rank[members[k] >> BIT] = _below(own[k], ordered, starts, low, last, scale)[0]
        for k in range(len(other)):
            i = other_members[k] >> BIT
            less[i], up_to[i] = _below(other[k], ordered, starts, low, last, scale)


@njit(cache=True, error_model="numpy")
def _walk_orders(values, members, rank_up, rank_down, less_up, up_to_up, less_down, up_to_down):
    """All tables of a replicate from one walk over its left-out cases in order; a member is 2 × case + class."""
    n, ups, i = len(values), 0, 0
    while i < n:
        end, tied = i + 1, np.int64(members[i] & BIT)
        while end < n and values[end] == values[i]:
            tied += members[end] & BIT
            end += 1
        downs = i - ups
        for q in range(i, end):
            case = members[q] >> BIT
            if members[q] & BIT:
                rank_up[case], less_up[case], up_to_up[case] = ups, downs, downs + end - i - tied
            else:
                rank_down[case], less_down[case], up_to_down[case] = downs, ups, ups + tied
        ups += tied
        i = end


@njit(cache=True, error_model="numpy")
def _fill_orders(up, down, out_up, out_down, rank_up, rank_down, less_up, up_to_up, less_down, up_to_down):
    b, n1, n2 = len(up), up.shape[1], down.shape[1]
    room = n1 + n2 + 1
    x, member, values, members = np.empty(room), np.empty(room, np.uint32), np.empty(room), np.empty(room, np.uint32)
    starts = np.empty(NARROW * room + 3, np.uint32)
    ordered, firsts, where = _room(max(n1, n2))
    for r in range(b):
        m1 = _left_out(up[r], out_up[r], 1, x, member)
        m = m1 + _left_out(down[r], out_down[r], 0, x[m1:], member[m1:])
        if m and _in_order(x[:m], member[:m], values, members, starts):
            _walk_orders(
                values[:m], members[:m], rank_up[r], rank_down[r], less_up[r], up_to_up[r], less_down[r], up_to_down[r]
            )
        elif m:  # many ties, or scores of very different size: each class placed in itself and in the other
            us, ds, ius, ids = x[:m1], x[m1:m], member[:m1], member[m1:m]
            _rank(ds, ids, rank_down[r], us, ius, less_up[r], up_to_up[r], ordered, firsts, where)
            _rank(us, ius, rank_up[r], ds, ids, less_down[r], up_to_down[r], ordered, firsts, where)


def fill_orders(up, down, out_up, out_down, orders):
    scores = (np.ascontiguousarray(part, dtype=float) for part in (up, down))
    out = (np.ascontiguousarray(part, dtype=np.bool_) for part in (out_up, out_down))
    _fill_orders(*scores, *out, *orders)


@njit(cache=True, error_model="numpy")
def _entries(less, up_to, own, none, replicate, threshold):
    """The replicates that left a case out, with its threshold in each; at a tie two of them, one after the other.

    Those without a tie come first. Both kinds are filled up to a multiple of four with thresholds of 0, where nothing
    is below. Returns how many there are without a tie, where the others begin, and how many those are.
    """
    k = 0
    for b in range(len(less)):
        replicate[k], threshold[k] = b, less[b]
        k += (own[b] != none) & (less[b] == up_to[b])  # no branch
    plain = k
    while k % 4:
        replicate[k], threshold[k] = 0, 0
        k += 1
    ties = k
    for b in range(len(less)):
        if less[b] != up_to[b]:  # 0 and 0 where it was not left out
            replicate[k], threshold[k] = b, less[b]
            replicate[k + 1], threshold[k + 1] = b, up_to[b]
            k += 2
    tied = k - ties
    while k % 4:
        replicate[k], threshold[k] = 0, 0
        k += 1
    return plain, ties, tied


def _by_case(*tables):
    return (np.ascontiguousarray(table.T) for table in tables)


def _none(orders):
    return orders.rank_up.dtype.type(orders.none)


def _tiles(rank, none):
    """(b, n) as (tiles, b, width): what is read for one case after the other stays in the cache."""
    b, n = rank.shape
    width = min(WIDTH, -(-n // LANES) * LANES)
    padded = np.full((b, -(-n // width) * width), none, dtype=rank.dtype)
    padded[:, :n] = rank
    return np.ascontiguousarray(padded.reshape(b, -1, width).transpose(1, 0, 2))
