"""Variances of the Mann–Whitney AUC: DeLong's, as a vector with one entry per case, and those by Q1 and Q2."""

from __future__ import annotations

import numpy as np

from trueness.kernels.auc import others_below, placements
from trueness.typing import Bools, Floats


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


def class_extremes(scores: Floats, positive: Bools) -> tuple[float, float, float, float]:
    """The lowest and the highest score of a positive, and of a negative."""
    up, down = scores[positive], scores[~positive]
    return float(up.min()), float(up.max()), float(down.min()), float(down.max())


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
    ties = float(np.mean(_tied(up, down)))  # share of tied pairs: ψ² = ψ − ¼ there
    square = a - ties / 4
    q1 = (np.mean((n1 * v01) ** 2) - n1 * square) / (n1 * (n1 - 1)) if n1 > 1 else a * a
    q2 = (np.mean((n0 * v10) ** 2) - n0 * square) / (n0 * (n0 - 1)) if n0 > 1 else a * a
    return float((square - a * a + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0))


def _tied(up: Floats, down: Floats) -> Floats:
    """(n1,) share of negatives tied with each positive."""
    ordered = np.sort(down)
    return (np.searchsorted(ordered, up, side="right") - np.searchsorted(ordered, up, side="left")) / len(down)


def hanley_mcneil_variance(a: float, n1: int, n0: int) -> float:
    """The same with Q1 = A/(2 − A) and Q2 = 2A²/(1 + A), those of exponential scores (Hanley & McNeil 1982).

    Q1 is about two positives and one negative, so it goes with n1 − 1.
    """
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    return (a * (1 - a) + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0)
