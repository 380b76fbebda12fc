"""The order of the left-out cases of each replicate, compiled, and how the sums over pairs read it."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import ONE, SMALL, _bucket, _fill, _room, _search
from karat.kernels.fast.delong import BIT, NARROW, NO_BIT, _in_order
from karat.kernels.fast.inner import inner
from karat.kernels.fast.lanes import aligned, ask_for

WIDTH, STEP = 2048, 64  # cases of a tile, and what its width is a multiple of
NOBODY = np.uint8(255)  # the bucket of a case in the training set


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
        less, up_to = _search(ordered, a, b, s)
    return less, up_to


@inner
def _left_out(scores, out, cases, kind, values, member):
    m = 0
    for i in range(len(cases)):
        case = np.uint64(cases[i])
        values[m], member[m] = scores[case], np.uint32(2 * i) + kind  # no branch: overwritten where it is not left out
        m += out[case]
    return m


@inner
def _rank(own, members, order, other, other_members, less, up_to, ordered, starts, where):
    """The order of a class, and what of it lies below the cases of the other class."""
    if len(own) == 0:
        for member in other_members:
            less[member >> BIT], up_to[member >> BIT] = 0, 0
        return
    low, last, scale = _fill(own, ordered, starts, where)
    where[: len(own)] = 0
    for k in range(len(own)):
        place = _below(own[k], ordered, starts, low, last, scale)[0]
        order[place + where[place]] = members[k] >> BIT
        where[place] += np.uint32(1)  # so many have this score
    for k in range(len(other)):
        i = other_members[k] >> BIT
        less[i], up_to[i] = _below(other[k], ordered, starts, low, last, scale)


@inner
def _walk_orders(values, members, order_up, order_down, less_up, up_to_up, less_down, up_to_down):
    """All tables of a replicate from one walk over its left-out cases in order; a member is 2 × case + class."""
    n, ups, i = len(values), 0, 0
    while i < n:
        end, tied = i + 1, np.int64(members[i] & BIT)
        while end < n and values[end] == values[i]:
            tied += members[end] & BIT
            end += 1
        downs, up, down = i - ups, ups, i - ups
        for q in range(i, end):
            case = members[q] >> BIT
            if members[q] & BIT:
                order_up[up], less_up[case], up_to_up[case] = case, downs, downs + end - i - tied
                up += 1
            else:
                order_down[down], less_down[case], up_to_down[case] = case, ups, ups + tied
                down += 1
        ups += tied
        i = end


@njit(cache=True, error_model="numpy")
def _fill_orders(scores, out, ups, downs, order_up, order_down, less_up, up_to_up, less_down, up_to_down):
    n1, n2 = len(ups), len(downs)
    room = n1 + n2 + 1
    x, member, values, members = np.empty(room), np.empty(room, np.uint32), np.empty(room), np.empty(room, np.uint32)
    starts = np.empty(NARROW * room + 3, np.uint32)
    ordered, firsts, where = _room(max(n1, n2))
    for r in range(len(scores)):
        m1 = _left_out(scores[r], out[r], ups, BIT, x, member)
        m = m1 + _left_out(scores[r], out[r], downs, NO_BIT, x[m1:], member[m1:])
        of_up, of_down = (less_up[:, r], up_to_up[:, r]), (less_down[:, r], up_to_down[:, r])
        if m and _in_order(x[:m], member[:m], values, members, starts):
            _walk_orders(values[:m], members[:m], order_up[r], order_down[r], *of_up, *of_down)
        elif m:  # many ties, or scores of very different size: each class placed in itself and in the other
            us, ds, ius, ids = x[:m1], x[m1:m], member[:m1], member[m1:m]
            _rank(ds, ids, order_down[r], us, ius, *of_up, ordered, firsts, where)
            _rank(us, ius, order_up[r], ds, ids, *of_down, ordered, firsts, where)


def fill_orders(scores, out, ups, downs, orders):
    scores, out = np.ascontiguousarray(scores, dtype=float), np.ascontiguousarray(out, dtype=np.bool_)
    _fill_orders(scores, out, ups, downs, *orders)


@inner
def _entries(less, up_to, none, order, step, replicate, place, limit):
    """The replicates that left a case out, with its place in each; at a tie two of them, one after the other.

    Those without a tie come first. Both kinds are filled up to a multiple of four with places of 0, where nothing is
    below. Returns how many there are without a tie, where the others begin, and how many those are. `limit` is the
    bucket of the place: whole buckets below it are below the place.
    """
    k = 0
    for b in range(len(less)):
        replicate[k], place[k] = b, less[b]
        k += (less[b] != none) & (less[b] == up_to[b])  # no branch
    plain = k
    while k % 4:
        replicate[k], place[k] = 0, 0
        k += 1
    ties = k
    for b in range(len(less)):
        if less[b] != up_to[b]:
            replicate[k], place[k] = b, less[b]
            replicate[k + 1], place[k + 1] = b, up_to[b]
            k += 2
    tied = k - ties
    while k % 4:
        replicate[k], place[k] = 0, 0
        k += 1
    for e in range(k):
        limit[e] = np.uint8(place[e] // step)
        ask_for(order, replicate[e], limit[e] * step)
    return plain, ties, tied


@njit(cache=True, error_model="numpy")
def _fill_buckets(order, left_out, step, buckets):
    for b in range(len(order)):
        bucket, within = np.uint8(0), 0
        for case in order[b, : left_out[b]]:
            buckets[b, case] = bucket
            within += 1
            if within == step:
                bucket, within = np.uint8(bucket + 1), 0


def _buckets(order, none):
    """One byte a case: its place in the order of its replicate, divided by `step`; as (tiles, b, width).

    What is read for one case of the other class after the other stays in the cache. Also `step`, and (b,) how many
    cases a replicate left out.
    """
    b, n = order.shape
    width = min(WIDTH, -(-n // STEP) * STEP)
    left_out = np.count_nonzero(order != none, axis=1)
    step = max(-(-int(left_out.max()) // 255), 1)
    buckets = np.full((b, -(-n // width) * width), NOBODY)
    _fill_buckets(order, left_out, step, buckets)
    tiles = aligned((buckets.shape[1] // width, b, width), np.uint8)
    tiles[:] = buckets.reshape(b, -1, width).transpose(1, 0, 2)
    return tiles, step, left_out


def _none(orders):
    return orders.order_up.dtype.type(orders.none)
