"""Measures of a table t[truth, decision]: arithmetic on (..., C, C) arrays of counts or of joint probabilities.

All are functions of shares (a table and its multiple give one value), analytic, and take complex tables, so that
`kernels.delta` can differentiate them. Two classes stand in the order negative, positive.
"""

from __future__ import annotations

import numpy as np

Table = np.ndarray


def cells(t: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """TN, FP, FN, TP of (..., 2, 2)."""
    return t[..., 0, 0], t[..., 0, 1], t[..., 1, 0], t[..., 1, 1]


# -- two classes -------------------------------------------------------------------------------------------------


def dlr_positive(t: Table) -> np.ndarray:
    """DLR+ = TPF / FPF  (seeds/003, likelihood ratios)."""
    tn, fp, fn, tp = cells(t)
    return tp * (fp + tn) / (fp * (tp + fn))


def dlr_negative(t: Table) -> np.ndarray:
    """DLR− = (1 − TPF) / (1 − FPF)."""
    tn, fp, fn, tp = cells(t)
    return fn * (fp + tn) / (tn * (tp + fn))


def odds_ratio(t: Table) -> np.ndarray:
    """TP TN / (FP FN) = DLR+ / DLR−."""
    tn, fp, fn, tp = cells(t)
    return tp * tn / (fp * fn)


def youden(t: Table) -> np.ndarray:
    """J = TPF − FPF (Youden 1950)."""
    tn, fp, fn, tp = cells(t)
    return tp / (tp + fn) - fp / (fp + tn)


def balanced_accuracy(t: Table) -> np.ndarray:
    """(TPF + TNF) / 2, and the area under the ROC curve of a single point, (1 + TPF − FPF) / 2  (seeds/003)."""
    return (1 + youden(t)) / 2


def f_beta(t: Table, beta: float) -> np.ndarray:
    """F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP)  (seeds/001, eq. 20 and 21).

    β → 0 gives the PPV and β → ∞ the TPF: exercise 4. Written with w = β²/(1 + β²), so that both are in reach.
    """
    _, fp, fn, tp = cells(t)
    w = beta / (beta + 1 / beta) if 0 < beta < np.inf else float(beta > 0)  # without β², which may be too large
    both = (tp + fn) * (tp + fp)  # an empty margin leaves the recall or the precision undefined, and F with it
    return tp / (tp + w * fn + (1 - w) * fp) * (both / both)


# -- any number of classes ---------------------------------------------------------------------------------------


def accuracy(t: Table) -> np.ndarray:
    return np.trace(t, axis1=-2, axis2=-1) / t.sum(axis=(-2, -1))


def mcc(t: Table) -> np.ndarray:
    """Correlation of truth and decision (Matthews 1975; several classes: Gorodkin 2004, R_K).

    (n Σ_k t_kk − Σ_k a_k b_k) / √((n² − Σ a_k²)(n² − Σ b_k²)), a and b the margins.
    """
    n, truth, said = t.sum(axis=(-2, -1)), t.sum(axis=-1), t.sum(axis=-2)
    together = n * np.trace(t, axis1=-2, axis2=-1) - (truth * said).sum(axis=-1)
    return together / np.sqrt((n**2 - (truth**2).sum(axis=-1)) * (n**2 - (said**2).sum(axis=-1)))


def kappa(t: Table) -> np.ndarray:
    """(p_o − p_e) / (1 − p_e): agreement beyond what the margins alone would give (Cohen 1960)."""
    n, truth, said = t.sum(axis=(-2, -1)), t.sum(axis=-1), t.sum(axis=-2)
    observed = np.trace(t, axis1=-2, axis2=-1) / n
    expected = (truth * said).sum(axis=-1) / n**2
    return (observed - expected) / (1 - expected)


def mean_cost(t: Table, costs: np.ndarray) -> np.ndarray:
    """Σ_ij c_ij t_ij / Σ_ij t_ij: tr(CᵀA)/n with the counts A  (MATH 7, correcting seeds/001, exercise 9)."""
    return (t * costs).sum(axis=(-2, -1)) / t.sum(axis=(-2, -1))


# -- several classes as many tables of two -----------------------------------------------------------------------


def against_rest(t: Table, c: int) -> Table:
    """(..., 2, 2) class c against all others."""
    tp = t[..., c, c]
    fn = t[..., c, :].sum(axis=-1) - tp
    fp = t[..., :, c].sum(axis=-1) - tp
    tn = t.sum(axis=(-2, -1)) - tp - fn - fp
    return np.stack([np.stack([tn, fp], axis=-1), np.stack([fn, tp], axis=-1)], axis=-2)
