"""Compiled twin of karat.kernels.fingerprint."""

from __future__ import annotations

import numpy as np
from numba import njit

GOLDEN, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
A, B, C = np.uint64(30), np.uint64(27), np.uint64(31)


@njit(cache=True, error_model="numpy")
def mixed_sum(words, seed):
    total = np.uint64(0)
    for k in range(len(words)):  # no sum goes on from word to word but the total, so that many go side by side
        z = words[k] + np.uint64(seed) + np.uint64(k) * GOLDEN
        z = (z ^ (z >> A)) * FIRST
        z = (z ^ (z >> B)) * SECOND
        total += z ^ (z >> C)
    return total
