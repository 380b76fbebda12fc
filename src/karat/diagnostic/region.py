"""The joint likelihood region of (FPF, TPF): no rectangle, and no corner that the data do not speak for."""

from __future__ import annotations

import math

import numpy as np

from karat.formulas.proportions import by_deviance


def most_deviance(level: float) -> float:
    """χ² quantile with 2 degrees of freedom: −2 ln(1 − level)."""
    return -2 * math.log1p(-level)


def likelihood_boundary(x: tuple[int, int], n: tuple[int, int], level: float, n_points: int) -> np.ndarray:
    """(n_points, 2) points around the region where the joint deviance is at most the χ² quantile.

    The deviance is a sum of two, so a point of the boundary spends cos² t of it on the first proportion and
    sin² t on the second; going once around in t goes once around the region.
    """
    most = most_deviance(level)
    points = []
    for t in np.linspace(0, 2 * np.pi, n_points):
        parts = np.cos(t), np.sin(t)
        point = []
        for k in (0, 1):
            low, high = by_deviance(x[k], n[k], most * parts[k] ** 2)
            point.append(high if parts[k] >= 0 else low)
        points.append(point)
    return np.array(points)
