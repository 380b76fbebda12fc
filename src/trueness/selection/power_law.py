"""An inverse power law a + b n^(−c) through a learning curve, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from trueness.typing import Floats

EXPONENTS = np.linspace(0.1, 2.0, 191)
LEAST_POINTS = 4  # three parameters, and one point to spare


@dataclass(frozen=True)
class PowerLaw:
    """a + b n^(−c) for a metric where less is better, a − b n^(−c) otherwise; b ≥ 0, a within the metric's range."""

    a: float  # limit for very many training cases
    b: float  # how far away the curve begins
    c: float  # how fast it comes near
    sign: float = 1.0  # 1 where less is better, −1 otherwise

    def __call__(self, n: float | Floats) -> Floats:
        return np.asarray(self.a + self.sign * self.b * np.asarray(n, dtype=float) ** -self.c)


def fit_power_law(sizes: Floats, values: Floats, ses: Floats, sign: float, bounds: tuple[float, float]) -> PowerLaw:
    """Least squares weighted by 1/se²: for each exponent a and b are linear; the best exponent is taken.

    Exponents between 0.1 and 2 are tried: smooth parametric rules have 1, others less (Figueroa et al. 2012 fit the
    same law).
    """
    weights = 1 / ses**2
    best, least = PowerLaw(float(np.average(values, weights=weights)), 0.0, 1.0, sign), np.inf
    for c in EXPONENTS:
        x = sign * sizes**-c
        a, b = _line(x, values, weights, bounds)
        lost = float((weights * (values - a - b * x) ** 2).sum())
        if lost < least:
            best, least = PowerLaw(a, b, float(c), sign), lost
    return best


def _line(x: Floats, y: Floats, w: Floats, bounds: tuple[float, float]) -> tuple[float, float]:
    """a + b x by weighted least squares with b ≥ 0 and a within its bounds."""
    mx, my = np.average(x, weights=w), np.average(y, weights=w)
    b = max(0.0, float((w * (x - mx) * (y - my)).sum() / (w * (x - mx) ** 2).sum()))
    a = float(np.clip(my - b * mx, *bounds))
    if a != my - b * mx:  # held to the bound: the best slope through it
        b = max(0.0, float((w * x * (y - a)).sum() / (w * x**2).sum()))
    return a, b


def extrapolated_range(
    n: float, sizes: Floats, values: Floats, ses: Floats, sign: float, bounds: tuple[float, float], q: float
) -> tuple[float, float]:
    """Lowest and highest value at n of the laws through all points, through all but one, and through all points moved
    together by −q, 0 and +q standard errors. Together, because all sizes are assessed on the same cases."""
    found = []
    for shift, left in product((-q, 0.0, q), (None, *range(len(sizes)))):
        keep = np.arange(len(sizes)) != (-1 if left is None else left)
        moved = np.clip(values + shift * ses, *bounds)
        found.append(float(fit_power_law(sizes[keep], moved[keep], ses[keep], sign, bounds)(n)))
    return float(np.clip(min(found), *bounds)), float(np.clip(max(found), *bounds))
