"""Counting draws, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.pcg64 import Stream


@njit(cache=True, error_model="numpy")
def _count_words(words, members, counts, done):
    m = np.uint64(len(members))
    limit = np.uint64(2**32) % m
    mask, half, one = np.uint64(2**32 - 1), np.uint64(32), counts.dtype.type(1)
    read, most = 0, len(words)
    row, drawn = done // len(members), done % len(members)
    while row < len(counts) and read < most:
        mine = counts[row]
        while drawn < len(members) and read < most:
            product = np.uint64(words[read]) * m
            read += 1
            if (product & mask) >= limit:
                mine[members[product >> half]] += one
                drawn += 1
        if drawn == len(members):
            row, drawn = row + 1, 0
    return read, row * len(members) + drawn


def count_words(words, members, counts, done):
    return _count_words(words, members.astype(np.uint32), counts, done)


def raw_words(generator):
    return Stream(generator).raw if type(generator) is np.random.PCG64 else generator.random_raw
