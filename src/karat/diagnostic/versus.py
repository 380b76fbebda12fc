"""Two tests against each other: absolute and relative differences, paired or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from karat.diagnostic.estimates import EffectiveWilson, OfDifference, correlation
from karat.diagnostic.measured import HALF, halves
from karat.diagnostic.measures import MEASURES, called
from karat.diagnostic.pair import Join, PairOfTables, check_one_design, paired_tables, unpaired_tables
from karat.diagnostic.report import TableReport
from karat.errors import InputError
from karat.formulas import mover
from karat.result import Estimate
from karat.result.interval_rules import LOG

NAMES = ("negative", "positive")
COMPARED = ("tpf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")

SAME = "No case tells the two tests apart: the standard error is that with ½ more in every cell of the two tables."
ZERO = "A fraction is 0: ½ was added to every cell of the two tables."
ONE = "A fraction is 1: the standard error is that with ½ more in every cell of the two tables."


@dataclass(frozen=True, eq=False)
class Versus(TableReport):
    """Two tests: first − second and first / second, on TPF, FPF, PPV, NPV, DLR+ and DLR−.

    Attributes
    ----------
    first, second
        Diagnosis of each.
    paired
        Both decided on the same cases; what they owe to these cancels in a difference.
    """

    first: Any
    second: Any
    paired: bool

    def __post_init__(self) -> None:
        if not hasattr(self.second, "versus"):
            raise InputError(
                "a test is compared with another one, both made by karat.diagnose of two classes",
                got=type(self.second).__name__,
                fix="Use diagnose(y, first).versus(diagnose(y, second))",
            )
        check_one_design(self.first.design, self.second.design)
        self._pair  # noqa: B018 - cases that do not belong together are an error at once

    @cached_property
    def _pair(self) -> PairOfTables:
        a, b = self.first, self.second
        if not self.paired:
            return unpaired_tables(a.design, b.design)
        if a.cells is None or b.cells is None:
            raise InputError(
                "paired tests need the decisions of every case, and four counts do not hold them",
                fix="Use diagnose(y, predictions) for both, or say paired=False for two independent samples",
            )
        return paired_tables(a.design, a.cells, b.cells)

    def difference(self, measure: str) -> Estimate:
        """First − second. The interval is made of those of the two (MOVER).

        Of TPF and FPF, with Wilson's intervals, it is Newcombe's (1998): method 10, paired or not.
        """
        a, b = self.values(measure)
        name = f"{measure} difference"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        pair, note = (self._pair.halved() if self._halves(measure) else self._pair), ""
        function = MEASURES[measure].function
        se = pair.se(function, lambda one, other: one - other)
        if se < 1e-12:
            se, note = pair.halved().se(function, lambda one, other: one - other), SAME
        share = MEASURES[measure].bounds == (0.0, 1.0)
        return Estimate(
            a.value - b.value,
            se=se,
            se_method="delta",
            metric=name,
            method=self._method,
            bounds=(-1.0, 1.0) if share else (-math.inf, math.inf),
            interval=OfDifference(a, b, self._correlation(measure, a, b, se)),
        ).noting(note, *a.notes, *b.notes)

    def _correlation(self, measure: str, a: Estimate, b: Estimate, se: float) -> float:
        if not self.paired:
            return 0.0
        phi = correlation(a, b, se)
        if MEASURES[measure].given != "truth" or not (a.plain and b.plain and a.cases and a.se and b.se):
            return phi  # those that two tests call positive are not the same cases
        return mover.paired_correlation(phi, a.cases, a.se, b.se)

    def ratio(self, measure: str) -> Estimate:
        """First / second, with Wald's interval of its logarithm."""
        a, b = self.values(measure)
        name = f"{measure} ratio"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        zero = a.value == 0 or b.value == 0
        pair = self._pair.halved() if zero or self._halves(measure) else self._pair
        function, note = MEASURES[measure].function, ZERO if zero else ""
        one, other = pair.values(function) if zero else (a.value, b.value)
        se = pair.se(function, _log_ratio)
        certain = MEASURES[measure].bounds == (0.0, 1.0) and 1 in (one, other)
        if se < 1e-12 or certain:
            se, note = pair.halved().se(function, _log_ratio), ONE if certain else SAME
        return self._ratio(name, one / other, one / other * se).noting(note, *a.notes, *b.notes)

    def _rows(self) -> list[Estimate]:
        rows = []
        for name in COMPARED:
            a, b = self.values(name)
            rows += [a.with_(metric=f"{name} first"), b.with_(metric=f"{name} second")]
            rows += [self.difference(name), self.ratio(name)]
        return rows

    def _heading(self) -> str:
        lines = [f"Two tests, {self._method} ({self.first.design.name} study); difference: first − second"]
        for name, test in (("First", self.first), ("Second", self.second)):
            lines.append(f"{name}: " + test._heading().replace("\n", "; "))
        return "\n".join(lines)

    def _facts(self) -> dict[str, Any]:
        return {"paired": self.paired, "first": self.first._facts(), "second": self.second._facts()}

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row a measure: both tests, difference and ratio with their intervals."""
        rows = []
        for name in COMPARED:
            (a, b), d, r = self.values(name), self.difference(name), self.ratio(name)
            of_d, of_r = d.row(level), r.row(level)
            rows.append(
                {
                    "measure": name,
                    "first": a.value,
                    "second": b.value,
                    **{k: of_d[k] for k in ("se", "low", "high")},
                    "difference": d.value,
                    "ratio": r.value,
                    "ratio_low": of_r["low"],
                    "ratio_high": of_r["high"],
                    "notes": " ".join(dict.fromkeys(d.notes + r.notes)),
                }
            )
        order = ["measure", "first", "second", "difference", "se", "low", "high", "ratio", "ratio_low", "ratio_high"]
        return pd.DataFrame(rows)[[*order, "notes"]]

    @property
    def _method(self) -> str:
        return "paired" if self.paired else "unpaired"

    def values(self, measure: str) -> tuple[Estimate, Estimate]:
        """The measure of the first and of the second test."""
        if measure not in COMPARED:
            known = called(measure)
            do = f"Here it is called {known}" if known in COMPARED else f"Choose one of {', '.join(COMPARED)}"
            raise InputError(f"two tests are not compared on {measure!r}", fix=do)
        if self._pair.by_both:
            return self._corrected(measure, 0), self._corrected(measure, 1)
        return self.first[measure], self.second[measure]

    def _corrected(self, name: str, which: int) -> Estimate:
        """One test where verification was chosen by both: Begg & Greenes within each pair of decisions."""
        measure, pair = MEASURES[name], self._pair
        hidden = pair.not_verified()
        if hidden:
            said = " and ".join(f"{NAMES[a]} by the first and {NAMES[b]} by the second" for a, b in hidden)
            why = f"Undefined: of the cases decided {said} none has a known truth."
            return Estimate(math.nan, metric=name, method=self._method).noting(why)
        value, note = pair.values(measure.function)[which], ""
        if math.isnan(value):
            return (self.first, self.second)[which][name].with_(value=math.nan, se=None)
        if measure.ratio and (value == 0 or math.isinf(value)):
            pair, note = pair.halved(), f"{HALF}."
            value = pair.values(measure.function)[which]
        se, more = pair.se(measure.function, _ONE[which]), self._pair.halved()
        if measure.ratio:
            return self._ratio(name, value, se).noting(note)
        p = more.values(measure.function)[which]
        trials = p * (1 - p) / more.se(measure.function, _ONE[which]) ** 2
        return Estimate(
            value,
            se=se,
            se_method="delta",
            metric=name,
            method=self._method,
            bounds=(0.0, 1.0),
            interval=EffectiveWilson(trials),
            cases=max(1, math.floor(trials)),
        )

    def _ratio(self, name: str, value: float, se: float) -> Estimate:
        return Estimate(
            value, se, se_method="delta", metric=name, method=self._method, bounds=(0.0, math.inf), interval=LOG
        )

    def _halves(self, measure: str) -> bool:
        """Whether ½ stands in the value of one test: then the standard error is that with ½ in both tables."""
        if self._pair.by_both:
            return any(HALF in note for test in self.values(measure) for note in test.notes)
        return any(halves(test.design, MEASURES[measure]) for test in (self.first, self.second))

    def _undefined(self, name: str, *tests: Estimate) -> Estimate:
        notes = [note for test in tests if math.isnan(test.value) for note in test.notes]
        return Estimate(math.nan, metric=name, method=self._method).noting(*notes)


_ONE: tuple[Join, Join] = (lambda one, other: one, lambda one, other: other)


def _log_ratio(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.log(one) - np.log(other)
