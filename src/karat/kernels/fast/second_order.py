"""Second derivatives of LOOB and LPOB, compiled: one replicate after another, sums in one order."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def _same_stratum(N, r, u, k, last, m, a, c, e, left, others, sums, squares):
    Nk, rk, uk = N[k], r[k], u[k]
    for l in range(k + 1, last):
        plus, both = Nk + N[l], Nk * N[l]
        z = (1.0 + 1.0 / m) * ((N[l] - c) * rk + (Nk - c) * r[l]) - (uk + u[l]) / m
        z += (both - a * plus - c + 2.0 * a * c) * (left - r[l])
        z += (both - e * plus + e) * others
        sums[l] += z
        squares[l] += z * z


@njit(cache=True, error_model="numpy")
def _other_strata(N, v, S, k, first, others, sums, squares):
    more, vk = N[k] - 1.0, v[k]
    for l in range(first, len(N)):
        z = (N[l] - 1.0) * vk + more * v[l]
        z += more * (N[l] - 1.0) * (others - S[l])
        sums[l] += z
        squares[l] += z * z


@njit(cache=True, error_model="numpy")
def _case_terms(counts, rho, strata, m, ends, y, sums, squares):
    B, n = counts.shape
    own = np.empty(strata.max() + 1)  # sums of rho within the strata
    S, u, v = np.empty(n), np.empty(n), np.empty(n)
    for b in range(B):
        N, r = counts[b], rho[b]
        own[:] = 0.0
        total = 0.0
        for j in range(n):
            own[strata[j]] += r[j]
            total += r[j]
        for j in range(n):
            S[j] = own[strata[j]]
            c = m[j] / (m[j] - 1.0)
            u[j] = (N[j] - c) * (S[j] - r[j])
            v[j] = r[j] - S[j] / m[j] + u[j]
            y[b, j] = u[j] + (N[j] - 1.0) * (total - S[j])
        for k in range(n):
            mk = float(m[k])
            c, e = mk / (mk - 1.0), (mk - 1.0) / mk
            a = e + 1.0 / (mk - 1.0)
            # cases lie stratum by stratum: no branch within a run, so it is worked through in vectors
            _same_stratum(N, r, u, k, ends[k], mk, a, c, e, S[k] - r[k], total - S[k], sums[k], squares[k])
            _other_strata(N, v, S, k, ends[k], total - S[k], sums[k], squares[k])


def case_terms(counts, rho, strata):
    n = counts.shape[1]
    order = np.argsort(strata, kind="stable")
    strata = np.unique(strata[order], return_inverse=True)[1]
    sizes = np.bincount(strata)
    y, sums, squares = np.empty(counts.shape), np.zeros((n, n)), np.zeros((n, n))
    _case_terms(
        np.ascontiguousarray(counts[:, order], dtype=float),
        np.ascontiguousarray(rho[:, order], dtype=float),
        strata,
        sizes[strata].astype(float),
        np.cumsum(sizes)[strata],
        y,
        sums,
        squares,
    )
    back = np.argsort(order)
    return y[:, back], (sums + sums.T)[np.ix_(back, back)], (squares + squares.T)[np.ix_(back, back)]


@njit(cache=True, error_model="numpy")
def _within(N, M, R, r, y, n, sums, squares):
    c, a = n / (n - 1.0), (n - 1.0) / n + 1.0 / (n - 1.0)
    for k in range(n):
        for l in range(k + 1, n):
            z = (1.0 + 1.0 / n) * (R[k] * M[l] + R[l] * M[k]) - (y[k] + y[l]) / n
            z += (N[k] * N[l] - a * (N[k] + N[l]) - c + 2.0 * a * c) * (r - R[k] - R[l])
            sums[k, l] += z
            squares[k, l] += z * z


@njit(cache=True, error_model="numpy")
def _pair_terms(N1, N2, coefficients, ups, downs, mean, weight, y1, y2, noise1, noise2, z1, s1, z2, s2, w, sw):
    B, n1 = N1.shape
    n2 = N2.shape[1]
    c1, c2 = n1 / (n1 - 1.0), n2 / (n2 - 1.0)
    rho = np.empty((n1, n2))
    R, Q = np.empty(n1), np.empty(n2)
    M1, M2, yk, yl = np.empty(n1), np.empty(n2), np.empty(n1), np.empty(n2)
    monte_carlo = 0.0
    for b in range(B):
        R[:] = 0.0
        Q[:] = 0.0
        for i in range(n1):
            for j in range(n2):
                rho[i, j] = 0.0
            if N1[b, i] == 0:
                for j in range(n2):
                    if N2[b, j] == 0:
                        value = 0.0
                        for q in range(len(coefficients)):
                            up, down = ups[q, b, i], downs[q, b, j]
                            value += coefficients[q] * (0.5 * (up > down) + 0.5 * (up >= down))
                        value = (value - mean[i, j]) * weight[i, j]
                        rho[i, j] = value
                        R[i] += value
                        Q[j] += value
        r = 0.0
        for i in range(n1):
            r += R[i]
        for i in range(n1):
            M1[i] = N1[b, i] - c1
            yk[i] = M1[i] * (r - R[i])
            y1[i] += yk[i]
            noise1[i] += (yk[i] + R[i] - r / n1) ** 2
        for j in range(n2):
            M2[j] = N2[b, j] - c2
            yl[j] = M2[j] * (r - Q[j])
            y2[j] += yl[j]
            noise2[j] += (yl[j] + Q[j] - r / n2) ** 2
        _within(N1[b], M1, R, r, yk, n1, z1, s1)
        _within(N2[b], M2, Q, r, yl, n2, z2, s2)
        mean_r = r / (n1 * n2)
        for i in range(n1):
            left, m = (r - R[i]) / n2, M1[i]
            for j in range(n2):
                p = rho[i, j]
                x = M2[j] * (R[i] - p - (r - Q[j]) / n1) + m * (Q[j] - p - left) + m * M2[j] * (r - R[i] - Q[j] + p)
                w[i, j] += x
                x += p - R[i] / n2 - Q[j] / n1 + mean_r
                sw[i, j] += x * x
        monte_carlo += r * r
    return monte_carlo


def pair_terms(N1, N2, scores, mean, times):
    n1, n2 = mean.shape
    weight = 1 / np.maximum(times - 1, 1)
    room = [np.zeros(s) for s in (n1, n2, n1, n2, (n1, n1), (n1, n1), (n2, n2), (n2, n2), (n1, n2), (n1, n2))]
    y1, y2, noise1, noise2, z1, s1, z2, s2, w, sw = room
    monte_carlo = _pair_terms(
        np.ascontiguousarray(N1, dtype=float),
        np.ascontiguousarray(N2, dtype=float),
        np.array([c for c, _, _ in scores], dtype=float),
        np.ascontiguousarray([up for _, up, _ in scores], dtype=float),
        np.ascontiguousarray([down for _, _, down in scores], dtype=float),
        np.ascontiguousarray(mean, dtype=float),
        np.ascontiguousarray(weight, dtype=float),
        *room,
    )
    return y1, y2, noise1, noise2, z1 + z1.T, s1 + s1.T, z2 + z2.T, s2 + s2.T, w, sw, monte_carlo
