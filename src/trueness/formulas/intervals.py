"""Limits of an interval and p-values, from a value and its standard error or from the tails of a law; of one
statistic, and of the largest of several."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special  # scipy.stats takes half a second and 50 MB to import

from trueness.typing import Alternative, Floats

NEARLY_0 = 1e-4  # level below which a quantile is proportional to it, to 9 digits


def quantile(level: float, df: float | None = None) -> float:
    """z (or t with `df` degrees of freedom) that leaves (1 − level)/2 in each tail."""
    if df is not None and level < NEARLY_0:  # stdtrit loses all digits near .5 for some df, e.g. 6
        return quantile(NEARLY_0, df) * level / NEARLY_0
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


LOG2_POINTS = 16
BLOCK = 2**10  # points at a time


@dataclass(frozen=True, eq=False)
class MaxT:
    """max_j |T_j| of m statistics that are jointly normal, or Student's t with a common denominator; of `few` units nothing
    is known of them together (Bonferroni).

    The distribution is integrated over a Sobol' sequence, so that it is the same in every call. Against Tukey's
    studentized range its quantiles are right to about 0.005.

    Examples
    --------
    >>> two = MaxT(np.eye(2))
    >>> round(two.level_per_statistic(0.95), 3)  # independent: the square root of 0.95
    0.975
    """

    # (m, r) rows of length 1 (or 0 for a statistic without spread); T = loadings @ Z for Z standard normal in r
    # dimensions
    loadings: Floats
    df: float | None = None  # degrees of freedom; None for the normal distribution
    coarser: int = 0  # halvings of the number of points: of many statistics, as those of a curve, fewer are enough
    few: bool = False

    @cached_property
    def largest(self) -> Floats:
        """Sorted values of max_j |T_j|."""
        moving = self.loadings[np.linalg.norm(self.loadings, axis=1) > 0]
        if not len(moving):
            return np.zeros(1)
        if self.few:
            return np.full(1, np.finfo(float).max)
        from scipy.stats import chi2, qmc

        n, r = max(2 ** (LOG2_POINTS - self.coarser), BLOCK), moving.shape[1]
        points = qmc.Sobol(r + (self.df is not None), seed=0)
        out = []
        for _ in range(n // BLOCK):
            u = points.random(BLOCK).clip(1e-10, 1 - 1e-10)
            t = special.ndtri(u[:, :r]) @ moving.T
            top = np.maximum(t.max(axis=1), -t.min(axis=1))
            if self.df is not None:
                top /= np.sqrt(chi2.ppf(u[:, r], self.df) / self.df)
            out.append(top)
        return np.sort(np.concatenate(out))

    def level_per_statistic(self, level: float) -> float:
        """The level of each interval at which all of them hold together with probability `level`; never above
        Bonferroni's."""
        m = len(self.loadings)
        if m == 1:
            return level
        t = float(np.quantile(self.largest, level))
        alpha = 2 * float(special.ndtr(-t) if self.df is None else special.stdtr(self.df, -t))  # P(|T_j| ≥ t) of one
        return 1 - float(np.clip(alpha, (1 - level) / m, 1 - level))

    def adjusted(self, p: float) -> float:
        """P(max_j |T_j| ≥ t) for the t whose own two-sided p-value is p; never above Bonferroni's m·p, and never 0."""
        m = len(self.loadings)
        if m == 1 or p >= 1:
            return min(p, 1.0)
        n = len(self.largest)
        beyond = n - int(np.searchsorted(self.largest, self.at(p), side="left"))
        return float(min(1.0, max(p, min(m * p, (beyond + 1) / (n + 1)))))

    def at(self, p: float) -> float:
        """The t whose two-sided p-value is p."""
        return abs(float(special.ndtri(p / 2) if self.df is None else special.stdtrit(self.df, p / 2)))
