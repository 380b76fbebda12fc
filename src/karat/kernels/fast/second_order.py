"""Squares of the residuals of LPOB, compiled: only the positives that are left out, one replicate after another."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _residual_squares(out1, out2, coefficients, ups, downs, mean, weight):
    B, n1 = out1.shape
    n2 = out2.shape[1]
    row = np.empty(n2)
    total = 0.0
    for b in range(B):
        left_out = out2[b]
        for i in range(n1):
            if out1[b, i]:
                for j in range(n2):
                    row[j] = -mean[i, j]
                for q in range(len(coefficients)):
                    half, up, down = 0.5 * coefficients[q], ups[q, b, i], downs[q, b]
                    for j in range(n2):
                        row[j] += half * ((1.0 if up > down[j] else 0.0) + (1.0 if up >= down[j] else 0.0))
                squares = 0.0
                for j in range(n2):
                    value = row[j] * weight[i, j] * left_out[j]
                    squares += value * value
                total += squares
    return total


def residual_squares(out1, out2, scores, mean, times):
    return _residual_squares(
        np.ascontiguousarray(out1),
        np.ascontiguousarray(out2, dtype=float),
        np.array([c for c, _, _ in scores], dtype=float),
        np.ascontiguousarray([up for _, up, _ in scores], dtype=float),
        np.ascontiguousarray([down for _, _, down in scores], dtype=float),
        np.ascontiguousarray(mean, dtype=float),
        1 / np.maximum(np.asarray(times, dtype=float) - 1, 1),
    )
