"""Two tests compared: differences and ratios of their measures, paired or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.formulas import mover
from trueness.formulas.tables import delta_variance, gradient
from trueness.metrics import canonical
from trueness.metrics.table import Measure, TableFunction
from trueness.result import Estimate, Note
from trueness.result.digits import counted, sentence
from trueness.result.interval import LOG, EffectiveWilson
from trueness.result.named import (
    DELTA,
    FIXED_RULES,
    GROUPS,
    INDEPENDENT_CASES,
    INDEPENDENT_GROUPS,
    Named,
    StandardError,
)
from trueness.result.note import sentences
from trueness.result.paired import paired_test
from trueness.result.test_result import TestResult
from trueness.sample.measured import Means
from trueness.tables.estimation import (
    MEASURES,
    NAMES,
    ZERO_SE,
    OfDifference,
    correlation,
    correlation_in_groups,
    half_added,
    needs_half,
    se_in_groups,
    within,
)
from trueness.tables.study_designs import CaseControl, Selected, StudyDesign
from trueness.tables.table_result import TableResult
from trueness.typing import Array, Ints

if TYPE_CHECKING:
    from trueness.tables.diagnosis import Diagnosis

Join = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class PairOfTables:
    """Counts of two tests."""

    design: StudyDesign  # the study design of both; only the shape of its counts is used
    # paired: (rows, 2, 2) cases by truth, decision of the first test, decision of the second. Unpaired: (2, rows, 2)
    # the two tables.
    counts: Array
    paired: bool

    @classmethod
    def of_cases(cls, design: StudyDesign, first: Ints, second: Ints) -> PairOfTables:
        """Paired, from the cells (n,) of each case in the two tables."""
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
        rows = len(design.counts)
        counts = np.bincount(first * 2 + second % 2, minlength=rows * 4).reshape(rows, 2, 2)
        return cls(design, counts, True)

    @classmethod
    def of_samples(cls, first: StudyDesign, second: StudyDesign) -> PairOfTables:
        """Two independent samples."""
        return cls(first, np.stack([first.counts, second.counts]), False)

    @property
    def by_both(self) -> bool:
        """Whether the decisions of both tests determined who was verified, so that both enter the correction."""
        return self.paired and isinstance(self.design, Selected)

    def not_verified(self) -> list[tuple[int, int]]:
        """Pairs of decisions that occur but have no case with a known truth."""
        if not self.by_both:
            return []
        empty = (self.counts[:-1].sum(axis=0) == 0) & (self.counts[-1] > 0)
        return [(int(a), int(b)) for a, b in np.argwhere(empty)]

    def halved(self) -> PairOfTables:
        """½ added to every cell of both tables: ¼ to every cell of a joint one."""
        more = np.zeros(self.counts.shape)
        if self.paired:
            more[:2] = 0.25
        else:
            more[:, :2] = 0.5
        return replace(self, counts=self.counts + more)

    def values(self, function: TableFunction) -> tuple[float, float]:
        """The measure of each test."""
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (function(t) for t in self._joint(np.append(self.counts.astype(float), self.design.rest)))
        return float(one), float(other)

    def se(self, function: TableFunction, join: Join) -> float:
        """Standard error of join(measure of the first, measure of the second), by the delta method."""

        def joined(theta: Array) -> Array:
            one, other = (function(t) for t in self._joint(theta))
            return join(one, other)

        counts = self.counts.astype(float)
        theta, variances = np.append(counts, self.design.rest), np.append(counts, self.design.rest_variances)
        return math.sqrt(delta_variance(gradient(joined, theta, variances), variances))

    def _joint(self, theta: Array) -> tuple[Array, Array]:
        size = self.counts.size
        counts = theta[..., :size].reshape(*theta.shape[:-1], *self.counts.shape)
        rest = theta[..., size:]
        if self.by_both:
            return self._tables(_corrected(counts))
        one, other = self._tables(counts)
        return self.design.population(one, rest), self.design.population(other, rest)

    def _tables(self, counts: Array) -> tuple[Array, Array]:
        """(..., rows, 2) the table of each test."""
        if self.paired:
            return counts.sum(axis=-1), counts.sum(axis=-2)
        return counts[..., 0, :, :], counts[..., 1, :, :]


def _corrected(counts: Array) -> Array:
    """(..., 2, 2, 2) truth, first, second: P(i, j, k) = (m_jk/n) v_ijk/v_·jk, Begg & Greenes with both decisions."""
    known = counts[..., :-1, :, :]
    verified = known.sum(axis=-3, keepdims=True)
    return np.asarray(known / np.where(verified == 0, 1, verified) * counts.sum(axis=-3, keepdims=True))


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


COMPARED = ("tpf", "fpf", "ppv", "npv", "dlr_positive", "dlr_negative")
ON_REQUEST = ("tnf", "fnf", "accuracy", "error")

NO_DISCORDANT_CASES = Note(
    "no-discordant-cases",
    "The two tests do not differ on any case that matters here; the standard error is that of the tables with ½ added "
    "to every cell.",
)
NO_VARIANCE = Note(
    "se-half-added",
    "The two tests differ on every case that matters here, so the plug-in standard error is 0; the standard error is "
    "that of the tables with ½ added to every cell.",
)
FRACTION_IS_0 = Note("half-added", "A fraction is 0, so ½ was added to every cell of the two tables.")
FRACTION_IS_1 = Note(
    "se-half-added", "A fraction is 1; the standard error is that of the tables with ½ added to every cell."
)


PAIRED_TABLES = Named("paired", "the tables of both tests on the same cases")
UNPAIRED_TABLES = Named("unpaired", "the tables of both tests on different cases")


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
        self._pair  # noqa: B018 - raise at once where the cases do not match

    @cached_property
    def _pair(self) -> PairOfTables:
        a, b = self.first, self.second
        if not self.paired:
            return PairOfTables.of_samples(a.design, b.design)
        if a.cells is None or b.cells is None:
            raise InputError(
                "Paired tests need the decision for every case, which four counts do not contain",
                param="paired",
                fix="Use diagnose(y, predictions) for both, or paired=False for two independent samples",
            )
        return PairOfTables.of_cases(a.design, a.cells, b.cells)

    def _check_groups(self) -> None:
        """Both tests have groups, the same ones where they are paired, or neither has."""
        a, b = self.first.groups, self.second.groups
        if (a is None) != (b is None) or (self.paired and a is not None and not np.array_equal(a, np.asarray(b))):
            raise InputError("Both tests must be given the same groups", param="groups", fix="Pass groups to both")
        if a is not None and isinstance(self.first.design, Selected):
            raise InputError("Two tests of a selected study have no standard errors for groups", param="groups")

    # -- the comparison ------------------------------------------------------------------------------------------

    def values(self, measure: str) -> tuple[Estimate, Estimate]:
        """The measure of the first and of the second test."""
        measure = _compared(measure)
        if self._pair.by_both:
            return self._corrected(measure, 0), self._corrected(measure, 1)
        return self.first[measure], self.second[measure]

    def difference(self, measure: str) -> Estimate:
        """First − second.

        The difference of two shares of the same cases (TPF, FPF, TNF, FNF; accuracy and error of a cohort) has Tango's
        interval, as that of `comparisons.mcnemar`; others have one from those of the two tests (MOVER), which
        `ci(method="mover")` gives of shares too: with Wilson's intervals it is Newcombe's (1998) method 10.
        """
        measure = _compared(measure)
        a, b = self.values(measure)
        name = f"{measure} difference"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        pair = self._pair.halved() if self._needs_half(measure) else self._pair
        se, halved = self._se(pair, measure, _minus, (a, b), (1.0, 1.0))
        why = NO_DISCORDANT_CASES if a.value == b.value else NO_VARIANCE
        rule, shares = OfDifference(a, b, self._correlation(measure, a, b, se)), self._shares(MEASURES[measure])
        if shares is not None:
            known = {"metric": name, "method": self._method, "alternatives": (rule,)}
            return shares.difference().with_(**known).noting(*a.notes, *b.notes)
        return Estimate(
            a.value - b.value,
            se=se,
            se_method=self._se_method,
            df=_fewer(a.df, b.df),
            metric=name,
            method=self._method,
            bounds=(-1.0, 1.0) if MEASURES[measure].bounds == (0.0, 1.0) else (-math.inf, math.inf),
            interval=rule,
        ).noting(why if halved else None, *a.notes, *b.notes)

    def test(self, measure: str) -> TestResult | None:
        """The test of the difference: McNemar's of shares of the same cases (Obuchowski's in groups), else the
        difference over its standard error; None where there is none."""
        groups = INDEPENDENT_CASES if self.first.groups is None else INDEPENDENT_GROUPS
        return paired_test(self.difference(measure), f"Difference of the {measure}", assumptions=(FIXED_RULES, groups))

    def _shares(self, measure: Measure) -> Means | None:
        """The two tests as shares of the same cases; None where the measure is none in this design."""
        first, second = self.first.cells, self.second.cells
        plain = measure.given in ("truth", "nothing") and measure.given in self.first.design.plain
        if not (self.paired and plain) or first is None or second is None:
            return None
        hits = within(np.stack([first, second]), measure.hits, 2).astype(float)
        of = within(first, measure.out_of, 2)
        return Means.over(hits, self.first.groups, metric=measure.name, of=of, binary=True, bounds=(0.0, 1.0))

    def ratio(self, measure: str) -> Estimate:
        """First / second, with Wald's interval of its logarithm."""
        measure = _compared(measure)
        a, b = self.values(measure)
        name = f"{measure} ratio"
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined(name, a, b)
        zero, grouped = a.value == 0 or b.value == 0, self.first.groups is not None
        pair = self._pair.halved() if zero or self._needs_half(measure) else self._pair
        one, other = pair.values(MEASURES[measure].function) if zero else (a.value, b.value)
        certain = not grouped and MEASURES[measure].bounds == (0.0, 1.0) and 1 in (one, other)
        weights = None if certain or (zero and grouped) else (1 / one, 1 / other)
        se, halved = self._se(pair, measure, _log_ratio, (a, b), weights)
        note = FRACTION_IS_0 if zero else None
        if halved and not grouped:
            note = FRACTION_IS_1 if certain else NO_DISCORDANT_CASES
        out = self._ratio(name, one / other, one / other * se).with_(df=_fewer(a.df, b.df))
        return out.noting(*a.notes, *b.notes, note) if grouped else out.noting(note, *a.notes, *b.notes)

    def _se(
        self,
        pair: PairOfTables,
        measure: str,
        join: Join,
        tests: tuple[Estimate, Estimate],
        weights: tuple[float, float] | None,
    ) -> tuple[float, bool]:
        """Standard error of `join`, which the first test moves by w_1 and the second by −w_2.

        True stands beside it where that is 0 or not known (no `weights`): it is then that of independent cases with ½
        in every cell, times the root of the larger design effect where cases come in groups.
        """
        function, groups, effect = MEASURES[measure].function, self.first.groups, 1.0
        se = None
        if groups is not None:
            effect = _larger_effect(*tests)
            se = None if weights is None else self._se_in_groups(*tests, groups, weights)
        elif weights is not None:
            se = pair.se(function, join)
        if se is not None and not se < ZERO_SE:  # NaN stays NaN
            return se, False
        halved = self._pair.halved() if pair is self._pair else pair
        return effect * halved.se(function, join), True

    def _se_in_groups(self, a: Estimate, b: Estimate, groups: Ints, weights: tuple[float, float]) -> float | None:
        if self.paired:
            return se_in_groups(a, b, groups, weights)
        return math.hypot(weights[0] * a.se, weights[1] * b.se) if a.se and b.se else None

    def _correlation(self, measure: str, a: Estimate, b: Estimate, se: float) -> float:
        if not self.paired:
            return 0.0
        if self.first.groups is not None:
            return correlation_in_groups(a, b, self.first.groups)
        phi = correlation(a, b, se)
        if MEASURES[measure].given != "truth" or not (a.plain and b.plain and a.cases and a.se and b.se):
            return phi  # the cases that the two tests call positive are not the same
        return mover.paired_correlation(phi, a.cases, a.se, b.se)

    def _needs_half(self, measure: str) -> bool:
        """Whether the value of one test has ½ in every cell: then the standard error has it in both tables."""
        if self._pair.by_both:
            values = () if self._pair.not_verified() else self._pair.values(MEASURES[measure].function)
            return MEASURES[measure].ratio and any(value == 0 or math.isinf(value) for value in values)
        return any(needs_half(test.design, MEASURES[measure]) for test in (self.first, self.second))

    def _corrected(self, name: str, which: int) -> Estimate:
        """One test where both determined who was verified: Begg & Greenes within each pair of decisions."""
        measure, pair = MEASURES[name], self._pair
        hidden = pair.not_verified()
        if hidden:
            said = " and ".join(f"{NAMES[a]} by the first and {NAMES[b]} by the second test" for a, b in hidden)
            why = Note("not-verified", f"Undefined: no case decided {said} has a known truth.", decisions=hidden)
            return Estimate(math.nan, metric=name, method=self._method).noting(why)
        raw, note = pair.values(measure.function)[which], None
        value = raw
        if math.isnan(raw):
            return (self.first, self.second)[which][name].with_(value=math.nan, se=None)
        if measure.ratio and (raw == 0 or math.isinf(raw)):
            pair, note = pair.halved(), half_added(raw, "value, standard error and interval")
            value = pair.values(measure.function)[which]
        se, more = pair.se(measure.function, _ONE_OF_TWO[which]), self._pair.halved()
        if measure.ratio:
            return self._ratio(name, value, se).noting(note)
        p = more.values(measure.function)[which]
        trials = p * (1 - p) / more.se(measure.function, _ONE_OF_TWO[which]) ** 2
        return Estimate(
            value,
            se=se,
            se_method=DELTA,
            metric=name,
            method=self._method,
            bounds=(0.0, 1.0),
            interval=EffectiveWilson(trials),
            cases=max(1, math.floor(trials)),
        )

    @property
    def _method(self) -> Named:
        return PAIRED_TABLES if self.paired else UNPAIRED_TABLES

    @property
    def _se_method(self) -> StandardError:
        return DELTA if self.first.groups is None else DELTA.plus(GROUPS)

    def _ratio(self, name: str, value: float, se: float) -> Estimate:
        return Estimate(
            value, se, se_method=self._se_method, metric=name, method=self._method, bounds=(0.0, math.inf), interval=LOG
        )

    def _undefined(self, name: str, *tests: Estimate) -> Estimate:
        notes = [note for test in tests if math.isnan(test.value) for note in test.notes]
        return Estimate(math.nan, metric=name, method=self._method).noting(*notes)

    # -- shown ---------------------------------------------------------------------------------------------------

    def frame(self) -> pd.DataFrame:
        """One row per measure: both tests, difference and ratio with their intervals."""
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
        return pd.DataFrame(rows)

    def shown_estimates(self) -> list[Estimate]:
        out = []
        for name in COMPARED:
            a, b = self.values(name)
            out += [a.with_(metric=f"{name} first"), b.with_(metric=f"{name} second")]
            out += [self.difference(name), self.ratio(name)]
        return out

    def _title(self) -> str:
        lines = [f"Two tests, {self._method} ({self.first.design.name} study); difference: first − second"]
        for name, test in (("First", self.first), ("Second", self.second)):
            lines.append(f"{name}: " + test._title().replace("\n", "; "))
        return "\n".join(lines)

    def _answer(self, level: float) -> str:
        named = (("tpf", "Sensitivity (TPF), first − second:"), ("fpf", "FPF (1 − specificity), first − second:"))
        return " ".join(sentence(self.difference(measure), level, name) for measure, name in named)

    def _facts(self) -> dict[str, object]:
        return {"paired": self.paired, "first": self.first._facts(), "second": self.second._facts()}


def _compared(measure: str) -> str:
    """The name of a measure that is compared, from any of its names."""
    known = canonical(measure)
    if known not in COMPARED + ON_REQUEST:
        fix = f"Choose one of {', '.join(COMPARED + ON_REQUEST)}"
        raise InputError(f"Measure {measure!r} is not compared", param="measure", fix=fix)
    return known


def _larger_effect(a: Estimate, b: Estimate) -> float:
    """Root of the larger design effect; where it is not known, of cases per group."""
    return math.sqrt(max(e.provenance.get("design_effect") or (e.tested or 1) / (e.cases or 1) for e in (a, b)))


def _fewer(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else min(a, b)


_ONE_OF_TWO: tuple[Join, Join] = (lambda one, other: one, lambda one, other: other)


def _minus(one: Array, other: Array) -> Array:
    return one - other


def _log_ratio(one: Array, other: Array) -> Array:
    return np.log(one) - np.log(other)
