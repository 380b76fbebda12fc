"""Subgroups: a metric in every group of cases; RandomEffects: the mean of sites and what a new site may have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice, level_of
from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, forest
from trueness.formulas.intervals import MaxT, quantile
from trueness.formulas.meta import Heterogeneity, MetricScale, f_tail, hotelling, pearson, random_effects, welch
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.notes import Note, inherited
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.test_result import TestResult
from trueness.result.words import (
    Named,
    StandardError,
    between,
    cells,
    rounded_p,
    sentence,
    shown_p,
    spoken,
    titled,
)
from trueness.typing import Floats, Record

SMALLEST_INVERTED = 1e-10  # p-values below are this: levels above 1 − p have no more digits
INDEPENDENT = 1e-9  # correlations below are 0 but for rounding
EXPECTED = 5  # cases in every cell, below which χ² is rough
TOO_FEW = "too few cases"
MOST_NAMED = 200  # letters of the names of sites in a note
MISSING = "missing"  # the group of cases without a value
SAME_RULES = Note("sites-share-rules")


def of_scale(e: Estimate, scale: MetricScale) -> tuple[float, float] | None:
    """Value and variance on a scale; at an end of the range those of half a case more than none (or than all)."""
    low, high = e.bounds
    value, se = e.value, e.se
    if scale.name == "logit" and (value in (low, high) or not se):
        if not e.cases:
            return None
        p = ((value - low) / (high - low) * e.cases + 0.5) / (e.cases + 1)
        value, se = low + (high - low) * p, (high - low) * math.sqrt(p * (1 - p) / e.cases)
    if not se or (scale.name == "log" and value <= low):
        return None
    return scale.to(value), (se * scale.slope(value)) ** 2


def equality(estimates: Mapping[str, Estimate], correlation: Floats, metric: str) -> TestResult | None:
    """Are the groups equal? None with fewer than two groups that have a standard error."""
    found = list(estimates.values())
    if len(found) < 2:
        return None
    independent = float(np.abs(correlation - np.diag(np.diag(correlation))).max()) < INDEPENDENT
    if independent and all(e.plain and e.cases for e in found):
        trials = np.array([float(e.cases or 0) for e in found])
        low, high = found[0].bounds
        hits = np.array([(e.value - low) / (high - low) for e in found]) * trials
        statistic, df, df2 = pearson(hits, trials)
        name = f"Equal {spoken(metric)} in {len(found)} subgroups: Pearson's χ²"
        share = float(hits.sum() / trials.sum())
        least = float(trials.min()) * min(share, 1 - share)  # of the cases that equal shares would leave in a cell
        notes = (Note("few-expected", expected=least, needed=EXPECTED),) * (0 < least < EXPECTED)
        return TestResult(name, statistic * df, f_tail(statistic, df, df2), df, notes=notes, sources=("pearson_1900",))
    scale = MetricScale(*found[0].bounds)
    on_scale = [of_scale(e, scale) for e in found]
    if any(x is None for x in on_scale):
        return None
    values, variances = np.array([x for x in on_scale if x is not None]).T
    dfs = np.array([math.inf if e.df is None else float(e.df) for e in found])
    if independent:
        (statistic, df, df2), name = welch(values, variances, dfs), "Welch's F"
    else:
        se = np.sqrt(variances)
        covariance = correlation * np.outer(se, se)
        (statistic, df, df2), name = hotelling(values, covariance, float(dfs.min())), "Hotelling's F"
    title = f"Equal {spoken(metric)} in {len(found)} subgroups: {name} on the {scale.name} scale"
    return TestResult(title, statistic, f_tail(statistic, df, df2), (df, df2), sources=("welch_1951",))


def p_of_interval(d: Estimate) -> float:
    """The smallest 1 − level at which the interval leaves out 0: the test that the interval is the inversion of."""
    from scipy.optimize import brentq

    def nearest(log_p: float) -> float:
        """The limit towards 0, positive where the interval leaves out 0."""
        low, high = d.ci(-math.expm1(log_p))
        return low if d.value > 0 else -high

    smallest, largest = math.log(SMALLEST_INVERTED), math.log1p(-SMALLEST_INVERTED)
    if d.value == 0 or nearest(largest) <= 0:
        return 1.0
    return SMALLEST_INVERTED if nearest(smallest) > 0 else math.exp(brentq(nearest, smallest, largest, xtol=1e-6))


@dataclass(frozen=True, eq=False, repr=False)
class Subgroups(Result, Drawn, Cited):
    """A metric in every group of cases; what `trueness.subgroups` returns.

    Attributes
    ----------
    metric : str
        What is measured.
    estimates : mapping of str to Estimate or None
        By group; None where it has too few cases.
    differences : mapping of str to Estimate or None
        Group less the rest: of a mean over cases all other cases, else the weighted mean of the other groups' values.
    sizes : mapping of str to int
        Number of tested cases of each group.
    independent : mapping of str to int
        Where cases come in groups of dependent ones (patients), how many of these each subgroup has; else empty.
    level : float
        Level of the intervals.
    each, each_difference : float
        The level at which the intervals of the groups, or of their differences from the rest, hold together.
    law : MaxT or None
        The joint law of the differences, for p-values that hold for all of them.
    test : TestResult or None
        Are the groups equal?
    overall : Estimate or None
        The metric of all tested cases.
    notes : tuple of Note
        Groups without a number, and what else the reader should know.
    by : str
        What the cases are grouped by.
    provenance : mapping
        Of the assessment that was asked.
    """

    metric: str
    estimates: Mapping[str, Estimate | None]
    differences: Mapping[str, Estimate | None]
    sizes: Mapping[str, int]
    level: float
    each: float
    each_difference: float
    law: MaxT | None = field(repr=False)
    test: TestResult | None
    overall: Estimate | None = None
    notes: tuple[Note, ...] = ()
    by: str = "subgroup"
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    independent: Mapping[str, int] = field(default_factory=dict)

    @property
    def p_value(self) -> float | None:
        """p of the test that all groups are equal; None where there is no such test."""
        return None if self.test is None else self.test.p_value

    def p_adjusted(self, group: str) -> float | None:
        """p of group less rest, adjusted for all groups (max-t)."""
        d = self.differences[group]
        p = None if d is None else d.provenance.get("p_value")
        return None if p is None or self.law is None else self.law.adjusted(p)

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(f"{self.metric}.{name}", e) for name, e in self.estimates.items() if e is not None]

    columns: ClassVar[Columns] = {
        "group": Column("subgroup"),
        "n": Column("n"),
        "n_groups": Column("groups"),
        "value": Column("{metric:words}", "estimate"),
        "simultaneous": Column("{percent} all subgroups", "limits", "each"),
        "difference": Column("subgroup − rest", "estimate", "each_difference"),
        "p_adjusted": Column("p (all subgroups)", "p"),
    }
    footnote = (
        "{tested}Assumes: subgroups that were chosen before the results were seen. Simultaneous intervals and those of "
        "differences hold in all subgroups at once with probability {level:g}; each is its own at level {each:.4g}."
    )

    def rows(self) -> Iterator[Record]:
        for name, n in self.sizes.items():
            e, groups = self.estimates[name], {"n_groups": self.independent[name]} if self.independent else {}
            row = {"group": name, "n": n, **groups, "value": e or TOO_FEW, "simultaneous": e}
            yield {**row, "difference": self.differences[name], "p_adjusted": self.p_adjusted(name)}

    def figure(self) -> Figure:
        """All groups with their simultaneous intervals, and all cases together."""
        dots = [] if self.overall is None else [self.overall.dot("all", self.level, "minor")]
        for name, e in self.estimates.items():
            named = f"{name} (n = {self.sizes[name]})"
            dots.append(Dot(named, math.nan, said=TOO_FEW) if e is None else e.dot(named, self.each))
        axis = f"{spoken(self.metric)}, {100 * self.level:g} % intervals together"
        return forest(dots, f"{titled(self.metric)} by {self.by}", axis)

    def answer(self) -> str:
        """Whether the subgroups differ, and which."""
        known = {name: e for name, e in self.estimates.items() if e is not None}
        ends = dict.fromkeys(choose(known, key=lambda name: known[name].value) for choose in (min, max))
        values = " to ".join(f"{cells(known[name], self.level).value} ({name})" for name in ends)
        out = [
            f"{titled(self.metric)} by {self.by}: {values}; subgroups with enough cases: {len(known)} of {len(self.sizes)}."
        ]
        if self.test is not None:
            shows = ("The test of all at once shows no difference", "The subgroups differ")
            out.append(f"{shows[self.test.p_value < 1 - self.level]} ({shown_p(self.test.p_value)}).")
        apart = [n for n in known if (p := self.p_adjusted(n)) is not None and p < 1 - self.level]
        out += [f"Different from the rest: {', '.join(apart)}."] * bool(apart)
        return " ".join(out)

    heading = "{metric:title} by {by}\n{design}"

    @property
    def design(self) -> str:
        """How the cases were drawn, where it is known."""
        return str(self.provenance.get("design", ""))

    @property
    def tested(self) -> str:
        """The test, and what the rest is."""
        test = "" if self.test is None else f"Test: {self.test.test}, {shown_p(self.test.p_value)}."
        rest = (f"Subgroup − rest: {d.estimand}." for d in self.differences.values() if d is not None)
        return "\n".join([test, *[*rest][:1], ""]).lstrip()

    def sites(self, method: Literal["reml", "dl"] = "reml") -> RandomEffects:
        """The groups as sites drawn from many: their mean, how much they differ, and what a new site may have.

        Cases without a value of the column, and sites without a number, are left out, with a note.

        Parameters
        ----------
        method : {"reml", "dl"}, default "reml"
            Estimate of the variance between sites: restricted maximum likelihood, or DerSimonian and Laird's.

        Returns
        -------
        RandomEffects
            On the logit scale of a metric with two limits (AUC, rates), with the interval of Knapp and Hartung.

        References
        ----------
        DerSimonian & Laird (1986); Knapp & Hartung (2003); Nagashima, Noma & Furukawa (2019) for a new site; Snell, Ensor,
        Debray, Moons & Riley (2018) for the scale.
        """
        check_choice("method", method, ("reml", "dl"), f"There is no method {method!r}")
        missing = MISSING if MISSING in self.sizes else None
        known = {name: e for name, e in self.estimates.items() if e is not None}
        scale = MetricScale(*next(iter(known.values())).bounds)
        on_scale = {name: x for name, e in known.items() if name != missing and (x := of_scale(e, scale)) is not None}
        if len(on_scale) < 2:
            raise InputError("At least 2 sites with a standard error are required", param="by", got=str(len(on_scale)))
        values, variances = np.array(list(on_scale.values())).T
        found = random_effects(values, variances, method)
        return RandomEffects(
            self.metric,
            {name: known[name] for name in on_scale},
            found,
            scale,
            self.level,
            method,
            tuple(self._of_sites(list(on_scale), found, missing)),
            self.by,
            self.provenance,
        )

    def _of_sites(self, used: list[str], found: Heterogeneity, missing: str | None) -> Iterator[Note]:
        """What the reader of a mean over these sites should know."""
        yield from inherited(self.notes, "fits")
        if gone := [name for name in self.sizes if name not in used and name != missing]:
            cases = sum(self.sizes[name] for name in gone)
            yield Note("sites-left-out", sites=gone, cases=cases)
        if missing is not None:
            yield Note("cases-of-no-site", cases=self.sizes[missing])
        if found.tau2 == 0:
            yield Note("sites-alike", tau2_high=found.tau2_high)
        if any("training sets" in e.estimand for name in used if (e := self.estimates[name]) is not None):
            yield SAME_RULES


HARTUNG_KNAPP = StandardError(
    "hartung-knapp",
    "Hartung and Knapp's standard error, at least that of a single true value",
    "hartung_knapp_2001",
    "knapp_hartung_2003",
)
TAU2_BY = {"reml": "restricted maximum likelihood", "dl": "DerSimonian and Laird"}


@dataclass(frozen=True, eq=False)
class OnScale(IntervalRule):
    """x ± t·se on a scale, moved back to the metric."""

    scale: MetricScale
    x: float
    se: float
    name = Named("on-scale", "Student's on the scale of the metric")

    def limits(self, e: Estimate, level: float) -> Interval:
        half = quantile(level, e.df) * self.se
        return self.clipped(e, self.scale.back(self.x - half), self.scale.back(self.x + half), level)


@dataclass(frozen=True, eq=False, repr=False)
class RandomEffects(Result, Drawn, Cited):
    """The mean of sites, their heterogeneity, and the interval of a new site; what `Subgroups.sites` returns.

    Attributes
    ----------
    metric : str
        What is measured.
    estimates : mapping of str to Estimate
        By site.
    found : Heterogeneity
        On the scale: mean, se, τ², I², Cochran's Q and its p-value.
    scale : MetricScale
        The scale on which sites are averaged: logit, log or identity.
    level : float
        Level of the intervals.
    method : str
        "reml" or "dl".
    notes : tuple of Note
        Sites and cases that were left out, and what else the reader should know.
    by : str
        The column that names the sites.
    provenance : mapping
        Of the assessment that was asked.
    """

    metric: str
    estimates: Mapping[str, Estimate]
    found: Heterogeneity
    scale: MetricScale
    level: float
    method: str
    notes: tuple[Note, ...] = ()
    by: str = "subgroup"
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(f"{self.metric}.mean", self.mean)]

    @property
    def mean(self) -> Estimate:
        """The mean over sites, on the scale of the metric."""
        value, first = self.scale.back(self.found.mean), next(iter(self.estimates.values()))
        return Estimate(
            value,
            se=self.found.se / self.scale.slope(value),
            metric=self.metric,
            method=Named(
                f"random effects ({self.method})",
                f"a random-effects mean on the {self.scale.name} scale, with τ² by {TAU2_BY[self.method]}",
                "dersimonian_laird_1986" if self.method == "dl" else "viechtbauer_2005",
            ),
            estimand="mean over sites",
            se_method=HARTUNG_KNAPP,
            bounds=first.bounds,
            interval=OnScale(self.scale, self.found.mean, self.found.se),
            df=float(self.found.df),
        )

    @property
    def tau2(self) -> float:
        """τ², the variance between sites, on the scale."""
        return self.found.tau2

    @property
    def i2(self) -> float:
        """I², the share of the variance that is between sites."""
        return self.found.i2

    @property
    def p_value(self) -> float:
        """p of Cochran's Q on k − 1 degrees of freedom."""
        return self.found.p_value

    def prediction(self, level: float | None = None) -> Interval:
        """Where the value of a new site lies with this probability."""
        level = level_of(level, self.level)
        low, high = map(self.scale.back, self.found.prediction(level))
        return Interval(low, high, level=level, method="prediction")

    heading = "{metric:title}: random effects over sites by {by}\n{design}"
    design = Subgroups.design
    columns: ClassVar[Columns] = {"site": Column("site"), "value": Column("{metric:words}", "estimate")}
    footnote = (
        "Assumes: sites are independent draws from many, and their values are normal on this scale.\n"
        "Assumes: τ² is by {method}; the interval of the mean is Hartung and Knapp's, at least as long as that of a "
        "single true value; the interval of a new site counts that τ² is not known."
    )

    def rows(self) -> Iterator[Record]:
        for name, e in {**self.estimates, "mean over sites": self.mean}.items():
            yield {"site": name, "value": e}

    def frame(self) -> pd.DataFrame:
        """One row per site, then the mean and the prediction interval: `site`, `value`, `se`, `low`, `high`."""
        low, high = self.prediction()
        new = pd.DataFrame([{"site": "a new site", "value": math.nan, "se": math.nan, "low": low, "high": high}])
        return pd.concat([super().frame(), new], ignore_index=True)

    def figure(self) -> Figure:
        """The sites, their mean, and the prediction interval."""
        (low, high), mean = self.prediction(), self.mean
        dots = [e.dot(name, self.level, "minor") for name, e in self.estimates.items()]
        dots.append(mean.dot("mean over sites", self.level))
        dots.append(Dot("a new site", mean.value, low, high, between(low, high, mean.se), "hollow"))
        axis = f"{spoken(self.metric)}, {100 * self.level:g} % intervals"
        return forest(dots, f"{titled(self.metric)} by site", axis)

    def answer(self) -> str:
        """The mean, and what a new site may have."""
        (low, high), mean = self.prediction(), self.mean
        said = sentence(mean, self.level, f"Mean {spoken(self.metric)} over {len(self.estimates)} sites:")
        return f"{said} A new site has {between(low, high, mean.se)} with probability {self.level:g}."

    def _tables(self) -> tuple[Table, ...]:
        numbers = (f"{self.tau2:.4g}", f"{100 * self.i2:.0f} %", f"{self.found.q:.4g}", str(self.found.df))
        title = f"Heterogeneity on the {self.scale.name} scale"
        apart = Table(("τ²", "I²", "Q", "df", "p"), [(*numbers, rounded_p(self.p_value))], title)
        return *super()._tables(), apart
