"""Losses without an upper limit: a few cases may make up most of them, and their variance may be infinite.

Three things follow from the held-out errors e of the cases, and their losses L = |e|^p.

1. **A longer upper limit.** On the log scale the distribution of the studentized mean has the skewness term
   (γ (2x² + 1)/6 − v x²/2), γ the skewness of the mean of the losses and v its relative standard error (Hall 1992; the
   second part is the logarithm's). It is added to the upper limit (`LogOfLoss`). The γ of a sample is at most 1, where
   one loss is everything, and too small; γ/(1 − γ) is used, up to 1.
2. **A note** where the interval may be too short all the same: γ is above 0.5, and the errors differ from normal ones by
   their skewness or kurtosis (three standard errors); or their tail is heavy.
3. **No interval** where the variance of the losses is apparently infinite. The m largest and the m smallest errors have
   the shape ξ of a generalized Pareto distribution (Zhang & Stephens 2009), 0 for an exponential tail; L has a finite
   variance only where ξ < 1/(2p). The larger of both is above that, and its lower 95 % limit above 0 where a tail is
   called heavy, above 1/(4p) where there is no interval.

No rule can find all such samples: those whose largest losses happen to be missing look harmless, and it is their intervals
that miss (docs/regression.md).
"""

import math
from dataclasses import replace

import numpy as np

from trueness.estimators.influence import Contrast
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate
from trueness.result.interval import LogOfLoss
from trueness.result.words import Note
from trueness.sample.fits import Fits
from trueness.typing import Floats

LEAST_CASES = 30  # with fewer, a tail cannot be seen
LARGEST_SHARE = 0.01  # of the cases
MOST_OF_THE_LOSS = 0.5
SKEWED = 0.5  # skewness of the mean of the losses
NOT_NORMAL = 3.0  # standard errors of skewness and kurtosis
UPPER = 1.645  # normal quantile of the one-sided 95 % limit


def tail_shape(errors: Floats) -> tuple[float, float]:
    """The shape ξ of the heavier tail of these errors, and its lower 95 % limit.

    Of the m = min(0.15 n, 2√n) largest, at least 10, and of as many of the other side.

    >>> from scipy.stats import genpareto
    >>> round(tail_shape(genpareto(0.5).ppf(np.linspace(0, 1, 10_000, endpoint=False)))[0], 2)
    0.46
    """
    n = len(errors)
    m = max(10, math.ceil(min(0.15 * n, 2 * math.sqrt(n))))
    if n < 2 * m + 2:
        return -math.inf, -math.inf
    ordered = np.sort(errors)
    right, left = ordered[n - m :] - ordered[n - m - 1], ordered[m] - ordered[m - 1 :: -1]
    shape = max(pareto_shape(right), pareto_shape(left))
    return shape, shape - UPPER * (1 + shape) / math.sqrt(m)


def pareto_shape(beyond: Floats) -> float:
    """ξ of a generalized Pareto distribution, of values beyond 0 in rising order: the posterior mean of Zhang &
    Stephens (2009)."""
    n = len(beyond)
    quartile = beyond[int(n / 4 + 0.5) - 1]
    if not quartile > 0:  # ties at the threshold
        return -math.inf
    points = 30 + int(math.sqrt(n))
    theta = 1 / beyond[-1] + (1 - np.sqrt(points / (np.arange(points) + 0.5))) / (3 * quartile)
    theta = theta[theta != 0]
    shapes = np.log1p(-theta[:, None] * beyond).mean(axis=1)
    profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(profile - profile.max())
    at = float((theta * weights).sum() / weights.sum())
    return float(np.log1p(-at * beyond).mean())


def share_of_largest(losses: Floats) -> float:
    """The share of all losses that is due to the largest 1 % of the cases (at least one)."""
    total = float(losses.sum())
    m = max(1, math.ceil(LARGEST_SHARE * len(losses)))
    return float(-np.sort(-losses)[:m].sum()) / total if total > 0 else 0.0


def skewness_of_mean(parts: Floats) -> float:
    """Σd³/(Σd²)^1.5 of the centred parts d of a mean: its skewness, between −1 and 1."""
    d = parts - parts.mean()
    size = float(np.abs(d).max(initial=0.0))
    if not size > 0:
        return 0.0
    d = d / size
    return float((d**3).sum() / (d**2).sum() ** 1.5)


def not_normal(errors: Floats) -> bool:
    """Whether skewness or kurtosis are further from those of a normal distribution than three standard errors."""
    size = float(np.abs(errors - errors.mean()).max(initial=0.0))
    if not size > 0:
        return False
    d, n = (errors - errors.mean()) / size, len(errors)
    variance = float((d**2).mean())
    skewness, kurtosis = float((d**3).mean()) / variance**1.5, float((d**4).mean()) / variance**2
    return abs(skewness) > NOT_NORMAL * math.sqrt(6 / n) or kurtosis - 3 > NOT_NORMAL * math.sqrt(24 / n)


def judged(result: Estimate, c: Contrast) -> Estimate:
    """With a longer upper limit where the losses are skewed, a note where the interval may be too short all the same, and
    no standard error where the variance of the losses is apparently infinite; as it is where they have an upper limit."""
    loss = _loss(c.metric)
    if loss is None or not result.se:
        return result
    found = c.read(lambda fits, _: _held_out(fits, loss))
    known = ~np.isnan(found)
    losses, n = found[known], int(known.sum())
    if n < 2:
        return result
    design = (c.fits.parts[0] if c.fits.parts else c.fits).design
    parts = design.unit_sums(np.where(known, found - losses.mean(), 0.0))
    parts = parts if design.sample.groups is not None else parts[known]
    skewness = skewness_of_mean(parts)
    if isinstance(result.interval, LogOfLoss) and losses.mean() > 0:
        spread = float(np.linalg.norm(parts)) / n / float(losses.mean())
        skew = min(skewness / (1 - skewness), 1.0) if skewness < 0.5 else 1.0
        result = result.with_(interval=replace(result.interval, skew=max(skew, 0.0), spread=spread))
    if n < LEAST_CASES:
        return result
    power = 2.0 if loss.name == "mse" else 1.0
    sign = losses if c.other is not None else _held_out(c.fits, _mean_error())[known]
    errors = np.sign(sign) * np.abs(losses) ** (1 / power)
    share, cases = share_of_largest(np.abs(losses)), max(1, math.ceil(LARGEST_SHARE * n))
    largest = f"The largest {'loss is' if cases == 1 else f'{cases} losses are'} {share:.0%} of the total"
    of = result.metric or c.metric.name
    other = "" if c.metric.name == "mae" else " See mae."
    shape, limit = tail_shape(errors)
    heavy = shape > 1 / (2 * power)
    if heavy and limit > 1 / (4 * power):
        message = (
            f"No standard error of {of}: the variance of the losses is apparently infinite (shape {shape:.2f} of the "
            f"largest errors, above {1 / (2 * power):g}). {largest}.{other}"
        )
        data = {"metric": of, "shape": shape, "share": share}
        return result.with_(se=None, se_method=None, influence=None, df=None).noting(
            Note("no-se-heavy-tails", message, "warning", **data)
        )
    heavy = heavy and limit > 0
    if heavy or (abs(skewness) > SKEWED and not_normal(errors)) or (share > MOST_OF_THE_LOSS and cases < n / 10):
        message = f"A few cases decide {of}, and its interval may be too short. {largest}.{other}"
        return result.noting(Note("heavy-tails", message, "warning", metric=of, share=share, skewness=skewness))
    return result


def _loss(metric: Metric) -> CaseLoss | None:
    """The loss whose variance a standard error rests on; None where it is limited, or no mean."""
    from trueness.metrics.moments import MomentMeasure
    from trueness.metrics.numbers import MSE, NumberLoss

    if isinstance(metric, MomentMeasure):
        return None if all(map(math.isfinite, metric.bounds)) else MSE()
    return metric if isinstance(metric, NumberLoss) else None


def _mean_error() -> CaseLoss:
    from trueness.metrics.numbers import MeanError

    return MeanError()


def _held_out(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) the mean loss of each case under the rules that left it out; NaN where there is none."""
    part = fits.parts[0] if fits.parts else fits

    def compute() -> Floats:
        total, times = np.zeros(part.sample.n), np.zeros(part.sample.n)
        for block in part.blocks():
            total += np.where(block.left_out, loss.left_out_losses(block), 0.0).sum(axis=0)
            times += block.left_out.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / np.where(times > 0, times, np.nan))

    return part.cached(("held-out losses", loss.key), compute)
