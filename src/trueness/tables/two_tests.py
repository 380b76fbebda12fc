"""Two tests compared: differences and ratios of their measures, paired or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.metrics import canonical
from trueness.result import Estimate
from trueness.result.paired import paired_test
from trueness.result.shown import tidy
from trueness.result.test_result import TestResult
from trueness.result.words import FIXED_RULES, INDEPENDENT_CASES, INDEPENDENT_GROUPS, counted, sentence, sentences
from trueness.tables.estimation import MEASURES
from trueness.tables.rules import PAIRED_TABLES, UNPAIRED_TABLES, Tables
from trueness.tables.study_designs import CaseControl, Selected, StudyDesign
from trueness.tables.table_result import TableResult

if TYPE_CHECKING:
    from trueness.tables.diagnosis import Diagnosis

COMPARED = ("tpf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")


def check_same_design(first: StudyDesign, second: StudyDesign) -> None:
    """An error where two tests come from different designs or were given different prevalences."""
    if type(first) is not type(second):
        raise InputError("The two tests have different designs", param="design", got=f"{first.name} and {second.name}")
    if isinstance(first, CaseControl) and isinstance(second, CaseControl):
        a, b = ((p.logit, p.logit_se) if p is not None else None for p in (first.prevalence, second.prevalence))
        if a != b:
            raise InputError(
                "The two tests have different prevalences", param="prevalence", fix="Pass the same prevalence to both"
            )


@dataclass(frozen=True, eq=False, repr=False)
class TwoTests(TableResult):
    """What `Diagnosis.versus` returns: first − second and first / second of TPF, FPF, PPV, NPV, DLR+ and DLR−.

    Attributes
    ----------
    first, second : Diagnosis
        The two tests.
    paired : bool
        Whether both were applied to the same cases.
    level : float
        Level of the intervals in tables.
    """

    first: Diagnosis
    second: Diagnosis
    paired: bool
    level: float = 0.95

    def __post_init__(self) -> None:
        check_same_design(self.first.design, self.second.design)
        self._check_groups()
        self._check_cases()

    def _check_cases(self) -> None:
        """Where they are paired, both have the same cases."""
        first, second = self.first.cells, self.second.cells
        if not self.paired:
            return
        if first is None or second is None:
            raise InputError(
                "Paired tests need the decision for every case, which four counts do not contain",
                param="paired",
                fix="Use diagnose(y, predictions) for both, or paired=False for two independent samples",
            )
        if len(first) != len(second):
            raise InputError(
                "Paired tests need the same cases, and the numbers of cases differ",
                param="paired",
                got=f"{len(first)} and {len(second)} cases",
                fix="Use paired=False for two independent samples",
            )
        differ = int((first // 2 != second // 2).sum())  # rows of the tables: truth, or truth not known
        if differ:
            raise InputError(
                "Paired tests need the same cases, and the true classes differ",
                param="paired",
                got=f"{counted(differ, 'case')} with different truths",
                fix="Sort the cases alike, or use paired=False for two independent samples",
            )

    def _check_groups(self) -> None:
        """Both tests have groups, the same ones where they are paired, or neither has."""
        a, b = self.first.groups, self.second.groups
        if (a is None) != (b is None) or (self.paired and a is not None and not np.array_equal(a, np.asarray(b))):
            raise InputError("Both tests must be given the same groups", param="groups", fix="Pass groups to both")
        if a is not None and isinstance(self.first.design, Selected):
            raise InputError("Two tests of a selected study have no standard errors for groups", param="groups")

    # -- the comparison ------------------------------------------------------------------------------------------

    def measured(self, measure: str) -> Tables:
        """The measure of both tests, by any of its names."""
        known = canonical(measure)
        if known not in MEASURES:
            fix = f"Choose one of {', '.join(MEASURES)}"
            raise InputError(f"Measure {measure!r} is not compared", param="measure", fix=fix)
        a, b, m = self.first, self.second, MEASURES[known]
        cells = np.stack([a.cells, b.cells]) if self.paired and a.cells is not None and b.cells is not None else None
        if cells is not None and isinstance(a.design, Selected):
            return Tables.verified_by_both(m, a.design, cells)
        groups = a.groups if self.paired else None
        return Tables.over(m, (a[known], b[known]), (a.design, b.design), cells, groups, grouped=a.groups is not None)

    def values(self, measure: str) -> tuple[Estimate, Estimate]:
        """The measure of the first and of the second test."""
        first, second = self.measured(measure).rules
        return first, second

    def difference(self, measure: str) -> Estimate:
        """First − second.

        The difference of two shares of the same cases (TPF, FPF, TNF, FNF; accuracy and error of a cohort) has Tango's
        interval, as that of `comparisons.mcnemar`; others have one from those of the two tests (MOVER), which
        `ci(method="mover")` gives of shares too: with Wilson's intervals it is Newcombe's (1998) method 10.
        """
        return self.measured(measure).difference()

    def ratio(self, measure: str) -> Estimate:
        """First / second, with Wald's interval of its logarithm."""
        return self.measured(measure).ratio()

    def test(self, measure: str) -> TestResult | None:
        """The test of the difference: McNemar's of shares of the same cases (Obuchowski's in groups), else the
        difference over its standard error; None where there is none."""
        groups = INDEPENDENT_CASES if self.first.groups is None else INDEPENDENT_GROUPS
        return paired_test(self.difference(measure), f"Difference of the {measure}", assumptions=(FIXED_RULES, groups))

    # -- shown ---------------------------------------------------------------------------------------------------

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        """One row per measure: both tests, difference and ratio with their intervals; with `details` also the notes."""
        rows = []
        for name in COMPARED:
            (a, b), d, r = self.values(name), self.difference(name), self.ratio(name)
            of_d, of_r = d.row(self.level), r.row(self.level)
            rows.append(
                {
                    "measure": name,
                    "first": a.value,
                    "second": b.value,
                    "difference": d.value,
                    **{k: of_d[k] for k in ("se", "low", "high")},
                    "ratio": r.value,
                    "ratio_low": of_r["low"],
                    "ratio_high": of_r["high"],
                    "notes": sentences(dict.fromkeys(d.notes + r.notes)),
                }
            )
        return tidy(rows, details)

    def shown_estimates(self) -> list[Estimate]:
        out = []
        for name in COMPARED:
            a, b = self.values(name)
            out += [a.with_(metric=f"{name} first"), b.with_(metric=f"{name} second")]
            out += [self.difference(name), self.ratio(name)]
        return out

    def _title(self) -> str:
        how = PAIRED_TABLES if self.paired else UNPAIRED_TABLES
        lines = [f"Two tests, {how} ({self.first.design.name} study); difference: first − second"]
        for name, test in (("First", self.first), ("Second", self.second)):
            lines.append(f"{name}: " + test._title().replace("\n", "; "))
        return "\n".join(lines)

    def _answer(self, level: float) -> str:
        named = (("tpf", "Sensitivity (TPF), first − second:"), ("fpf", "FPF (1 − specificity), first − second:"))
        return " ".join(sentence(self.difference(measure), level, name) for measure, name in named)

    def _facts(self) -> dict[str, object]:
        return {"paired": self.paired, "first": self.first._facts(), "second": self.second._facts()}
