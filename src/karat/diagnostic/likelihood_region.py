"""The joint likelihood region of (FPF, TPF)."""

from __future__ import annotations

import math

import numpy as np

from karat.formulas.proportions import by_deviance
from karat.typing import Floats


def likelihood_boundary(x: tuple[int, int], n: tuple[int, int], level: float, n_points: int) -> Floats:
    """(n_points, 2) boundary of the region where the joint deviance is at most the χ² quantile with 2 df.

    The deviance is a sum of two, so a boundary point spends cos² t of it on the first proportion and sin² t on the
    second, and t in [0, 2π] traces the boundary once.
    """
    most = -2 * math.log1p(-level)  # the χ² quantile in closed form
    points = []
    for t in np.linspace(0, 2 * np.pi, n_points):
        point = []
        for k, part in enumerate((np.cos(t), np.sin(t))):
            low, high = by_deviance(x[k], n[k], most * part**2)
            point.append(high if part >= 0 else low)
        points.append(point)
    return np.array(points)
