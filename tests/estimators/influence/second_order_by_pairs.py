"""Second derivatives of LOOB and LPOB, one replicate and one pair of cases at a time.

The entries on the diagonals of the (n, n) sums mean nothing.
"""

from __future__ import annotations

import numpy as np
from slow_kernels import psi


def case_terms(
    counts: np.ndarray,  # (b, n) N
    rho: np.ndarray,  # (b, n) I_j (L_j − E_j) / (D_j − 1)
    strata: np.ndarray,  # (n,)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y (b, n), Σ_b z and Σ_b z² (n, n) of the leave-one-out bootstrap; Σ_b z_kl / n = ∂²T/∂ε_k∂ε_l / (m_k m_l).

    m the cases of a stratum, c = m/(m − 1), e = (m − 1)/m, a = e + 1/(m − 1), S the sum of ρ over it:
    same stratum: z = (1 + 1/m)((N_l − c) ρ_k + (N_k − c) ρ_l) − ((N_l − c)(S − ρ_l) + (N_k − c)(S − ρ_k))/m
                      + [N_k N_l − a(N_k + N_l) − c + 2ac](S − ρ_k − ρ_l) + [N_k N_l − e(N_k + N_l) + e] S_others
    two strata:   z = (N_l − 1)(ρ_k − S_k/m_k) + (N_k − 1)(ρ_l − S_l/m_l) + (N_k − c_k)(N_l − 1)(S_k − ρ_k)
                      + (N_k − 1)(N_l − c_l)(S_l − ρ_l) + (N_k − 1)(N_l − 1) S_others
    """
    n = counts.shape[1]
    m = np.bincount(strata)[strata].astype(float)
    c, e = m / (m - 1), (m - 1) / m
    a = e + 1 / (m - 1)
    same = strata[:, None] == strata[None, :]
    y = np.empty_like(counts)
    sums, squares = np.zeros((n, n)), np.zeros((n, n))
    for b, (N, r) in enumerate(zip(counts, rho, strict=True)):
        S = np.bincount(strata, r)[strata]  # (n,) sum over the own stratum
        total = r.sum()
        y[b] = (N - c) * (S - r) + (N - 1) * (total - S)
        # two cases of one stratum
        NN, plus = np.outer(N, N), N[:, None] + N[None, :]
        t = np.outer(r, N - c)  # (N_l − c) ρ_k
        u = (N - c) * (S - r)
        z = (1 + 1 / m)[:, None] * (t + t.T) - (u[:, None] + u[None, :]) / m[:, None]
        z += (NN - a[:, None] * plus - c[:, None] + 2 * (a * c)[:, None]) * (S[:, None] - r[:, None] - r[None, :])
        z += (NN - e[:, None] * plus + e[:, None]) * (total - S)[:, None]
        # two cases of different strata
        first = (N - 1)[None, :] * (r - S / m)[:, None]  # (N_l − 1)(ρ_k − S_k/m)
        second = ((N - c) * (S - r))[:, None] * (N - 1)[None, :]  # (N_k − c)(N_l − 1)(S_k − ρ_k)
        others = total - S[:, None] - S[None, :]
        across = first + first.T + second + second.T + np.outer(N - 1, N - 1) * others
        z = np.where(same, z, across)
        sums += z
        squares += z**2
    return y, sums, squares


def terms_with_a_test_case(
    counts: np.ndarray,  # (b, n) N
    rho: np.ndarray,  # (b, n)
    strata: np.ndarray,  # (n,)
) -> tuple[np.ndarray, np.ndarray]:
    """Σ_b z and Σ_b z² (n, n), z_kl = (N_l − 1)(ρ_k − S_k/m_k) + (N_k − 1)(ρ_l − S_l/m_l)."""
    m = np.bincount(strata)[strata]
    sums = squares = 0.0
    for N, r in zip(counts, rho, strict=True):
        one = np.outer(r - np.bincount(strata, r)[strata] / m, N - 1)
        sums, squares = sums + one + one.T, squares + (one + one.T) ** 2
    return np.asarray(sums), np.asarray(squares)


def pair_terms(
    N1: np.ndarray,  # (b, n1) counts of the positives
    N2: np.ndarray,  # (b, n2)
    scores: list[tuple[float, np.ndarray, np.ndarray]],  # coefficient, (b, n1), (b, n2) of each rule
    mean: np.ndarray,  # (n1, n2) A_ij of the contrast
    times: np.ndarray,  # (n1, n2) D_ij
) -> tuple:
    """Sums over replicates for V_1 and V_2 of the leave-pair-out bootstrap.

    ρ_ij = I_i I_j (ψ_ij − A_ij)/(D_ij − 1), R_i = Σ_j ρ_ij, Q_j = Σ_i ρ_ij, r = Σ ρ_ij; M = N − n/(n − 1) within a
    class, y_k = M_k (r − R_k);  z of two cases of one class is in `_within`, of one of each
    w_kl = M_l [R_k − ρ_kl − (r − Q_l)/n1] + M_k [Q_l − ρ_kl − (r − R_k)/n2] + M_k M_l (r − R_k − Q_l + ρ_kl)
    x_kl = ρ_kl − R_k/n2 − Q_l/n1 + r/(n1 n2), the noise of A_kl − A_k. − A_.l + A.
    """
    n1, n2 = mean.shape
    c1, c2 = n1 / (n1 - 1), n2 / (n2 - 1)
    weight = 1 / np.maximum(times - 1, 1)
    y1, y2, noise1, noise2 = np.zeros(n1), np.zeros(n2), np.zeros(n1), np.zeros(n2)
    z1, z1_squares = np.zeros((n1, n1)), np.zeros((n1, n1))
    z2, z2_squares = np.zeros((n2, n2)), np.zeros((n2, n2))
    w, w_squares = np.zeros((n1, n2)), np.zeros((n1, n2))
    monte_carlo = 0.0
    for b in range(len(N1)):
        a, d = N1[b], N2[b]
        value = np.zeros((n1, n2))
        for coefficient, up, down in scores:
            value += coefficient * psi(up[b], down[b])
        rho = np.outer(a == 0, d == 0) * (value - mean) * weight
        R, Q, r = rho.sum(axis=1), rho.sum(axis=0), rho.sum()
        M1, M2 = a - c1, d - c2
        yk, yl = M1 * (r - R), M2 * (r - Q)
        y1 += yk
        y2 += yl
        noise1 += (yk + R - r / n1) ** 2
        noise2 += (yl + Q - r / n2) ** 2
        z = _within(a, M1, R, r, yk, n1)
        z1 += z
        z1_squares += z**2
        z = _within(d, M2, Q, r, yl, n2)
        z2 += z
        z2_squares += z**2
        wb = M2[None, :] * (R[:, None] - rho - (r - Q)[None, :] / n1)
        wb += M1[:, None] * (Q[None, :] - rho - (r - R)[:, None] / n2)
        wb += np.outer(M1, M2) * (r - R[:, None] - Q[None, :] + rho)
        x = rho - R[:, None] / n2 - Q[None, :] / n1 + r / (n1 * n2)
        w += wb
        w_squares += (wb + x) ** 2
        monte_carlo += r**2
    return y1, y2, noise1, noise2, z1, z1_squares, z2, z2_squares, w, w_squares, monte_carlo


def _within(N: np.ndarray, M: np.ndarray, R: np.ndarray, r: float, y: np.ndarray, n: int) -> np.ndarray:
    """z of two cases of one class: R are the sums over the pairs of each case, r over all pairs."""
    c, a = n / (n - 1), (n - 1) / n + 1 / (n - 1)
    t = np.outer(R, M)
    plus = N[:, None] + N[None, :]
    z = (1 + 1 / n) * (t + t.T) - (y[:, None] + y[None, :]) / n
    return z + (np.outer(N, N) - a * plus - c + 2 * a * c) * (r - R[:, None] - R[None, :])
