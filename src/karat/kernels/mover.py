"""MOVER: limits of a difference from the limits of its two parts (Zou & Donner 2008, Statistics in Medicine 27).

With Wilson's limits it is Newcombe's interval (1998, Statistics in Medicine 17): method 10 of his paper on two
independent proportions, and, with the correlation of the two, method 10 of his paper on paired ones.
"""

from __future__ import annotations

import math

Limits = tuple[float, float]


def difference(a: float, limits_a: Limits, b: float, limits_b: Limits, correlation: float = 0.0) -> Limits:
    """Limits of a − b: each way, the two distances from an estimate to its limit add as standard errors do."""
    down = _joined(a - limits_a[0], limits_b[1] - b, correlation)
    up = _joined(limits_a[1] - a, b - limits_b[0], correlation)
    return a - b - down, a - b + up


def _joined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one**2 - 2 * correlation * one * other + other**2))
