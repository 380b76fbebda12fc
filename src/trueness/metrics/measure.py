"""Functions of the table of truth and decision, and metrics that are such a function or one of means over cases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from trueness.formulas import tables
from trueness.metrics.metric import CaseLoss, Metric
from trueness.sample.rows import Block
from trueness.typing import Array, Bools, Floats

TableFunction = Callable[[Array], Array]  # (..., C, C) tables → (...) numbers
Cells = tuple[tuple[int, int], ...]  # (truth, decision)


@dataclass(frozen=True, eq=False)
class Measure:
    """A function of tables, with what its standard errors and intervals depend on.

    Scaling a table does not change it. It is differentiated by a complex step (trueness.formulas.tables), so it has no
    `abs`, `max` or comparison; NaN where it has no finite slope, as √x at 0.
    """

    name: str
    function: TableFunction
    bounds: tuple[float, float] = (0.0, 1.0)
    needs_prevalence: bool = True  # whether it depends on P(truth), which a case-control study does not estimate
    hits: Cells = ()  # cells of a share Σ hits / Σ out_of
    out_of: Cells = ()
    # What a share conditions on. The study design determines for which of these a share is a plain binomial proportion.
    given: Literal["truth", "decision", "nothing", ""] = ""
    ratio: bool = False  # A ratio: its logarithm is nearly normal, and ½ is added to every cell where one is empty
    # A correlation of truth and decision of two classes: its plug-in variance is too small where a cell is empty
    correlation: bool = False
    linear: bool = False  # A mean over the cases, Σ c_ij P(i, j)
    by_class: bool = False  # Σ_c P_c (mean cost of class c) with given P_c, whatever the sizes of the classes
    averaged: bool = False  # A mean over classes, in which a class of few cases may have a large weight
    of_rates: tuple[float, float] | None = None  # a and b of a + b (TPF − FPF)
    slopes: TableFunction | None = None  # ∂/∂t in closed form or by the margins, instead of one table for every cell

    def of_margins(self, function: TableFunction, **changes: Any) -> Measure:
        """Another function, of margins (..., 3, C), with what else changes."""
        return replace(
            self,
            function=lambda t: function(tables.margins(t)),
            slopes=lambda t: tables.margin_gradient(function, t),
            **changes,
        )

    def trials(self, counts: Array) -> tuple[int, int]:
        """x and n of a share."""
        return int(sum(counts[c] for c in self.hits)), int(sum(counts[c] for c in self.out_of))


def cells_where(mask: Bools) -> Cells:
    """The places where a mask (C, C) is True."""
    return tuple((int(i), int(j)) for i, j in np.argwhere(mask))


class MeasureOfMeans(Metric):
    """A smooth function of means over cases, which scaling all of them together does not change.

    An estimate from resampling is the function of the averaged means, not the average of the function over folds or
    replicates, in which a measure may be undefined.
    """

    @property
    @abstractmethod
    def means_key(self) -> Hashable:
        """Equal for measures with the same means, so that these are computed once."""

    @abstractmethod
    def value(self, table: Array) -> Array:
        """(...) from means or sums (..., *shape); NaN where undefined. Differentiated by a complex step."""

    def slopes(self, table: Array) -> Array:
        """∂/∂table of `value` at one table."""
        return tables.gradient(self.value, table)

    @abstractmethod
    def tables(self, block: Block, weights: Floats) -> Floats:
        """(b, *shape) sums over the cases of each rule, weighted."""

    @abstractmethod
    def linear(self, slopes: Floats) -> CaseLoss:
        """The loss of a case whose mean is Σ slopes · means."""


class OfTable(Metric):
    """A metric that is a function of the table, so that counts alone have it: `trueness.diagnose`, `roc(...).best`."""

    needs = "predictions"

    @property
    @abstractmethod
    def measure(self) -> Measure:
        """The function of tables in the order of the classes that the metric is bound to."""
