"""Losses of predicted numbers: squared, absolute, relative and pinball errors, and the mean error."""

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from trueness.checks import check_open_share
from trueness.errors import InputError, UndefinedError
from trueness.metrics.metric import CaseLoss, SetMetric, require_used, scores_of
from trueness.result.interval import WALD, IntervalRule, LogOfLoss
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats

RELATIVE_ROUNDING = 1e-12  # of a prediction that is right but for rounding, relative to the range of the targets


def predicted_and_true(block: Block, name: str) -> tuple[Floats, Floats]:
    """(b, m) predictions, NaN where a rule did not answer, and (m,) targets."""
    assert block.numbers is not None
    return scores_of(block, name), block.numbers


@dataclass(frozen=True, eq=False)
class NumberLoss(CaseLoss):
    """A loss of one predicted number.

    Attributes
    ----------
    largest : float
        The loss of predicting one end of the range of the targets where the other is true; set by `bind`. Losses are
        measured by it where all of them are 0.
    """

    priors: None = field(default=None, init=False)  # numbers have no classes
    largest: float = field(default=math.inf, kw_only=True)
    target = "numbers"
    bounds = (0.0, math.inf)
    relative_rounding = RELATIVE_ROUNDING

    def bound(self, sample: Sample) -> Self:
        assert sample.numbers is not None
        low, high = float(sample.numbers.min()), float(sample.numbers.max())
        ends = np.array([low, high])
        return replace(self, largest=float(np.abs(self.of(ends[::-1, None], ends)).max()))

    @property
    def rounding(self) -> float:
        return self.relative_rounding * self.largest if math.isfinite(self.largest) else 0.0

    @property
    def interval(self) -> IntervalRule:
        return LogOfLoss(self.largest)

    @abstractmethod
    def of(self, predicted: Floats, truth: Floats) -> Floats:
        """(...) the loss of each prediction; the arrays broadcast."""

    def losses(self, block: Block) -> Floats:
        return self.of(*predicted_and_true(block, self.name))

    def no_information(self, sample: Sample, full: Block) -> float:
        """γ = 1/n² Σ_i Σ_j L(y_i, rule(x_j)), the mean over all pairs of a target and a prediction (Efron & Tibshirani
        1997), in O(n log n)."""
        predicted, truth = predicted_and_true(full, self.name)
        return self.over_pairs(truth, predicted[0])

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        """The mean loss of all pairs of a target and a prediction."""
        return float(np.mean([self.of(p, truth).mean() for p in predicted]))


class MSE(NumberLoss):
    """Mean squared error: (ŷ − y)². In the square of the units of y; one large error can outweigh all others."""

    name = "mse"
    title = "mean squared error"
    aliases = "mean squared error, neg_mean_squared_error, L2 loss"
    relative_rounding = RELATIVE_ROUNDING**2

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        return np.asarray((predicted - truth) ** 2)

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        return float(truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2)


class MAE(NumberLoss):
    """Mean absolute error: |ŷ − y|, in the units of y."""

    name = "mae"
    title = "mean absolute error"
    aliases = "mean absolute error, neg_mean_absolute_error, L1 loss"

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        return np.asarray(np.abs(predicted - truth))

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        return _mean_positive_part(truth, predicted) + _mean_positive_part(predicted, truth)


@dataclass(frozen=True, eq=False)
class MAPE(NumberLoss):
    """Mean absolute percentage error: |ŷ − y|/|y|, as a share.

    It is undefined where a target is 0, and dominated by the cases with the smallest targets; predictions that are too
    low are favoured, as they cost at most 1 where targets are positive. Targets of both signs have no percentages.
    """

    name = "mape"
    title = "mean absolute percentage error"
    aliases = "mean absolute percentage error, neg_mean_absolute_percentage_error"
    words = {"mape": ("MAPE", "MAPE")}

    def bound(self, sample: Sample) -> Self:
        assert sample.numbers is not None
        low, high = float(sample.numbers.min()), float(sample.numbers.max())
        if low <= 0 <= high:
            problem = "mape divides by the target, and needs targets of one sign, none of them 0"
            raise InputError(problem, param="metric", got=f"targets from {low:g} to {high:g}", fix="Use mae")
        return replace(self, largest=(high - low) / min(abs(low), abs(high)))

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        return np.asarray(np.abs(predicted - truth) / np.abs(truth))

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        weights = 1 / np.abs(truth)
        above = _mean_positive_part(predicted, truth, weights)  # ŷ − y where it is positive
        return above + _mean_positive_part(-predicted, -truth, weights)


@dataclass(frozen=True, eq=False)
class Pinball(NumberLoss):
    """Pinball loss of a predicted quantile: q (y − ŷ) where ŷ is too low, (1 − q)(ŷ − y) where it is too high.

    Its mean is least at the q-quantile of y (Koenker & Bassett 1978). At q = ½ it is half the mean absolute error.

    Parameters
    ----------
    q : float, default 0.5
        Which quantile is predicted, between 0 and 1.

    Examples
    --------
    >>> Pinball(0.9).of(np.array([1.0, 3.0]), np.array([2.0, 2.0])).tolist()
    [0.9, 0.09999999999999998]
    """

    q: float = 0.5
    name = "pinball"
    title = "pinball loss"
    aliases = "quantile loss, pinball loss, neg_mean_pinball_loss"

    def __post_init__(self) -> None:
        check_open_share("q", self.q)
        if self.q != 0.5:
            object.__setattr__(self, "name", f"pinball({self.q:g})")
        super().__post_init__()

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        low = truth - predicted
        return np.asarray(np.where(low >= 0, self.q * low, (self.q - 1) * low))

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        low, high = _mean_positive_part(truth, predicted), _mean_positive_part(predicted, truth)
        return self.q * low + (1 - self.q) * high


class MeanError(NumberLoss):
    """Mean error, the bias of the predictions: ŷ − y, positive where they are too high."""

    name = "bias"
    title = "mean error"
    aliases = "mean error, mean signed error"
    words = {"bias": ("Bias", "mean error")}
    higher_is_better = None
    bounds = (-math.inf, math.inf)

    interval = WALD

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        return np.asarray(predicted - truth)

    def no_information(self, sample: Sample, full: Block) -> float:
        raise UndefinedError(
            "The mean error has no direction, so that a rule cannot be worse than chance by it",
            param="method",
            fix="Use mse or mae",
        )


def _mean_positive_part(a: Array, b: Array, weights: Array | None = None) -> float:
    """Mean over all pairs of max(a_i − b_j, 0), times the weight of b_j, by sorting b once."""
    order = np.argsort(b, kind="stable")
    below = np.searchsorted(b[order], a)  # how many b are less than each a
    w = np.ones(len(b)) if weights is None else weights[order]
    count, total = np.append(0.0, np.cumsum(w)), np.append(0.0, np.cumsum(w * b[order]))
    return float((a * count[below] - total[below]).sum() / len(a) / len(b))


@dataclass(frozen=True, eq=False)
class MedianAE(SetMetric):
    """Median absolute error: half of the predictions are nearer to the target than this. Not moved by a few large errors."""

    name = "median_ae"
    title = "median absolute error"
    aliases = "median absolute error, neg_median_absolute_error"
    words = {"median_ae": ("Median absolute error", "median absolute error")}
    higher_is_better = False
    target = "numbers"
    bounds = (0.0, math.inf)

    interval = LogOfLoss(math.inf)

    def rows(self, block: Block, weights: Floats) -> Floats:
        predicted, truth = predicted_and_true(block, self.name)
        errors = require_used(np.abs(predicted - truth), weights > 0, self.name)
        each = (np.repeat(e, w) for e, w in zip(errors, weights.astype(int), strict=True))
        return np.array([float(np.median(e)) if len(e) else math.nan for e in each])
