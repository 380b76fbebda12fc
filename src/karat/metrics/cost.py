"""Losses read off a table of costs: the error rate, risk with costs and priors, FNF and FPF."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.metrics.metric import CaseLoss, in_order
from karat.metrics.registry import register

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample


@dataclass(frozen=True, eq=False)
class Cost(CaseLoss):
    """Mean cost of a decision: R = Σ c_ij P_i Pr[decide j | truth i]  (seeds/000, eq. 1c and 4c).

    Parameters
    ----------
    priors
        Class probabilities where those of the sample are not those of the population (a case-control
        study); None: the shares of the sample.
    matrix
        matrix[i][j] is the cost of predicting j where the truth is i; two classes in the order
        negative, positive, several in sorted order.

    Examples
    --------
    >>> import karat
    >>> missed_is_ten_times_worse = karat.metrics.Cost(matrix=[[0, 1], [10, 0]])
    """

    matrix: Any = None
    name: ClassVar[str] = "cost"
    needs: ClassVar[str] = "predictions"

    @property
    def bounds(self) -> tuple[float, float]:
        table = np.asarray(self.matrix, dtype=float)
        if self.priors is not None:
            table = table[np.asarray(self.priors) > 0]
        return float(table.min()), float(table.max())

    def bind(self, sample: Sample) -> CaseLoss:
        try:
            table = np.asarray(self.matrix, dtype=float)
        except (TypeError, ValueError):
            raise InputError("the cost matrix must be numbers, a row and a column a class", got=self.matrix) from None
        c = sample.n_classes
        if table.shape != (c, c) or not np.isfinite(table).all():
            raise InputError(
                "the cost matrix must have a row and a column a class", got=f"shape {table.shape} for {c} classes"
            )
        if np.ptp(table) == 0:
            raise InputError("all costs are the same, so no decision matters", got=table.tolist())
        if c == 2 and sample.require_positive() == 0:  # given as negative, positive; classes are sorted
            table = table[::-1, ::-1]
        bound = replace(self, matrix=table, priors=None)
        return bound if self.priors is None else bound.with_priors(in_order(self.priors, sample), sample)

    def losses(self, block: Block) -> np.ndarray:
        predictions = self._decided(block)
        losses = np.asarray(self.matrix, dtype=float)[block.codes, predictions]
        return np.where(predictions < 0, np.nan, losses)

    def mean_if(self, block: Block, code: int) -> float:
        said = np.bincount(self._decided(block).ravel(), minlength=len(self.matrix))
        return float(self.matrix[code] @ said / said.sum())

    def _decided(self, block: Block) -> np.ndarray:
        if block.predictions is None:
            raise InputError(
                f"{self.name} needs decisions, and these Fits have scores only",
                fix="Pass predictions= (or, with two classes, threshold=) to Fits.from_arrays",
            )
        return block.predictions


@register
class Error(Cost):
    """Error rate: the share of cases given the wrong class."""

    name: ClassVar[str] = "error"

    def bind(self, sample: Sample) -> CaseLoss:
        bound = replace(self, matrix=1.0 - np.eye(sample.n_classes), priors=None)
        return bound if self.priors is None else bound.with_priors(in_order(self.priors, sample), sample)


class _ErrorOfOneClass(Error):
    positive: ClassVar[bool]

    def bind(self, sample: Sample) -> CaseLoss:
        code = sample.require_positive() if self.positive else 1 - sample.require_positive()
        return replace(self, matrix=1.0 - np.eye(2), priors=np.eye(2)[code])


@register
class FNF(_ErrorOfOneClass):
    """False negative fraction: the error rate among positives  (seeds/000, eq. 4a)."""

    name: ClassVar[str] = "fnf"
    positive: ClassVar[bool] = True


@register
class FPF(_ErrorOfOneClass):
    """False positive fraction: the error rate among negatives  (seeds/000, eq. 4b)."""

    name: ClassVar[str] = "fpf"
    positive: ClassVar[bool] = False
