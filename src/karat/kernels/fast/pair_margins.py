"""Weighted sums over the pairs of each case, compiled.

For a case i of one class and a replicate b, ψ_ij = [rank_j < t] with one threshold t of (i, b), so a sum over j is a
sum of those w_ij whose rank is below t: a comparison and an addition under a mask, 16 or 32 cases in one instruction,
for the replicates that left i out alone. A tie has two thresholds, half each. Weights are whole numbers of a small
unit, so that sums are exact in any order, on any machine, and in any blocks of replicates. Nothing depends on how the
scores of one replicate go with those of another.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.pair_orders import _by_case, _entries, _none, _tiles

NARROW_FROM = 1 << 27  # from this many comparisons on weights have four bytes: the unit is 2⁻³⁰ of the largest sum


@njit(cache=True, error_model="numpy")
def _add_tile(ranks, replicate, threshold, none, below, left_out, sums):
    """sums_e += Σ_j below_j [rank_j < t] + Σ_j left_out_j [rank_j ≠ none] of entries e, four of them at a time.

    No branch, and nothing wider than the weights, so that it is vectorised.
    """
    whole = below.dtype.type
    zero = whole(0)
    for e in range(0, len(sums), 4):
        r0, r1, r2, r3 = ranks[replicate[e]], ranks[replicate[e + 1]], ranks[replicate[e + 2]], ranks[replicate[e + 3]]
        t0, t1, t2, t3 = threshold[e], threshold[e + 1], threshold[e + 2], threshold[e + 3]
        s0, s1, s2, s3 = zero, zero, zero, zero
        o0, o1, o2, o3 = zero, zero, zero, zero
        for j in range(len(below)):
            p, q = below[j], left_out[j]
            s0 = whole(s0 + (p if r0[j] < t0 else zero))
            s1 = whole(s1 + (p if r1[j] < t1 else zero))
            s2 = whole(s2 + (p if r2[j] < t2 else zero))
            s3 = whole(s3 + (p if r3[j] < t3 else zero))
            o0 = whole(o0 + (q if r0[j] != none else zero))
            o1 = whole(o1 + (q if r1[j] != none else zero))
            o2 = whole(o2 + (q if r2[j] != none else zero))
            o3 = whole(o3 + (q if r3[j] != none else zero))
        sums[e] += np.int64(s0) + np.int64(o0)
        sums[e + 1] += np.int64(s1) + np.int64(o1)
        sums[e + 2] += np.int64(s2) + np.int64(o2)
        sums[e + 3] += np.int64(s3) + np.int64(o3)


@njit(cache=True, error_model="numpy")
def _add_tile_twice(ranks, replicate, threshold, none, below, left_out, below2, left_out2, sums, sums2):
    """`_add_tile` of two sets of weights."""
    whole = below.dtype.type
    zero = whole(0)
    for e in range(0, len(sums), 4):
        r0, r1, r2, r3 = ranks[replicate[e]], ranks[replicate[e + 1]], ranks[replicate[e + 2]], ranks[replicate[e + 3]]
        t0, t1, t2, t3 = threshold[e], threshold[e + 1], threshold[e + 2], threshold[e + 3]
        s0, s1, s2, s3, o0, o1, o2, o3 = zero, zero, zero, zero, zero, zero, zero, zero
        u0, u1, u2, u3, v0, v1, v2, v3 = zero, zero, zero, zero, zero, zero, zero, zero
        for j in range(len(below)):
            p, q, u, v = below[j], left_out[j], below2[j], left_out2[j]
            s0, u0 = whole(s0 + (p if r0[j] < t0 else zero)), whole(u0 + (u if r0[j] < t0 else zero))
            s1, u1 = whole(s1 + (p if r1[j] < t1 else zero)), whole(u1 + (u if r1[j] < t1 else zero))
            s2, u2 = whole(s2 + (p if r2[j] < t2 else zero)), whole(u2 + (u if r2[j] < t2 else zero))
            s3, u3 = whole(s3 + (p if r3[j] < t3 else zero)), whole(u3 + (u if r3[j] < t3 else zero))
            o0, v0 = whole(o0 + (q if r0[j] != none else zero)), whole(v0 + (v if r0[j] != none else zero))
            o1, v1 = whole(o1 + (q if r1[j] != none else zero)), whole(v1 + (v if r1[j] != none else zero))
            o2, v2 = whole(o2 + (q if r2[j] != none else zero)), whole(v2 + (v if r2[j] != none else zero))
            o3, v3 = whole(o3 + (q if r3[j] != none else zero)), whole(v3 + (v if r3[j] != none else zero))
        sums[e], sums2[e] = sums[e] + s0 + o0, sums2[e] + u0 + v0
        sums[e + 1], sums2[e + 1] = sums[e + 1] + s1 + o1, sums2[e + 1] + u1 + v1
        sums[e + 2], sums2[e + 2] = sums[e + 2] + s2 + o2, sums2[e + 2] + u2 + v2
        sums[e + 3], sums2[e + 3] = sums[e + 3] + s3 + o3, sums2[e + 3] + u3 + v3


@njit(cache=True, error_model="numpy")
def _weigh(mean, times, drop, of_positives, summed, most, below, left_out):
    """Weights of one case as whole numbers of a unit: ψ/(D − drop) where ψ is not 0, and −A/(D − drop).

    Of a negative, ψ is 1 where the other case is not below: 1/(D − drop) is in both, with the sign turned. Returns how
    many units make 1, a power of 2: so many that no sum over `summed` cases is larger than `most`.
    """
    whole = below.dtype.type
    least = np.inf
    for d in times:
        d = d if d > 0 else np.inf  # a pair that was never left out together is in no sum
        least = d if d < least else least
    scale = 2.0 ** np.floor(np.log2(most * max(least - drop, 1.0) / summed)) if least < np.inf else 1.0
    sign, part = (1, 0.0) if of_positives else (-1, 1.0)
    for j in range(len(mean)):
        d = times[j] - drop
        w = scale / (d if d > 1.0 else 1.0) if times[j] > 0 else 0.0
        below[j], left_out[j] = sign * whole(w + 0.5), -sign * whole(sign * (mean[j] - part) * w + 0.5)
    return scale


@njit(cache=True, error_model="numpy", inline="always")
def _spread(sums, scale, plain, ties, tied, replicate, row):
    """row_b += what was added up for the entries of b, in units of 1/scale; of the two at a tie the mean."""
    for e in range(plain):
        row[replicate[e]] += sums[e] / scale
    for e in range(ties, ties + tied, 2):
        row[replicate[e]] += (sums[e] / scale + sums[e + 1] / scale) / 2


@njit(cache=True, error_model="numpy")
def _columns(table, start, out):
    for j in range(len(table)):
        for k in range(min(8, table.shape[1] - start)):
            out[k, j] = table[j, start + k]


@njit(cache=True, error_model="numpy")
def _margins(rank, own, less, up_to, none, mean, times, drop, of_positives, most, summed, weights, out, totals):
    """out_ib = Σ_j I_j (ψ_ij − A_ij) / (D_ij − drop) of each case i and replicate that left it out.

    `own`, `less`, `up_to` and `out` are (m, b); `rank` (tiles, b, width) of the other class; `mean` and `times` (m, n),
    or (n, m) for negatives. For a positive i, ψ_ij = [rank_j < t]; for a negative one ψ_ji = 1 − [rank_j < t]. Where
    `totals` (b,) is not empty, the sums over all i with drop = 0 are put there.
    """
    m, b = less.shape
    tiles, width = len(rank), rank.shape[2]
    replicate, threshold = np.empty(2 * b + 8, np.uint64), np.empty(2 * b + 8, rank.dtype)
    sums, exact = np.empty(2 * b + 8, np.int64), np.empty(2 * b + 8, np.int64)
    below, left_out, below0, left_out0 = weights[0], weights[1], weights[2], weights[3]
    both = len(totals) > 0
    some = np.empty((2, 8, len(below)))
    for i in range(m):
        if of_positives:
            a_i, d_i = mean[i], times[i]
        else:
            if i % 8 == 0:  # eight columns at a time: they share lines of the cache
                _columns(mean, i, some[0])
                _columns(times, i, some[1])
            a_i, d_i = some[0, i % 8, : len(mean)], some[1, i % 8, : len(mean)]
        scale = _weigh(a_i, d_i, drop, of_positives, summed, most, below, left_out)
        scale0 = _weigh(a_i, d_i, 0, of_positives, summed, most, below0, left_out0) if both else scale
        plain, ties, tied = _entries(less[i], up_to[i], own[i], none, replicate, threshold)
        n = -(-(ties + tied) // 4) * 4
        sums[:n], exact[:n] = 0, 0
        for w in range(tiles):
            a, z = w * width, (w + 1) * width
            p, q = below[a:z], left_out[a:z]
            if both:
                p0, q0 = below0[a:z], left_out0[a:z]
                _add_tile_twice(rank[w], replicate, threshold, none, p, q, p0, q0, sums[:n], exact[:n])
            else:
                _add_tile(rank[w], replicate, threshold, none, p, q, sums[:n])
        _spread(sums, scale, plain, ties, tied, replicate, out[i])
        if both:
            _spread(exact, scale0, plain, ties, tied, replicate, totals)


def _sums(rank, tables, none, mean, times, drop, of_positives, totals):
    """Margins of one class (m, b), added up in whole numbers: exact, in whatever order."""
    tiles = _tiles(rank, none)
    kind = np.int32 if len(rank) * mean.size > NARROW_FROM else np.int64
    most = 2.0**30.9 if kind is np.int32 else 2.0**61  # with room for the rounding of each weight, and for two sums
    left_out = (tiles != none).sum(axis=2)  # (tiles, b); sums of tiles have eight bytes
    summed = (left_out if kind is np.int32 else left_out.sum(axis=0)).max()
    weights = np.zeros((4, len(tiles) * tiles.shape[2]), kind)
    out = np.zeros(tables[0].shape[::-1])
    _margins(
        tiles,
        *_by_case(*tables),
        none,
        mean,
        times,
        drop,
        of_positives,
        most,
        float(max(summed, 1)),
        weights,
        out,
        totals,
    )
    return out


def _row_margins(orders, mean, times, drop, totals):
    tables = orders.rank_up, orders.less_up, orders.up_to_up
    return _sums(orders.rank_down, tables, _none(orders), mean, times, drop, True, totals)


def _column_margins(orders, mean, times, drop):
    tables = orders.rank_down, orders.less_down, orders.up_to_down
    return _sums(orders.rank_up, tables, _none(orders), mean, times, drop, False, np.zeros(0))


def margins_of(orders, mean, times, drop):
    return _row_margins(orders, mean, times, drop, np.zeros(0)).T, _column_margins(orders, mean, times, drop).T


def totals_of(orders, mean, times, drop):
    return _row_margins(orders, mean, times, drop, np.zeros(0)).sum(axis=0)


def sweep_of(orders, mean, times):
    totals = np.zeros(len(orders.rank_up))
    rows = _row_margins(orders, mean, times, 1, totals)
    return totals, rows.T, _column_margins(orders, mean, times, 1).T
