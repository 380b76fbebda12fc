"""Losses with heavy tails: a longer upper limit, a note, no standard error where the variance is apparently infinite."""

import math
from dataclasses import replace

import numpy as np

from trueness.estimators.influence import Contrast
from trueness.metrics.metric import CaseLoss
from trueness.metrics.moments import MomentMeasure
from trueness.metrics.numbers import MSE, MeanError
from trueness.result.estimate import Estimate
from trueness.result.interval import LogOfLoss
from trueness.result.notes import Note
from trueness.sample.fits import Fits
from trueness.typing import Floats

LEAST_CASES = 30  # with fewer, a tail cannot be seen
SKEWED = 0.5  # skewness of the mean of the losses
NOT_NORMAL = 5.57  # 4 % of normal samples are above this distance: ½ P(χ²₁ > d) + ½ P(χ²₂ > d)
CLEARLY_NOT_NORMAL = 9.0  # and 0.7 % above this one
LARGEST_SHARE, MOST_OF_THE_LOSS = 0.01, 0.5  # of the cases, and of all losses
ONE_SIDED = 1.645  # normal quantile of one-sided 95 % limits


def tail_shape(errors: Floats) -> tuple[float, float]:
    """The shape ξ of the heavier tail of these errors, and the distance of its one-sided 95 % limits.

    Of the m = min(0.15 n, 2√n) largest, at least 10, and of as many of the other side.

    >>> from scipy.stats import genpareto
    >>> round(tail_shape(genpareto(0.5).ppf(np.linspace(0, 1, 10_000, endpoint=False)))[0], 2)
    0.46
    """
    n = len(errors)
    m = max(10, math.ceil(min(0.15 * n, 2 * math.sqrt(n))))
    if n < 2 * m + 2:
        return -math.inf, 0.0
    ordered = np.sort(errors)
    right, left = ordered[n - m :] - ordered[n - m - 1], ordered[m] - ordered[m - 1 :: -1]
    shape = max(pareto_shape(right), pareto_shape(left))
    return shape, ONE_SIDED * max(1 + shape, 0.0) / math.sqrt(m)


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


def distance_from_normal(errors: Floats) -> float:
    """Z₃² + max(Z₄, 0)² of the L-skewness and L-kurtosis (Hosking 1990) in their standard errors for normal samples
    (Harri & Coble 2011): large for skewed errors and heavy tails, not for light ones.

    >>> distance_from_normal(np.linspace(-1, 1, 50)) < 1e-9
    True
    """
    n = len(errors)
    x, i = np.sort(errors - errors.mean()), np.arange(n)
    size = float(np.abs(x).max(initial=0.0))
    if n < 4 or not size > 0:
        return 0.0
    x = x / size
    b0, b1 = float(x.mean()), float((i * x).sum()) / n / (n - 1)
    b2 = float((i * (i - 1.0) * x).sum()) / n / (n - 1) / (n - 2)
    b3 = float((i * (i - 1.0) * (i - 2.0) * x).sum()) / n / (n - 1) / (n - 2) / (n - 3)
    scale = 2 * b1 - b0
    skewness, kurtosis = (6 * b2 - 6 * b1 + b0) / scale, (20 * b3 - 30 * b2 + 12 * b1 - b0) / scale
    z3 = skewness / math.sqrt(0.1866 / n + 0.8 / n**2)
    z4 = (kurtosis - 0.1226) / math.sqrt(0.0883 / n + 0.68 / n**2 + 4.9 / n**3)
    return z3**2 + max(z4, 0.0) ** 2


def judged(result: Estimate, c: Contrast) -> Estimate:
    """With a longer upper limit where the losses are skewed, a note where the interval may be too short all the same, and
    no standard error where the variance of the losses is apparently infinite; as it is where they have an upper limit."""
    of_moments, ends = isinstance(c.metric, MomentMeasure), c.metric.bounds
    loss = MSE() if of_moments else c.metric
    # its variance is what a standard error rests on, where it is not limited
    if not result.se or not isinstance(loss, CaseLoss) or all(map(math.isfinite, ends if of_moments else ends[1:])):
        return result
    found = c.read(lambda fits, _: _held_out(fits, loss))
    known = ~np.isnan(found)
    losses, n = found[known], int(known.sum())
    if n < 2:
        return result
    design = c.fits.first.design
    parts = design.unit_sums(np.where(known, found - losses.mean(), 0.0))
    parts = parts if design.sample.groups is not None else parts[known]
    skewness = skewness_of_mean(parts)
    if isinstance(result.interval, LogOfLoss) and losses.mean() > 0:
        spread = float(np.linalg.norm(parts)) / n / float(losses.mean())
        skew = min(skewness / (1 - skewness), 1.0) if skewness < 0.5 else 1.0
        result = result.with_(interval=replace(result.interval, skew=max(skew, 0.0), spread=spread))
    if n < LEAST_CASES or loss.target != "numbers":  # the log-loss of a probability has a largest value
        return result
    power = 2.0 if loss.name == "mse" else 1.0
    sign = losses if c.other is not None else _held_out(c.fits, MeanError())[known]
    errors = np.sign(sign) * np.abs(losses) ** (1 / power)
    share, cases = share_of_largest(np.abs(losses)), max(1, math.ceil(LARGEST_SHARE * n))
    (shape, margin), unlike, infinite = tail_shape(errors), distance_from_normal(errors), 1 / (2 * power)
    clearly = unlike > CLEARLY_NOT_NORMAL
    # a shape alone can be of errors that crowd at the threshold; samples with a heavy tail are those that show it, and
    # without their intervals those of the others cover less (docs/programs/heavy_tails.py)
    if shape - margin > infinite and clearly:
        out = result.with_(se=None, se_mc_se=None, se_method=None, influence=None, df=None)
        return out.noting(Note("no-se-heavy-tails", metric=result.metric, shape=shape))
    few_decide = (
        shape > max(infinite, margin)
        or (abs(skewness) > SKEWED and clearly)
        or (share > MOST_OF_THE_LOSS and cases < n / 10)
    )
    # large errors, which decide the mean of squares, may happen to be absent
    squared = power > 1 and c.other is None and isinstance(result.interval, LogOfLoss)
    absent = squared and unlike > NOT_NORMAL and shape + margin > infinite and skewness > SKEWED / 2
    if few_decide or absent:
        return result.noting(Note("heavy-tails", metric=result.metric, skewness=skewness))
    return result


def _held_out(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) the mean loss of each case under the rules that left it out; NaN where there is none."""
    part = fits.first
    return part.cached(("held-out losses", loss.key), lambda: part.means_left_out(loss.left_out_losses))
