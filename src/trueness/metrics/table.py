"""Metrics that are functions of the table of truth and decision.

The cells of the table are means over cases, so a function f of them has a linear form at a table p (the delta method):

    f(q) ≈ f(p) + Σ_ij g_ij q_ij,    g = ∂f/∂p,    Σ_ij g_ij p_ij = 0

The last holds because f does not change when the table is scaled. g is a cost matrix, and every standard error of a
mean cost is one of f (trueness.estimators.linearized). `trueness.tables` has the standard errors and intervals of f
of counts, for all study designs.
"""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from trueness.errors import InputError
from trueness.formulas import tables
from trueness.metrics.cost import Cost
from trueness.metrics.measure import Measure, MeasureOfMeans, OfTable
from trueness.metrics.metric import CaseLoss, decided, positive_of_two, refuse_missing
from trueness.result.interval import LOG, WILSON, IntervalRule
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats


@dataclass(frozen=True, eq=False)
class TableMeasure(OfTable, MeasureOfMeans):
    """A smooth function of the shares of cases by truth and decision, which scaling the table does not change.

    Attributes
    ----------
    n_classes : int
        Set by `bind`, as are the next two.
    positive : int or None
        Index of the positive class of two; None for several, and for a correlation.
    targets : tuple of int
        Classes with cases.
    of_two : bool
        Whether it exists for two classes only.
    needs_prevalence : bool
        Whether it depends on P(truth).
    ratio : bool
        A ratio of probabilities, from 0 to infinity, with the interval of its logarithm.
    correlation : bool
        A correlation of truth and decision, from −1 to 1, the same for both classes.
    """

    n_classes: int = field(default=2, kw_only=True)
    positive: int | None = field(default=1, kw_only=True)
    targets: tuple[int, ...] = field(default=(0, 1), kw_only=True)
    of_two = False
    needs_prevalence = True
    means_key = "table"
    ratio = False
    correlation = False
    interval: ClassVar[IntervalRule] = WILSON
    bounds = (0.0, 1.0)

    @abstractmethod
    def function(self, t: Array) -> Array:
        """(...) from tables (..., C, C), two classes in the order negative, positive; see `Measure`."""

    @property
    def measure(self) -> Measure:
        return Measure(
            self.name,
            self.value,
            self.bounds,
            needs_prevalence=self.needs_prevalence,
            ratio=self.ratio,
            correlation=self.correlation,
            averaged=self.n_classes > 2,
        )

    def bound(self, sample: Sample) -> Self:
        if self.of_two:
            positive_of_two(sample, self.name)
        needed = sample.n_classes == 2 and not self.correlation  # a correlation is the same for both
        positive = sample.require_positive() if needed else None
        targets = tuple(np.flatnonzero(sample.sizes).tolist())
        return replace(self, n_classes=sample.n_classes, positive=positive, targets=targets)

    def value(self, table: Array) -> Array:
        """(...) from tables (..., C, C) in the order of the sample's classes; NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.function(table[..., ::-1, ::-1] if self.positive == 0 else table))

    def linear(self, slopes: Floats) -> CaseLoss:
        return Cost(matrix=slopes)

    def rows(self, block: Block, weights: Floats) -> Floats:
        values = self.value(self.tables(block, weights))
        return np.where(np.isinf(values), np.nan, values)  # a ratio over 0

    def tables(self, block: Block, weights: Floats) -> Floats:
        """(b, C, C) sums of the weights (b, m) by truth and decision, for each rule."""
        predictions, used, c = decided(block, self.name), weights > 0, self.n_classes
        refuse_missing((predictions < 0) & used, self.name)
        b = len(predictions)
        cell = (np.arange(b)[:, None] * c + block.codes) * c + np.where(used, predictions, 0)
        return np.bincount(cell.ravel(), weights.ravel(), minlength=b * c * c).astype(float).reshape(b, c, c)


class _PredictiveValue(TableMeasure):
    """The share of the cases with one decision that are decided rightly."""

    of_two = True
    decision: ClassVar[int]  # 0 negative, 1 positive

    def function(self, t: Array) -> Array:
        tn, fp, fn, tp = tables.cells(t)
        return np.asarray(tp / (tp + fp) if self.decision else tn / (tn + fn))

    @property
    def measure(self) -> Measure:
        d = self.decision if self.positive else 1 - self.decision  # in the order of the sample's classes
        return replace(super().measure, given="decision", hits=((d, d),), out_of=((0, d), (1, d)))


class PPV(_PredictiveValue):
    """Positive predictive value (precision): the share of positives among the cases that are predicted positive."""

    name = "ppv"
    title = "positive predictive value"
    aliases = "precision, 1 − false discovery rate, post-test probability after a positive result"
    decision = 1


class NPV(_PredictiveValue):
    """Negative predictive value: the share of negatives among the cases that are predicted negative."""

    name = "npv"
    title = "negative predictive value"
    aliases = "1 − false omission rate"
    decision = 0


class _Ratio(TableMeasure):
    of_two = True
    needs_prevalence = False
    ratio = True
    interval = LOG
    bounds = (0.0, math.inf)


class DLRPositive(_Ratio):
    """Positive diagnostic likelihood ratio: TPF / FPF, by which a positive decision multiplies the odds."""

    name = "dlr_positive"
    title = "positive diagnostic likelihood ratio"
    words = {"dlr_positive": ("LR+", "LR+")}
    aliases = "DLR+, LR+, positive likelihood ratio"

    def function(self, t: Array) -> Array:
        return tables.dlr_positive(t)


class DLRNegative(_Ratio):
    """Negative diagnostic likelihood ratio: FNF / TNF, by which a negative decision multiplies the odds."""

    name = "dlr_negative"
    title = "negative diagnostic likelihood ratio"
    words = {"dlr_negative": ("LR−", "LR−")}
    aliases = "DLR−, LR−, negative likelihood ratio, neg_negative_likelihood_ratio"
    higher_is_better = False

    def function(self, t: Array) -> Array:
        return tables.dlr_negative(t)


class OddsRatio(_Ratio):
    """Diagnostic odds ratio: DLR+ / DLR−."""

    name = "odds_ratio"
    title = "diagnostic odds ratio"
    aliases = "DOR, OR, cross-product ratio"

    def function(self, t: Array) -> Array:
        return tables.odds_ratio(t)


class OfMargins(TableMeasure):
    """A function of the margins of the table and of its diagonal: many classes take no longer than few."""

    @abstractmethod
    def of_margins(self, m: Array) -> Array:
        """(...) from sums by truth, sums by decision and diagonals (..., 3, C); see `Measure`."""

    def function(self, t: Array) -> Array:
        return self.of_margins(tables.margins(t))

    def slopes(self, table: Array) -> Array:
        turn = -1 if self.positive == 0 else 1
        return tables.margin_gradient(self.of_margins, table[::turn, ::turn])[::turn, ::turn]

    @property
    def measure(self) -> Measure:
        return replace(super().measure, slopes=self.slopes)


@dataclass(frozen=True, eq=False)
class FBeta(OfMargins):
    """F_β = (1 + β²) PPV TPF / (β² PPV + TPF) (Wu 2018, eq. 21); of several classes the mean of one against the rest.

    Parameters
    ----------
    beta : float, default 1.0
        From 0 (the PPV) to infinity (the TPF).
    """

    beta: float = 1.0
    name = "f_beta"

    def __post_init__(self) -> None:
        if not isinstance(self.beta, numbers.Real) or not float(self.beta) >= 0:
            raise InputError("beta must be a number ≥ 0", param="beta", got=repr(self.beta))
        object.__setattr__(self, "name", "f_beta(inf)" if math.isinf(self.beta) else f"f{self.beta:g}")
        super().__post_init__()

    def of_margins(self, m: Array) -> Array:
        each = tables.f_beta(tables.against_rest(m), self.beta)
        return np.asarray(each[..., 1] if self.n_classes == 2 else each[..., list(self.targets)].mean(axis=-1))


class F1(FBeta):
    """F1: the harmonic mean of PPV and TPF, 2 TP/(2 TP + FP + FN); of several classes the mean of one against the
    rest."""

    name = "f1"
    title = "F1"
    aliases = "F-measure, F-score, F1 score, Dice's coefficient, Sørensen–Dice coefficient"


class MCC(OfMargins):
    """Matthews' correlation of truth and decision; several classes: Gorodkin's R_K (2004)."""

    name = "mcc"
    title = "Matthews' correlation coefficient"
    aliases = "matthews_corrcoef, φ coefficient, Pearson's correlation of truth and decision, R_K of several classes"
    correlation = True
    bounds = (-1.0, 1.0)

    def of_margins(self, m: Array) -> Array:
        return tables.mcc(m)


class Kappa(OfMargins):
    """Cohen's kappa: agreement of truth and decision beyond what their shares alone would give."""

    name = "kappa"
    title = "Cohen's kappa"
    aliases = "chance-corrected agreement, kappa score, Heidke's skill score"
    correlation = True
    bounds = (-1.0, 1.0)

    def of_margins(self, m: Array) -> Array:
        return tables.kappa(m)
