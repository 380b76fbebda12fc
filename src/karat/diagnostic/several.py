"""SeveralClasses: a table of more than two classes, its measures a class and their averages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from karat.diagnostic.costs import cost_matrix
from karat.diagnostic.designs import CaseControl, Cohort, Selected, StudyDesign
from karat.diagnostic.measured import NO_PREVALENCE, from_parts, plain, shared, undefined, why_undefined, with_influence
from karat.diagnostic.measures import MEASURES, Measure, called, check_beta, cost
from karat.diagnostic.measures import f_beta as f_beta_measure
from karat.diagnostic.report import TableReport
from karat.errors import InputError
from karat.formulas import tables
from karat.result import Estimate

SHOWN = ("tpf", "fpf", "ppv", "npv", "f1")  # of every class, in the table
AVERAGES = ("macro", "micro", "weighted")
AVERAGED = ("tpf", "ppv", "f1")


@dataclass(frozen=True, eq=False)
class SeveralClasses(TableReport):
    """What `karat.diagnose` returns for more than two classes.

    All standard errors come from the covariance of the whole table (multinomial, or one multinomial a true class
    in a case-control study): the parts of an average share cases, so their variances do not just add.

    Attributes
    ----------
    design
        How the table came about; holds the counts.
    classes
        The labels, in the order of the table.
    interval
        Method of the intervals of plain proportions.
    cells
        (n,) where each case stands in the table.
    """

    design: StudyDesign
    classes: tuple[Any, ...]
    interval: str = "wilson"
    cells: np.ndarray | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        return self.design.n

    def __getitem__(self, name: str) -> Estimate:
        """A measure by its name in the table: "accuracy", "f1 macro", "tpf cat"."""
        rows = {e.metric: e for e in self._rows()}
        if name not in rows:
            raise InputError(
                f"there is no measure {name!r} of several classes",
                fix=f"Choose one of {', '.join(rows)}, or use per_class, macro, micro or weighted",
            )
        return rows[name]

    # -- of the whole table --------------------------------------------------------------------------------------

    @property
    def accuracy(self) -> Estimate:
        right = int(np.trace(self.design.table))
        return self._share("accuracy", tables.accuracy, right)

    @property
    def error(self) -> Estimate:
        wrong = int(self.design.table.sum() - np.trace(self.design.table))
        return self._share("error", lambda t: 1 - tables.accuracy(t), wrong)

    @property
    def mcc(self) -> Estimate:
        """Matthews' correlation coefficient of several classes, R_K (Gorodkin 2004)."""
        return self._made(replace(MEASURES["mcc"], function=tables.mcc))

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa."""
        return self._made(replace(MEASURES["kappa"], function=tables.kappa))

    def cost(self, matrix: Any) -> Estimate:
        """Mean cost a case; matrix[i][j] is the cost of deciding j where the truth is i, in the order of `classes`."""
        return self._made(cost(cost_matrix(matrix, len(self.classes))))

    # -- class by class, and averaged ----------------------------------------------------------------------------

    def per_class(self, measure: str) -> dict[Any, Estimate]:
        """A measure of every class against the rest, e.g. per_class("f1")."""
        return {label: self._one(_finite(measure), c) for c, label in enumerate(self.classes)}

    def macro(self, measure: str) -> Estimate:
        """Unweighted mean over the classes."""
        return self._average("macro", measure, lambda each, t: each.mean(axis=0))

    def weighted(self, measure: str) -> Estimate:
        """Mean over the classes, weighted by their shares P(truth = c), which vary from sample to sample as well."""
        return self._average(
            "weighted",
            measure,
            lambda each, t: (each * np.moveaxis(t.sum(axis=-1) / t.sum(axis=(-2, -1))[..., None], -1, 0)).sum(axis=0),
        )

    def micro(self, measure: str) -> Estimate:
        """The measure of the sum of all tables of one class against the rest."""
        m = _finite(measure)
        every = range(len(self.classes))
        function = lambda t: m.function(np.sum([tables.against_rest(t, c) for c in every], axis=0))  # noqa: E731
        return self._made(_average_of(m, "micro", function, True))

    def f_beta(self, beta: float, average: str = "macro") -> Estimate:
        """F_β, averaged: "macro", "micro" or "weighted"."""
        if average not in AVERAGES:
            raise InputError('average must be "macro", "micro" or "weighted"', got=repr(average))
        check_beta(beta)
        return getattr(self, average)(f_beta_measure(beta))

    # -- making them ---------------------------------------------------------------------------------------------

    def _average(self, kind: str, measure: Any, mean: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Estimate:
        m = _finite(measure)

        def function(t: np.ndarray) -> np.ndarray:
            each = np.stack([m.function(tables.against_rest(t, c)) for c in range(len(self.classes))])
            return mean(each, t)

        alone = kind == "macro" and m.name in ("tpf", "fnf")  # conditions on each true class: no prevalence enters
        of_cases = kind == "weighted" and m.name in ("tpf", "fnf")  # that is the accuracy, or the error
        out = self._made(replace(_average_of(m, kind, function, not alone), averaged=not of_cases))
        if kind == "macro" and not math.isnan(out.value):
            return self._from_classes(out, m, function)
        return out

    def _from_classes(self, out: Estimate, m: Measure, function: Callable) -> Estimate:
        """A macro average with MOVER's limits, where it is linear in parts of the table that are independent.

        Those are the true classes for TPF and FNF (in a case-control study for TNF and FPF as well), the decisions
        for the PPV. In a cohort their totals are taken as they are, as Wilson's interval of a single class does.
        """
        parts: StudyDesign | None = None
        if m.given == "truth" and isinstance(self.design, CaseControl):
            parts = self.design
        elif m.name in ("tpf", "fnf") and isinstance(self.design, Cohort):
            parts = CaseControl(self.design.table)
        elif m.name == "ppv" and not isinstance(self.design, CaseControl):
            parts = Selected(np.vstack([self.design.table, np.zeros(len(self.classes), dtype=int)]))
        if parts is None:
            return out
        return from_parts(out, parts, _average_of(m, "macro", function, False, linear=True), self.interval)

    def _one(self, measure: Measure, c: int) -> Estimate:
        label = str(self.classes[c])
        name = f"{measure.name} {f'class {label}' if label in AVERAGES else label}"
        alone = measure.name in ("tpf", "fnf")
        table = tables.against_rest(self.design.table, c)
        is_plain = (
            (isinstance(self.design, Cohort) and measure.given != "")
            or ("truth" in self.design.plain and alone)
            or ("decision" in self.design.plain and measure.name == "ppv")
        )  # fmt: skip
        made = replace(
            measure,
            name=name,
            function=lambda t: measure.function(tables.against_rest(t, c)),
            needs_prevalence=not alone,
        )
        if not is_plain:
            return self._made(replace(made, given=""))
        x, n = measure.trials(table)
        found = plain(x, n, name, self.interval, self.design, why_undefined(self.design, self._names))
        return with_influence(found, self.design, made, self.cells)

    def _share(self, name: str, function: Callable[[np.ndarray], np.ndarray], x: int) -> Estimate:
        made = Measure(name, function, name, "", needs_prevalence=True, linear=True)
        if isinstance(self.design, Cohort):
            found = plain(x, self.n, name, self.interval, self.design, "")
            return with_influence(found, self.design, made, self.cells)
        return self._made(made)

    def _made(self, measure: Measure) -> Estimate:
        if measure.needs_prevalence and not self.design.knows_prevalence:
            return undefined(measure.name, self.design, NO_PREVALENCE)
        found = shared(self.design, measure, self.interval, why_undefined(self.design, self._names))
        return with_influence(found, self.design, measure, self.cells)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(repr(label) for label in self.classes)

    def _rows(self) -> list[Estimate]:
        whole = [self.accuracy, self.error, self.mcc, self.kappa]
        averages = [getattr(self, kind)(m) for m in AVERAGED for kind in ("macro", "weighted")]
        each = [e for m in SHOWN for e in self.per_class(m).values()]
        return [*whole, *averages, *each]

    def _heading(self) -> str:
        labels = [str(label) for label in self.classes]
        width = max(len(x) for x in [*labels, *map(str, self.design.table.ravel().tolist())])
        lead = max(len("truth"), *map(len, labels))
        head = "truth".ljust(lead) + "".join(f"  {x.rjust(width)}" for x in labels) + "   (decision)"
        rows = [
            label.ljust(lead) + "".join(f"  {str(k).rjust(width)}" for k in row)
            for label, row in zip(labels, self.design.table.tolist(), strict=True)
        ]
        if isinstance(self.design, Selected):
            hidden = "".join(f"  {str(k).rjust(width)}" for k in self.design.unverified.tolist())
            rows.append("?".ljust(lead) + hidden + "   (not verified)")
        first = f"{self.n} cases of {len(self.classes)} classes ({self.design.name} study)"
        return "\n".join([first, "", head, *rows])

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "classes": [str(label) for label in self.classes],
            "counts": self.design.table.tolist(),
            "design": self.design.name,
        }
        if isinstance(self.design, Selected):
            facts["unverified"] = self.design.unverified.tolist()
        return facts


def _average_of(m: Measure, kind: str, function: Callable, needs_prevalence: bool, linear: bool = False) -> Measure:
    name = f"{m.name} {kind}"
    return replace(m, name=name, function=function, given="", needs_prevalence=needs_prevalence, linear=linear)


def _finite(measure: Any) -> Measure:
    """A measure of two classes that can be averaged."""
    if isinstance(measure, Measure):
        return measure
    usable = [m.name for m in MEASURES.values() if not m.ratio and m.name != "prevalence"]
    known = called(measure)
    if known not in usable:
        raise InputError(
            f"there is no measure {measure!r} of one class against the rest",
            fix=f"Choose one of {', '.join(usable)}; for a ratio diagnose(y == label, predictions == label)",
        )
    return MEASURES[known]
