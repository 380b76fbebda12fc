"""Sums over pairs, compiled.

For a case i of one class and a replicate b, ψ_ij = [rank_j < t] with one threshold t of (i, b), so a sum over j is a
sum of those w_ij whose rank is below t: a comparison and an addition under a mask, 16 or 32 cases in one instruction,
for the replicates that left i out alone. A tie has two thresholds, half each. Weights are whole numbers of a small
unit, so that sums are exact in any order, on any machine, and in any blocks of replicates. Nothing depends on how the
scores of one replicate go with those of another.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import ONE, SMALL, _bucket, _fill, _room
from karat.kernels.fast.bits import count_bits
from karat.kernels.fast.delong import BIT, NARROW, _in_order

MOST = 30_000  # replicates that two-byte counters can count, two a pair
WIDTH, LANES = 2048, 64  # cases of a tile, and a multiple that fills the registers
NARROW_FROM = 1 << 27  # from this many comparisons on weights have four bytes: the unit is 2⁻³⁰ of the largest sum


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
            rank[members[k]] = _below(own[k], ordered, starts, low, last, scale)[0]
        for k in range(len(other)):
            i = other_members[k]
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
    u, d, iu, id_ = np.empty(n1 + 1), np.empty(n2 + 1), np.empty(n1 + 1, np.int64), np.empty(n2 + 1, np.int64)
    ordered, firsts, where = _room(max(n1, n2))
    for r in range(b):
        m1 = _left_out(up[r], out_up[r], 1, x, member)
        m = m1 + _left_out(down[r], out_down[r], 0, x[m1:], member[m1:])
        if m and _in_order(x[:m], member[:m], values, members, starts):
            _walk_orders(
                values[:m], members[:m], rank_up[r], rank_down[r], less_up[r], up_to_up[r], less_down[r], up_to_down[r]
            )
        elif m:  # many ties, or scores of very different size: each class placed in itself and in the other
            u[:m1], d[: m - m1] = x[:m1], x[m1:m]
            iu[:m1], id_[: m - m1] = member[:m1] >> BIT, member[m1:m] >> BIT
            us, ds, ius, ids = u[:m1], d[: m - m1], iu[:m1], id_[: m - m1]
            _rank(ds, ids, rank_down[r], us, ius, less_up[r], up_to_up[r], ordered, firsts, where)
            _rank(us, ius, rank_up[r], ds, ids, less_down[r], up_to_down[r], ordered, firsts, where)


def fill_orders(up, down, out_up, out_down, orders):
    scores = (np.ascontiguousarray(part, dtype=float) for part in (up, down))
    out = (np.ascontiguousarray(part, dtype=np.bool_) for part in (out_up, out_down))
    _fill_orders(*scores, *out, *orders)


@njit(cache=True, error_model="numpy")
def _common_bits(up, down, total):
    """total_ij += bits set in both up_i and down_j; (n1, w) and (n2, w) words."""
    for i in range(len(up)):
        u = up[i]
        for j in range(len(down)):
            d = down[j]
            both = np.uint64(0)
            for w in range(len(u)):
                both += count_bits(u[w] & d[w])
            total[i, j] += both


def left_out_together(out_up, out_down):
    total = np.zeros((out_up.shape[1], out_down.shape[1]))
    _common_bits(_words(out_up), _words(out_down), total)
    return total


def _words(out):
    """(n, w) the replicates that left a case out, as bits."""
    packed = np.packbits(out, axis=0)
    padded = np.zeros((packed.shape[1], -(-len(packed) // 8) * 8), np.uint8)
    padded[:, : len(packed)] = packed.T
    return padded.view(np.uint64)


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


@njit(cache=True, error_model="numpy")
def _count_below(ranks, replicate, threshold, n, counter):
    """counter_j += [rank_j < t] of n entries, four at a time; no branch and nothing wider than two bytes."""
    zero, one = np.uint16(0), np.uint16(1)
    for q in range(0, n, 4):
        r0, r1, r2, r3 = ranks[replicate[q]], ranks[replicate[q + 1]], ranks[replicate[q + 2]], ranks[replicate[q + 3]]
        t0, t1, t2, t3 = threshold[q], threshold[q + 1], threshold[q + 2], threshold[q + 3]
        for j in range(len(counter)):
            c = np.uint16(counter[j] + (one if r0[j] < t0 else zero))
            c = np.uint16(c + (one if r1[j] < t1 else zero))
            c = np.uint16(c + (one if r2[j] < t2 else zero))
            counter[j] = np.uint16(c + (one if r3[j] < t3 else zero))


@njit(cache=True, error_model="numpy")
def _psi_sums(rank, own, less, up_to, none, total):
    """Adds to `total`. `rank` is (tiles, b, width); `own`, `less` and `up_to` are (n1, b): a row a case."""
    n1, b = less.shape
    tiles, width = len(rank), rank.shape[2]
    replicate, threshold = np.empty(2 * b + 8, np.uint64), np.empty(2 * b + 8, rank.dtype)
    whole, half = np.empty(tiles * width, np.uint16), np.empty(tiles * width, np.uint16)
    for i in range(n1):
        plain, ties, tied = _entries(less[i], up_to[i], own[i], none, replicate, threshold)
        whole[:], half[:] = 0, 0
        for w in range(tiles):
            of_tile = slice(w * width, (w + 1) * width)
            _count_below(rank[w], replicate, threshold, plain, whole[of_tile])
            _count_below(rank[w], replicate[ties:], threshold[ties:], tied, half[of_tile])
        for j in range(total.shape[1]):
            total[i, j] += whole[j] + 0.5 * half[j]


def psi_sums_of(orders):
    total = np.zeros((orders.rank_up.shape[1], orders.rank_down.shape[1]))
    for start in range(0, len(orders.rank_up), MOST):
        rank_up, rank_down, less, up_to = (table[start : start + MOST] for table in orders[:4])
        _psi_sums(_tiles(rank_down, orders.none), *_by_case(rank_up, less, up_to), _none(orders), total)
    return total


def _by_case(*tables):
    return (np.ascontiguousarray(table.T) for table in tables)


def _none(orders):
    return orders.rank_up.dtype.type(orders.none)


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
def _weigh(mean, times, drop, of_positives, summed, most, below, left_out):
    """Weights of one case as whole numbers of a unit: ψ/(D − drop) where ψ is not 0, and −A/(D − drop).

    Of a negative, ψ is 1 where the other case is not below: 1/(D − drop) is in both, with the sign turned. Returns how
    many units make 1, a power of 2: so many that no sum over `summed` cases is larger than `most`.
    """
    whole = below.dtype.type
    least = times[0]
    for d in times:
        least = d if d < least else least
    scale = 2.0 ** np.floor(np.log2(most * max(least - drop, 1.0) / summed))
    if of_positives:
        for j in range(len(mean)):
            d = times[j] - drop
            w = scale / (d if d > 1.0 else 1.0)
            below[j], left_out[j] = whole(w + 0.5), -whole(mean[j] * w + 0.5)
    else:
        for j in range(len(mean)):
            d = times[j] - drop
            w = scale / (d if d > 1.0 else 1.0)
            below[j], left_out[j] = -whole(w + 0.5), whole((1 - mean[j]) * w + 0.5)
    return scale


@njit(cache=True, error_model="numpy")
def _margins(rank, own, less, up_to, none, mean, times, drop, of_positives, most, below, left_out, out):
    """out_ib = Σ_j I_j (ψ_ij − A_ij) / (D_ij − drop) of each case i and replicate that left it out.

    `own`, `less`, `up_to` and `out` are (m, b); `rank` (tiles, b, width) of the other class; `mean` and `times` (m, n).
    For a positive i, ψ_ij = [rank_j < t]; for a negative one ψ_ji = 1 − [rank_j < t].
    """
    m, b = less.shape
    tiles, width = len(rank), rank.shape[2]
    n = mean.shape[1]
    summed = width if below.itemsize == 4 else n  # sums of tiles have eight bytes
    replicate, threshold = np.empty(2 * b + 8, np.uint64), np.empty(2 * b + 8, rank.dtype)
    sums = np.empty(2 * b + 8, np.int64)
    for i in range(m):
        scale = _weigh(mean[i], times[i], drop, of_positives, summed, most, below, left_out)
        plain, ties, tied = _entries(less[i], up_to[i], own[i], none, replicate, threshold)
        entries = -(-(ties + tied) // 4) * 4
        sums[:entries] = 0
        for w in range(tiles):
            of_tile = slice(w * width, (w + 1) * width)
            _add_tile(rank[w], replicate, threshold, none, below[of_tile], left_out[of_tile], sums[:entries])
        for e in range(plain):
            out[i, replicate[e]] = sums[e] / scale
        for e in range(ties, ties + tied, 2):
            out[i, replicate[e]] = (sums[e] / scale + sums[e + 1] / scale) / 2


def _tiles(rank, none):
    """(b, n) as (tiles, b, width): what is read for one case after the other stays in the cache."""
    b, n = rank.shape
    width = min(WIDTH, -(-n // LANES) * LANES)
    padded = np.full((b, -(-n // width) * width), none, dtype=rank.dtype)
    padded[:, :n] = rank
    return np.ascontiguousarray(padded.reshape(b, -1, width).transpose(1, 0, 2))


def _sums(rank, tables, none, mean, times, drop, of_positives):
    """Margins of one class (m, b), added up in whole numbers: exact, in whatever order."""
    tiles = _tiles(rank, none)
    kind = np.int32 if rank.size * len(mean) > NARROW_FROM else np.int64
    most = 2.0**30.9 if kind is np.int32 else 2.0**61  # with room for the rounding of each weight, and for two sums
    weights = np.zeros((2, len(tiles) * tiles.shape[2]), kind)
    out = np.zeros((len(mean), len(rank)))
    _margins(tiles, *_by_case(*tables), none, mean, times, drop, of_positives, most, *weights, out)
    return out


def _row_margins(orders, mean, times, drop):
    tables = orders.rank_up, orders.less_up, orders.up_to_up
    return _sums(orders.rank_down, tables, _none(orders), mean, times, drop, True)


def margins_of(orders, mean, times, drop):
    tables = orders.rank_down, orders.less_down, orders.up_to_down
    turned = np.ascontiguousarray(mean.T), np.ascontiguousarray(times.T)
    cols = _sums(orders.rank_up, tables, _none(orders), *turned, drop, False)
    return _row_margins(orders, mean, times, drop).T, cols.T


def totals_of(orders, mean, times, drop):
    return _row_margins(orders, mean, times, drop).sum(axis=0)
