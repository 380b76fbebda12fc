"""Limits of an interval and p-values, from a value and its standard error or from the tails of a law."""

from __future__ import annotations

import numpy as np
from scipy import special  # scipy.stats takes half a second and 50 MB to import

from trueness.typing import Alternative, Floats


def quantile(level: float, df: float | None = None) -> float:
    """z (or t with `df` degrees of freedom) that leaves (1 − level)/2 in each tail."""
    upper = 0.5 + level / 2
    return float(special.ndtri(upper)) if df is None else float(special.stdtrit(df, upper))


def tail(statistic: float, alternative: Alternative = "two-sided", df: float | None = None) -> float:
    """p of a statistic that is normal under the null, or Student's t with `df` degrees of freedom."""
    at = {"two-sided": -abs(statistic), "less": statistic, "greater": -statistic}[alternative]
    below = float(special.ndtr(at) if df is None else special.stdtr(float(df), at))
    return 2 * below if alternative == "two-sided" else below


def from_tails(lower: float, upper: float, alternative: Alternative) -> float:
    """p from the probabilities of a statistic this low or lower, and this high or higher."""
    if alternative == "two-sided":
        return min(1.0, 2 * min(lower, upper))
    return lower if alternative == "less" else upper


def wald(value: float, se: float, q: float) -> tuple[float, float]:
    """value ± q·se."""
    return value - q * se, value + q * se


def logit(value: float, se: float, q: float) -> tuple[float, float]:
    """Wald on the logit scale, by the delta method: se(logit p) = se / (p (1 − p))."""
    centre, half = special.logit(value), q * se / (value * (1 - value))
    return float(special.expit(centre - half)), float(special.expit(centre + half))


def wilson(p: float, n: float, q: float) -> tuple[float, float]:
    """Wilson's score interval of a proportion p of n trials (Wilson 1927); n may be an effective number."""
    centre = (p + q * q / (2 * n)) / (1 + q * q / n)
    half = q / (1 + q * q / n) * np.sqrt(p * (1 - p) / n + q * q / (4 * n * n))
    # at p = 0 and p = 1 the nearer limit is p itself, up to rounding
    low = 0.0 if p == 0 else float(centre - half)
    high = 1.0 if p == 1 else float(centre + half)
    return low, high


def clopper_pearson(x: float, n: float, level: float) -> tuple[float, float]:
    """Exact interval of a proportion (Clopper & Pearson 1934), by the beta quantiles."""
    tail = (1 - level) / 2
    low = 0.0 if x <= 0 else float(special.betaincinv(x, n - x + 1, tail))
    high = 1.0 if x >= n else float(special.betaincinv(x + 1, n - x, 1 - tail))
    return low, high


def percentile(values: Floats, level: float) -> tuple[float, float]:
    """Quantiles that leave (1 − level)/2 on each side."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
