"""TPF at a given FPF, where the threshold is an order statistic of the negatives: the ideal bootstrap, not drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from karat.curves.curve import SCORES
from karat.result import Estimate, Interval
from karat.result.interval_rules import IntervalRule

ROUNDING = 1e-12
FEW = 2  # cases expected beyond the threshold; with fewer the data do not say where it lies (docs/roc.md)


@dataclass(frozen=True, eq=False)
class HarrellDavis(IntervalRule):
    """The interval of a rate where another rate is given: it averages over where the threshold may lie.

    Attributes
    ----------
    rates, weights
        The rate at each place where the threshold may lie, and Harrell and Davis' weight of that place.
    cases
        Cases behind the rate.
    open_end
        0 or 1 where the data cannot exclude a rate as far as that: the interval reaches it.
    """

    rates: np.ndarray
    weights: np.ndarray
    cases: int
    open_end: float | None
    name = "harrell-davis"

    def turned(self) -> HarrellDavis:
        """The rule for 1 − the rate."""
        end = None if self.open_end is None else 1 - self.open_end
        return HarrellDavis(1 - self.rates, self.weights, self.cases, end)

    def limits(self, e: Estimate, level: float) -> Interval:
        """Limits p where Σ_j w_j Φ((p − r_j)/√(p(1 − p)/n)) is (1 − level)/2 and (1 + level)/2.

        With one place j it is Wilson's interval. The sum falls as the r_j rise and as weight moves to larger ones,
        so the limits rise with the rate that is given (ours; Wilson's with an effective n does not near 0 and 1).
        """
        tail = (1 - level) / 2
        ends = (e.value,) if self.open_end is None else (e.value, self.open_end)
        low, high = self._lower(tail), 1 - self.turned()._lower(tail)
        return self.clipped(e, min(low, *ends), max(high, *ends), level)

    def _lower(self, tail: float) -> float:
        def below(p: float) -> float:
            z = (p - self.rates) * math.sqrt(self.cases / (p * (1 - p)))
            return float(self.weights @ special.ndtr(z)) - tail

        ends = (1e-12, 1 - 1e-12)
        if below(ends[0]) >= 0:
            return 0.0
        return 1.0 if below(ends[1]) <= 0 else float(optimize.brentq(below, *ends, xtol=1e-10))


def turned(e: Estimate) -> Estimate:
    """1 − the rate."""
    assert isinstance(e.interval, HarrellDavis)
    return e.with_(value=1 - e.value, interval=e.interval.turned())


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

    Where t·n0 < 2 the interval reaches 0: all of the negatives may well lie below the threshold that is meant, and
    none of them says then how high it lies (with t·n0 = 2 they do so with a probability of e⁻² = .14).

    The interval takes the weights of Harrell & Davis (1982) instead, those of a Beta(t(n0 + 1), (1 − t)(n0 + 1)):
    the (k + 1)-th largest of n0 negatives has an FPF of (k + 1)/(n0 + 1) on average, which is more than t, and for
    small t an interval around that TPF misses too often (docs/roc.md).
    """
    _, variance = rate_moments(fpf, tpf, n1, *quantile_weights(n0, t), n0)
    first, weights = smooth_weights(n0, t)
    rates = _rates(fpf, tpf, first, len(weights), n0)
    if not len(weights):  # every case may be called positive
        rates, weights = np.ones(1), np.ones(1)
    out = Estimate(
        float(np.interp(t, fpf, tpf)),  # at a vertical step the upper end: the largest TPF at this FPF
        se=math.sqrt(variance),
        se_method="ideal bootstrap",
        metric=name,
        method="empirical",
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=HarrellDavis(rates, weights, n1, open_end=0.0 if t * n0 < FEW - ROUNDING else None),
        cases=n1,
    )
    return out.noting(few_beyond(t, n0, FEW))


def few_beyond(t: float, n: int, open_below: float = FEW, enough: float = FEW) -> str:
    """A note where t·n, the number of cases of a class that lie beyond the threshold on average, is small: below
    `open_below` the interval reaches the end of the range."""
    if t * n >= enough - ROUNDING:
        return ""
    open_end = t * n < open_below - ROUNDING
    then = "so the interval reaches the end of the range" if open_end else "and the interval may be too short"
    return (
        f"Of the {n} cases that fix the threshold only {t * n:.2g} lie beyond it on average: where it belongs can "
        f'hardly be told, {then}. More such cases would help, or a model (method="binormal").'
    )


def rate_moments(
    fpf: np.ndarray, tpf: np.ndarray, n1: int, first: int, weights: np.ndarray, n0: int
) -> tuple[float, float]:
    """Mean and variance of the TPF where the threshold is the (first + i + 1)-th largest negative with weight i."""
    if not len(weights):  # everybody may be called positive
        return 1.0, 0.0
    rates = _rates(fpf, tpf, first, len(weights), n0)
    mean = float(weights @ rates)
    if mean < ROUNDING or mean > 1 - ROUNDING:  # all rates are 0, or all are 1
        return float(mean > 0.5), 0.0
    return mean, float(weights @ (rates * (1 - rates))) / n1 + float(weights @ (rates - mean) ** 2)


def _rates(fpf: np.ndarray, tpf: np.ndarray, first: int, n: int, n0: int) -> np.ndarray:
    """(n,) TPF where the threshold is the (first + i + 1)-th largest negative."""
    j = np.arange(first, first + n)
    return np.interp((j + 0.5) / n0, fpf, tpf)  # the curve is flat around here unless scores are tied


def quantile_weights(n0: int, t: float) -> tuple[int, np.ndarray]:
    """Probability that a resample's threshold is the (first + i + 1)-th largest negative, where it is not tiny."""
    k = math.floor(t * n0 + 1e-9)
    if k >= n0:
        return n0, np.empty(0)
    reach = int(12 * math.sqrt((k + 1) * (1 - k / n0))) + 30  # binomial tails beyond it are below 1e-16
    first, last = max(0, k - reach), min(n0, k + 1 + reach)
    passed = special.betainc(k + 1, n0 - k, np.arange(first, last + 1) / n0)  # P[Bin(n0, j/n0) > k]
    return first, np.diff(passed)


def smooth_weights(n0: int, t: float) -> tuple[int, np.ndarray]:
    """Harrell and Davis' weights of the same negatives; at the ends of the curve the strictest or the laxest."""
    if t <= 0 or t >= 1:
        return (0, np.ones(1)) if t <= 0 else (n0, np.empty(0))
    reach = int(12 * math.sqrt(n0 * t * (1 - t))) + 30
    first, last = max(0, int(t * n0) - reach), min(n0, int(t * n0) + 1 + reach)
    edges = special.betainc(t * (n0 + 1), (1 - t) * (n0 + 1), np.arange(first, last + 1) / n0)
    return first, np.diff(edges) / (edges[-1] - edges[0])
