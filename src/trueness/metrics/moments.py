"""Metrics of predicted numbers that are functions of means over cases: RMSE, R², explained variance, correlation.

The means (of squared errors, of targets and their squares, …) are averaged as losses are, and the metric is the function of
the averages: sums over all tested cases, never the mean of R² over small folds.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from trueness.metrics.measure import MeasureOfMeans
from trueness.metrics.metric import CaseLoss, refuse_missing
from trueness.metrics.numbers import RELATIVE_ROUNDING, predicted_and_true
from trueness.result.interval import LOGIT, IntervalRule, LogOfLoss, LogOfRest
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats


def _variance(mean: Array, square: Array) -> Array:
    """(...) of the means of numbers and of their squares; NaN where it is 0 but for rounding (one case, equal numbers)."""
    found = square - mean**2
    return np.asarray(np.where(found > RELATIVE_ROUNDING * square, found, np.nan))


@dataclass(frozen=True, eq=False)
class MomentMeasure(MeasureOfMeans):
    """A smooth function of means over cases, of which the first is 1, so that scaling all of them changes nothing.

    Attributes
    ----------
    centre, unit : float
        Mean and standard deviation of the targets, set by `bind`: means are of numbers minus the centre, in this unit,
        so that no digits are lost.
    largest : float
        The square of the range of the targets in this unit, set by `bind`.
    """

    centre: float = field(default=0.0, kw_only=True)
    unit: float = field(default=1.0, kw_only=True)
    largest: float = field(default=math.inf, kw_only=True)
    target = "numbers"
    undefined_where = "targets or predictions are all equal"

    def bound(self, sample: Sample) -> Self:
        assert sample.numbers is not None
        unit = float(sample.numbers.std()) or 1.0
        largest = (float(np.ptp(sample.numbers)) / unit) ** 2
        return replace(self, centre=float(sample.numbers.mean()), unit=unit, largest=largest)

    @property
    def means_key(self) -> tuple[object, ...]:
        return ("moments", type(self).__name__, self.centre, self.unit)

    @abstractmethod
    def moments(self, error: Floats, truth: Floats, predicted: Floats) -> tuple[Floats, ...]:
        """(b, m) each: what is averaged besides 1, of numbers in standard units."""

    @abstractmethod
    def function(self, *means: Array) -> Array:
        """(...) from these means."""

    def value(self, table: Array) -> Array:
        """(...) from sums (..., 1 + k); NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means = [table[..., k] / table[..., 0] for k in range(1, table.shape[-1])]
            return np.asarray(self.function(*means))

    def each(self, block: Block) -> Floats:
        """(1 + k, b, m) 1 and the moments of every case; NaN where a rule did not answer."""
        predicted, numbers = predicted_and_true(block, self.name)
        error = (predicted - numbers) / self.unit
        truth = np.broadcast_to((numbers - self.centre) / self.unit, error.shape)
        return np.stack([np.ones(error.shape), *self.moments(error, truth, error + truth)])

    def tables(self, block: Block, weights: Floats) -> Floats:
        """(b, 1 + k) weighted sums."""
        each = self.each(block)
        missing = np.isnan(each).any(axis=0)
        if missing.any():
            refuse_missing(missing & (weights > 0), self.name)
            each = np.where(missing, 0.0, each)
        return np.asarray(np.einsum("kbm,bm->bk", each, weights))

    def rows(self, block: Block, weights: Floats) -> Floats:
        return self.value(self.tables(block, weights))

    def linear(self, slopes: Floats) -> CaseLoss:
        return LinearForm(measure=self, slopes=slopes)


@dataclass(frozen=True, eq=False)
class LinearForm(CaseLoss):
    """The mean that a function of means is close to: the loss of a case is Σ_k g_k (its k-th moment)."""

    measure: MomentMeasure | None = None
    slopes: Floats = field(default_factory=lambda: np.zeros(0))
    name = "linear form"
    target = "numbers"

    def losses(self, block: Block) -> Floats:
        assert self.measure is not None
        return np.asarray(np.tensordot(self.slopes, self.measure.each(block), axes=1))


class RMSE(MomentMeasure):
    """Root mean squared error: √(mean (ŷ − y)²) over all tested cases, in the units of y."""

    name = "rmse"
    title = "root mean squared error"
    aliases = "root mean squared error, neg_root_mean_squared_error"
    words = {"rmse": ("RMSE", "RMSE")}
    higher_is_better = False
    bounds = (0.0, math.inf)

    @property
    def rounding(self) -> float:
        return RELATIVE_ROUNDING * self.unit

    @property
    def interval(self) -> IntervalRule:
        return LogOfLoss(self.largest * self.unit**2, power=0.5)

    def moments(self, error: Floats, truth: Floats, predicted: Floats) -> tuple[Floats, ...]:
        return (error**2,)

    def function(self, *means: Array) -> Array:
        return np.asarray(self.unit * np.sqrt(means[0]))


class _Explained(MomentMeasure):
    bounds = (-math.inf, 1.0)

    @property
    def interval(self) -> IntervalRule:
        return LogOfRest(self.largest)


class R2(_Explained):
    """R² = 1 − Σ(ŷ − y)²/Σ(y − ȳ)², both sums over all tested cases, ȳ their mean.

    The share of the squared error of always predicting the mean that the model saves. It is negative where the model is
    worse than the mean of the tested cases, which a rule trained on other cases does not know.
    """

    name = "r2"
    title = "R²"
    aliases = "R², coefficient of determination"
    words = {"r2": ("R²", "R²")}

    def moments(self, error: Floats, truth: Floats, predicted: Floats) -> tuple[Floats, ...]:
        return error**2, truth, truth**2

    def function(self, *means: Array) -> Array:
        squares, y, yy = means
        return np.asarray(1 - squares / _variance(y, yy))


class ExplainedVariance(_Explained):
    """Explained variance: 1 − Var(ŷ − y)/Var(y) over all tested cases; R² without the cost of the bias."""

    name = "explained_variance"
    title = "explained variance"
    aliases = "1 − fraction of variance unexplained"

    def moments(self, error: Floats, truth: Floats, predicted: Floats) -> tuple[Floats, ...]:
        return error, error**2, truth, truth**2

    def function(self, *means: Array) -> Array:
        e, ee, y, yy = means
        return np.asarray(1 - (ee - e**2) / _variance(y, yy))


class Correlation(MomentMeasure):
    """Pearson's correlation of prediction and target over all tested cases. Blind to bias and to a wrong scale."""

    name = "correlation"
    title = "correlation of prediction and target"
    aliases = "Pearson's correlation, pearson r"
    interval = LOGIT  # of (1 + r)/2, half of whose logit is Fisher's z
    bounds = (-1.0, 1.0)

    def moments(self, error: Floats, truth: Floats, predicted: Floats) -> tuple[Floats, ...]:
        return truth, truth**2, predicted, predicted**2, truth * predicted

    def function(self, *means: Array) -> Array:
        y, yy, p, pp, yp = means
        return np.asarray((yp - y * p) / np.sqrt(_variance(y, yy) * _variance(p, pp)))
