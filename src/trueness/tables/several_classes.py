"""SeveralClasses: a table of more than two classes, its measures per class and their averages."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from trueness.checks import check_choice
from trueness.errors import InputError
from trueness.formulas import tables
from trueness.formulas.proportions import ProportionMethod
from trueness.metrics.cost import Cost
from trueness.metrics.measure import Cells, Measure, cells_where
from trueness.metrics.registry import canonical, measure_of
from trueness.metrics.scorer import MetricLike
from trueness.metrics.table import FBeta
from trueness.result.estimate import Estimate
from trueness.result.shown import Table
from trueness.result.words import sentence
from trueness.tables.estimation import MEASURES, FromParts
from trueness.tables.rules import of_one_table
from trueness.tables.study_designs import CaseControl, Cohort, Selected, StudyDesign
from trueness.tables.table_result import MeasureAttribute, TableResult
from trueness.typing import Array, Ints, Label

Average = Literal["macro", "micro", "weighted"]

SHOWN_PER_CLASS = ("tpf", "fpf", "ppv", "npv", "f1")
SHOWN_AVERAGED = ("tpf", "ppv", "f1")
OF_ONE_CLASS = tuple(m.name for m in MEASURES.values() if not m.ratio and m.name != "prevalence")
OF_TRUE_CLASS_ALONE = ("tpf", "fnf")  # class against the rest: of these no other class is a part


@dataclass(frozen=True, eq=False, repr=False)
class SeveralClasses(TableResult):
    """What `trueness.diagnose` returns for more than two classes.

    All standard errors come from the covariance of the whole table (multinomial, or one multinomial per true class
    in a case-control study), because the terms of an average share cases.

    Attributes
    ----------
    design : StudyDesign
        How the table was sampled; holds the counts.
    classes : tuple
        The labels, in the order of the table.
    interval : str
        Method of the intervals of plain proportions.
    cells : ndarray of shape (n,), optional
        Cell of each case in the table.
    level : float
        Level of the intervals in tables.
    accuracy, error, mcc, kappa : Estimate
        Measures of the whole table.
    """

    design: StudyDesign
    classes: tuple[Label, ...]
    interval: ProportionMethod = "wilson"
    cells: Ints | None = field(default=None, repr=False)
    level: float = 0.95

    @property
    def n(self) -> int:
        return self.design.n

    def __getitem__(self, name: str) -> Estimate:
        """A measure by its name in the table, "accuracy", "f1 macro", "tpf cat", or a metric of the whole table by any
        of its names."""
        found = {e.metric: e for e in self.shown_estimates()}
        return found[name] if name in found else self._whole(canonical(name) or name)

    # -- of the whole table --------------------------------------------------------------------------------------

    accuracy = MeasureAttribute()
    error = MeasureAttribute()
    mcc = MeasureAttribute()
    kappa = MeasureAttribute()

    def cost(self, matrix: npt.ArrayLike) -> Estimate:
        """Mean cost per case; `matrix[i][j]` is the cost of deciding j where the truth is i, ordered as `classes`."""
        return self._whole(Cost(matrix=matrix))

    def _whole(self, metric: MetricLike) -> Estimate:
        return self._estimate(measure_of(metric, self.classes))

    # -- class by class, and averaged ----------------------------------------------------------------------------

    def per_class(self, measure: str) -> dict[Label, Estimate]:
        """A measure of every class against the rest, e.g. per_class("f1")."""
        return {label: self._one_class(_averageable(measure), c) for c, label in enumerate(self.classes)}

    def macro(self, measure: str) -> Estimate:
        """Unweighted mean over the classes."""
        return self._average("macro", _averageable(measure))

    def weighted(self, measure: str) -> Estimate:
        """Mean over the classes, weighted by their shares P(truth = c), whose sampling error is included."""
        return self._average("weighted", _averageable(measure))

    def micro(self, measure: str) -> Estimate:
        """The measure of the sum of all tables of one class against the rest."""
        return self._average("micro", _averageable(measure))

    def f_beta(self, beta: float, average: Average = "macro") -> Estimate:
        """F_β for β ≥ 0, averaged over the classes."""
        check_choice("average", average, get_args(Average), f"There is no average {average!r}")
        return self._average(average, measure_of(FBeta(beta)))

    def _average(self, kind: Average, m: Measure) -> Estimate:
        def function(margins: Array) -> Array:
            against_rest, truth = tables.against_rest(margins), margins[..., 0, :]
            if kind == "micro":
                return m.function(against_rest.sum(axis=-3))
            each = m.function(against_rest)
            if kind == "macro":
                return np.asarray(each.mean(axis=-1))
            return np.asarray((each * truth).sum(axis=-1) / truth.sum(axis=-1))

        alone = m.name in OF_TRUE_CLASS_ALONE
        measure = m.of_margins(
            function,
            name=f"{m.name} {kind}",
            given="",
            needs_prevalence=not (alone and kind == "macro"),
            linear=False,
            by_class=False,
            of_rates=None,
            averaged=kind == "macro" or (kind == "weighted" and not alone),  # weighted TPF is the accuracy
        )
        out = self._estimate(measure)
        parts = self._independent_parts(m) if kind == "macro" and not math.isnan(out.value) else None
        if parts is None:
            return out
        return out.with_(interval=FromParts(parts, replace(measure, linear=True), self.interval))

    def _independent_parts(self, m: Measure) -> StudyDesign | None:
        """A design in whose independent parts the macro average is linear, so that MOVER gives its limits.

        The parts are the true classes for TPF and FNF (in a case-control study for TNF and FPF as well), the decisions
        for the PPV. In a cohort their totals are taken as fixed, as in Wilson's interval of a single class.
        """
        if m.given == "truth" and isinstance(self.design, CaseControl):
            return self.design
        if m.name in OF_TRUE_CLASS_ALONE and isinstance(self.design, Cohort):
            return CaseControl(self.design.table)
        if m.name == "ppv" and not isinstance(self.design, CaseControl):
            return Selected(np.vstack([self.design.table, np.zeros(len(self.classes), dtype=int)]))
        return None

    def _one_class(self, m: Measure, c: int) -> Estimate:
        label = str(self.classes[c])
        alone = m.name in OF_TRUE_CLASS_ALONE
        plain = isinstance(self.design, Cohort) or alone or m.name == "ppv"  # where the design has such shares
        is_c = np.arange(len(self.classes)) == c
        places = [np.outer(is_c == truth, is_c == said) for truth in (False, True) for said in (False, True)]

        def among_all(cells: Cells) -> Cells:
            return cells_where(np.any([places[2 * i + j] for i, j in cells], axis=0)) if cells else ()

        return self._estimate(
            m.of_margins(
                lambda margins: m.function(tables.against_rest(margins)[..., c, :, :]),
                name=f"{m.name} {f'class {label}' if label in get_args(Average) else label}",
                needs_prevalence=not alone,
                given=m.given if plain else "",  # class against the rest, other classes are a part of
                hits=among_all(m.hits),
                out_of=among_all(m.out_of),
                by_class=False,
                of_rates=None,
            )
        )

    def _estimate(self, measure: Measure) -> Estimate:
        design = replace(self.design, names=tuple(map(repr, self.classes)))
        return of_one_table(design, measure, self.cells, None, self.interval)

    # -- shown ---------------------------------------------------------------------------------------------------

    def shown_estimates(self) -> list[Estimate]:
        whole = [self._whole(name) for name in ("accuracy", "error", "mcc", "kappa")]
        averages = [average(m) for m in SHOWN_AVERAGED for average in (self.macro, self.weighted)]
        each = [e for m in SHOWN_PER_CLASS for e in self.per_class(m).values()]
        return [*whole, *averages, *each]

    @property
    def title(self) -> str:
        return f"{self.n} cases of {len(self.classes)} classes ({self.design.name} study)"

    def answer(self) -> str:
        return f"{sentence(self.accuracy, self.level)} {sentence(self.macro('f1'), self.level, 'Macro F1')}"

    def _tables(self) -> tuple[Table, ...]:
        labels = [str(label) for label in self.classes]
        rows = [[label, *map(str, row)] for label, row in zip(labels, self.design.table.tolist(), strict=True)]
        if isinstance(self.design, Selected):
            rows.append(["not verified", *map(str, self.design.unverified.tolist())])
        counts = Table(["truth", *labels], rows, "Cases by truth (rows) and decision (columns)")
        return (counts, *super()._tables())


def _averageable(measure: str) -> Measure:
    """A measure of one class against the rest, by any of its names."""
    known = canonical(measure)
    if known not in OF_ONE_CLASS:
        problem, fix = f"There is no measure {measure!r} of one class", f"Choose one of {', '.join(OF_ONE_CLASS)}"
        raise InputError(problem, param="measure", fix=fix)
    return MEASURES[known]
