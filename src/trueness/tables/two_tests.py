"""Two tests compared: differences and ratios of their measures, paired or not; and whether a new test is better than the
current one, by four regions around that one in the plane of (FPF, TPF) (Popovici, Classification, "A motivating example").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from trueness.checks import check_level
from trueness.errors import InputError
from trueness.figures.figure import Area, Figure, Line, Mark, Points, roc_panel
from trueness.metrics.registry import canonical
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.shown import Drawn, Result
from trueness.result.test_result import TestResult
from trueness.result.words import FIXED_RULES, INDEPENDENT_CASES, INDEPENDENT_GROUPS, sentence
from trueness.tables.estimation import MEASURES
from trueness.tables.rules import PAIRED_TABLES, UNPAIRED_TABLES, Tables
from trueness.tables.study_designs import Selected
from trueness.tables.table_result import TableResult
from trueness.typing import Floats, Record

if TYPE_CHECKING:
    from trueness.tables.diagnosis import Diagnosis


COMPARED = ("tpf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")


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
        a, b = self.first, self.second
        designs = [(type(d), d.at_prevalence, d.rest_variances.tolist()) for d in (a.design, b.design)]
        if designs[0] != designs[1]:
            got = f"{a.design.name} and {b.design.name}"
            raise InputError("Both tests must have the same design and prevalence", param="design", got=got)
        same_groups = np.array_equal(np.asarray(a.groups), np.asarray(b.groups))
        if (a.groups is None) != (b.groups is None) or (self.paired and not same_groups):
            raise InputError("Both tests must be given the same groups", param="groups", fix="Pass groups to both")
        if not self.paired:
            return
        if isinstance(a.design, Selected):
            raise InputError("Two tests on the same cases of a selected study are not compared", param="design")
        if a.cells is None or b.cells is None:
            fix = "Use diagnose(y, predictions) for both, or paired=False for two independent samples"
            raise InputError("Paired tests need the decision for every case", param="paired", fix=fix)
        # rows of the tables: truth, or truth not known
        if len(a.cells) != len(b.cells) or (a.cells // 2 != b.cells // 2).any():
            fix = "Sort the cases alike, or use paired=False for two independent samples"
            got = f"{len(a.cells)} and {len(b.cells)} cases, in another order or with other true classes"
            raise InputError("Paired tests need the same cases", param="paired", got=got, fix=fix)

    # -- the comparison ------------------------------------------------------------------------------------------

    def measured(self, measure: str) -> Tables:
        """The measure of both tests, by any of its names."""
        known = canonical(measure)
        if known not in MEASURES:
            fix = f"Choose one of {', '.join(MEASURES)}"
            raise InputError(f"Measure {measure!r} is not compared", param="measure", fix=fix)
        a, b, m = self.first, self.second, MEASURES[known]
        cells = np.stack([a.cells, b.cells]) if self.paired and a.cells is not None and b.cells is not None else None
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

    def frame(self) -> pd.DataFrame:
        """One row per measure: both tests, difference and ratio with their intervals."""
        rows = []
        for name in COMPARED:
            (a, b), d, r = self.values(name), self.difference(name).row(self.level), self.ratio(name).row(self.level)
            of_ratio = {"ratio": r["value"], "ratio_low": r["low"], "ratio_high": r["high"]}
            numbers = {"difference": d["value"], **{k: d[k] for k in ("se", "low", "high")}, **of_ratio}
            rows.append({"measure": name, "first": a.value, "second": b.value, **numbers})
        return pd.DataFrame(rows)

    def shown_estimates(self) -> list[Estimate]:
        out = []
        for name in COMPARED:
            a, b = self.values(name)
            out += [a.with_(metric=f"{name} first"), b.with_(metric=f"{name} second")]
            out += [self.difference(name), self.ratio(name)]
        return out

    @property
    def title(self) -> str:
        how = PAIRED_TABLES if self.paired else UNPAIRED_TABLES
        first, second = (test.title.replace("\n", "; ") for test in (self.first, self.second))
        about = f"Two tests, {how} ({self.first.design.name} study); difference: first − second"
        return f"{about}\nFirst: {first}\nSecond: {second}"

    def answer(self) -> str:
        named = (("tpf", "Sensitivity (TPF), first − second:"), ("fpf", "FPF (1 − specificity), first − second:"))
        return " ".join(sentence(self.difference(measure), self.level, name) for measure, name in named)


By = Literal["rates", "dlrs"]

SAME = "="  # instead of a region, where the two points coincide


# the two measures, and whether larger is better (1) or worse (−1)
MEASURES_BY: dict[By, tuple[tuple[str, int], tuple[str, int]]] = {
    "rates": (("TPF", 1), ("FPF", -1)),
    "dlrs": (("DLR−", -1), ("DLR+", 1)),
}


@dataclass(frozen=True)
class Placed:
    """Where the new test lies, by TPF and FPF ("rates") or by DLR− and DLR+ ("dlrs").

    `region` is that of the estimates: "A" better, "D" worse, "B" better in the first measure only, "C" better in the
    second only. `reached` are all regions that the simultaneous intervals `limits` of the two measures reach.
    """

    by: By
    region: str
    reached: str
    limits: Floats  # (2, 2)

    @classmethod
    def of(cls, by: By, values: Floats, limits: Floats, same: bool) -> Placed:
        """From differences ("rates") or ratios ("dlrs"), new to current."""
        (_, up), (_, over) = MEASURES_BY[by]
        neutral = 0 if by == "rates" else 1

        def region(a: float, b: float) -> str:
            return "ABCD"[2 * (up * (a - neutral) < 0) + (over * (b - neutral) < 0)]

        reached = {region(a, b) for a in limits[0] for b in limits[1]}
        return cls(by, SAME if same else region(*values), "".join(sorted(reached)), limits)

    @property
    def shown(self) -> str:
        """What the intervals show."""
        return describe(self.reached, self.by)

    @property
    def estimated(self) -> str:
        """What the estimates alone would show."""
        return describe(self.region, self.by)


def describe(regions: str, by: By) -> str:
    """What these regions have in common.

    Examples
    --------
    >>> describe("A", "rates"), describe("AC", "rates"), describe("ABCD", "rates")
    ('better', 'TPF not shown to differ, FPF better', 'not shown to differ')
    """
    if regions == SAME:
        return "the same"
    states = []
    for better_in in ("AB", "AC"):  # the first and the second measure
        better = [region in better_in for region in regions]
        states.append("better" if all(better) else "not shown to differ" if any(better) else "worse")
    if states[0] == states[1]:
        return states[0]
    return ", ".join(f"{name} {state}" for (name, _), state in zip(MEASURES_BY[by], states, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class FourRegions(Result, Drawn):
    """The points (FPF, TPF) of a new and of the current test, and how they compare by rates and likelihood ratios."""

    columns = {
        "by": Column("new test, compared by"),
        "region": Column(""),
        "reached": Column(""),
        "shown": Column("shown at {percent}"),
        "estimated": Column("estimates alone"),
    }
    heading = "New test: {new_at}\nCurrent test: {current_at}"
    template = "The new test, compared by TPF and FPF: {rates.shown}; by likelihood ratios: {dlrs.shown}."

    new: tuple[float, float]
    current: tuple[float, float]
    rates: Placed
    dlrs: Placed
    level: float

    def rows(self) -> list[Record]:
        return [{name: getattr(placed, name) for name in self.columns} for placed in (self.rates, self.dlrs)]

    @property
    def new_at(self) -> str:
        return "FPF {:.3f}, TPF {:.3f}".format(*self.new)

    @property
    def current_at(self) -> str:
        return "FPF {:.3f}, TPF {:.3f}".format(*self.current)

    @classmethod
    def of(cls, test: Diagnosis, current: TwoTests | Sequence[float], level: float) -> FourRegions:
        """Around the second of two tests, or around a known point (fpf, tpf)."""
        check_level(level)
        new, shift, scale = (test.fpf.value, test.tpf.value), np.zeros(2), np.ones(2)
        if isinstance(current, TwoTests):
            old = (current.second.fpf.value, current.second.tpf.value)
            found = [current.difference("tpf"), current.difference("fpf")]
            found += [current.ratio("dlr_negative"), current.ratio("dlr_positive")]
        else:
            fpf, tpf = old = _point(current)
            shift, scale = np.array([tpf, fpf]), np.array([(1 - tpf) / (1 - fpf), tpf / fpf])
            found = [test.tpf, test.fpf, test.dlr_negative, test.dlr_positive]
        # √level for TPF and FPF, which come from different cases; Bonferroni's for the ratios, which share cases
        levels = np.repeat([level**0.5, 1 - (1 - level) / 2], 2).tolist()
        numbers = np.array([[e.value, *e.ci(each)] for e, each in zip(found, levels, strict=True)])
        moved, times = numbers[:2] - shift[:, None], numbers[2:] / scale[:, None]
        rates = Placed.of("rates", moved[:, 0], moved[:, 1:], new == old)
        return cls(new, old, rates, Placed.of("dlrs", times[:, 0], times[:, 1:], new == old), level)

    def figure(self) -> Figure:
        """Both tests; the lines of the TPF, FPF and likelihood ratios of the current one; and, shaded, where the intervals
        of the differences in TPF and FPF place the new one."""
        x, y = self.current
        (bottom, top), (left, right) = self.rates.limits
        up, down = 1 / max(x, y), 1 / max(1 - x, 1 - y)  # as far as the edge of the square
        marks: list[Mark] = [
            Area(x + np.array([left, right, right, left]), y + np.array([bottom, bottom, top, top])),
            Line([x, x], [0, 1], "TPF, FPF", "--", "soft"),
            Line([0, 1], [y, y], "", "--", "soft"),
            Line([0, x * up], [0, y * up], "likelihood ratios", ":", "soft"),
            Line([1 - (1 - x) * down, 1], [1 - (1 - y) * down, 1], "", ":", "soft"),
            Points([x], [y], "current test", "o", "ink", 40),
            Points([self.new[0]], [self.new[1]], "new test", "D", "C0", 40),
        ]
        return Figure("Two tests", (roc_panel(marks, title=f"By TPF and FPF: {self.rates.shown}"),))


def _point(current: Sequence[float]) -> tuple[float, float]:
    try:
        fpf, tpf = (float(v) for v in current)
    except (TypeError, ValueError):
        fpf = tpf = 0.0
    if not (0 < fpf < 1 and 0 < tpf < 1):
        problem = "current must be a Diagnosis or a point (fpf, tpf) inside the unit square"
        raise InputError(problem, param="current", got=repr(current))
    return fpf, tpf
