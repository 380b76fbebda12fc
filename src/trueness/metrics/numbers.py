"""Losses of predicted numbers: squared, absolute, relative and pinball errors, and the mean error."""

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np

from trueness.checks import is_number
from trueness.errors import InputError, UndefinedError
from trueness.metrics.metric import CaseLoss, SetMetric, require_used
from trueness.result.interval import IntervalRule, LogOfLoss
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats

RELATIVE_ROUNDING = 1e-12  # of a prediction that is right but for rounding, relative to the range of the targets


def errors_of(block: Block, name: str) -> Floats:
    """(b, m) prediction − target; NaN where a rule did not answer."""
    if block.scores is None or block.numbers is None:
        raise InputError(f"{name} needs predicted numbers", param="metric")
    return np.asarray(block.scores - block.numbers)


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

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, math.inf)

    def bind(self, sample: Sample) -> CaseLoss:
        assert sample.numbers is not None
        low, high = float(sample.numbers.min()), float(sample.numbers.max())
        ends = np.array([low, high])
        return replace(self, largest=float(np.abs(self.of(ends[::-1, None], ends)).max()))

    @property
    def rounding(self) -> float:
        return RELATIVE_ROUNDING * self.largest if math.isfinite(self.largest) else 0.0

    def rule(self) -> IntervalRule:
        return LogOfLoss(self.largest)

    @abstractmethod
    def of(self, predicted: Floats, truth: Floats) -> Floats:
        """(...) the loss of each prediction; the arrays broadcast."""

    def losses(self, block: Block) -> Floats:
        errors_of(block, self.name)
        assert block.scores is not None
        assert block.numbers is not None
        return self.of(block.scores, block.numbers)

    def no_information(self, sample: Sample, full: Block) -> float:
        """γ = 1/n² Σ_i Σ_j L(y_i, rule(x_j)), the mean over all pairs of a target and a prediction (Efron & Tibshirani
        1997), in O(n log n)."""
        assert full.scores is not None
        assert sample.numbers is not None
        return self.over_pairs(sample.numbers, full.scores[0])

    def over_pairs(self, truth: Floats, predicted: Floats) -> float:
        """The mean loss of all pairs of a target and a prediction."""
        return float(np.mean([self.of(p, truth).mean() for p in predicted]))


class MSE(NumberLoss):
    """Mean squared error: (ŷ − y)². In the square of the units of y; one large error can outweigh all others."""

    name = "mse"
    title = "mean squared error"
    aliases = "mean squared error, neg_mean_squared_error, L2 loss"

    def of(self, predicted: Floats, truth: Floats) -> Floats:
        return np.asarray((predicted - truth) ** 2)

    @property
    def rounding(self) -> float:
        return RELATIVE_ROUNDING**2 * self.largest if math.isfinite(self.largest) else 0.0

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

    def bind(self, sample: Sample) -> CaseLoss:
        assert sample.numbers is not None
        zeros, signs = int((sample.numbers == 0).sum()), {bool(v) for v in sample.numbers > 0}
        if zeros or len(signs) > 1:
            got = f"{zeros} of {sample.n} targets are 0" if zeros else "targets of both signs"
            raise InputError(
                "mape divides by the target, and needs targets of one sign, none of them 0",
                param="metric",
                got=got,
                fix="Use mae",
            )
        least = float(np.abs(sample.numbers).min())
        return replace(self, largest=float(np.ptp(sample.numbers)) / least)

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
        if not is_number(self.q) or not 0 < self.q < 1:
            raise InputError("q must be between 0 and 1", param="q", got=repr(self.q))
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

    @property
    def bounds(self) -> tuple[float, float]:
        return (-math.inf, math.inf)

    def rule(self) -> IntervalRule:
        return self.interval

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

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, math.inf)

    def rule(self) -> IntervalRule:
        return LogOfLoss(math.inf)

    def rows(self, block: Block, weights: Floats) -> Floats:
        errors = require_used(np.abs(errors_of(block, self.name)), weights > 0, self.name)
        return np.array([_median(e, w) for e, w in zip(errors, weights, strict=True)])


def _median(values: Floats, weights: Floats) -> float:
    """Of values that are repeated by whole weights."""
    some = weights > 0
    if not some.any():
        return math.nan
    whole = (weights[some] == np.round(weights[some])).all()
    return float(np.median(np.repeat(values[some], weights[some].astype(int)) if whole else values[some]))
