"""Interval rules of table measures: ratios, differences of two, effective trials, and limits from parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from karat.diagnostic import by_parts
from karat.diagnostic.designs import StudyDesign
from karat.diagnostic.measures import Measure
from karat.formulas import intervals, mover
from karat.result import Estimate, Interval
from karat.result.interval_rules import LOG, IntervalRule, unit


@dataclass(frozen=True, eq=False)
class ReachesLimit(IntervalRule):
    """The interval of a ratio that is 0 or infinite without the ½ that a correction makes many cases of: it reaches 0
    or ∞.

    Attributes
    ----------
    near_zero
        The ratio, or its inverse, as a measure that is 0 in this table.
    inverse
        Whether `near_zero` is the inverse.
    shares_by
        Interval of the shares that the design observes (karat.diagnostic.by_parts).
    """

    design: StudyDesign
    near_zero: Measure
    inverse: bool
    shares_by: str
    name = "mover"

    def limits(self, e: Estimate, level: float) -> Interval:
        _, most = by_parts.limits(self.design, self.near_zero, self.shares_by, level)
        low, high = LOG.limits(e, level)  # where two shares are 0 (an odds ratio), one alone moves nothing
        if self.inverse:
            return self.clipped(e, min(1 / most, e.value) if most else low, math.inf, level)
        return self.clipped(e, 0.0, max(most, e.value) if most else high, level)


@dataclass(frozen=True, eq=False)
class OfDifference(IntervalRule):
    """The interval of shift + scale (first − second), made of the intervals of the two (karat.formulas.mover)."""

    first: Estimate
    second: Estimate
    correlation: float = 0.0
    scale: float = 1.0
    shift: float = 0.0
    name = "mover"

    def limits(self, e: Estimate, level: float) -> Interval:
        a, b = self.first, self.second
        low, high = mover.difference(a.value, a.ci(level), b.value, b.ci(level), self.correlation)
        return self.clipped(e, self.shift + self.scale * low, self.shift + self.scale * high, level)


@dataclass(frozen=True, eq=False)
class EffectiveWilson(IntervalRule):
    """Wilson's interval with `trials` effective cases, those of the table with ½ in every cell.

    The plug-in standard error of a correlation collapses in small tables (a cell of 0 takes its part of the
    variance away); with the table that has no empty cell the interval covers better (docs/diagnostic.md).
    """

    trials: float
    name = "wilson"

    def limits(self, e: Estimate, level: float) -> Interval:
        p, _ = unit(e)
        limits = intervals.wilson(min(max(p, 0.0), 1.0), self.trials, intervals.quantile(level))
        return self.scaled(e, limits, level)


@dataclass(frozen=True, eq=False)
class FromParts(IntervalRule):
    """The interval of a measure of shares that vary independently, made of theirs (karat.diagnostic.by_parts)."""

    design: StudyDesign
    measure: Measure
    shares_by: str
    name = "mover"

    def limits(self, e: Estimate, level: float) -> Interval:
        return self.clipped(e, *by_parts.limits(self.design, self.measure, self.shares_by, level), level)


def correlation(first: Estimate, second: Estimate, se: float) -> float:
    """Of two estimates whose difference has this standard error; 0 where one does not vary."""
    if not first.se or not second.se:
        return 0.0
    return max(-1.0, min(1.0, (first.se**2 + second.se**2 - se**2) / (2 * first.se * second.se)))
