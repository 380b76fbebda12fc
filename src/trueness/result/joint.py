"""Several estimates of one design at once: the difference of two (what it says where there is no spread, Tango's interval of
two shares, its test), their covariance, intervals that hold together, a test of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import linalg

from trueness.figures.figure import Figure, forest
from trueness.formulas.groups import DesignEffect
from trueness.formulas.intervals import MaxT, quantile, tail
from trueness.formulas.proportions import DEFAULT, NAMES, mcnemar_p, tango, tango_score
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule, Wald
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.shown import Drawn, Result
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import BINOMIAL, SMALLEST_P, Named, sentence
from trueness.typing import Alternative, Floats, Record

FEW = 30  # units


def correlations(influence: Floats) -> Floats:
    """(k, k) of estimates with this influence (k, U) of the units; one that no case moves is uncorrelated."""
    norms = np.linalg.norm(influence, axis=1)
    unit = influence / np.where(norms > 0, norms, 1.0)[:, None]
    out = unit @ unit.T
    np.fill_diagonal(out, 1.0)
    return np.asarray(out)


def largest_of(correlation: Floats, coarser: int = 0) -> MaxT:
    """The law of the largest of k statistics with these correlations, which may be singular."""
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-10  # M rules have no more than M − 1 independent differences
    return MaxT(vectors[:, kept] * np.sqrt(values[kept]), coarser=coarser)


def largest_difference(differences: Iterable[Estimate], sums: Callable[[Floats], Floats]) -> MaxT:
    """The law of the largest |t| of several differences, correlated as their influences, which `sums` adds up within
    units; the same in whatever order, and direction, they are given, but for ties by symmetry.

    A difference without an influence counts as independent of the others, which never makes an adjusted p-value too
    small (Šidák 1967); one of 0 without a standard error does not count. Few units do not tell the correlations, and t
    statistics with denominators of their own exceed those with a common one.
    """
    found = list(differences)
    moving = [d for d in found if d.se or d.value != 0]
    rows = [sums(d.influence) for d in moving if d.influence is not None]
    units = len(rows[0]) if rows else FEW
    loadings = np.zeros((0, 0))
    if rows:
        unit = np.stack([row / (np.linalg.norm(row) or 1.0) for row in rows])
        along = np.round(unit @ (unit**2).sum(axis=0), 9)  # the same, up to its sign, in any order of the units
        order = np.argsort(np.abs(along), kind="stable")
        signed = np.where(along[order, None] < 0, -unit[order], unit[order])
        if len(rows) > units:
            vectors, scale, _ = np.linalg.svd(signed, full_matrices=False)
            loadings = (vectors * scale)[:, scale > 1e-5]
        else:
            loadings = largest_of(correlations(signed)).loadings
    others = np.eye(sum(d.influence is None for d in moving)), np.zeros((len(found) - len(moving), 0))
    df = min((d.df for d in found if d.df is not None), default=None)
    return MaxT(linalg.block_diag(loadings, *others), df, 2 * (len(rows) > 1000), units < FEW)


def level_of_each(correlation: Floats, level: float) -> float:
    """The level at which k intervals hold together with probability `level`, for estimates that are jointly normal with
    these correlations; between a single one's and Bonferroni's, and of independent ones Šidák's (1967)."""
    if np.array_equal(correlation, np.eye(len(correlation))):
        return float(level ** (1 / len(correlation)))
    return largest_of(correlation).level_per_statistic(level)


@dataclass(frozen=True, eq=False, repr=False)
class Simultaneous(Result, Drawn):
    """Intervals that all hold at once with probability `level`; what `Assessment.simultaneous` returns.

    Attributes
    ----------
    estimates : mapping of str to Estimate
        By the keys that were asked for.
    level : float
        Probability that all intervals hold.
    each : float
        The level of each interval alone.
    correlation : ndarray of shape (k, k)
        Of the estimates.
    """

    estimates: Mapping[str, Estimate]
    level: float
    each: float
    correlation: Floats = field(repr=False)

    columns: ClassVar[Columns] = {
        "metric": Column("metric"),
        "method": Column("method"),
        "value": Column("value", "estimate", "each"),
        "alone": Column("{percent} alone", "limits"),
    }
    heading = "Intervals that hold together with probability {level:g}"
    footnote = (
        "Assumes: estimates that are jointly normal, correlated as their influence functions are. Each interval is the "
        "estimate's own at level {each:.4g}."
    )

    def rows(self) -> Iterable[Record]:
        return [{"metric": e.metric, "method": e.method, "value": e, "alone": e} for e in self.estimates.values()]

    def figure(self) -> Figure:
        """All estimates with their intervals."""
        dots = [e.dot(name, self.each) for name, e in self.estimates.items()]
        return forest(dots, "Simultaneous intervals", f"{100 * self.level:g} % intervals together")

    def answer(self) -> str:
        """All estimates."""
        return " ".join(sentence(e, self.each) for e in self.estimates.values())


@dataclass(frozen=True, eq=False, repr=False)
class JointTest(TestResult):
    """Are two models equal in all of several metrics? What `Comparison.joint_test` returns.

    Attributes
    ----------
    statistic : float
        The largest |t| of the metrics; where a test is none of t (McNemar's), the t that has its p-value.
    p_value : float
        Probability of a |t| as large in any of them, if the models differ in none.
    differences : mapping of str to Estimate
        first − second of every metric.
    alone : mapping of str to float
        p-value of every metric by itself.
    adjusted : mapping of str to float
        p-value of every metric, adjusted for all of them; `p_value` is the smallest.
    """

    differences: Mapping[str, Estimate] = field(default_factory=dict)
    alone: Mapping[str, float] = field(default_factory=dict)
    adjusted: Mapping[str, float] = field(default_factory=dict)

    columns: ClassVar[Columns] = {
        "metric": Column("metric"),
        "method": Column("method"),
        "difference": Column("difference", "value"),
        "se": Column("std. error", "se"),
        "p_value": Column("p", "p"),
        "p_adjusted": Column("p (all metrics)", "p"),
        "notes": Column(""),
    }

    def rows(self) -> Iterable[Record]:
        for name, d in self.differences.items():
            row = {"metric": name, "method": d.method, "difference": d, "se": d, "notes": " ".join(map(str, d.notes))}
            yield {**row, "p_value": self.alone[name], "p_adjusted": self.adjusted[name]}

    def figure(self) -> Figure:
        """The difference in every metric."""
        dots = [d.dot(name, 0.95) for name, d in self.differences.items()]
        return forest(dots, self.test, "difference, 95 % interval of each alone", zero=True)


ROUNDING = 1e-12  # a spread this small, relative to the values, is 0

IDENTICAL = Note("identical-inputs")
NO_DISCORDANT = Note("no-discordant")


@dataclass(frozen=True, eq=False)
class Tango(IntervalRule):
    """Tango's score interval of a difference of two shares of the same n cases, which has length even without a
    discordant case; and the test that goes with it."""

    first: int  # discordant cases: counted for the first rule only, for the second only
    second: int
    n: int  # all cases
    effect: DesignEffect | None = None  # where they come in groups: counts are divided by it
    z: float | None = None  # in groups, (x − y) over its standard error under the null hypothesis (Obuchowski 1998)
    name = Named("tango", "Tango's", "tango_1998")
    needs_se = False

    @property
    def discordant(self) -> int:
        return self.first + self.second

    def limits(self, e: Estimate, level: float) -> Interval:
        d = 1.0 if self.effect is None else self.effect.divisor(level)
        low, high = tango(self.first / d, self.second / d, self.n / d, level=level)
        return self.clipped(e, low, high, level)

    def score(self, value: float, level: float) -> float:
        """T(value), which is outside of ± z where the interval at this level does not hold the value."""
        wider = 1.0 if self.effect is None else math.sqrt(self.effect.divisor(level))
        return tango_score(self.first, self.second, self.n, value) / wider

    def test(self, alternative: Alternative = "two-sided") -> tuple[str, float, float, int | None]:
        """Name, statistic, p-value and degrees of freedom."""
        if self.z is None:
            return NAMES[DEFAULT], *mcnemar_p(self.first, self.second, DEFAULT, alternative), None
        p = tail(self.z, alternative) if self.discordant else 1.0
        return "McNemar, groups (Obuchowski)", self.z**2, p, 1


def paired_test(
    d: Estimate, name: str, alternative: Alternative = "two-sided", assumptions: tuple[str, ...] = ()
) -> TestResult | None:
    """The test of a paired difference by its own law: McNemar's of two shares, else value / se by Student's t or the
    normal law under this `name`. p is 1 where nothing differs; None where there is no standard error."""
    if isinstance(d.interval, Tango):
        called, statistic, p, df = d.interval.test(alternative)
        notes = (NO_DISCORDANT,) * (not d.interval.discordant)
        source = "mcnemar_1947" if d.interval.z is None else "obuchowski_1998"
        return TestResult(called, statistic, p, df, alternative, d, assumptions, notes, sources=(source,))
    if not d.se or math.isnan(d.se):
        equal = TestResult(name, 0.0, 1.0, d.df, alternative, d, assumptions, (NO_DIFFERENCE,))
        return equal if d.value == 0 else None
    t = d.nearest(0.0) / d.se
    if d.interval.tests:  # p < 0.05 where 0 is outside (Altman & Bland 2011)
        limits = d.ci(0.95)
        t = quantile(0.95) * d.value / max(abs(d.value - limits[0 if d.value > 0 else 1]), ROUNDING)
    p = tail(t, alternative, d.df)
    return TestResult(name, t, p, d.df, alternative, d, assumptions, p_range=p_over_seeds(d, alternative))


def beyond(d: Estimate, value: float, level: float) -> tuple[float, float | None]:
    """How far a difference lies above a value, as a statistic, and its degrees of freedom.

    It is Tango's (1998) score of shares, (d − value)/se where the interval is symmetric, and otherwise q (d − value)/(d −
    limit) (Altman & Bland 2011), so that it exceeds the quantile q where the interval at this level is above the value.
    """
    rule, gap = d.interval, d.value - value
    if isinstance(rule, Tango):
        return rule.score(value, level), None
    if gap == 0 or not d.se:
        return 0.0 if gap == 0 else math.copysign(math.inf, gap), d.df
    if isinstance(rule, Wald):
        return gap / d.se, d.df
    low, high = d.ci(level)
    return quantile(level, d.df) * gap / max(abs(d.value - (low if gap > 0 else high)), ROUNDING), d.df


OF_SEEDS = 1.96  # standard deviations: 95 % of the seeds


def p_over_seeds(d: Estimate, alternative: Alternative = "two-sided") -> tuple[float, float] | None:
    """The p-values that 95 % of other seeds would give on the same cases; None where it is not known.

    The statistic T = d/se has the SD √(mc(d)² + T² mc(se)²)/se over seeds, by the delta method.
    """
    if not d.se or d.se_mc_se is None or d.mc_se is None:
        return None
    t = d.nearest(0.0) / d.se
    half = OF_SEEDS * math.hypot(d.mc_se, t * d.se_mc_se) / d.se
    ends = [t - half, t + half] if alternative != "two-sided" else [max(0.0, abs(t) - half), abs(t) + half]
    low, high = sorted(tail(end, alternative, d.df) for end in ends)
    return max(low, SMALLEST_P), min(high, 1.0)


def difference_of_shares(x: int, y: int, n: int, metric: str = "error") -> Estimate:
    """(x − y)/n from the cases counted for the first rule only and for the second only, of n independent ones;
    Var = (x + y − (x − y)²/n)/n²."""
    variance = max(x + y - (x - y) ** 2 / n, 0.0) / n**2
    out = Estimate(
        (x - y) / n,
        metric=f"{metric} difference",
        estimand="these two rules",
        bounds=(-1.0, 1.0),
        interval=Tango(x, y, n),
        cases=n,
        tested=n,
    )
    if variance < ROUNDING**2:
        return out.noting(NO_VARIANCE)
    return out.with_(se=math.sqrt(variance), se_method=BINOMIAL)


def without_zero_se(d: Estimate, identical: bool, size: float = 1.0) -> Estimate:
    """The difference without a standard error that is 0 although the two inputs differ, for values of this size."""
    if abs(d.value) < ROUNDING * size:
        d = d.with_(value=0.0)
    if d.se is None or not d.se < ROUNDING * size:
        return d
    if identical:
        return d.with_(value=0.0, se=0.0, identical=True).noting(IDENTICAL)
    return d.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
