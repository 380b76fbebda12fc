"""Two tests against each other: absolute and relative differences, paired or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from karat.diagnostic.estimates import DifferenceEstimate, RatioEstimate, correlation
from karat.diagnostic.measured import halves
from karat.diagnostic.measures import MEASURES
from karat.diagnostic.pair import PairOfTables, check_one_design, paired_tables, unpaired_tables
from karat.errors import InputError
from karat.result import Estimate

COMPARED = ("tpf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")

SAME = "No case tells the two tests apart: the standard error is that with ½ more in every cell of the two tables."
ZERO = "A fraction is 0: ½ was added to every cell of the two tables."
ONE = "A fraction is 1: the standard error is that with ½ more in every cell of the two tables."


@dataclass(frozen=True, eq=False)
class Versus:
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

    @cached_property
    def _pair(self) -> PairOfTables:
        a, b = self.first, self.second
        if not self.paired:
            return unpaired_tables(a.design, b.design)
        if a.cells is None or b.cells is None:
            raise InputError(
                "paired tests need the decisions of every case, and four counts do not hold them",
                do="Use diagnose(y, predictions) for both, or say paired=False for two independent samples",
            )
        return paired_tables(a.design, a.cells, b.cells)

    def difference(self, measure: str) -> Estimate:
        """First − second. The interval is made of those of the two (MOVER: Newcombe's where they are Wilson's)."""
        a, b = self._both(measure)
        name = f"{measure} difference"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        pair, note = (self._pair.halved() if self._halves(measure) else self._pair), ""
        function = MEASURES[measure].function
        se = pair.se(function, lambda one, other: one - other)
        if se < 1e-12:
            se, note = pair.halved().se(function, lambda one, other: one - other), SAME
        share = MEASURES[measure].bounds == (0.0, 1.0)
        return DifferenceEstimate(
            a.value - b.value,
            se=se,
            se_method="delta",
            metric=name,
            method=self._method,
            bounds=(-1.0, 1.0) if share else (-math.inf, math.inf),
            first=a,
            second=b,
            correlation=correlation(a, b, se) if self.paired else 0.0,
        ).noting(note, *a.notes, *b.notes)

    def ratio(self, measure: str) -> Estimate:
        """First / second, with Wald's interval of its logarithm."""
        a, b = self._both(measure)
        name = f"{measure} ratio"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        zero = a.value == 0 or b.value == 0
        pair = self._pair.halved() if zero or self._halves(measure) else self._pair
        function, note = MEASURES[measure].function, ZERO if zero else ""
        one, other = pair.values(function)
        se = pair.se(function, _log_ratio)
        certain = MEASURES[measure].bounds == (0.0, 1.0) and 1 in (one, other)
        if se < 1e-12 or certain:
            se, note = pair.halved().se(function, _log_ratio), ONE if certain else SAME
        out = RatioEstimate(one / other, se=one / other * se, se_method="delta", metric=name, method=self._method)
        return out.noting(note, *a.notes, *b.notes)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row a measure: both tests, difference and ratio with their intervals."""
        rows = []
        for name in COMPARED:
            (a, b), d, r = self._both(name), self.difference(name), self.ratio(name)
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

    def _both(self, measure: str) -> tuple[Estimate, Estimate]:
        if measure not in COMPARED:
            raise InputError(f"two tests are not compared on {measure!r}", do=f"Choose one of {', '.join(COMPARED)}")
        check_one_design(self.first.design, self.second.design)
        pair = [test[measure] for test in (self.first, self.second)]
        if self._halves(measure):  # one has an empty cell: both tables get ½, or they could not be compared
            pair = [test._halved()[measure].noting(*test[measure].notes) for test in (self.first, self.second)]
        return pair[0], pair[1]

    def _halves(self, measure: str) -> bool:
        return any(halves(test.design, MEASURES[measure]) for test in (self.first, self.second))

    def _undefined(self, name: str, *tests: Estimate) -> Estimate:
        notes = [note for test in tests if math.isnan(test.value) for note in test.notes]
        return Estimate(math.nan, metric=name, method=self._method).noting(*notes)


def _log_ratio(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.log(one) - np.log(other)
