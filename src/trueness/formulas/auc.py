"""Variances of the Mann–Whitney AUC: DeLong's, those by Q1 and Q2, from counts at each score, and of a binormal model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from trueness.kernels.auc import others_below, placements
from trueness.typing import Bools, Floats, Ints


def delong_influence(scores: Floats, positive: Bools) -> tuple[float, Floats]:
    """AUC and a vector g (n,) with Σ g_i² = DeLong's variance; NaN in a class of one case (DeLong et al. 1988).

    V10_i is the share of negatives below positive i, V01_j the share of positives above negative j, and
    Var = S10/n1 + S01/n2 with S the sample variances (divisor n − 1). The difference of the vectors of two curves gives
    DeLong's variance of the difference.
    """
    scores = np.asarray(scores, dtype=float)
    twice, n1, n0 = others_below(scores, positive), int(positive.sum()), int((~positive).sum())
    value = int(twice[positive].sum()) / (2 * n1 * n0)  # of whole numbers: nothing is rounded before the division
    v10, v01 = twice[positive] / (2 * n0), 1 - twice[~positive] / (2 * n1)
    g = np.empty(len(scores))
    g[positive], g[~positive] = _scaled(v10 - value), _scaled(v01 - value)
    return value, g


def _scaled(centred: Floats) -> Floats:
    m = len(centred)
    return centred / np.sqrt(m * (m - 1)) if m > 1 else np.full(m, np.nan)


def q1q2_variance(up: Floats, down: Floats) -> float:
    """Var = [E ψ² − A² + (n1 − 1)(Q1 − A²) + (n0 − 1)(Q2 − A²)] / (n1 n0)   (Bamber 1975).

    Q1 = E ψ_ij ψ_kj (two positives, one negative), Q2 = E ψ_ij ψ_il (one positive, two negatives), each
    averaged over distinct cases. Without ties the first term is A(1 − A); a tie counts ½ everywhere. It may be negative
    in tiny samples.
    """
    n1, n0 = len(up), len(down)
    v10, v01 = placements(up, down), 1 - placements(down, up)
    a = v10.mean()
    ordered = np.sort(down)  # share of tied pairs: ψ² = ψ − ¼ there
    ties = float(np.mean((np.searchsorted(ordered, up, side="right") - np.searchsorted(ordered, up)) / n0))
    square = a - ties / 4
    q1 = (np.mean((n1 * v01) ** 2) - n1 * square) / (n1 * (n1 - 1)) if n1 > 1 else a * a
    q2 = (np.mean((n0 * v10) ** 2) - n0 * square) / (n0 * (n0 - 1)) if n0 > 1 else a * a
    return float((square - a * a + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0))


def hanley_mcneil_variance(a: float, n1: int, n0: int) -> float:
    """The same with Q1 = A/(2 − A) and Q2 = 2A²/(1 + A), those of exponential scores (Hanley & McNeil 1982).

    Q1 is about two positives and one negative, so it goes with n1 − 1.
    """
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    return (a * (1 - a) + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0)


LIMB_BITS, LIMBS = 12, 3  # sums of squares are exact up to 2^35 cases


@dataclass(frozen=True)
class CountedAuc:
    """What an AUC, its standard error and its interval need to know, in whole numbers.

    With the scores from high to low, w = 2 #(negatives above) + #(negatives equal) of a positive and z, the same with
    the classes exchanged, are whole numbers. DeLong's placements are 1 − w/2n0 and z/2n1 (DeLong et al. 1988), so that

        AUC = Σ z / 2 n1 n0,   S10 = (n1 Σ w² − (Σ w)²) / (4 n0² n1 (n1 − 1)),   S01 likewise with z,

    and nothing is rounded before the last division: the result does not depend on the order of the cases, nor on how
    they were divided and put together.
    """

    n1: int  # positives
    n0: int  # negatives
    value: float  # Mann–Whitney's AUC, ties counting ½
    # S01/n0 and S10/n1: the negatives' and the positives' part of DeLong's variance; NaN in a class of one case
    parts: tuple[float, float]
    # positives at or below the highest negative, and negatives at or above the lowest positive
    overlapping: tuple[int, int]
    overlapping_inverted: tuple[int, int]  # the same with the scores negated
    constant: bool  # whether all cases have the same score

    @staticmethod
    def of(blocks: Iterable[tuple[Ints, Ints]]) -> CountedAuc:
        """From blocks of positives and negatives at each score, high to low; no score is without a case."""
        n_scores = n1 = n0 = w1 = w2 = z1 = z2 = 0
        before_first_up = before_first_down = None  # of the other class
        until_last_up = until_last_down = 0
        for ups, downs in blocks:
            tp, fp = n1 + np.cumsum(ups), n0 + np.cumsum(downs)
            w, z = 2 * fp - downs, 2 * tp - ups
            w1, w2 = w1 + _sum(ups, w), w2 + _squares(ups, w)
            z1, z2 = z1 + _sum(downs, z), z2 + _squares(downs, z)
            if (at := np.flatnonzero(ups)).size:
                if before_first_up is None:
                    before_first_up = int(fp[at[0]] - downs[at[0]])
                until_last_up = int(fp[at[-1]])
            if (at := np.flatnonzero(downs)).size:
                if before_first_down is None:
                    before_first_down = int(tp[at[0]] - ups[at[0]])
                until_last_down = int(tp[at[-1]])
            n_scores, n1, n0 = n_scores + len(ups), int(tp[-1]), int(fp[-1])
        return CountedAuc(
            n1=n1,
            n0=n0,
            value=z1 / (2 * n1 * n0),
            parts=(_variance_of_mean(z1, z2, n0, n1), _variance_of_mean(w1, w2, n1, n0)),
            overlapping=(n1 - (before_first_down or 0), until_last_up),
            overlapping_inverted=(until_last_down, n0 - (before_first_up or 0)),
            constant=n_scores == 1,
        )


def _sum(counts: Ints, values: Ints) -> int:
    """Σ counts · values, exact."""
    return sum(int(counts @ limb) << (LIMB_BITS * k) for k, limb in enumerate(_limbs(values)))


def _squares(counts: Ints, values: Ints) -> int:
    """Σ counts · values², exact."""
    return sum(_sum(counts * limb, values) << (LIMB_BITS * k) for k, limb in enumerate(_limbs(values)))


def _limbs(values: Ints) -> list[Ints]:
    """The values in limbs of 12 bits, low to high, whose products do not overflow."""
    return [(values >> (LIMB_BITS * k)) & (2**LIMB_BITS - 1) for k in range(LIMBS)]


def _variance_of_mean(total: int, squares: int, m: int, other: int) -> float:
    """Sample variance of total/m, of m placements that are whole numbers over 2 · other."""
    return (m * squares - total**2) / (4 * other**2 * m**2 * (m - 1)) if m > 1 else float("nan")


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
