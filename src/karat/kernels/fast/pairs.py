"""Sums over pairs, compiled: how often pairs are left out and won, and what the variance needs besides the margins."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.bits import count_bits
from karat.kernels.fast.pair_margins import margins_of, sweep_of, totals_of
from karat.kernels.fast.pair_orders import _by_case, _entries, _none, _tiles, fill_orders

__all__ = [
    "fill_orders",
    "left_out_together",
    "margins_of",
    "noise_of",
    "psi_sums_of",
    "sweep_of",
    "totals_of",
    "weighted_counts",
]
MOST = 30_000  # replicates that two-byte counters can count, two a pair


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


@njit(cache=True, error_model="numpy")
def _noise(margins, counts, total):
    """`noise_of` with a row a case: (m, b) margins and counts."""
    m, b = margins.shape
    expected = m / max(m - 1, 1)
    out = np.empty(m)
    for k in range(m):
        squares = 0.0
        for r in range(b):
            y = margins[k, r] - total[r] / m + (counts[k, r] - expected) * (total[r] - margins[k, r])
            squares += y * y
        out[k] = squares
    return out


def noise_of(margins, counts, total):
    return _noise(np.ascontiguousarray(margins.T), np.ascontiguousarray(counts.T), np.ascontiguousarray(total))


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
