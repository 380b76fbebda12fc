"""Losses read off a cost matrix: the error rate, risk with costs and priors, FNF and FPF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from karat.checks import cost_matrix
from karat.errors import InputError, Setting
from karat.metrics.metric import CaseLoss, Needs
from karat.metrics.registry import register
from karat.result.interval import WILSON, WILSON_OF_RATE, IntervalRule
from karat.typing import Array, Floats

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample


@dataclass(frozen=True, eq=False)
class Cost(CaseLoss):
    """Mean cost of a decision: R = Σ c_ij P_i Pr[decide j | truth i] (Yousef, ML Assessment, eqs. 1c and 4c).

    Parameters
    ----------
    priors : array-like of shape (C,), optional
        Class probabilities where those of the sample are not those of the population (a case-control study); by
        default the shares of the sample.
    matrix : array-like of shape (C, C)
        matrix[i][j] is the cost of predicting j where the truth is i; two classes in the order negative, positive,
        several in sorted order.

    Examples
    --------
    >>> import karat
    >>> missed_is_ten_times_worse = karat.metrics.Cost(matrix=[[0, 1], [10, 0]])
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
        predictions = self._decided(block)
        return np.where(predictions < 0, np.nan, self.table[block.codes, predictions])

    def mean_if(self, block: Block, code: int) -> float:
        predicted = np.bincount(self._decided(block).ravel(), minlength=len(self.table))
        return float(self.table[code] @ predicted / predicted.sum())

    def _decided(self, block: Block) -> Array:
        if block.predictions is None:
            raise InputError(
                f"{self.name} needs predictions, and these Fits have scores only",
                param="predictions",
                fix=(
                    "Pass ",
                    Setting("predictions"),
                    " (or, with two classes, ",
                    Setting("threshold"),
                    ") to Fits.from_arrays",
                ),
            )
        return block.predictions


@register
class Error(Cost):
    """Error rate: the share of cases that are misclassified."""

    name: ClassVar[str] = "error"
    interval: ClassVar[IntervalRule] = WILSON_OF_RATE

    def bind(self, sample: Sample) -> CaseLoss:
        return replace(self.bind_priors(sample), matrix=1.0 - np.eye(sample.n_classes))


class _ErrorOfOneClass(Error):
    positive: ClassVar[bool]

    def bind(self, sample: Sample) -> CaseLoss:
        code = sample.require_positive() if self.positive else 1 - sample.require_positive()
        return replace(self, matrix=1.0 - np.eye(2), priors=np.eye(2)[code])


@register
class FNF(_ErrorOfOneClass):
    """False negative fraction: the error rate among positives (Yousef, ML Assessment, eq. 4a)."""

    name: ClassVar[str] = "fnf"
    positive: ClassVar[bool] = True


@register
class FPF(_ErrorOfOneClass):
    """False positive fraction: the error rate among negatives (Yousef, ML Assessment, eq. 4b)."""

    name: ClassVar[str] = "fpf"
    positive: ClassVar[bool] = False
