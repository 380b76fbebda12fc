"""Compiled twin of karat.kernels.spd. Every inner loop adds a multiple of a row to a row, so it runs over
contiguous memory without reordering a sum."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def spd_inverses(matrices):  # type: ignore[no-untyped-def]
    b, p, _ = matrices.shape
    inverse = np.zeros((b, p, p))
    logdet = np.zeros(b)
    good = np.ones(b, dtype=np.bool_)
    u = np.empty((p, p))
    v = np.empty((p, p))
    for m in range(b):
        for i in range(p):
            for j in range(i, p):
                u[i, j] = matrices[m, i, j]
        # Σ = UᵀU
        for k in range(p):
            pivot = u[k, k]
            if not pivot > 0.0 or pivot == np.inf:
                good[m] = False
                break
            root = np.sqrt(pivot)
            logdet[m] += np.log(pivot)
            for j in range(k, p):
                u[k, j] /= root
            for i in range(k + 1, p):
                factor = u[k, i]
                for j in range(i, p):
                    u[i, j] -= factor * u[k, j]
        if not good[m]:
            logdet[m] = 0.0
            for i in range(p):
                inverse[m, i, i] = 1.0
            continue
        # V = U⁻¹, kept transposed: row k of v holds V[0..k, k]
        for i in range(p - 1, -1, -1):
            scale = 1.0 / u[i, i]
            row = u[i]
            v[i, i] = scale
            for k in range(i + 1, p):
                # V[i, k] = −(Σ_{i<l≤k} U[i, l] V[l, k]) / U[i, i]
                total = 0.0
                for l in range(i + 1, k + 1):
                    total += row[l] * v[k, l]
                v[k, i] = -total * scale
        # Σ⁻¹ = V Vᵀ = Σ_k of outer products of the columns of V
        for k in range(p):
            for i in range(k + 1):
                factor = v[k, i]
                for j in range(i, k + 1):
                    inverse[m, i, j] += factor * v[k, j]
        for i in range(p):
            for j in range(i + 1, p):
                inverse[m, j, i] = inverse[m, i, j]
    return inverse, logdet, good
