"""Discriminant rules, compiled: LANES replicates side by side, so that every inner loop runs over contiguous memory
and no sum is reordered."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels.fast.inner import inner

LANES = 64


@njit(cache=True, nogil=True, error_model="numpy")
def _sorted_counts(counts, order, out):
    for r in range(len(counts)):
        row, to = counts[r], out[r]
        for k in range(len(order)):
            to[k] = row[order[k]]


def sorted_counts(counts, order):
    if counts.dtype != np.uint8:
        return counts[:, order].astype(float)
    out = np.empty((len(counts), len(order)))
    _sorted_counts(counts, order.astype(np.uint32), out)  # unsigned: no place counts from the end
    return out


@inner
def _cholesky(u, p, m, root, product, logdet):
    """UᵀU of m matrices in u (p, p, LANES), in place; a pivot that is not positive becomes NaN."""
    logdet[:], product[:] = 0.0, 1.0
    for k in range(p):
        pivot = u[k, k]
        for l in range(m):
            root[l] = 1.0 / np.sqrt(pivot[l])
            product[l] *= pivot[l]
        if k % 8 == 7 or k == p - 1:  # few logarithms, of numbers that stay in range
            for l in range(m):
                logdet[l] += np.log(product[l])
                product[l] = 1.0
        for j in range(k, p):
            row = u[k, j]
            for l in range(m):
                row[l] *= root[l]
        for i in range(k + 1, p):
            factor = u[k, i]
            for j in range(i, p):
                to, row = u[i, j], u[k, j]
                for l in range(m):
                    to[l] -= factor[l] * row[l]


@inner
def _triangle_rows(u, p, m, b0, out):
    """The upper triangles of u (p, p, LANES), one row of `out` an entry."""
    at = 0
    for i in range(p):
        for j in range(i, p):
            row, to = u[i, j], out[at, b0 : b0 + m]
            at += 1
            for l in range(m):
                to[l] = row[l]


@inner
def _eigenvalue_bound(logdet, trace, p):
    """λ_min ≥ det / (trace/(p − 1))^(p−1), λ_max ≤ trace: no more than the share of the least eigenvalue."""
    return np.exp(logdet - (p - 1) * np.log(trace / (p - 1))) / trace if p > 1 else 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def _lda_factors(sizes, sums, products, factor, bound, good):
    c, p, b = sums.shape
    u, delta = np.empty((p, p, LANES)), np.empty((c, p, LANES))
    root, product, logdet, trace = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    n, share = np.empty(LANES), np.empty((c, LANES))  # share: n_c/n
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        n[:] = 0.0
        for k in range(c):
            size = sizes[k, b0 : b0 + m]
            for l in range(m):
                n[l] += size[l]
            for i in range(p):
                row, to = sums[k, i, b0 : b0 + m], delta[k, i]
                for l in range(m):
                    to[l] = row[l] / size[l]
        trace[:] = 0.0
        for l in range(m):
            n[l] = 1.0 / n[l]
        for k in range(c):
            size, to = sizes[k, b0 : b0 + m], share[k]
            for l in range(m):
                to[l] = size[l] * n[l]
        at = 0
        for i in range(p):
            for j in range(i, p):
                row, to = products[at, b0 : b0 + m], u[i, j]
                at += 1
                for l in range(m):
                    to[l] = row[l] * n[l]
                for k in range(c):
                    size, one, other = share[k], delta[k, i], delta[k, j]
                    for l in range(m):
                        to[l] -= size[l] * one[l] * other[l]
            for l in range(m):
                trace[l] += u[i, i, l]
        _cholesky(u, p, m, root, product, logdet)
        for l in range(m):
            bound[b0 + l] = _eigenvalue_bound(logdet[l], trace[l], p)
            good[b0 + l] = logdet[l] > -np.inf  # False where a pivot was not positive: NaN
        _triangle_rows(u, p, m, b0, factor)


def lda_factors(sizes, sums, products):
    b = sums.shape[2]
    factor, bound, good = np.empty((len(products), b)), np.empty(b), np.empty(b, np.bool_)
    given = (np.ascontiguousarray(table, dtype=float) for table in (sizes, sums, products))
    _lda_factors(*given, factor, bound, good)
    good &= (sizes > 0).all(axis=0)
    factor[:, ~good], bound[~good] = 0, 0
    return factor, bound, good


@njit(cache=True, nogil=True, error_model="numpy")
def _factored(matrices, p, factor, good):
    b = matrices.shape[1]
    u, root, product, logdet = np.empty((p, p, LANES)), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        at = 0
        for i in range(p):
            for j in range(i, p):
                row, to = matrices[at, b0 : b0 + m], u[i, j]
                at += 1
                for l in range(m):
                    to[l] = row[l]
        _cholesky(u, p, m, root, product, logdet)
        for l in range(m):
            good[b0 + l] = -np.inf < logdet[l] < np.inf
        _triangle_rows(u, p, m, b0, factor)


def factored(matrices):
    t, b = matrices.shape
    factor, good = np.empty((t, b)), np.empty(b, np.bool_)
    _factored(np.ascontiguousarray(matrices, dtype=float), int((np.sqrt(8 * t + 1) - 1) / 2), factor, good)
    factor[:, ~good] = 0
    return factor, good


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_factored(factor, right, out):
    k, p, b = right.shape
    starts = np.empty(p, np.int64)  # where row i of U begins: U_ij is at starts[i] + j
    at = 0
    for i in range(p):
        starts[i] = at - i
        at += p - i
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        for r in range(k):
            for i in range(p):  # Uᵀ y = r
                to = out[r, i, b0 : b0 + m]
                row = right[r, i, b0 : b0 + m]
                for l in range(m):
                    to[l] = row[l]
                for j in range(i):
                    u, y = factor[starts[j] + i, b0 : b0 + m], out[r, j, b0 : b0 + m]
                    for l in range(m):
                        to[l] -= u[l] * y[l]
                u = factor[starts[i] + i, b0 : b0 + m]
                for l in range(m):
                    to[l] = to[l] / u[l] if u[l] != 0.0 else 0.0
            for i in range(p - 1, -1, -1):  # U x = y
                to = out[r, i, b0 : b0 + m]
                for j in range(i + 1, p):
                    u, x = factor[starts[i] + j, b0 : b0 + m], out[r, j, b0 : b0 + m]
                    for l in range(m):
                        to[l] -= u[l] * x[l]
                u = factor[starts[i] + i, b0 : b0 + m]
                for l in range(m):
                    to[l] = to[l] / u[l] if u[l] != 0.0 else 0.0


def solve_factored(factor, right):
    out = np.empty(right.shape)
    _solve_factored(factor, np.ascontiguousarray(right), out)
    return out


@inner
def _inverse_half(u, v, p, m):
    """V = U⁻¹, upper triangles of (p, p, LANES)."""
    for i in range(p - 1, -1, -1):
        d, first = u[i, i], v[i, i]
        for l in range(m):
            first[l] = 1.0 / d[l]
        for k in range(i + 1, p):
            to = v[i, k]
            for l in range(m):
                to[l] = 0.0
            for j in range(i + 1, k + 1):
                x, y = u[i, j], v[j, k]
                for l in range(m):
                    to[l] -= x[l] * y[l]
            for l in range(m):
                to[l] *= first[l]


@inner
def _inverse_and_linear(v, mu, p, m, b0, weights, diagonal):
    """Σ⁻¹ = V Vᵀ: its diagonal, the weights of products, and Σ⁻¹ μ added to those of x."""
    at = 1 + p
    for i in range(p):
        for j in range(i, p):
            to = weights[at, b0 : b0 + m]
            at += 1
            for l in range(m):
                to[l] = 0.0
            for k in range(j, p):
                x, y = v[i, k], v[j, k]
                for l in range(m):
                    to[l] += x[l] * y[l]
            one, other = weights[1 + i, b0 : b0 + m], weights[1 + j, b0 : b0 + m]
            mi, mj = mu[i], mu[j]
            for l in range(m):
                one[l] += to[l] * mj[l]
            if i == j:
                entry = diagonal[i, b0 : b0 + m]
                for l in range(m):
                    entry[l] = to[l]
                    to[l] *= -0.5
            else:
                for l in range(m):
                    other[l] += to[l] * mi[l]
                    to[l] = -to[l]


@njit(cache=True, nogil=True, error_model="numpy")
def _quadratic_weights(sums, centre, ridge, shrink, weights, diagonal, good):
    p, b = len(centre), sums.shape[1]
    u, v, mu = np.empty((p, p, LANES)), np.empty((p, p, LANES)), np.empty((p, LANES))
    root, product, logdet, total = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    one_over = np.empty(LANES)
    for b0 in range(0, b, LANES):
        m = min(LANES, b - b0)
        size = sums[0, b0 : b0 + m]
        for l in range(m):
            one_over[l] = 1.0 / size[l]
        for i in range(p):
            row, to = sums[1 + i, b0 : b0 + m], mu[i]
            for l in range(m):
                to[l] = row[l] * one_over[l]  # δ
        at = 1 + p
        for i in range(p):
            for j in range(i, p):
                row, to, one, other = sums[at, b0 : b0 + m], u[i, j], mu[i], mu[j]
                at += 1
                for l in range(m):
                    to[l] = (1 - shrink) * (row[l] * one_over[l] - one[l] * other[l])
            for l in range(m):
                u[i, i, l] += ridge[i]
        _cholesky(u, p, m, root, product, logdet)
        _inverse_half(u, v, p, m)
        for l in range(m):
            good[b0 + l] = logdet[l] > -np.inf
        for i in range(p):
            to, linear = mu[i], weights[1 + i, b0 : b0 + m]
            for l in range(m):
                to[l] += centre[i]  # μ
                linear[l] = 0.0
        _inverse_and_linear(v, mu, p, m, b0, weights, diagonal)
        total[:] = 0.0
        for i in range(p):
            linear, to = weights[1 + i, b0 : b0 + m], mu[i]
            for l in range(m):
                total[l] += linear[l] * to[l]
        constant = weights[0, b0 : b0 + m]
        for l in range(m):
            constant[l] = -0.5 * (logdet[l] + total[l])


def quadratic_weights(sums, centre, ridge, shrink):
    b = sums.shape[1]
    weights, diagonal, good = np.empty(sums.shape), np.empty((len(centre), b)), np.empty(b, np.bool_)
    _quadratic_weights(np.ascontiguousarray(sums), centre, ridge, float(shrink), weights, diagonal, good)
    good &= sums[0] > 0
    if not good.all():
        weights[:, ~good], diagonal[:, ~good] = 0, 1
    return weights, diagonal, good
