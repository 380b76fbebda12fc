"""Compiled twin of karat.kernels.two_class_lda."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.discriminants import LANES, _cholesky, _eigenvalue_bound, _triangle_rows
from karat.kernels.fast.inner import inner


@inner
def _pooled(first, second, b0, m, one, other, u, trace):
    """δ = Σ N d / n of both classes (p, m), and Σ = (Σ N d dᵀ − Σ_c n_c δ_c δ_cᵀ)/n with its trace."""
    p, b1 = len(one), b0 + m
    n0, n1 = first[0, b0:b1], second[0, b0:b1]
    for i in range(p):
        row0, row1, to0, to1 = first[1 + i, b0:b1], second[1 + i, b0:b1], one[i], other[i]
        for l in range(m):
            to0[l] = row0[l] / n0[l]
            to1[l] = row1[l] / n1[l]
    trace[:] = 0.0
    at = 1 + p
    for i in range(p):
        for j in range(i, p):
            row0, row1, to = first[at, b0:b1], second[at, b0:b1], u[i, j]
            x0, y0, x1, y1 = one[i], one[j], other[i], other[j]
            at += 1
            for l in range(m):
                to[l] = (row0[l] + row1[l] - n0[l] * x0[l] * y0[l] - n1[l] * x1[l] * y1[l]) / (n0[l] + n1[l])
        for l in range(m):
            trace[l] += u[i, i, l]


@inner
def _solved(u, one, other, centres, b0, m, weights):
    """Uᵀ y = μ_1 − μ_0 and U w = y; the constant loses wᵀ (μ_0 + μ_1)/2, for which `one` makes room."""
    p, b1 = len(one), b0 + m
    constant = weights[0, b0:b1]
    for i in range(p):
        x, y, to = one[i], other[i], weights[1 + i, b0:b1]
        for l in range(m):
            mean0, mean1 = x[l] + centres[0, i], y[l] + centres[1, i]
            to[l] = mean1 - mean0
            x[l] = 0.5 * (mean0 + mean1)
        for j in range(i):
            row, before = u[j, i], weights[1 + j, b0:b1]
            for l in range(m):
                to[l] -= row[l] * before[l]
        row = u[i, i]
        for l in range(m):
            to[l] /= row[l]
    for i in range(p - 1, -1, -1):
        to, middle = weights[1 + i, b0:b1], one[i]
        for j in range(i + 1, p):
            row, after = u[i, j], weights[1 + j, b0:b1]
            for l in range(m):
                to[l] -= row[l] * after[l]
        row = u[i, i]
        for l in range(m):
            to[l] /= row[l]
            constant[l] -= to[l] * middle[l]


@njit(cache=True, nogil=True, error_model="numpy")
def _two_class_rules(first, second, centres, weights, factor, bound, good):
    p, b = centres.shape[1], first.shape[1]
    u, one, other = np.empty((p, p, LANES)), np.empty((p, LANES)), np.empty((p, LANES))
    root, product, logdet, trace = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        _pooled(first, second, b0, m, one, other, u, trace)
        _cholesky(u, p, m, root, product, logdet)
        n0, n1, constant = first[0, b0 : b0 + m], second[0, b0 : b0 + m], weights[0, b0 : b0 + m]
        for l in range(m):
            bound[b0 + l] = _eigenvalue_bound(logdet[l], trace[l], p)
            good[b0 + l] = (logdet[l] > -np.inf) & (n0[l] > 0) & (n1[l] > 0)
            constant[l] = np.log(n1[l] / n0[l])
        _solved(u, one, other, centres, b0, m, weights)
        _triangle_rows(u, p, m, b0, factor)


def two_class_rules(first, second, centres):
    p, b = centres.shape[1], first.shape[1]
    weights, factor = np.empty((1 + p, b)), np.empty((len(first) - 1 - p, b))
    bound, good = np.empty(b), np.empty(b, np.bool_)
    given = (np.ascontiguousarray(table) for table in (first, second, centres))
    _two_class_rules(*given, weights, factor, bound, good)
    if not good.all():
        weights[:, ~good], factor[:, ~good], bound[~good] = 0, 0, 0
    return weights, factor, bound, good
