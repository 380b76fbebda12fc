"""Losses read off a cost matrix: the error rate, risk with costs and priors, FNF and FPF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from trueness.checks import cost_matrix
from trueness.errors import InputError
from trueness.metrics.metric import CaseLoss, Needs, positive_of_two
from trueness.result.interval import WILSON, WILSON_OF_RATE, IntervalRule
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats


@dataclass(frozen=True, eq=False)
class Cost(CaseLoss):
    """Mean cost of a decision: R = Σ c_ij P_i Pr[decide j | truth i] (Yousef, ML Assessment, eqs. 1c and 4c).

    Parameters
    ----------
    priors : array-like of shape (C,), optional
        Class probabilities where those of the sample are not those of the population (a case-control study); by
        default the shares of the sample.
    matrix : array-like of shape (C, C)
        `matrix[i][j]` is the cost of predicting j where the truth is i; two classes in the order negative, positive,
        several in sorted order.

    Examples
    --------
    >>> import trueness
    >>> missed_is_ten_times_worse = trueness.metrics.Cost(matrix=[[0, 1], [10, 0]])
    """

    matrix: Floats | Sequence[Sequence[float]] = ()
    name: ClassVar[str] = "cost"
    interval: ClassVar[IntervalRule] = WILSON
    needs: ClassVar[Needs] = "predictions"

    @property
    def table(self) -> Floats:
        """(C, C) costs."""
        return np.asarray(self.matrix, dtype=float)

    @property
    def bounds(self) -> tuple[float, float]:
        table = self.table if self.class_weights is None else self.table[self.class_weights > 0]
        return float(table.min()), float(table.max())

    def bind(self, sample: Sample) -> CaseLoss:
        table = cost_matrix(self.matrix, sample.n_classes, param="matrix")
        if sample.n_classes == 2 and sample.require_positive() == 0:  # given as negative, positive; classes are sorted
            table = table[::-1, ::-1]
        return replace(self.bind_priors(sample), matrix=table)

    def losses(self, block: Block) -> Floats:
        predictions = decided(block, self.name)
        return np.where(predictions < 0, np.nan, self.table[block.codes, predictions])

    def mean_if(self, block: Block, code: int) -> float:
        predicted = np.bincount(decided(block, self.name).ravel(), minlength=len(self.table))
        return float(self.table[code] @ predicted / predicted.sum())


def decided(block: Block, name: str) -> Array:
    """(b, m) predicted classes; an error where there are none."""
    if block.predictions is None:
        raise InputError(
            f"{name} needs predictions, and these Fits have scores only",
            param="predictions",
            fix=(
                "Give predictions where the Fits are made (predictions of Fits.from_arrays, prediction of "
                "Fits.from_frame), or, with two classes, {threshold=}; {metrics='auc'} needs neither"
            ),
        )
    return block.predictions


class Rate(Cost):
    """The share of cases that are decided wrongly, or rightly: a loss of 0 or 1."""

    counts_right: ClassVar[bool] = False
    interval: ClassVar[IntervalRule] = WILSON_OF_RATE

    def bind(self, sample: Sample) -> CaseLoss:
        return replace(self.bind_priors(sample), matrix=self.zero_one(sample.n_classes))

    def zero_one(self, n_classes: int) -> Floats:
        """(C, C) 1 for the decisions that are counted."""
        right = np.eye(n_classes)
        return right if self.counts_right else 1.0 - right


class Error(Rate):
    """Error rate: the share of cases that are misclassified."""

    name: ClassVar[str] = "error"


class Accuracy(Rate):
    """Accuracy: the share of cases that are classified correctly, 1 − error."""

    name: ClassVar[str] = "accuracy"
    counts_right: ClassVar[bool] = True
    higher_is_better: ClassVar[bool | None] = True


class _RateOfOneClass(Rate):
    positive: ClassVar[bool]

    def bind(self, sample: Sample) -> CaseLoss:
        code = positive_of_two(sample, self.name)
        code = code if self.positive else 1 - code
        return replace(self, matrix=self.zero_one(2), priors=np.eye(2)[code])


class FNF(_RateOfOneClass):
    """False negative fraction: the error rate among positives (Yousef, ML Assessment, eq. 4a)."""

    name: ClassVar[str] = "fnf"
    positive: ClassVar[bool] = True


class FPF(_RateOfOneClass):
    """False positive fraction: the error rate among negatives (Yousef, ML Assessment, eq. 4b)."""

    name: ClassVar[str] = "fpf"
    positive: ClassVar[bool] = False


class TPF(_RateOfOneClass):
    """True positive fraction (sensitivity, recall): the share of positives that are found, 1 − FNF."""

    name: ClassVar[str] = "tpf"
    positive: ClassVar[bool] = True
    counts_right: ClassVar[bool] = True
    higher_is_better: ClassVar[bool | None] = True


class TNF(_RateOfOneClass):
    """True negative fraction (specificity): the share of negatives that are found, 1 − FPF."""

    name: ClassVar[str] = "tnf"
    positive: ClassVar[bool] = False
    counts_right: ClassVar[bool] = True
    higher_is_better: ClassVar[bool | None] = True


class BalancedAccuracy(Rate):
    """Balanced accuracy: the mean over classes of the share that is classified correctly; (TPF + TNF)/2 of two."""

    name: ClassVar[str] = "balanced_accuracy"
    counts_right: ClassVar[bool] = True
    higher_is_better: ClassVar[bool | None] = True

    def bind(self, sample: Sample) -> CaseLoss:
        present = sample.sizes > 0  # a class without cases has no rate
        return replace(self, matrix=self.zero_one(sample.n_classes), priors=present / present.sum())


class Youden(Cost):
    """Youden's index of two classes: TPF − FPF."""

    name: ClassVar[str] = "youden"
    higher_is_better: ClassVar[bool | None] = True

    def bind(self, sample: Sample) -> CaseLoss:
        if sample.n_classes != 2:
            positive_of_two(sample, self.name)  # an error
        return replace(self, matrix=2 * np.eye(2) - 1, priors=np.array([0.5, 0.5]))
