"""Measures of a table t[truth, decision]: arithmetic on (..., C, C) arrays of counts or of joint probabilities.

All are functions of shares (scaling a table does not change them), analytic, and accept complex tables, so that
`gradient` can differentiate them. Two classes are in the order negative, positive.
"""

from collections.abc import Callable

import numpy as np

from trueness.typing import Array, Floats

Table = Array


def cells(t: Table) -> tuple[Array, Array, Array, Array]:
    """TN, FP, FN, TP of (..., 2, 2)."""
    if t.shape[-2:] != (2, 2):  # four cells of a larger table would be numbers without a meaning
        raise ValueError(f"A table of two classes is required, and this one has the shape {t.shape}")
    return t[..., 0, 0], t[..., 0, 1], t[..., 1, 0], t[..., 1, 1]


# -- two classes -------------------------------------------------------------------------------------------------


def dlr_positive(t: Table) -> Array:
    """DLR+ = TPF / FPF (Popovici, Classification, "Likelihood ratios")."""
    tn, fp, fn, tp = cells(t)
    return np.asarray(tp * (fp + tn) / (fp * (tp + fn)))


def dlr_negative(t: Table) -> Array:
    """DLR− = (1 − TPF) / (1 − FPF)."""
    tn, fp, fn, tp = cells(t)
    return np.asarray(fn * (fp + tn) / (tn * (tp + fn)))


def odds_ratio(t: Table) -> Array:
    """TP TN / (FP FN) = DLR+ / DLR−."""
    tn, fp, fn, tp = cells(t)
    return np.asarray(tp * tn / (fp * fn))


def f_beta(t: Table, beta: float) -> Array:
    """F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP)  (Wu 2018, eqs. 20 and 21).

    β → 0 gives the PPV and β → ∞ the TPF. Written with w = β²/(1 + β²), so that both limits can be computed.
    """
    _, fp, fn, tp = cells(t)
    w = beta / (beta + 1 / beta) if 0 < beta < np.inf else float(beta > 0)  # β² may overflow
    both = (tp + fn) * (tp + fp)  # 0 where precision or recall is undefined, which makes F undefined
    return np.asarray(tp / (tp + w * fn + (1 - w) * fp) * (both / both))


# -- any number of classes: functions of the margins of a table and of its diagonal ---------------------------------


def margins(t: Table) -> Array:
    """(..., 3, C) sums by truth, sums by decision, and the diagonal."""
    return np.stack([t.sum(axis=-1), t.sum(axis=-2), np.diagonal(t, axis1=-2, axis2=-1)], axis=-2)


def mcc(m: Array) -> Array:
    """Correlation of truth and decision (Matthews 1975; several classes: Gorodkin 2004, R_K).

    (n Σ_k t_kk − Σ_k a_k b_k) / √((n² − Σ a_k²)(n² − Σ b_k²)), a and b the margins.
    """
    truth, said, agreed = m[..., 0, :], m[..., 1, :], m[..., 2, :]
    n = truth.sum(axis=-1)
    together = n * agreed.sum(axis=-1) - (truth * said).sum(axis=-1)
    return np.asarray(together / np.sqrt((n**2 - (truth**2).sum(axis=-1)) * (n**2 - (said**2).sum(axis=-1))))


def kappa(m: Array) -> Array:
    """(p_o − p_e) / (1 − p_e): agreement beyond what the margins alone would give (Cohen 1960)."""
    truth, said, agreed = m[..., 0, :], m[..., 1, :], m[..., 2, :]
    n = truth.sum(axis=-1)
    observed = agreed.sum(axis=-1) / n
    expected = (truth * said).sum(axis=-1) / n**2
    return np.asarray((observed - expected) / (1 - expected))


def against_rest(m: Array) -> Table:
    """(..., C, 2, 2) each class against all others."""
    tp = m[..., 2, :]
    fn, fp = m[..., 0, :] - tp, m[..., 1, :] - tp
    tn = m[..., 0, :].sum(axis=-1)[..., None] - tp - fn - fp
    return np.stack([np.stack([tn, fp], axis=-1), np.stack([fn, tp], axis=-1)], axis=-2)


# -- the delta method: the variance of a function of counts ---------------------------------------------------------

STEP = 1e-30  # no difference is taken, so it can be arbitrarily small
MOST_ENTRIES = 4_000_000  # of the tables that are held at a time: with 100 classes, one table each for 10,000 cells

Function = Callable[[Array], Array]  # (m, ...) tables → (m,) numbers, without abs, real or comparisons


def gradient(function: Function, at: Floats, variances: Floats | None = None) -> Floats:
    """∂f/∂x_k at `at`, by complex step: Im f(x + i h e_k)/h, exact to rounding (Squire & Trapp 1998).

    With `variances` it is 0 where x_k has none, as an empty cell, since f may have no derivative there.
    """
    found, step = np.zeros(at.size), max(1, MOST_ENTRIES // at.size)  # tables at a time
    varies = np.arange(at.size) if variances is None else np.flatnonzero(variances)
    for start in range(0, len(varies), step):
        some = varies[start : start + step]
        moved = np.repeat(at.ravel()[None].astype(complex), len(some), axis=0)
        moved[np.arange(len(some)), some] += 1j * STEP
        with np.errstate(divide="ignore", invalid="ignore"):
            found[some] = function(moved.reshape(len(some), *at.shape)).imag / STEP
    return found.reshape(at.shape)


def margin_gradient(function: Function, t: Floats) -> Floats:
    """(C, C) ∂f/∂t of a function of the margins: a cell counts in the sums of its row and of its column, and on the
    diagonal. It differentiates by 3C numbers instead of C² cells."""
    of_truth, of_decision, of_diagonal = gradient(function, margins(t))
    return np.asarray(of_truth[:, None] + of_decision + np.diag(of_diagonal))


def delta_variance(gradient: Floats, variances: Floats) -> float:
    """Σ_k Var_k (∂f/∂x_k)² for independent x_k.

    Counts may be treated as independent Poisson numbers, Var n_k = n_k, although their total (or the totals of their
    rows) are fixed: f is a function of shares, so Σ n_k ∂f/∂n_k = 0 over every fixed total (Euler), and the
    multinomial correction −(Σ n_k u_k)²/n is 0.
    """
    return float((variances * gradient**2).sum())
