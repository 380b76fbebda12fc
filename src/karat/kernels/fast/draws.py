"""Counting draws, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.pcg64 import Stream

SIDE = 256  # draws that are worked out side by side before they are counted
HALF = np.uint64(32)


@njit(cache=True, error_model="numpy")
def _count_words(words, members, counts, done):
    m, most = len(members), len(words)
    factor, limit, one = np.uint64(m), np.uint32(2**32 % m), counts.dtype.type(1)
    drawn = np.empty(SIDE, dtype=np.uint32)
    read, row, have = 0, done // m, done % m
    while row < len(counts) and read < most:
        mine = counts[row]
        while have < m and read < most:
            some = words[read : min(read + m - have, read + SIDE)]
            passed_over = np.uint32(0)
            for i in range(len(some)):
                product = np.uint64(some[i]) * factor
                drawn[i] = np.uint32(product >> HALF)
                passed_over |= np.uint32(np.uint32(product) < limit)
            kept = len(some)
            if passed_over:  # fewer than m words in 2³² are
                kept = 0
                for i in range(len(some)):
                    if np.uint32(some[i] * np.uint32(m)) >= limit:
                        drawn[kept] = drawn[i]
                        kept += 1
            for i in range(kept):
                mine[members[drawn[i]]] += one
            read, have = read + len(some), have + kept
        if have == m:
            row, have = row + 1, 0
    return read, row * m + have


def count_words(words, members, counts, done):
    return _count_words(words, members.astype(np.uint32), counts, done)


def raw_words(generator):
    return Stream(generator).raw if type(generator) is np.random.PCG64 else generator.random_raw
