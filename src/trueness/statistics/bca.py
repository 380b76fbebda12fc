"""The arithmetic of the BCa interval (Efron 1987; Efron & Tibshirani 1993, section 14.3)."""

from __future__ import annotations

import numpy as np
from scipy import special

from trueness.errors import UndefinedError
from trueness.statistics.smoothness import ROUNDING
from trueness.typing import Floats

PERCENTILE = "Use {method='percentile'}"


def bias_correction(value: float, distribution: Floats) -> float:
    """z0 = Φ⁻¹(share of resamples below the value), those equal to it (up to rounding) counting ½.

    Counting ties as ½ makes z0 vanish for a symmetric discrete statistic. Where every resample lies on one side, z0 is
    infinite and there is no BCa interval.
    """
    b = len(distribution)
    near = ROUNDING * max(abs(value), float(np.abs(distribution).max()))
    ties = np.abs(distribution - value) <= near
    below = (distribution < value) & ~ties
    share = (below.sum() + 0.5 * ties.sum()) / b
    if not 0 < share < 1:
        side = "above" if share == 0 else "below"
        raise UndefinedError(
            f"The BCa interval is undefined: all {b} resamples lie {side} the value, so z0 is infinite",
            param="method",
            fix=PERCENTILE,
        )
    return float(special.ndtri(share))


def acceleration(deleted: list[Floats]) -> float:
    """a = Σ_k Σ_i (U_ki/n_k)³ / (6 (Σ_k Σ_i (U_ki/n_k)²)^{3/2}),  U_ki = (n_k − 1)(θ_k(·) − θ_k(i)).

    Efron & Tibshirani 1993, eq. 14.15 and 15.36 (several samples); `deleted` has the jackknife values θ_k(i) of
    each sample. NaN where no case changes the statistic.
    """
    u = np.concatenate([(1 - 1 / len(theta)) * (theta.mean() - theta) for theta in deleted])
    squares = float((u**2).sum())
    return float((u**3).sum() / (6 * squares**1.5)) if squares > 0 else np.nan


def adjusted_levels(z0: float, a: float, level: float) -> tuple[float, float]:
    """α = Φ(z0 + (z0 + z)/(1 − a(z0 + z))) at both ends."""
    if np.isnan(a):
        raise UndefinedError(
            "The BCa interval is undefined: deleting a case never changes the statistic, so its acceleration is 0/0",
            param="method",
            fix=PERCENTILE,
        )
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    stretch = 1 - a * z
    if (stretch <= 0).any():
        raise UndefinedError(
            f"The BCa interval is undefined at level {level:g}: with bias correction {z0:.3g} and acceleration "
            f"{a:.3g} its transformation is not monotone there",
            param="method",
            fix=PERCENTILE,
        )
    low, high = special.ndtr(z0 + z / stretch)
    return float(low), float(high)
