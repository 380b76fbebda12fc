"""Losses with heavy tails: a longer upper limit, a note, no standard error where the variance is apparently infinite."""

import math
from dataclasses import replace

import numpy as np
from scipy import stats

from trueness.estimators.influence import Contrast
from trueness.metrics.metric import CaseLoss, Metric
from trueness.metrics.moments import MomentMeasure
from trueness.metrics.numbers import MSE, MeanError
from trueness.result.estimate import Estimate
from trueness.result.interval import LogOfLoss
from trueness.result.notes import Note
from trueness.sample.fits import Fits
from trueness.typing import Floats

LEAST_CASES = 30  # with fewer, a tail cannot be seen
SKEWED = 0.5  # skewness of the mean of the losses
NOT_NORMAL = 0.007  # p-value of skewness and kurtosis (Jarque & Bera 1980)
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


def skewness_of_mean(parts: Floats) -> float:
    """Σd³/(Σd²)^1.5 of the centred parts d of a mean: its skewness, between −1 and 1."""
    d = parts - parts.mean()
    size = float(np.abs(d).max(initial=0.0))
    if not size > 0:
        return 0.0
    d = d / size
    return float((d**3).sum() / (d**2).sum() ** 1.5)


def judged(result: Estimate, c: Contrast) -> Estimate:
    """With a longer upper limit where the losses are skewed, a note where the interval may be too short all the same, and
    no standard error where the variance of the losses is apparently infinite; as it is where they have an upper limit."""
    loss = unlimited(c.metric)
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
    if n < LEAST_CASES or loss.target != "numbers":  # the log-loss of a probability has a largest value
        return result
    power = 2.0 if loss.name == "mse" else 1.0
    sign = losses if c.other is not None else _held_out(c.fits, MeanError())[known]
    errors = np.sign(sign) * np.abs(losses) ** (1 / power)
    (shape, margin), infinite = tail_shape(errors), 1 / (2 * power)
    # a shape alone can be of errors that crowd at the threshold; samples with a heavy tail are those that show it, and
    # without their intervals those of the others cover less (docs/programs/heavy_tails.py)
    clearly = bool(stats.jarque_bera(errors).pvalue < NOT_NORMAL)
    if shape - margin > infinite and clearly:
        out = result.with_(se=None, se_mc_se=None, se_method=None, influence=None, df=None)
        return out.noting(Note("no-se-heavy-tails", metric=result.metric or c.metric.name, shape=shape))
    if shape > max(infinite, margin) or (abs(skewness) > SKEWED and clearly):
        return result.noting(Note("heavy-tails", metric=result.metric or c.metric.name, skewness=skewness))
    return result


def unlimited(metric: Metric) -> CaseLoss | None:
    """The loss whose variance a standard error rests on; None where it is limited, or no mean."""
    if isinstance(metric, MomentMeasure):
        return None if all(map(math.isfinite, metric.bounds)) else MSE()
    return metric if isinstance(metric, CaseLoss) and math.isinf(metric.bounds[1]) else None


def _held_out(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) the mean loss of each case under the rules that left it out; NaN where there is none."""
    part = fits.parts[0] if fits.parts else fits
    return part.cached(("held-out losses", loss.key), lambda: part.means_left_out(loss.left_out_losses))
