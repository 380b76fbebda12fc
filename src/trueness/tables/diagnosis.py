"""Diagnosis: a table of two classes and its measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import special

from trueness.checks import level_of
from trueness.errors import InputError
from trueness.figures.figure import Area, Figure, Line, Mark, Panel, Points, Text
from trueness.formulas.proportions import ProportionMethod
from trueness.metrics.cost import Cost
from trueness.metrics.metric import Metric
from trueness.metrics.registry import canonical, measure_of
from trueness.metrics.table import FBeta
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT, Interval
from trueness.result.words import DELTA, sentence, with_interval
from trueness.tables.estimation import MEASURES, SHOWN
from trueness.tables.rules import of_one_table
from trueness.tables.study_designs import NAMES, Prevalence, PrevalenceLike, Selected, StudyDesign
from trueness.tables.table_result import MeasureAttribute, TableResult
from trueness.tables.two_tests import FourRegions, TwoTests
from trueness.typing import Ints

PERCENT = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9])
RATIOS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])


@dataclass(frozen=True, eq=False, repr=False)
class PostTest(TableResult):
    """P(positive class) before a test, and after a positive and a negative result; `plot()` draws Fagan's nomogram."""

    pre_test: float
    dlr_positive: Estimate
    dlr_negative: Estimate
    positive: Estimate
    negative: Estimate
    level: float = 0.95

    @classmethod
    def of(cls, dlr_positive: Estimate, dlr_negative: Estimate, pre_test: PrevalenceLike, level: float) -> PostTest:
        rho = Prevalence.of(pre_test, param="pre_test")
        positive, negative = _after(dlr_positive, rho, "+"), _after(dlr_negative, rho, "−")
        return cls(float(rho.shares[1]), dlr_positive, dlr_negative, positive, negative, level)

    def shown_estimates(self) -> list[Estimate]:
        return [self.dlr_positive, self.dlr_negative, self.positive, self.negative]

    def figure(self) -> Figure:
        """Fagan's nomogram (1975): straight lines from the probability before the test to those after it.

        logit(after) = logit(before) + ln DLR: with −logit(before) on the left and logit(after) on the right, the middle
        of a line is at ½ ln DLR.
        """
        odds, start = special.logit(PERCENT / 100), -special.logit(self.pre_test)
        marks: list[Mark] = []
        for result, e, color in (("positive", self.positive, "accent"), ("negative", self.negative, "C0")):
            end, ends = special.logit(e.value), special.logit(e.ci(self.level))
            marks.append(Area([0, 2, 2], [start, *ends.clip(-7, 7)], color=color))
            marks.append(Line([0, 2], [start, end], f"{result}: {with_interval(e, self.level)}", "-o", color))
        for x, at, numbers in ((0, -odds, PERCENT), (1, np.log(RATIOS) / 2, RATIOS), (2, odds, PERCENT)):
            side = 0.03 if x == 2 else -0.03
            marks.append(Line([x, x], [at.min(), at.max()], color="soft", width=0.9))
            for place, number in zip(at.tolist(), numbers.tolist(), strict=True):
                marks.append(Line([x, x + side], [place, place], color="soft", width=0.9))
                marks.append(Text(x + 1.6 * side, place, f"{number:g}", "start" if x == 2 else "end"))
        for x, words in enumerate(("before the test (%)", "likelihood ratio", "after the test (%)")):
            marks.append(Text(x, -7.7, words))
        marks.append(Points([0], [start], color="ink", size=20))
        panel = Panel(marks, x_limits=(-0.45, 2.45), y_limits=(-8.0, 8.6), x_ticks={}, y_ticks={})
        return Figure("Fagan's nomogram", (panel,), size=(5.6, 7.2))

    @property
    def title(self) -> str:
        return f"Probability of the positive class before the test: {self.pre_test:.4g}"

    def answer(self) -> str:
        after = ((self.positive, "After a positive result:"), (self.negative, "After a negative result:"))
        return " ".join(sentence(e, self.level, name) for e, name in after)


def _after(dlr: Estimate, rho: Prevalence, result: str) -> Estimate:
    """logit P(D | result) = logit ρ + ln DLR; the two are independent, so their variances add."""
    name = f"post-test probability {result}"
    if math.isnan(dlr.value) or dlr.se is None:
        return dlr.with_(metric=name)
    p = float(special.expit(rho.logit + math.log(dlr.value)))
    return Estimate(
        p,
        se=p * (1 - p) * math.hypot(dlr.se / dlr.value, rho.logit_se),
        se_method=DELTA,
        df=dlr.df,
        metric=name,
        method=dlr.method,
        estimand=f"this rule at a pre-test probability of {float(rho.shares[1]):.4g}",
        bounds=(0.0, 1.0),
        interval=LOGIT,
        notes=dlr.notes,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(TableResult):
    """What `trueness.diagnose` returns for two classes. Every measure is an Estimate: `d.tpf.value`, `d.tpf.ci(0.95)`.

    Attributes
    ----------
    design : StudyDesign
        How the table was sampled; holds the counts.
    interval : str
        Method of the intervals of plain proportions; docs/diagnostic.md lists those of the other measures.
    classes : tuple
        The labels: negative, positive.
    cells : ndarray of shape (n,), optional
        Cell of each case in the table, where labels were given; used to pair two tests on the same cases.
    level : float
        Level of the intervals in tables.
    groups : ndarray of shape (n,), optional
        The group of each case, where only whole groups are independent.
    tpf, fpf, tnf, fnf, ppv, npv, dlr_positive, dlr_negative, odds_ratio, accuracy, error, balanced_accuracy, youden, \
mcc, kappa, f1, prevalence : Estimate
        The measures; also by other names in brackets, as `d["sensitivity"]`.
    """

    design: StudyDesign
    interval: ProportionMethod = "wilson"
    classes: tuple[object, ...] = NAMES
    cells: Ints | None = field(default=None, repr=False)
    level: float = 0.95
    groups: Ints | None = field(default=None, repr=False)

    tpf = MeasureAttribute()
    fpf = MeasureAttribute()
    tnf = MeasureAttribute()
    fnf = MeasureAttribute()
    ppv = MeasureAttribute()
    npv = MeasureAttribute()
    dlr_positive = MeasureAttribute()
    dlr_negative = MeasureAttribute()
    odds_ratio = MeasureAttribute()
    accuracy = MeasureAttribute()
    error = MeasureAttribute()
    balanced_accuracy = MeasureAttribute()
    youden = MeasureAttribute()
    mcc = MeasureAttribute()
    kappa = MeasureAttribute()
    f1 = MeasureAttribute()
    prevalence = MeasureAttribute()

    def __getitem__(self, name: str | Metric) -> Estimate:
        """A metric of the table by any of its names: d["tpf"], d["sensitivity"], d["LR+"], d[FBeta(2)]."""
        name = name if isinstance(name, Metric) else canonical(name) or name
        measure = MEASURES[name] if name in MEASURES else measure_of(name, self.classes)
        return of_one_table(self.design, measure, self.cells, self.groups, self.interval)

    @property
    def n(self) -> int:
        return self.design.n

    def f_beta(self, beta: float) -> Estimate:
        """F_β for β ≥ 0 (Wu 2018, eq. 21); β = 0 is the PPV, β = ∞ the TPF."""
        return self[FBeta(beta)]

    def cost(self, matrix: npt.ArrayLike) -> Estimate:
        """Mean cost per case, Σ c_ij P(i, j) (Wu 2018, eq. 14).

        `matrix[i][j]` is the cost of deciding j where the truth is i, classes in the order negative, positive.
        """
        return self[Cost(matrix=matrix)]

    # -- the two fractions together ----------------------------------------------------------------------------

    def joint_region(self, level: float | None = None) -> tuple[Interval, Interval]:
        """Rectangle ((fpf_low, fpf_high), (tpf_low, tpf_high)) that covers both with this confidence.

        Positives and negatives are different cases, so the two intervals are independent and each is taken at
        √level: 1 − α = (1 − α*)² (Popovici, Classification, "Rectangular confidence regions"). Groups may hold cases of
        both classes; each is then taken at (1 + level)/2 (Bonferroni).
        """
        level = level_of(level, self.level)
        if self.groups is not None:
            return self.fpf.ci((1 + level) / 2), self.tpf.ci((1 + level) / 2)
        return self.fpf.ci(level**0.5), self.tpf.ci(level**0.5)

    def post_test(self, pre_test: PrevalenceLike, level: float | None = None) -> PostTest:
        """Probability of the positive class after a positive and after a negative result.

        logit P(after) = logit P(before) + ln DLR± (Popovici, Classification, "Likelihood ratios").
        `pre_test` is the probability before the test, given as `prevalence` of `trueness.diagnose`.
        """
        return PostTest.of(self.dlr_positive, self.dlr_negative, pre_test, level_of(level, self.level))

    # -- another test ------------------------------------------------------------------------------------------

    def versus(self, other: Diagnosis, paired: bool = True) -> TwoTests:
        """Compare with another test: differences (this − other) and ratios of TPF, FPF, PPV, NPV, DLR+, DLR−.

        Paired tests come from `diagnose(y, predictions)` on the same cases in the same order; with paired=False the
        two are independent samples.
        """
        if not isinstance(other, Diagnosis):
            raise InputError("other must be a Diagnosis of two classes", param="other", got=type(other).__name__)
        return TwoTests(self, other, paired, self.level)

    def four_regions(
        self, current: Diagnosis | Sequence[float], level: float | None = None, paired: bool = True
    ) -> FourRegions:
        """Compare this (new) test with the current one: better, worse, or better in one measure and worse in the other.

        By TPF and FPF, and by DLR+ and DLR−, each pair at the simultaneous `level`. `current` is a Diagnosis (`paired`
        as in `versus`) or a point (fpf, tpf), taken as known.
        """
        around = self.versus(current, paired) if isinstance(current, Diagnosis) else current
        return FourRegions.of(self, around, level_of(level, self.level))

    # -- shown -------------------------------------------------------------------------------------------------

    def shown_estimates(self) -> list[Estimate]:
        return [self[name] for name in SHOWN]

    def answer(self) -> str:
        said = [sentence(self.tpf, self.level, "Sensitivity (TPF)"), sentence(self.tnf, self.level, "Specificity")]
        if self.design.at_prevalence is not None:  # which is why it is given
            said += [f"At a prevalence of {self.design.at_prevalence:.3g}:"]
            said += [sentence(self.ppv, self.level, "PPV"), sentence(self.npv, self.level, "NPV")]
        return " ".join(said)

    @property
    def title(self) -> str:
        (tn, fp), (fn, tp) = self.design.table.tolist()
        lines = [f"TP {tp}  FN {fn}  FP {fp}  TN {tn}  ({self.design.name} study)"]
        lines += [f"Positive: {self.classes[1]}, negative: {self.classes[0]}"] if self.classes != NAMES else []
        if isinstance(self.design, Selected):
            negative, positive = self.design.unverified.tolist()
            lines.append(f"Not verified: {positive} decided positive, {negative} decided negative")
        if self.groups is not None:
            lines.append(f"Cases: {len(self.groups)}, groups: {len(np.unique(self.groups))}")
        return "\n".join(lines)
