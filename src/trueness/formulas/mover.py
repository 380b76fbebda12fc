"""MOVER: limits of a sum or difference from the limits of its parts (Zou & Donner 2008, Statistics in Medicine 27).

With Wilson's limits it is Newcombe's interval (1998, Statistics in Medicine 17): method 10 of his paper on two
independent proportions; on paired ones method 8 of his paper with the uncorrected correlation φ, and method 10 with
the corrected one (`paired_correlation`).
"""

import math
from collections.abc import Iterable

import numpy as np

from trueness.typing import Floats

Limits = tuple[float, float]


def difference(a: float, limits_a: Limits, b: float, limits_b: Limits, correlation: float = 0.0) -> Limits:
    """Limits of a − b: each way, the two distances from an estimate to its limit add as standard errors do."""
    down = _joined(a - limits_a[0], limits_b[1] - b, correlation)
    up = _joined(limits_a[1] - a, b - limits_b[0], correlation)
    return a - b - down, a - b + up


def paired_correlation(phi: float, n: int, se_a: float, se_b: float) -> float:
    """φ of two proportions of the same n cases, corrected for continuity where positive (Newcombe 1998, method 10).

    φ = (eh − fg)/√((e + f)(g + h)(e + g)(f + h)), whose numerator loses n/2 but stays ≥ 0. The root is n³ se_a se_b,
    so φ loses 1/(2 n² se_a se_b). Without it the interval of two tests that seldom differ is far too short.
    """
    if phi <= 0 or se_a == 0 or se_b == 0:
        return phi
    return max(0.0, phi - 1 / (2 * n**2 * se_a * se_b))


def together(value: float, moved: Iterable[Limits]) -> Limits:
    """Limits of g of independent parts: `moved` is g with one part at its limits and the others as estimated.

    For a sum it is Zou & Donner's interval; for other g the distances are taken one part at a time.
    """
    ends = [(min(low, high, value), max(low, high, value)) for low, high in moved]
    down, up = (math.sqrt(sum((end[k] - value) ** 2 for end in ends)) for k in (0, 1))
    return value - down, value + up


def mean(weights: Floats, shares: Floats, limits: Floats) -> Limits:
    """Limits of Σ_k w_k p_k, p the shares of one multinomial with `limits` (k, 2), k ≥ 2 (Zou, Huang & Zhang 2009).

    Σ p = 1, so the largest share is left out: Σ w p = w_0 + Σ_{k≠0} (w_k − w_0) p_k. The others have the
    correlations −√(p_k p_l / ((1 − p_k)(1 − p_l))). With two shares it is the interval of one of them.
    """
    common = int(shares.argmax())
    rest = np.arange(len(shares)) != common
    w, p = weights[rest] - weights[common], shares[rest]
    odds = np.sqrt(p / (1 - p))
    correlations = -np.outer(odds, odds) * np.sign(np.outer(w, w))
    np.fill_diagonal(correlations, 1.0)
    value = float((weights * shares).sum())
    steps = np.sort(w[:, None] * (limits[rest] - p[:, None]), axis=1)  # (k − 1, 2) down ≤ 0 ≤ up
    return joined(value, steps, correlations)


def joined(value: float, steps: Floats, correlations: Floats) -> Limits:
    """Limits of a sum of parts that move it by `steps` (k, 2), down ≤ 0 ≤ up, at their own limits."""
    down, up = (math.sqrt(max(0.0, float(s @ correlations @ s))) for s in steps.T)
    return value - down, value + up


def _joined(one: float, other: float, correlation: float) -> float:
    if math.isinf(one) or math.isinf(other):  # 0 · ∞ is undefined
        return math.inf
    return math.sqrt(max(0.0, one**2 - 2 * correlation * one * other + other**2))
