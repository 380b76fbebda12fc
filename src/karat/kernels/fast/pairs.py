"""Sums over pairs, compiled: how often pairs are left out and won, and what the variance needs besides the margins."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.bits import count_bits
from karat.kernels.fast.inner import inner
from karat.kernels.fast.pair_margins import margins_of, sweep_of, totals_of
from karat.kernels.fast.pair_orders import _buckets, _entries, _none, fill_orders
from karat.kernels.fast.pair_weights import total_of

__all__ = [
    "fill_orders",
    "left_out_together",
    "margins_of",
    "mean_sums",
    "products_of",
    "psi_sums_of",
    "sweep_of",
    "totals_of",
    "weighted_counts",
    "weighted_squares",
]
TILE = 256  # negatives whose bits are compared together
FEW = 252  # replicates that a byte can count, a multiple of four


@njit(cache=True, error_model="numpy")
def _common_bits(up, down, total):
    """total_ij = bits set in both up_i and down_j; (n1, w) and (w, n2) words, w a multiple of four."""
    both = np.empty(TILE, np.uint64)
    for start in range(0, down.shape[1], TILE):  # words that stay in the cache
        for i in range(len(up)):
            row = total[i, start : start + TILE]
            both[:] = 0
            for w in range(0, len(down), 4):
                u0, u1, u2, u3 = up[i, w], up[i, w + 1], up[i, w + 2], up[i, w + 3]
                d0, d1, d2, d3 = down[w, start:], down[w + 1, start:], down[w + 2, start:], down[w + 3, start:]
                for j in range(len(row)):
                    some = count_bits(u0 & d0[j]) + count_bits(u1 & d1[j])
                    both[j] += some + count_bits(u2 & d2[j]) + count_bits(u3 & d3[j])
            for j in range(len(row)):
                row[j] = both[j]


@njit(cache=True, error_model="numpy")
def _as_bits(out, words):
    """words_wi: bit k is set where replicate 64 w + k left case i out."""
    for r in range(len(out)):
        row, word, k = out[r], words[r // 64], np.uint64(r % 64)
        for i in range(len(row)):
            word[i] |= np.uint64(row[i]) << k


def left_out_together(out, positive):
    words = np.zeros((-(-len(out) // 256) * 4, out.shape[1]), np.uint64)
    _as_bits(np.ascontiguousarray(out, dtype=np.bool_), words)
    total = np.empty((np.count_nonzero(positive), np.count_nonzero(~positive)), np.float32)
    _common_bits(np.ascontiguousarray(words[:, positive].T), np.ascontiguousarray(words[:, ~positive]), total)
    return total


@inner
def _count_below(buckets, replicate, limit, counter):
    """counter_j += [bucket_j < limit] of entries, four at a time; no branch and nothing wider than a byte."""
    zero, one = np.uint8(0), np.uint8(1)
    for q in range(0, len(limit), 4):
        r0, r1 = buckets[replicate[q]], buckets[replicate[q + 1]]
        r2, r3 = buckets[replicate[q + 2]], buckets[replicate[q + 3]]
        t0, t1, t2, t3 = limit[q], limit[q + 1], limit[q + 2], limit[q + 3]
        for j in range(len(counter)):
            c = np.uint8(counter[j] + (one if r0[j] < t0 else zero))
            c = np.uint8(c + (one if r1[j] < t1 else zero))
            c = np.uint8(c + (one if r2[j] < t2 else zero))
            counter[j] = np.uint8(c + (one if r3[j] < t3 else zero))


@inner
def _count_pairs(buckets, order, step, replicate, place, limit, few, counts):
    """counts_j += how many of the entries have case j below their place."""
    last = order.shape[1] - 1
    for e in range(len(limit)):
        for p in range(limit[e] * step, limit[e] * step + step - 1):  # the bucket that the place divides
            within = np.uint32(p < place[e])  # no branch
            counts[order[replicate[e], min(p, last)] * within] += within
    width = buckets.shape[2]
    for start in range(0, len(limit), FEW):  # as many as a byte can count
        some = slice(start, start + FEW)
        for w in range(len(buckets)):
            few[:] = 0
            _count_below(buckets[w], replicate[some], limit[some], few)
            counter = counts[w * width : (w + 1) * width]
            for j in range(width):
                counter[j] += few[j]


@njit(cache=True, error_model="numpy")
def _psi_sums(buckets, order, step, less, up_to, none, total):
    """Fills `total`; `less` and `up_to` are (n1, b), `order` (b, n2)."""
    n1, b = less.shape
    tiles, width = len(buckets), buckets.shape[2]
    replicate, place, limit = (
        np.empty(2 * b + 8, np.uint64),
        np.empty(2 * b + 8, np.int64),
        np.empty(2 * b + 8, np.uint8),
    )
    few = np.empty(width, np.uint8)
    whole, half = np.empty(tiles * width, np.uint32), np.empty(tiles * width, np.uint32)
    for i in range(n1):
        _, ties, tied = _entries(less[i], up_to[i], none, order, step, replicate, place, limit)
        end = -(-(ties + tied) // 4) * 4
        whole[:], half[:] = 0, 0
        _count_pairs(buckets, order, step, replicate[:ties], place[:ties], limit[:ties], few, whole)
        _count_pairs(buckets, order, step, replicate[ties:end], place[ties:end], limit[ties:end], few, half)
        for j in range(total.shape[1]):
            total[i, j] = np.float32(whole[j]) + np.float32(0.5) * np.float32(half[j])


def psi_sums_of(orders):
    total = np.empty((orders.order_up.shape[1], orders.order_down.shape[1]), np.float32)
    buckets, step, _ = _buckets(orders.order_down, _none(orders))
    _psi_sums(buckets, orders.order_down, step, orders.less_up, orders.up_to_up, _none(orders), total)
    return total


@njit(cache=True, error_model="numpy")
def _mean_sums(won, times, rows, cols, defined_rows, defined_cols):
    mean = np.empty(won.shape[1])
    for i in range(len(won)):
        c, d, defined = won[i], times[i], np.int64(0)
        for j in range(len(c)):
            mean[j] = np.float64(c[j]) / max(np.float64(d[j]), 1.0)
            cols[j] += mean[j]
        for j in range(len(c)):
            defined += d[j] > 0
            defined_cols[j] += d[j] > 0
        rows[i], defined_rows[i] = total_of(mean), defined


def mean_sums(won, times):
    out = *(np.zeros(n) for n in won.shape), *(np.zeros(n, np.int64) for n in won.shape)
    _mean_sums(*(np.ascontiguousarray(table, dtype=np.float32) for table in (won, times)), *out)
    return out


@njit(cache=True, error_model="numpy")
def _products(margins, total, out):
    """`products_of` with a row a case: (m, b) margins. The order of the sums is fixed."""
    own, common = np.empty(8), np.empty(8)
    for k in range(len(margins)):
        row = margins[k]
        own[:], common[:] = 0.0, 0.0
        for r in range(0, len(row) // 8 * 8, 8):
            some, of = row[r : r + 8], total[r : r + 8]
            for j in range(8):
                own[j] += some[j] * some[j]
                common[j] += some[j] * of[j]
        for r in range(len(row) // 8 * 8, len(row)):
            own[0] += row[r] * row[r]
            common[0] += row[r] * total[r]
        out[0, k], out[1, k] = total_of(own), total_of(common)


def products_of(margins, total):
    out = np.empty((2, margins.shape[1]))
    _products(np.ascontiguousarray(margins.T), np.ascontiguousarray(total), out)
    return out


@njit(cache=True, error_model="numpy")
def _weighted_counts(counts, weights, out):
    for r in range(len(counts)):
        for k in range(len(weights)):
            w, row, at = weights[k, r], counts[r], out[k]
            for i in range(len(row)):
                at[i] += w * row[i]


def weighted_counts(counts, weights):
    out = np.zeros((len(weights), counts.shape[1]))
    _weighted_counts(np.ascontiguousarray(counts), np.ascontiguousarray(weights), out)
    return out


@njit(cache=True, error_model="numpy")
def _weighted_squares(counts, weights, out):
    for r in range(len(counts)):
        row, w = counts[r], weights[r]
        for i in range(len(row)):
            n = np.float64(row[i])
            out[i] += w * n * n


def weighted_squares(counts, weights):
    out = np.zeros(counts.shape[1])
    _weighted_squares(np.ascontiguousarray(counts), np.ascontiguousarray(weights), out)
    return out
