"""TPF at a given FPF, where the threshold is an order statistic of the negatives: the ideal bootstrap, not drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from karat.curves.curve import SCORES
from karat.result import Estimate, Interval

ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class RateAt(Estimate):
    """A rate where another one is given. Its default interval is Wilson's around a smoothed rate, and includes `value`.

    Attributes
    ----------
    smooth, smooth_se
        The rate averaged over where the threshold may lie, and its standard error.
    """

    smooth: float = math.nan
    smooth_se: float = math.nan

    def _harrell_davis(self, level: float, method: str) -> Interval:
        around = self.with_(value=self.smooth, se=self.smooth_se)
        low, high = around._wilson(level, method)
        return Interval(min(low, self.value), max(high, self.value), level=level, method=method)

    _INTERVALS = {**Estimate._INTERVALS, "harrell-davis": _harrell_davis}  # noqa: RUF012 - never changed


def rate_at_quantile(fpf: np.ndarray, tpf: np.ndarray, n1: int, n0: int, t: float, name: str) -> RateAt:
    """TPF of an empirical curve at FPF t, with the standard error of the ideal bootstrap.

    k = ⌊t·n0⌋ negatives may be called positive, so the threshold lies just above the (k + 1)-th largest. In a
    resample it is the j-th largest of the cases with probability
        w_j = P[Bin(n0, j/n0) > k] − P[Bin(n0, (j − 1)/n0) > k],
    and the TPF is then binomial with the share r_j of positives above that case. Mean and variance over all
    n1^n1·n0^n0 resamples follow, without drawing one (scores tied across classes are taken as in random order):
        Var = Σ w_j r_j (1 − r_j)/n1 + Σ w_j (r_j − r̄)².
    The first part is the positives' share, the second that of the threshold: ROC'(t)² t(1 − t)/n0 of the
    textbooks (Pepe 2003, 5.2), without a density to estimate.

    The interval takes the weights of Harrell & Davis (1982) instead, those of a Beta(t(n0 + 1), (1 − t)(n0 + 1)):
    the (k + 1)-th largest of n0 negatives has an FPF of (k + 1)/(n0 + 1) on average, which is more than t, and for
    small t an interval around that TPF misses too often (docs/roc.md).
    """
    _, variance = rate_moments(fpf, tpf, n1, *quantile_weights(n0, t), n0)
    smooth, smooth_variance = rate_moments(fpf, tpf, n1, *smooth_weights(n0, t), n0)
    return RateAt(
        float(np.interp(t, fpf, tpf)),  # at a vertical step the upper end: the largest TPF at this FPF
        se=math.sqrt(variance),
        se_method="ideal bootstrap",
        metric=name,
        method="empirical",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval="harrell-davis",
        cases=n1,
        smooth=smooth,
        smooth_se=math.sqrt(smooth_variance),
    )


def rate_moments(
    fpf: np.ndarray, tpf: np.ndarray, n1: int, first: int, weights: np.ndarray, n0: int
) -> tuple[float, float]:
    """Mean and variance of the TPF where the threshold is the (first + i + 1)-th largest negative with weight i."""
    if not len(weights):  # everybody may be called positive
        return 1.0, 0.0
    j = np.arange(first, first + len(weights))
    rates = np.interp((j + 0.5) / n0, fpf, tpf)  # the curve is flat around here unless scores are tied
    mean = float(weights @ rates)
    if mean < ROUNDING or mean > 1 - ROUNDING:  # all rates are 0, or all are 1
        return float(mean > 0.5), 0.0
    return mean, float(weights @ (rates * (1 - rates))) / n1 + float(weights @ (rates - mean) ** 2)


def quantile_weights(n0: int, t: float) -> tuple[int, np.ndarray]:
    """Probability that a resample's threshold is the (first + i + 1)-th largest negative, where it is not tiny."""
    k = math.floor(t * n0 + 1e-9)
    if k >= n0:
        return n0, np.empty(0)
    reach = int(12 * math.sqrt((k + 1) * (1 - k / n0))) + 30  # binomial tails beyond it are below 1e-16
    first, last = max(0, k - reach), min(n0, k + 1 + reach)
    passed = stats.binom.sf(k, n0, np.arange(first, last + 1) / n0)  # P[more than k draws fall on the j largest]
    return first, np.diff(passed)


def smooth_weights(n0: int, t: float) -> tuple[int, np.ndarray]:
    """Harrell and Davis' weights of the same negatives; at the ends of the curve the strictest or the laxest."""
    if t <= 0 or t >= 1:
        return (0, np.ones(1)) if t <= 0 else (n0, np.empty(0))
    reach = int(12 * math.sqrt(n0 * t * (1 - t))) + 30
    first, last = max(0, int(t * n0) - reach), min(n0, int(t * n0) + 1 + reach)
    edges = special.betainc(t * (n0 + 1), (1 - t) * (n0 + 1), np.arange(first, last + 1) / n0)
    return first, np.diff(edges) / (edges[-1] - edges[0])
