"""Sums over pairs, compiled.

For a case i of one class and a replicate b, ψ_ij = [rank_j < t] with one threshold t of (i, b), so a sum over j is a
sum of those w_ij whose rank is below t. Ranks are compared 64 at a time; the word of 64 answers looks its sum up, byte
by byte, in tables of the sums of all subsets of 8 weights. A tie has two thresholds, half each. Every sum is added up
in an order of its own, whatever the machine or the block of replicates.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.auc import ONE, SMALL, _bucket, _fill, _room
from karat.kernels.fast.bits import below_mask, count_bits

MOST = 30_000  # replicates that two-byte counters can count, two a pair


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
def _left_out(scores, out, values, members):
    m = 0
    for i in range(len(scores)):
        values[m], members[m] = scores[i], i
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
def _fill_orders(up, down, out_up, out_down, rank_up, rank_down, less_up, up_to_up, less_down, up_to_down):
    b, n1, n2 = len(up), up.shape[1], down.shape[1]
    u, d, iu, id_ = np.empty(n1 + 1), np.empty(n2 + 1), np.empty(n1 + 1, np.int64), np.empty(n2 + 1, np.int64)
    ordered, starts, where = _room(max(n1, n2))
    for r in range(b):
        m1, m2 = _left_out(up[r], out_up[r], u, iu), _left_out(down[r], out_down[r], d, id_)
        us, ds, ius, ids = u[:m1], d[:m2], iu[:m1], id_[:m2]
        _rank(ds, ids, rank_down[r], us, ius, less_up[r], up_to_up[r], ordered, starts, where)
        _rank(us, ius, rank_up[r], ds, ids, less_down[r], up_to_down[r], ordered, starts, where)


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
        if own[b] != none and less[b] != up_to[b]:
            replicate[k], threshold[k] = b, less[b]
            replicate[k + 1], threshold[k + 1] = b, up_to[b]
            k += 2
    tied = k - ties
    while k % 4:
        replicate[k], threshold[k] = 0, 0
        k += 1
    return plain, ties, tied


@njit(cache=True, error_model="numpy")
def _count_below(rank, replicate, threshold, n, counter):
    """counter_j += [rank_j < t] of n entries, four at a time."""
    for q in range(0, n, 4):
        r0, r1, r2, r3 = (rank[replicate[q]], rank[replicate[q + 1]], rank[replicate[q + 2]], rank[replicate[q + 3]])
        t0, t1, t2, t3 = threshold[q], threshold[q + 1], threshold[q + 2], threshold[q + 3]
        for j in range(len(counter)):
            counter[j] += np.uint16(r0[j] < t0) + np.uint16(r1[j] < t1) + np.uint16(r2[j] < t2) + np.uint16(r3[j] < t3)


@njit(cache=True, error_model="numpy")
def _psi_sums(rank, own, less, up_to, none, total):
    """Adds to `total`. `own`, `less` and `up_to` are (n1, b): a row a case."""
    n1, b = less.shape
    replicate, threshold = np.empty(2 * b + 8, np.uint64), np.empty(2 * b + 8, rank.dtype)
    whole, half = np.empty(rank.shape[1], np.uint16), np.empty(rank.shape[1], np.uint16)
    for i in range(n1):
        plain, ties, tied = _entries(less[i], up_to[i], own[i], none, replicate, threshold)
        whole[:], half[:] = 0, 0
        _count_below(rank, replicate, threshold, plain, whole)
        _count_below(rank, replicate[ties:], threshold[ties:], tied, half)
        for j in range(len(whole)):
            total[i, j] += whole[j] + 0.5 * half[j]


def psi_sums_of(orders):
    total = np.zeros((orders.rank_up.shape[1], orders.rank_down.shape[1]))
    for start in range(0, len(orders.rank_up), MOST):
        rank_up, rank_down, less, up_to = (table[start : start + MOST] for table in orders[:4])
        _psi_sums(np.ascontiguousarray(rank_down), *_by_case(rank_up, less, up_to), _none(orders), total)
    return total


def _by_case(*tables):
    return (np.ascontiguousarray(table.T) for table in tables)


def _none(orders):
    return orders.rank_up.dtype.type(orders.none)


@njit(cache=True, error_model="numpy")
def _subset_sums(values, tables):
    """tables[g, m] = Σ of those values 8g … 8g + 7 whose bit is set in m (the method of the four Russians)."""
    for g in range(8):
        table = tables[g]
        table[0] = 0.0
        size = 1
        for v in values[8 * g : 8 * g + 8]:
            lower, upper = table[:size], table[size : 2 * size]
            for m in range(size):
                upper[m] = lower[m] + v
            size *= 2


@njit(cache=True, error_model="numpy", inline="always")
def _sum_of(word, tables):
    total = 0.0
    for g in range(8):
        total += tables[g, (word >> np.uint64(8 * g)) & np.uint64(255)]
    return total


@njit(cache=True, error_model="numpy")
def _extremes(ranks, none, word, least, most):
    """Of 64 cases in each replicate: who was left out, and the least and the greatest rank among those."""
    for b in range(len(ranks)):
        word[b] = below_mask(ranks, np.uint64(b), none)
        low, high = none, none - none
        for rank in ranks[b]:
            low = min(low, rank)
            high = max(high, rank if rank != none else none - none)
        least[b], most[b] = low, high


@njit(cache=True, error_model="numpy")
def _margins(rank, order, own, less, up_to, none, mean, times, drop, of_positives):
    """(m, b) Σ_j I_j (ψ_ij − A_ij) / (D_ij − drop) of each case i and replicate that left it out.

    `own`, `less` and `up_to` are (m, b); `rank` (w, b, 64) of the other class, its cases in `order`. For a positive i,
    ψ_ij = [rank_j < t]; for a negative one ψ_ji = 1 − [rank_j < t].
    """
    m, b = less.shape
    words = len(rank)
    left_out = np.empty((words, b), np.uint64)
    least, most = np.empty((words, b), rank.dtype), np.empty((words, b), rank.dtype)
    for w in range(words):
        _extremes(rank[w], none, left_out[w], least[w], most[w])
    replicate, threshold, sums = np.empty(2 * b + 8, np.uint64), np.empty(2 * b + 8, rank.dtype), np.empty(2 * b + 8)
    of_below, of_above = np.empty((8, 256)), np.empty((8, 256))
    belows, aboves = np.zeros((8, 64 * words)), np.zeros((8, 64 * words))
    out = np.zeros((m, b))
    for i in range(m):
        if of_positives:
            for l in range(len(order)):
                a, c = mean[i, order[l]], 1 / max(times[i, order[l]] - drop, 1.0)
                belows[i % 8, l], aboves[i % 8, l] = (1 - a) * c, -a * c
        elif i % 8 == 0:  # eight columns at a time: they share lines of the cache
            for l in range(len(order)):
                for k in range(min(8, m - i)):
                    a, c = mean[order[l], i + k], 1 / max(times[order[l], i + k] - drop, 1.0)
                    belows[k, l], aboves[k, l] = -a * c, (1 - a) * c
        below, above = belows[i % 8], aboves[i % 8]
        plain, ties, tied = _entries(less[i], up_to[i], own[i], none, replicate, threshold)
        sums[: ties + tied] = 0
        for w in range(words):
            _subset_sums(below[64 * w : 64 * w + 64], of_below)
            _subset_sums(above[64 * w : 64 * w + 64], of_above)
            ranks, out_w, least_w, most_w = rank[w], left_out[w], least[w], most[w]
            for q in range(ties + tied):
                r, t = replicate[q], threshold[q]
                if t > most_w[r]:
                    sums[q] += _sum_of(out_w[r], of_below)
                elif t <= least_w[r]:
                    sums[q] += _sum_of(out_w[r], of_above)
                else:
                    word = below_mask(ranks, r, t)
                    sums[q] += _sum_of(word, of_below) + _sum_of(out_w[r] & ~word, of_above)
        for q in range(plain):
            out[i, replicate[q]] = sums[q]
        for q in range(ties, ties + tied, 2):
            out[i, replicate[q]] = (sums[q] + sums[q + 1]) / 2
    return out


def _by_words(rank, none):
    """(b, n) as (w, b, 64), filled up with `none`, and the order of the cases in it.

    Cases that mostly score alike stand together, so that most words lie on one side of a threshold as a whole.
    """
    b, n = rank.shape
    known = rank != none
    order = np.argsort(np.where(known, rank, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1), kind="stable")
    padded = np.full((b, -(-n // 64) * 64), none, dtype=rank.dtype)
    padded[:, :n] = rank[:, order]
    return np.ascontiguousarray(padded.reshape(b, -1, 64).transpose(1, 0, 2)), order


def _row_margins(orders, mean, times, drop):
    tables = _by_case(orders.rank_up, orders.less_up, orders.up_to_up)
    return _margins(*_by_words(orders.rank_down, orders.none), *tables, _none(orders), mean, times, drop, True)


def margins_of(orders, mean, times, drop):
    tables = _by_case(orders.rank_down, orders.less_down, orders.up_to_down)
    cols = _margins(*_by_words(orders.rank_up, orders.none), *tables, _none(orders), mean, times, drop, False)
    return _row_margins(orders, mean, times, drop).T, cols.T


def totals_of(orders, mean, times, drop):
    return _row_margins(orders, mean, times, drop).sum(axis=0)
