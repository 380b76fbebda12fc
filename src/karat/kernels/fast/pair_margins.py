"""Weighted sums over the pairs of each case, compiled.

For a case i of one class and a replicate b, ψ_ij = [place_j < t] with one place t of (i, b), so a sum over j is a sum
of those w_ij that come before t: a comparison and an addition under a mask, for the replicates that left i out alone.
A tie has two places, half each. Compared are buckets of places, one byte each; the cases of the one bucket that t
divides are added one by one. Weights are whole numbers of a small unit, so that sums are exact in any order, on any
machine, and in any blocks of replicates. Nothing depends on how the scores of one replicate go with those of another.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.inner import inner
from karat.kernels.fast.lanes import LANES, add_pairs, add_up, aligned, ask_for, nothing
from karat.kernels.fast.pair_orders import NOBODY, _buckets, _entries, _none
from karat.kernels.fast.pair_weights import ROOM, _centre, _differences, _split, _weigh

NARROW_FROM = 1 << 27  # from this many comparisons on weights are numbers of two bytes, else of eight …
OFTEN = 64  # … if pairs are left out together more often than this: with fewer replicates weights differ too much
WIDE, ONE, THREE = 0, 1, 3  # how many numbers of two bytes a weight has: itself, its rest, and for another divisor
SOME, BLOCK = 32, 16  # columns of a table that are read together, and rows


@njit(cache=True, error_model="numpy", inline="always")
def _ask_for_next(buckets, replicate, e, end):
    """Have the memory bring the beginnings of the four rows from e on; it guesses the rest of them."""
    if e < end:
        for k in range(4):
            for j in range(0, 256, 64):
                ask_for(buckets, replicate[e + k], j)


@inner
def _add_wide(buckets, replicate, limit, end, nobody, before, left_out, sums):
    """sums_e += Σ_j before_j [bucket_j < limit] + Σ_j left_out_j [bucket_j < nobody] of entries e, four at a time."""
    zero = np.int64(0)
    for e in range(0, end, 4):
        r0, r1 = buckets[replicate[e]], buckets[replicate[e + 1]]
        r2, r3 = buckets[replicate[e + 2]], buckets[replicate[e + 3]]
        t0, t1, t2, t3 = limit[e], limit[e + 1], limit[e + 2], limit[e + 3]
        s0, s1, s2, s3 = zero, zero, zero, zero
        for j in range(len(before)):
            p, q = before[j], left_out[j]
            s0 += (p if r0[j] < t0 else zero) + (q if r0[j] < nobody else zero)
            s1 += (p if r1[j] < t1 else zero) + (q if r1[j] < nobody else zero)
            s2 += (p if r2[j] < t2 else zero) + (q if r2[j] < nobody else zero)
            s3 += (p if r3[j] < t3 else zero) + (q if r3[j] < nobody else zero)
        sums[e] += s0
        sums[e + 1] += s1
        sums[e + 2] += s2
        sums[e + 3] += s3


@njit(cache=True, error_model="numpy", inline="always")
def _add_one(buckets, replicate, limit, end, nobody, before, left_out, sums):
    """`_add_wide` of weights of two bytes. Written out where it is called: linked, its additions are taken apart."""
    for e in range(0, end, 4):
        r0, r1, r2, r3 = replicate[e], replicate[e + 1], replicate[e + 2], replicate[e + 3]
        t0, t1, t2, t3 = limit[e], limit[e + 1], limit[e + 2], limit[e + 3]
        _ask_for_next(buckets, replicate, e + 4, end)
        s0, s1, s2, s3 = nothing(), nothing(), nothing(), nothing()
        for j in range(0, len(before), LANES):
            s0 = add_pairs(buckets, r0, j, t0, nobody, before, left_out, s0)
            s1 = add_pairs(buckets, r1, j, t1, nobody, before, left_out, s1)
            s2 = add_pairs(buckets, r2, j, t2, nobody, before, left_out, s2)
            s3 = add_pairs(buckets, r3, j, t3, nobody, before, left_out, s3)
        add_up(s0, sums, e)
        add_up(s1, sums, e + 1)
        add_up(s2, sums, e + 2)
        add_up(s3, sums, e + 3)


@njit(cache=True, error_model="numpy", inline="always")
def _add_three(buckets, replicate, limit, end, nobody, before, left_out, sums):
    """`_add_one` of three sets of weights: before and left_out (3, width), sums (3, entries)."""
    b0, b1, b2, o0, o1, o2 = before[0], before[1], before[2], left_out[0], left_out[1], left_out[2]
    sums0, sums1, sums2 = sums[0], sums[1], sums[2]
    for e in range(0, end, 4):
        r0, r1, r2, r3 = replicate[e], replicate[e + 1], replicate[e + 2], replicate[e + 3]
        t0, t1, t2, t3 = limit[e], limit[e + 1], limit[e + 2], limit[e + 3]
        _ask_for_next(buckets, replicate, e + 4, end)
        s0, s1, s2, s3 = nothing(), nothing(), nothing(), nothing()
        u0, u1, u2, u3 = nothing(), nothing(), nothing(), nothing()
        v0, v1, v2, v3 = nothing(), nothing(), nothing(), nothing()
        for j in range(0, len(b0), LANES):
            s0 = add_pairs(buckets, r0, j, t0, nobody, b0, o0, s0)
            u0 = add_pairs(buckets, r0, j, t0, nobody, b1, o1, u0)
            v0 = add_pairs(buckets, r0, j, t0, nobody, b2, o2, v0)
            s1 = add_pairs(buckets, r1, j, t1, nobody, b0, o0, s1)
            u1 = add_pairs(buckets, r1, j, t1, nobody, b1, o1, u1)
            v1 = add_pairs(buckets, r1, j, t1, nobody, b2, o2, v1)
            s2 = add_pairs(buckets, r2, j, t2, nobody, b0, o0, s2)
            u2 = add_pairs(buckets, r2, j, t2, nobody, b1, o1, u2)
            v2 = add_pairs(buckets, r2, j, t2, nobody, b2, o2, v2)
            s3 = add_pairs(buckets, r3, j, t3, nobody, b0, o0, s3)
            u3 = add_pairs(buckets, r3, j, t3, nobody, b1, o1, u3)
            v3 = add_pairs(buckets, r3, j, t3, nobody, b2, o2, v3)
        add_up(s0, sums0, e)
        add_up(u0, sums1, e)
        add_up(v0, sums2, e)
        add_up(s1, sums0, e + 1)
        add_up(u1, sums1, e + 1)
        add_up(v1, sums2, e + 1)
        add_up(s2, sums0, e + 2)
        add_up(u2, sums1, e + 2)
        add_up(v2, sums2, e + 2)
        add_up(s3, sums0, e + 3)
        add_up(u3, sums1, e + 3)
        add_up(v3, sums2, e + 3)


@inner
def _power(largest):
    """The largest power of 2 that is not above this."""
    return 2.0 ** np.floor(np.log2(largest))


@inner
def _sum_wide(tables, entries, end, w, v, weights, sums, values):
    """values_e = Σ_j w_j [place_j < t] + Σ_j v_j over the left-out j of each entry, by whole numbers of eight bytes."""
    buckets, order, step, _ = tables
    replicate, place, limit = entries
    before, left_out = weights[0], weights[1]
    total, width = 0.0, buckets.shape[2]
    for j in range(len(w)):
        total += w[j] - v[j]
    scale = _power(2.0**61 / total) if total > 0 else 1.0
    for j in range(len(w)):
        before[j], left_out[j] = np.int64(w[j] * scale + 0.5), np.int64(v[j] * scale - 0.5)
    sums[:end] = 0
    last = order.shape[1] - 1
    for e in range(end):
        b, t = replicate[e], place[e]
        for p in range(limit[e] * step, limit[e] * step + step - 1):  # the bucket that the place divides
            within = np.int64(p < t)  # no branch
            sums[e] += before[order[b, min(p, last)] * within] * within
    for k in range(len(buckets)):
        a, z = k * width, (k + 1) * width
        _add_wide(buckets[k], replicate, limit, end, NOBODY, before[a:z], left_out[a:z], sums)
    for e in range(end):
        values[e] = sums[e] / scale


@njit(cache=True, error_model="numpy", inline="always")
def _sum_narrow(tables, entries, end, case, parts, w, v, dw, dv, share, lanes, weights, sums, values, exact):
    """`_sum_wide` by whole numbers of two bytes: of w and v less their means, and of what this rounds off.

    Where `share` is not 0, `exact` has the sums of (1 − share) w − dw and (1 − share) v − dv.
    """
    buckets, order, step, how_many = tables
    replicate, place, limit = entries
    won, times, of_positives = case
    before, left_out, width = weights[0], weights[1], buckets.shape[2]
    mean_w, mean_v = _centre(w, lanes), _centre(v, lanes)
    finer = (
        ROOM * LANES / width if parts == THREE else 0.0
    )  # rests of half a unit, two a weight: at most ROOM in a lane
    unit, fine, missing = _split(won, times, of_positives, finer, w, v, width, lanes, before, left_out)
    mean_v += missing
    other, missing = 0.0, 0.0
    if share:
        other, _, missing = _split(won, times, of_positives, 0.0, dw, dv, width, lanes, before[2:], left_out[2:])
    sums[:, :end] = 0
    last = order.shape[1] - 1
    for e in range(end):
        b, t = replicate[e], place[e]
        for p in range(limit[e] * step, limit[e] * step + step - 1):  # the bucket that the place divides
            within = np.int64(p < t)  # no branch
            j = order[b, min(p, last)] * within
            sums[0, e] += before[0, j] * within
            if parts == THREE:
                sums[1, e] += before[1, j] * within
                sums[2, e] += before[2, j] * within
    for k in range(len(buckets)):
        a, z = k * width, (k + 1) * width
        if parts == THREE:
            _add_three(buckets[k], replicate, limit, end, NOBODY, before[:, a:z], left_out[:, a:z], sums)
        else:
            _add_one(buckets[k], replicate, limit, end, NOBODY, before[0, a:z], left_out[0, a:z], sums[0])
    for e in range(end):
        left = how_many[replicate[e]]
        values[e] = sums[0, e] * unit + sums[1, e] * fine + (mean_w * place[e] + mean_v * left)
        exact[e] = (1.0 - share) * values[e] - (sums[2, e] * other + missing * left)


@inner
def _spread(values, plain, ties, tied, replicate, sign, row):
    """row_b += the value of the entry of b; of the two at a tie their mean."""
    for e in range(plain):
        row[replicate[e]] += sign * values[e]
    for e in range(ties, ties + tied, 2):
        row[replicate[e]] += sign * (values[e] + values[e + 1]) / 2


@inner
def _columns(table, start, out):
    """Some columns of a table as rows, read and written a block at a time."""
    for first in range(0, len(table), BLOCK):
        block = table[first : first + BLOCK, start : start + SOME]
        for k in range(block.shape[1]):
            row = out[k, first : first + BLOCK]
            for j in range(len(block)):
                row[j] = block[j, k]


@njit(cache=True, error_model="numpy")
def _margins(tables, less, up_to, none, won, times, drop, of_positives, parts, wide, narrow, out, totals):
    """out_ib = Σ_j I_j (ψ_ij − A_ij) / (D_ij − drop) of each case i and replicate that left it out.

    `less` and `up_to` are (m, b), `tables` those of the other class (`_buckets`); `won` and `times` (m, n), or (n, m)
    for negatives. For a positive i, ψ_ij = [place_j < t]; for a negative one ψ_ji = 1 − [place_j < t].
    Where `totals` (b,) is not empty, the sums over all i with drop = 0 are put there. Of `wide` and `narrow`, room for
    the weights, one is None, so that a kind of weights is compiled only where it is used.
    """
    (m, b), (tiles, _, width) = less.shape, tables[0].shape
    room, both, sign = 2 * b + 8, len(totals) > 0, 1.0 if of_positives else -1.0
    replicate, place, limit = np.empty(room, np.uint64), np.empty(room, np.int64), np.empty(room, np.uint8)
    entries = replicate, place, limit
    sums, values, exact = np.zeros((3, room), np.int64), np.empty(room), np.empty(room)
    floats, lanes = np.zeros((5, tiles * width)), np.zeros((2, LANES))
    w, v, dw, dv, share = floats[0], floats[1], floats[2], floats[3], floats[4]
    some = np.empty((2, SOME, won.shape[1] if of_positives else won.shape[0]), won.dtype)
    for i in range(m):
        if of_positives:
            c_i, d_i = won[i], times[i]
        else:
            if i % SOME == 0:  # columns that share lines of the cache
                _columns(won, i, some[0])
                _columns(times, i, some[1])
            c_i, d_i = some[0, i % SOME], some[1, i % SOME]
        plain, ties, tied = _entries(less[i], up_to[i], none, tables[1], tables[2], replicate, place, limit)
        end = -(-(ties + tied) // 4) * 4
        floats[:, len(d_i) :] = 0.0
        _weigh(c_i, d_i, drop, of_positives, share, w, v)
        if wide is not None:
            _sum_wide(tables, entries, end, w, v, wide, sums[0], values)
            if both:
                _weigh(c_i, d_i, np.int64(0), of_positives, share, w, v)
                _sum_wide(tables, entries, end, w, v, wide, sums[0], exact)
        if narrow is not None:
            typical = _differences(share[: len(d_i)], w, v, dw, dv) if both else 0.0
            case = c_i, d_i, of_positives
            _sum_narrow(tables, entries, end, case, parts, w, v, dw, dv, typical, lanes, narrow, sums, values, exact)
        _spread(values, plain, ties, tied, replicate, sign, out[i])
        if both:
            _spread(exact, plain, ties, tied, replicate, sign, totals)


def _sums(order, less, up_to, none, won, times, drop, of_positives, parts, totals):
    """Margins of one class (m, b), added up in whole numbers: exact, in whatever order."""
    buckets, step, left_out = _buckets(order, none)
    won, times = (np.ascontiguousarray(table, dtype=np.float32) for table in (won, times))
    parts = parts if len(order) * won.size > NARROW_FROM and times[0].mean() > OFTEN else WIDE
    out = np.zeros(less.shape)
    n = len(buckets) * buckets.shape[2]
    wide, narrow = (aligned((2, n), np.int64), None) if parts == WIDE else (None, aligned((2, 4, n), np.int16))
    tables = buckets, order, step, left_out
    _margins(tables, less, up_to, none, won, times, drop, of_positives, parts, wide, narrow, out, totals)
    return out


def _row_margins(orders, won, times, drop, totals):
    tables = orders.order_down, orders.less_up, orders.up_to_up
    return _sums(*tables, _none(orders), won, times, drop, True, THREE, totals)


def _column_margins(orders, won, times, drop, parts):
    tables = orders.order_up, orders.less_down, orders.up_to_down
    return _sums(*tables, _none(orders), won, times, drop, False, parts, np.zeros(0))


def margins_of(orders, won, times, drop):
    return _row_margins(orders, won, times, drop, np.zeros(0)).T, _column_margins(orders, won, times, drop, THREE).T


def totals_of(orders, won, times, drop):
    return _row_margins(orders, won, times, drop, np.zeros(0)).sum(axis=0)


def sweep_of(orders, won, times):
    totals = np.zeros(len(orders.order_up))
    rows = _row_margins(orders, won, times, 1, totals)
    return totals, rows.T, _column_margins(orders, won, times, 1, ONE).T  # for noise alone: two bytes will do
