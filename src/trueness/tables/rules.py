"""Tables: a measure of the tables of several rules, its differences and ratios.

On the same cases what each case adds to the two rules is subtracted (trueness.sample.measured); on two samples the
variances add. `diagnose(...).versus` and the estimates of a test set read it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from trueness.formulas import mover
from trueness.formulas.proportions import ProportionMethod
from trueness.metrics.measure import Measure
from trueness.result.estimate import Estimate
from trueness.result.interval import LOG
from trueness.result.notes import Note
from trueness.result.words import DELTA, GROUPS, Named
from trueness.sample.measured import Means, Measured
from trueness.tables.estimation import (
    ZERO_SE,
    OfDifference,
    correlation,
    correlation_in_groups,
    estimate_in_groups,
    estimate_measure,
    needs_half,
    slopes_of,
    value_of,
    with_influence,
    within,
)
from trueness.tables.study_designs import Selected, StudyDesign
from trueness.typing import Floats, Ints

ZERO_SE_HALF = Note("se-half-added")

PAIRED_TABLES = Named("paired", "the tables of both tests on the same cases")
UNPAIRED_TABLES = Named("unpaired", "the tables of both tests on different cases")


def of_one_table(
    design: StudyDesign,
    measure: Measure,
    cells: Ints | None,
    groups: Ints | None = None,
    interval: ProportionMethod = "wilson",
) -> Estimate:
    """One measure of one table, with what each case adds to it where the cell (n,) of each is known."""
    if groups is not None and cells is not None:
        return estimate_in_groups(design, measure, interval, cells, groups)
    return with_influence(estimate_measure(design, measure, interval), design, measure, cells)


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables(Measured):
    """A measure of the tables of M rules, on the same cases or, without `cells`, each on its own."""

    measure: Measure
    rules: tuple[Estimate, ...]  # of each rule alone
    designs: tuple[StudyDesign, ...]
    halves: bool  # whether the value of a rule has ½ in every cell: then standard errors have it in all tables
    cells: Ints | None  # (M, n)
    grouped: bool  # whether cases come in groups; `groups` are those of the same cases

    @classmethod
    def over(
        cls,
        measure: Measure,
        rules: Sequence[Estimate],
        designs: Sequence[StudyDesign],
        cells: Ints | None = None,
        groups: Ints | None = None,
        *,
        grouped: bool = False,
    ) -> Self:
        """From the estimate and the table of each rule, and the cell (M, n) of each of the same cases in them."""
        n = 0 if cells is None else cells.shape[1]
        known = [np.zeros(n) if cells is None or e.influence is None else e.influence for e in rules]
        codes = None
        if cells is not None and not isinstance(designs[0], Selected):  # classes that are estimated apart
            codes = np.zeros(n, dtype=np.intp) if measure.needs_prevalence else cells[0] // designs[0].counts.shape[1]
        return cls(
            metric=measure.name,
            values=np.array([e.value for e in rules]),
            influence=np.stack(known),
            said=np.zeros((len(rules), 0)) if cells is None else cells,
            groups=groups,
            codes=codes,
            bounds=measure.bounds,
            se_method=DELTA.plus(GROUPS) if grouped or groups is not None else DELTA,
            measure=measure,
            rules=tuple(rules),
            designs=tuple(designs),
            halves=any(needs_half(design, measure) for design in designs),
            cells=cells,
            grouped=grouped or groups is not None,
        )

    @property
    def method(self) -> Named:
        return UNPAIRED_TABLES if self.cells is None else PAIRED_TABLES

    @cached_property
    def shares(self) -> Means | None:
        """The rules as shares of the same cases; None where the measure is none in this design."""
        plain = self.measure.given in ("truth", "nothing") and self.measure.given in self.designs[0].plain
        if self.cells is None or not plain:
            return None
        classes = self.designs[0].counts.shape[1]
        hits = within(self.cells, self.measure.hits, classes).astype(float)
        of = within(self.cells[0], self.measure.out_of, classes)
        return Means.over(hits, self.groups, metric=self.metric, of=of, binary=True, bounds=(0.0, 1.0))

    def difference(self, i: int = 0, j: int = 1) -> Estimate:
        """first − second, with an interval from those of the two (MOVER); Tango's of two shares of the same cases."""
        a, b = self.rules[i], self.rules[j]
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined("difference", a, b)
        if self.shares is None and (a.se is None or b.se is None):  # a single group
            return Estimate(a.value - b.value, metric=f"{self.metric} difference").noting(*a.notes, *b.notes)
        se, exact = self._se(i, j, False, self.halves)
        rule = OfDifference(a, b, self._correlation(a, b, se))
        if self.shares is not None:
            out = self.shares.difference(i, j).with_(alternatives=(rule,))
            return out.with_(method=self.method).noting(*a.notes, *b.notes)
        influence = self.influence[i] - self.influence[j]
        out = self._difference(influence, i, j).with_(se_method=self.se_method, method=self.method)
        out = out.with_(se=None if math.isnan(se) else se)  # no test decided a case positive, or none negative
        known = exact and a.influence is not None and b.influence is not None
        out = out.with_(interval=rule, influence=influence if known else None, notes=())
        if self.grouped:
            out = out.with_(df=self._least_df(a, b))
        return out.noting(None if exact else ZERO_SE_HALF, *a.notes, *b.notes)

    def ratio(self, i: int = 0, j: int = 1) -> Estimate:
        """first / second, with Wald's interval of its logarithm."""
        a, b = self.rules[i], self.rules[j]
        if math.isnan(a.value) or math.isnan(b.value):
            return self._undefined("ratio", a, b)
        zero, one, other = a.value == 0 or b.value == 0, a.value, b.value
        if zero:
            one, other = (value_of(self.designs[k].halved(), self.measure) for k in (i, j))
        certain = not self.grouped and self.measure.bounds == (0.0, 1.0) and 1 in (one, other)
        if certain or (zero and self.grouped):
            se, exact = self._effect(a, b) * self._delta(i, j, True, True), False
        else:
            se, exact = self._se(i, j, True, zero or self.halves)
        note = Note("half-added") if zero else None
        if not exact and not self.grouped:
            note = ZERO_SE_HALF
        return Estimate(
            one / other,
            one / other * se,
            se_method=self.se_method,
            metric=f"{self.metric} ratio",
            method=self.method,
            bounds=(0.0, math.inf),
            interval=LOG,
            df=self._least_df(a, b),
        ).noting(note, *a.notes, *b.notes)

    def _least_df(self, a: Estimate, b: Estimate) -> float | None:
        return None if a.df is None or b.df is None else min(a.df, b.df)

    def _se(self, i: int, j: int, log: bool, half: bool) -> tuple[float, bool]:
        """Standard error of the difference, or of that of the logarithms.

        False stands beside it where that is 0 or not known: it is then that of independent cases with ½ in every cell,
        times the root of the larger design effect where cases come in groups.
        """
        a, b = self.rules[i], self.rules[j]
        se: float | None = None
        if not self.grouped:
            se = self._delta(i, j, log, half)
        else:
            w = (1 / a.value, 1 / b.value) if log else (1.0, 1.0)
            if self.cells is None:
                se = math.hypot(w[0] * a.se, w[1] * b.se) if a.se and b.se else None
            elif a.influence is not None and b.influence is not None:
                se = float(np.linalg.norm(self.sums(w[0] * a.influence - w[1] * b.influence)))
        if se is not None and not se < ZERO_SE:  # NaN stays NaN
            return se, True
        return self._effect(a, b) * self._delta(i, j, log, True), False

    def _delta(self, i: int, j: int, log: bool, half: bool) -> float:
        """By the delta method, as of independent cases; `half` adds ½ to every cell of both tables."""
        slopes, used = [], [self.designs[k].halved() if half else self.designs[k] for k in (i, j)]
        for design, sign in zip(used, (1.0, -1.0), strict=True):
            by = sign / value_of(design, self.measure) if log else sign
            slopes.append(by * slopes_of(design, self.measure))
        first, second = slopes
        size = used[0].counts.size
        variance = float((used[0].rest_variances * (first + second)[size:] ** 2).sum())  # of a shared prevalence
        if self.cells is None:
            variance += sum(float((d.counts.ravel() * s[:size] ** 2).sum()) for d, s in zip(used, slopes, strict=True))
            return math.sqrt(variance)
        variance += float(((first[self.cells[i]] + second[self.cells[j]]) ** 2).sum())
        return math.sqrt(variance + (variance_of_added(used[0], first, second) if half else 0.0))

    def _effect(self, a: Estimate, b: Estimate) -> float:
        """Root of the larger design effect; where it is not known, of cases per group."""
        if not self.grouped:
            return 1.0
        return math.sqrt(max(e.provenance.get("design_effect") or (e.tested or 1) / (e.cases or 1) for e in (a, b)))

    def _correlation(self, a: Estimate, b: Estimate, se: float) -> float:
        if self.cells is None:
            return 0.0
        if self.groups is not None:
            return correlation_in_groups(a, b, self.groups)
        phi = correlation(a, b, se)
        if self.measure.given != "truth" or not (a.plain and b.plain and a.cases and a.se and b.se):
            return phi  # the cases that the two tests call positive are not the same
        return mover.paired_correlation(phi, a.cases, a.se, b.se)

    def _undefined(self, what: str, *rules: Estimate) -> Estimate:
        notes = [note for rule in rules if math.isnan(rule.value) for note in rule.notes]
        return Estimate(math.nan, metric=f"{self.metric} {what}", method=self.method).noting(*notes)


def variance_of_added(design: StudyDesign, first: Floats, second: Floats) -> float:
    """What two cases more, spread over all pairs of decisions, add to the variance of a sum of the measures of two tables
    with these slopes."""
    c = design.counts.shape[1]
    truth, one, other = np.indices((c, c, c)).reshape(3, -1)
    return 2 * float(np.mean((first[c * truth + one] + second[c * truth + other]) ** 2))
