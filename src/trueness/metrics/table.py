"""Functions of the table of truth and decision: PPV, NPV, F1, Matthews' correlation, Cohen's kappa.

The cells of the table are means over cases, so a function f of them has a linear form at a table p (the delta method):

    f(q) ≈ f(p) + Σ_ij g_ij q_ij,    g = ∂f/∂p,    Σ_ij g_ij p_ij = 0

The last holds because f does not change when the table is scaled. g is a cost matrix (`TableMeasure.linear`), and every
standard error of a mean cost is one of f. Measures that are linear themselves (accuracy, TPF, balanced accuracy) are in
cost.py.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from trueness.errors import UndefinedError
from trueness.formulas import delta, tables
from trueness.metrics.cost import Cost, decided
from trueness.metrics.metric import Metric, Needs, positive_of_two, refuse_missing
from trueness.result import Estimate
from trueness.result.interval import WILSON, IntervalRule
from trueness.result.named import DELTA, HALF_ADDED
from trueness.result.note import Note
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats

ZERO_SE = 1e-12  # a smaller standard error is 0 up to rounding


@dataclass(frozen=True, eq=False)
class TableMeasure(Metric):
    """A smooth function of the shares of cases by truth and decision, which scaling the table does not change.

    An estimate from resampling is the function of the averaged table, not the average of the function over folds or
    replicates, in which a measure may be undefined.

    Attributes
    ----------
    n_classes : int
        Set by `bind`, as are the next two.
    positive : int or None
        Index of the positive class of two; None for several, and for a correlation.
    targets : tuple of int
        Classes with cases.
    correlation : bool
        A correlation of truth and decision, whose plug-in variance is too small where a cell is empty.
    share : bool
        A share of the cases with one decision, which is a plain proportion on a test set; `out_of` counts them.
    """

    n_classes: int = 2
    positive: int | None = 1
    targets: tuple[int, ...] = (0, 1)
    correlation: ClassVar[bool] = False
    share: ClassVar[bool] = False
    interval: ClassVar[IntervalRule] = WILSON
    needs: ClassVar[Needs] = "predictions"

    @abstractmethod
    def function(self, t: Array) -> Array:
        """(...) from tables (..., C, C), two classes in the order negative, positive; analytic (formulas/delta.py).

        NaN where it has no finite slope, as √x at 0: a complex step gives a number there, far too large.
        """

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.correlation else (0.0, 1.0)

    def bind(self, sample: Sample) -> TableMeasure:
        needed = sample.n_classes == 2 and not self.correlation  # a correlation is the same for both
        positive = sample.require_positive() if needed else None
        targets = tuple(np.flatnonzero(sample.sizes).tolist())
        return replace(self, n_classes=sample.n_classes, positive=positive, targets=targets)

    def value(self, table: Array) -> Array:
        """(...) from tables (..., C, C) in the order of the sample's classes; NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.function(table[..., ::-1, ::-1] if self.positive == 0 else table))

    def value_at(self, table: Floats) -> float:
        """The value at one table, inside the range."""
        value = float(self.value(table))
        if np.isnan(value):
            raise UndefinedError(
                f"{self.name} is 0/0: a class has no cases, or none is ever predicted",
                param="metric",
                got=f"the table of truth and decision {table.round(4).tolist()}",
            )
        return min(max(value, self.bounds[0]), self.bounds[1])

    def linear(self, table: Floats) -> Cost:
        """The mean cost g that f is close to at this table; an error where f is undefined there."""
        self.value_at(table)
        slopes = delta.gradient(self.value, table)
        return Cost(matrix=np.where(np.isfinite(slopes), slopes, 0.0))

    def se(self, table: Floats) -> float:
        """Standard error where `table` holds the counts of independent cases: √Σ n_ij (∂f/∂n_ij)²."""
        return float(np.sqrt(delta.variance(self.linear(table).table, table)))

    def trials(self, shares: Floats, n: float) -> float:
        """How many independent trials a test set of n cases with these shares is worth: p(1 − p)/se² on the unit scale.

        Of the table with two cases added, spread over all cells, so that it is finite and positive at the ends of the
        range (docs/decisions/005).
        """
        table = with_two_cases(shares * n)
        low, high = self.bounds
        p = (float(self.value(table)) - low) / (high - low)
        return p * (1 - p) * ((high - low) / self.se(table)) ** 2

    def out_of(self, table: Floats) -> float:
        """The cases that a share is a share of; all where the measure is none."""
        return float(table.sum())

    def rows(self, block: Block, weights: Floats) -> Floats:
        return np.asarray(self.value(self.tables(block, weights)))

    def tables(self, block: Block, weights: Floats) -> Floats:
        """(b, C, C) sums of the weights (b, m) by truth and decision, for each rule."""
        predictions, used, c = decided(block, self.name), weights > 0, self.n_classes
        refuse_missing((predictions < 0) & used, self.name)
        b = len(predictions)
        cell = (np.arange(b)[:, None] * c + block.codes) * c + np.where(used, predictions, 0)
        return np.bincount(cell.ravel(), weights.ravel(), minlength=b * c * c).astype(float).reshape(b, c, c)


def has_certain_class(table: Array) -> bool:
    """Whether a class has no error or no success, so that it adds no variance to an average over classes."""
    right = np.diag(table)
    return bool(((right == 0) | (right == table.sum(axis=1)) | (right == table.sum(axis=0))).any())


def with_half_in_se(out: Estimate, se: float, n_classes: int) -> Estimate:
    """An empty cell adds nothing to the plug-in variance; it does to `se`, that of the table with two more cases."""
    plug_in = out.se if out.se and out.se >= ZERO_SE else 0.0
    why = "0" if plug_in == 0 else "too small because a cell is empty"
    added = "½ added to every cell" if n_classes == 2 else "2 cases added, spread over all cells"
    message = f"The plug-in standard error is {why}; the standard error is that of the table with {added}."
    return out.with_(se=se, se_method=DELTA.plus(HALF_ADDED)).noting(Note("se-half-added", message, plug_in=plug_in))


def with_two_cases(table: Floats) -> Floats:
    """With ½ added to every cell of two classes, 2/C² of C."""
    return np.asarray(table + 2 / table.size)


class PPV(TableMeasure):
    """Positive predictive value (precision): the share of positives among the cases that are predicted positive."""

    name: ClassVar[str] = "ppv"
    share: ClassVar[bool] = True

    def bind(self, sample: Sample) -> TableMeasure:
        positive_of_two(sample, self.name)
        return super().bind(sample)

    def function(self, t: Array) -> Array:
        _, fp, _, tp = tables.cells(t)
        return np.asarray(tp / (tp + fp))

    def out_of(self, table: Floats) -> float:
        return float(table[:, self.positive].sum())


class NPV(PPV):
    """Negative predictive value: the share of negatives among the cases that are predicted negative."""

    name: ClassVar[str] = "npv"

    def function(self, t: Array) -> Array:
        tn, _, fn, _ = tables.cells(t)
        return np.asarray(tn / (tn + fn))

    def out_of(self, table: Floats) -> float:
        return float(table.sum()) - super().out_of(table)


class F1(TableMeasure):
    """F1: the harmonic mean of PPV and TPF, 2 TP/(2 TP + FP + FN); of several classes the mean of one against the
    rest."""

    name: ClassVar[str] = "f1"

    def function(self, t: Array) -> Array:
        if self.n_classes == 2:
            return tables.f_beta(t, beta=1.0)
        return np.asarray(
            sum(tables.f_beta(tables.against_rest(t, c), beta=1.0) for c in self.targets) / len(self.targets)
        )


class MCC(TableMeasure):
    """Matthews' correlation of truth and decision; several classes: Gorodkin's R_K (2004)."""

    name: ClassVar[str] = "mcc"
    correlation: ClassVar[bool] = True

    def function(self, t: Array) -> Array:
        return tables.mcc(t)


class Kappa(TableMeasure):
    """Cohen's kappa: agreement of truth and decision beyond what their shares alone would give."""

    name: ClassVar[str] = "kappa"
    correlation: ClassVar[bool] = True

    def function(self, t: Array) -> Array:
        return tables.kappa(t)
