"""Functions of the table of truth and decision that are no means: predictive values, likelihood ratios, F_β,
correlations. Those that are means (accuracy, TPF, balanced accuracy) are in cost.py."""

import math
import numbers
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from trueness.errors import InputError
from trueness.formulas import tables
from trueness.metrics.table import Measure, TableMeasure
from trueness.result.interval import LOG, IntervalRule
from trueness.typing import Array


class _PredictiveValue(TableMeasure):
    """The share of the cases with one decision that are decided rightly."""

    of_two: ClassVar[bool] = True
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

    name: ClassVar[str] = "ppv"
    title: ClassVar[str] = "positive predictive value"
    aliases: ClassVar[str] = "precision, 1 − false discovery rate, post-test probability after a positive result"
    decision: ClassVar[int] = 1


class NPV(_PredictiveValue):
    """Negative predictive value: the share of negatives among the cases that are predicted negative."""

    name: ClassVar[str] = "npv"
    title: ClassVar[str] = "negative predictive value"
    aliases: ClassVar[str] = "1 − false omission rate"
    decision: ClassVar[int] = 0


class _Ratio(TableMeasure):
    of_two: ClassVar[bool] = True
    needs_prevalence: ClassVar[bool] = False
    ratio: ClassVar[bool] = True
    interval: ClassVar[IntervalRule] = LOG


class DLRPositive(_Ratio):
    """Positive diagnostic likelihood ratio: TPF / FPF, by which a positive decision multiplies the odds."""

    name: ClassVar[str] = "dlr_positive"
    title: ClassVar[str] = "positive diagnostic likelihood ratio"
    aliases: ClassVar[str] = "DLR+, LR+, positive likelihood ratio"

    def function(self, t: Array) -> Array:
        return tables.dlr_positive(t)


class DLRNegative(_Ratio):
    """Negative diagnostic likelihood ratio: FNF / TNF, by which a negative decision multiplies the odds."""

    name: ClassVar[str] = "dlr_negative"
    title: ClassVar[str] = "negative diagnostic likelihood ratio"
    aliases: ClassVar[str] = "DLR−, LR−, negative likelihood ratio, neg_negative_likelihood_ratio"
    higher_is_better: ClassVar[bool | None] = False

    def function(self, t: Array) -> Array:
        return tables.dlr_negative(t)


class OddsRatio(_Ratio):
    """Diagnostic odds ratio: DLR+ / DLR−."""

    name: ClassVar[str] = "odds_ratio"
    title: ClassVar[str] = "diagnostic odds ratio"
    aliases: ClassVar[str] = "DOR, OR, cross-product ratio"

    def function(self, t: Array) -> Array:
        return tables.odds_ratio(t)


@dataclass(frozen=True, eq=False)
class FBeta(TableMeasure):
    """F_β = (1 + β²) PPV TPF / (β² PPV + TPF) (Wu 2018, eq. 21); of several classes the mean of one against the rest.

    Parameters
    ----------
    beta : float, default 1.0
        From 0 (the PPV) to infinity (the TPF).
    """

    beta: float = 1.0
    name: ClassVar[str] = "f_beta"

    def __post_init__(self) -> None:
        if not isinstance(self.beta, numbers.Real) or not float(self.beta) >= 0:
            raise InputError("beta must be a number ≥ 0", param="beta", got=repr(self.beta))
        object.__setattr__(self, "name", "f_beta(inf)" if math.isinf(self.beta) else f"f{self.beta:g}")
        super().__post_init__()

    def function(self, t: Array) -> Array:
        if self.n_classes == 2:
            return tables.f_beta(t, self.beta)
        each = [tables.f_beta(tables.against_rest(t, c), self.beta) for c in self.targets]
        return np.asarray(np.mean(each, axis=0))


class F1(FBeta):
    """F1: the harmonic mean of PPV and TPF, 2 TP/(2 TP + FP + FN); of several classes the mean of one against the
    rest."""

    name: ClassVar[str] = "f1"
    title: ClassVar[str] = "F1"
    aliases: ClassVar[str] = "F-measure, F-score, Dice's coefficient, Sørensen–Dice coefficient"


class MCC(TableMeasure):
    """Matthews' correlation of truth and decision; several classes: Gorodkin's R_K (2004)."""

    name: ClassVar[str] = "mcc"
    title: ClassVar[str] = "Matthews' correlation coefficient"
    aliases: ClassVar[str] = (
        "matthews_corrcoef, φ coefficient, Pearson's correlation of truth and decision, R_K of several classes"
    )
    correlation: ClassVar[bool] = True

    def function(self, t: Array) -> Array:
        return tables.mcc(t)


class Kappa(TableMeasure):
    """Cohen's kappa: agreement of truth and decision beyond what their shares alone would give."""

    name: ClassVar[str] = "kappa"
    title: ClassVar[str] = "Cohen's kappa"
    aliases: ClassVar[str] = "chance-corrected agreement, Heidke's skill score"
    correlation: ClassVar[bool] = True

    def function(self, t: Array) -> Array:
        return tables.kappa(t)
