"""TPF at a given FPF, where the threshold is an order statistic of the negatives: the ideal bootstrap, not drawn."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from karat.curves.curve import SCORES
from karat.result import Estimate


def rate_at_quantile(fpf: np.ndarray, tpf: np.ndarray, n1: int, n0: int, t: float, name: str) -> Estimate:
    """TPF of an empirical curve at FPF t, with the standard error of the ideal bootstrap.

    k = ⌊t·n0⌋ negatives may be called positive, so the threshold lies just above the (k + 1)-th largest. In a
    resample it is the j-th largest of the cases with probability
        w_j = P[Bin(n0, j/n0) > k] − P[Bin(n0, (j − 1)/n0) > k],
    and the TPF is then binomial with the share r_j of positives above that case. Mean and variance over all
    n1^n1·n0^n0 resamples follow, without drawing one (scores tied across classes are taken as in random order):
        Var = Σ w_j r_j (1 − r_j)/n1 + Σ w_j (r_j − r̄)².
    The first part is the positives' share, the second that of the threshold: ROC'(t)² t(1 − t)/n0 of the
    textbooks (Pepe 2003, 5.2), without a density to estimate.
    """
    _, variance = rate_moments(fpf, tpf, n1, n0, t)
    return Estimate(
        float(np.interp(t, fpf, tpf)),  # at a vertical step the upper end: the largest TPF at this FPF
        se=math.sqrt(variance),
        se_method="ideal bootstrap",
        metric=name,
        method="empirical",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval="wilson",
        cases=n1,
    )


def rate_moments(fpf: np.ndarray, tpf: np.ndarray, n1: int, n0: int, t: float) -> tuple[float, float]:
    """Mean and variance of the resampled TPF at FPF t."""
    first, weights = quantile_weights(n0, t)
    if not len(weights):  # everybody may be called positive
        return 1.0, 0.0
    j = np.arange(first, first + len(weights))
    rates = np.interp((j + 0.5) / n0, fpf, tpf)  # the curve is flat around here unless scores are tied
    mean = float(weights @ rates)
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
