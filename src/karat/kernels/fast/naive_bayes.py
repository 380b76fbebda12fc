"""Compiled twin of karat.kernels.naive_bayes: LANES replicates side by side."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from karat.kernels.fast.inner import inner

LANES = 64


@inner
def _moments(sums, centres, b0, m, n, weights, variance, total):
    """Means (in the place of the linear weights) and variances of the classes, and variances of all cases."""
    c, p = centres.shape
    first = np.empty(LANES)
    n[:] = 0.0
    for k in range(c):
        size = sums[k, 0, b0 : b0 + m]
        for l in range(m):
            n[l] += size[l]
    for j in range(p):
        second = total[j, b0 : b0 + m]
        for l in range(m):
            first[l], second[l] = 0.0, 0.0
        for k in range(c):
            size, linear, square = sums[k, 0, b0 : b0 + m], sums[k, 1 + j, b0 : b0 + m], sums[k, 1 + p + j, b0 : b0 + m]
            mean, var = weights[k, 1 + j, b0 : b0 + m], variance[k, j, b0 : b0 + m]
            for l in range(m):
                one = 1.0 / max(size[l], 1.0)
                delta = linear[l] * one
                mean[l] = delta + centres[k, j]
                var[l] = square[l] * one - delta * delta
                first[l] += size[l] * mean[l]
                second[l] += size[l] * (var[l] + mean[l] * mean[l])
        for l in range(m):
            one = first[l] / n[l]
            second[l] = second[l] / n[l] - one * one


@njit(cache=True, nogil=True, error_model="numpy")
def _weights(sums, centres, units, smoothing, scaled, weights, variance, total):
    c, p = centres.shape
    b = sums.shape[2]
    n, largest, determinant = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        _moments(sums, centres, b0, m, n, weights, variance, total)
        largest[:] = -np.inf
        for j in range(p):
            spread = total[j, b0 : b0 + m]
            for l in range(m):
                largest[l] = max(largest[l], spread[l] / units[j])
        for k in range(c):
            size, constant = sums[k, 0, b0 : b0 + m], weights[k, 0, b0 : b0 + m]
            for l in range(m):
                constant[l] = math.log(max(size[l], 1.0) / n[l])
            for j in range(p):
                linear, square = weights[k, 1 + j, b0 : b0 + m], weights[k, 1 + p + j, b0 : b0 + m]
                spread, var = total[j, b0 : b0 + m], variance[k, j, b0 : b0 + m]
                for l in range(m):
                    var[l] += smoothing * (spread[l] if scaled else largest[l] * units[j])
                    mean = linear[l]
                    square[l] = -0.5 / max(var[l], 1e-300)
                    linear[l] = -2.0 * square[l] * mean
                    constant[l] -= 0.5 * linear[l] * mean
                for l in range(m):
                    determinant[l] = math.log(max(var[l], 1e-300))
                for l in range(m):
                    constant[l] -= 0.5 * determinant[l]


def naive_bayes_weights(sums, centres, units, smoothing, scaled):
    c, p = centres.shape
    weights, variance = np.empty(sums.shape), np.empty((c, p, sums.shape[2]))
    total = np.empty((p, sums.shape[2]))
    _weights(np.ascontiguousarray(sums), centres, units, float(smoothing), bool(scaled), weights, variance, total)
    return weights, variance, total
