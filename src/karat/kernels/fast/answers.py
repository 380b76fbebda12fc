"""Compiled twin of karat.kernels.answers."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

# x = k ln 2 + r, |r| ≤ ½ ln 2. Adding 1.5 · 2⁵² rounds to a whole number, and leaves it in the last bits
ROUND, PER_LN2, LN2, REST = 1.5 * 2.0**52, 1 / math.log(2), 6.93147180369123816490e-01, 1.90821492927058770002e-10
# 1/k! up to where r^k/k! is below half a unit in the last place; further than these limits 1 + eˣ is 1 or ∞
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12 = (1 / math.factorial(k) for k in range(2, 13))
LEAST, GREATEST = -45.0, 711.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, inline="always")
def _one_plus_exp(x):
    """1 + eˣ without a branch, so that eight go side by side; ∞ from 710 on, NaN of NaN."""
    x = GREATEST if x > GREATEST else x
    x = LEAST if x < LEAST else x
    rounded = np.float64(x * PER_LN2 + ROUND)
    k = rounded - ROUND
    r = (x - k * LN2) - k * REST
    tail = C8 + r * (C9 + r * (C10 + r * (C11 + r * C12)))
    series = 1.0 + r * (1.0 + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * (C7 + r * tail)))))))
    power = np.int64((rounded.view(np.int64) + 1021) << 52).view(np.float64)  # 2^(k − 2): 2¹⁰²⁴ would be too large
    return 1.0 + 4.0 * (series * power)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def two_class_answers(scores, predictions, turned, logistic):
    for b in range(len(scores)):
        row, said = scores[b], predictions[b]
        for j in range(len(row)):
            said[j] = row[j] > 0
        sign = -1.0 if turned else 1.0
        if logistic:
            for j in range(len(row)):
                row[j] = 1.0 / _one_plus_exp(-sign * row[j])
        elif turned:
            for j in range(len(row)):
                row[j] = -row[j]
