"""Exact variance of the Mann–Whitney AUC, and covariance of two, under the equal-variance binormal model."""

from __future__ import annotations

import numpy as np
from scipy import stats


def _both(h1: float, h2: float, rho: float) -> float:
    """Pr[Z_1 < h_1, Z_2 < h_2], correlation rho."""
    if rho >= 1 - 1e-12:
        return float(stats.norm.cdf(min(h1, h2)))
    return float(stats.multivariate_normal.cdf([h1, h2], cov=[[1.0, rho], [rho, 1.0]]))


def auc_covariance(
    auc1: float, auc2: float, n_positive: int, n_negative: int, r_positive: float = 1.0, r_negative: float = 1.0
) -> float:
    """Covariance of two empirical AUCs on the same cases; the variance of one for auc1 = auc2, r = 1.

    Cov = [P(i, j) + (n2 − 1) P(i, j') + (n1 − 1) P(i', j) − (n1 + n2 − 1) A_1 A_2] / (n1 n2), where P is the
    probability that both rules order their pair correctly: the same pair, pairs with the same positive, pairs with the
    same negative. With scores normal in each class, the differences x_i − x_j have correlation (r_pos + r_neg)/2,
    r_pos/2 and r_neg/2 (Hanley & McNeil 1982, with the moments of the binormal distribution).
    """
    h1, h2 = stats.norm.ppf([auc1, auc2])
    same = _both(h1, h2, (r_positive + r_negative) / 2)
    positive, negative = _both(h1, h2, r_positive / 2), _both(h1, h2, r_negative / 2)
    total = same + (n_negative - 1) * positive + (n_positive - 1) * negative
    return float((total - (n_positive + n_negative - 1) * auc1 * auc2) / (n_positive * n_negative))


def auc_variance(auc: float, n_positive: int, n_negative: int) -> float:
    """Variance of one empirical AUC, 0 < auc < 1."""
    return max(auc_covariance(auc, auc, n_positive, n_negative), float(np.finfo(float).tiny))
