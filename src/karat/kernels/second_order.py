"""Second derivatives of LOOB and LPOB, summed over replicates. MATH 5.

A residual ρ is 0 unless its cases are left out, so N_k ρ_k = 0, and in one replicate the second derivative by cases
k and l is a form in (1, N_k, ρ_k) and (1, N_l, ρ_l), with coefficients that depend on their strata and on sums over
the replicate:

    z_kl = s + p_k N_k + p_l N_l + q_k ρ_k + q_l ρ_l + T N_k N_l + h_k ρ_k N_l + h_l N_k ρ_l.

Σ_b z_kl takes two matrix products. What is subtracted as noise is needed in total only: Σ_kl z_kl² is the trace of
Cᵀ M C M′, M the sums of squares and products of (1, N, ρ) over a stratum. The same terms one replicate and one pair
of cases at a time, as MATH 5 prints them, are in tests/uncertainty/second_order_by_pairs.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.kernels.compiled import twin
from karat.kernels.pairs import psi


@dataclass(frozen=True, eq=False)
class Form:
    """Coefficients of z_kl between two strata: numbers, or (b,) one a replicate."""

    s: np.ndarray  # (b,)
    p: tuple[np.ndarray, np.ndarray]  # (b,) of N_k and of N_l
    q: tuple[float, float]  # of ρ_k and of ρ_l
    h: tuple[float, float]  # of ρ_k N_l and of N_k ρ_l

    def matrix(self, T: np.ndarray) -> np.ndarray:
        """(b, 3, 3) C, rows for (1, N_k, ρ_k), columns for (1, N_l, ρ_l)."""
        C = np.zeros((len(T), 3, 3))
        C[:, 0, 0], C[:, 1, 1] = self.s, T
        C[:, 1, 0], C[:, 0, 1] = self.p
        C[:, 2, 0], C[:, 0, 2] = self.q
        C[:, 2, 1], C[:, 1, 2] = self.h
        return C


def within(m: int, S: np.ndarray, T: np.ndarray) -> Form:
    """Two cases of one stratum of m cases: S (b,) the sum of ρ over it, T over all.

    c = m/(m − 1), e = (m − 1)/m, a = e + 1/(m − 1):
    z = (1 + 1/m)((N_l − c) ρ_k + (N_k − c) ρ_l) − ((N_l − c)(S − ρ_l) + (N_k − c)(S − ρ_k))/m
        + [N_k N_l − a(N_k + N_l) − c + 2ac](S − ρ_k − ρ_l) + [N_k N_l − e(N_k + N_l) + e](T − S)
    """
    c, e = m / (m - 1), (m - 1) / m
    a = e + 1 / (m - 1)
    g = 2 * a * c - c
    p = -(1 / m + a) * S - e * (T - S)
    q, h = -(1 + 2 / m) * c - g, 1 + 1 / m + a
    return Form((2 * c / m + g) * S + e * (T - S), (p, p), (q, q), (h, h))


def between(mk: int, ml: int, Sk: np.ndarray, Sl: np.ndarray, T: np.ndarray) -> Form:
    """LOOB, cases of two strata:

    z = (N_l − 1)(ρ_k − S_k/m_k) + (N_k − 1)(ρ_l − S_l/m_l) + (N_k − c_k)(N_l − 1)(S_k − ρ_k)
        + (N_k − 1)(N_l − c_l)(S_l − ρ_l) + (N_k − 1)(N_l − 1)(T − S_k − S_l)
    """
    ck, cl = mk / (mk - 1), ml / (ml - 1)
    gk, gl = 1 / mk + ck - 1, 1 / ml + cl - 1
    return Form(T + gk * Sk + gl * Sl, (-T - gl * Sl, -T - gk * Sk), (-1 - ck, -1 - cl), (1 + ck, 1 + cl))


def across(n1: int, n2: int, r: np.ndarray, noise: bool) -> Form:
    """LPOB, a positive and a negative; ρ_k is R_k, ρ_l is Q_l. With `noise` w + x, else w, both without ρ_kl itself.

    w = M_l [R_k − ρ_kl − (r − Q_l)/n1] + M_k [Q_l − ρ_kl − (r − R_k)/n2] + M_k M_l (r − R_k − Q_l + ρ_kl), M = N − c
    x = ρ_kl − R_k/n2 − Q_l/n1 + r/(n1 n2), the noise of A_kl − A_k. − A_.l + A.
    """
    c1, c2 = n1 / (n1 - 1), n2 / (n2 - 1)
    s, q1, q2 = c2 / n1 + c1 / n2 + c1 * c2, -c2 - c1 / n2 - c1 * c2, -c1 - c2 / n1 - c1 * c2
    if noise:
        s, q1, q2 = s + 1 / (n1 * n2), q1 - 1 / n2, q2 - 1 / n1
    return Form(s * r, (-(1 / n2 + c2) * r, -(1 / n1 + c1) * r), (q1, q2), (1 + c1, 1 + c2))


def form_sums(form: Form, T: np.ndarray, Nk: np.ndarray, rk: np.ndarray, Nl: np.ndarray, rl: np.ndarray) -> np.ndarray:
    """(k, l) Σ_b z_kl; N and ρ are (b, k) and (b, l)."""
    hk, hl = form.h
    out = (Nk * T[:, None] + hk * rk).T @ Nl + hl * (Nk.T @ rl)
    rows, cols = form.p[0] @ Nk + form.q[0] * rk.sum(axis=0), form.p[1] @ Nl + form.q[1] * rl.sum(axis=0)
    return np.asarray(out + rows[:, None] + cols[None, :] + form.s.sum())


def form_squares(C: np.ndarray, moments_k: np.ndarray, moments_l: np.ndarray) -> float:
    """Σ_b Σ_kl z_kl² over all cases k of one stratum and l of the other: Σ_b tr(Cᵀ M_k C M_l)."""
    return float(((moments_k @ C) * (C @ moments_l)).sum())


def moments(N: np.ndarray, r: np.ndarray) -> np.ndarray:
    """(b, 3, 3) sums over the cases of a stratum of the products of (1, N, ρ); N ρ = 0."""
    out = np.zeros((len(N), 3, 3))
    out[:, 0, 0] = N.shape[1]
    out[:, 0, 1] = out[:, 1, 0] = N.sum(axis=1)
    out[:, 0, 2] = out[:, 2, 0] = r.sum(axis=1)
    out[:, 1, 1], out[:, 2, 2] = np.einsum("bk,bk->b", N, N), np.einsum("bk,bk->b", r, r)
    return out


def within_terms(N: np.ndarray, r: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, float]:
    """Σ_b z_kl (m, m) of the cases of one stratum, and Σ_b Σ_{k<l} z_kl². The diagonal of the sums means nothing."""
    form = within(N.shape[1], r.sum(axis=1), T)
    M = moments(N, r)
    alone = T[:, None] * N**2 + 2 * form.p[0][:, None] * N + 2 * form.q[0] * r + form.s[:, None]  # k = l
    return form_sums(form, T, N, r, N, r), 0.5 * (form_squares(form.matrix(T), M, M) - float((alone**2).sum()))


def between_terms(
    Nk: np.ndarray, rk: np.ndarray, Nl: np.ndarray, rl: np.ndarray, T: np.ndarray
) -> tuple[np.ndarray, float]:
    """Σ_b z_kl (m_k, m_l) of the leave-one-out bootstrap between two strata, and Σ_b Σ_kl z_kl²."""
    form = between(Nk.shape[1], Nl.shape[1], rk.sum(axis=1), rl.sum(axis=1), T)
    return form_sums(form, T, Nk, rk, Nl, rl), form_squares(form.matrix(T), moments(Nk, rk), moments(Nl, rl))


def across_terms(
    N1: np.ndarray, R: np.ndarray, N2: np.ndarray, Q: np.ndarray, squares: float
) -> tuple[np.ndarray, float]:
    """Σ_b w_kl (n1, n2) of the leave-pair-out bootstrap, and Σ_b Σ_kl (w_kl + x_kl)²; `squares` is Σ_b Σ_kl ρ_kl².

    Σ_b ρ_kl = 0, so ρ_kl itself is in the squares alone: (f + κ ρ)², κ = (1 + c1)(1 + c2), and where ρ_kl is not 0
    the counts are, so that f = s + q1 R_k + q2 Q_l there.
    """
    n1, n2, r = N1.shape[1], N2.shape[1], R.sum(axis=1)
    form = across(n1, n2, r, noise=True)
    kappa = (2 * n1 - 1) / (n1 - 1) * (2 * n2 - 1) / (n2 - 1)
    mixed = form.q[0] * float((R**2).sum()) + form.q[1] * float((Q**2).sum()) + float(form.s @ r)
    noise = form_squares(form.matrix(r), moments(N1, R), moments(N2, Q)) + 2 * kappa * mixed + kappa**2 * squares
    return form_sums(across(n1, n2, r, noise=False), r, N1, R, N2, Q), noise


@twin
def residual_squares(
    out1: np.ndarray,  # (b, n1) bool, the positives that are left out
    out2: np.ndarray,  # (b, n2)
    scores: list[tuple[float, np.ndarray, np.ndarray]],  # coefficient, (b, n1), (b, n2) of each rule
    mean: np.ndarray,  # (n1, n2) A_ij of the contrast
    times: np.ndarray,  # (n1, n2) D_ij
) -> float:
    """Σ_b Σ_ij ρ_ij², ρ_ij = I_i I_j (ψ_ij − A_ij)/(D_ij − 1)."""
    weight, total = 1 / np.maximum(times.astype(float) - 1, 1), 0.0  # counts may come in single precision
    for b in range(len(out1)):
        left_out = np.ix_(out1[b], out2[b])
        value = np.sum([c * psi(up[b, out1[b]], down[b, out2[b]]) for c, up, down in scores], axis=0)
        total += float((((value - mean[left_out]) * weight[left_out]) ** 2).sum())
    return total
