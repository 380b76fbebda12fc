"""Interval rules of table measures: effective trials, differences, and limits from the shares that a design observes.

The delta method assigns no variance to an empty cell, whatever weight a prevalence, a correction or a cost gives
it. A share of 0 of 20 still has an interval, and `limits_from_parts` carries that interval over to the measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueness.formulas import intervals, mover
from trueness.formulas.proportions import METHODS, UNDEFINED_AT_EDGE, ProportionMethod
from trueness.metrics.table import Measure
from trueness.result import Estimate, Interval
from trueness.result.interval import LOG, MOVER, IntervalRule
from trueness.tables.study_designs import StudyDesign
from trueness.typing import Array, Floats

Limits = tuple[float, float]


@dataclass(frozen=True, eq=False)
class OfDifference(IntervalRule):
    """The interval of shift + scale (first − second), from the intervals of the two (trueness.formulas.mover)."""

    first: Estimate
    second: Estimate
    correlation: float = 0.0
    shift: float = 0.0
    scale: float = 1.0
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        a, b = self.first, self.second
        low, high = mover.difference(a.value, a.ci(level), b.value, b.ci(level), self.correlation)
        return self.clipped(e, self.shift + self.scale * low, self.shift + self.scale * high, level)


@dataclass(frozen=True, eq=False)
class FromParts(IntervalRule):
    """The interval of a measure of independent shares, from the intervals of these shares."""

    design: StudyDesign
    measure: Measure
    shares_by: ProportionMethod
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        return self.clipped(e, *limits_from_parts(self.design, self.measure, self.shares_by, level), level)


@dataclass(frozen=True, eq=False)
class ReachesLimit(IntervalRule):
    """The interval of a ratio that is 0 or infinite in the observed table of a selected study; it reaches 0 or ∞."""

    design: StudyDesign
    near_zero: Measure  # the ratio, or its inverse, as a measure that is 0 in this table
    inverse: bool  # whether `near_zero` is the inverse
    shares_by: ProportionMethod  # interval of the shares that the design observes
    name = MOVER

    def limits(self, e: Estimate, level: float) -> Interval:
        _, most = limits_from_parts(self.design, self.near_zero, self.shares_by, level)
        low, high = LOG.limits(e, level)  # used where two shares are 0 (an odds ratio) and `most` is 0
        if self.inverse:
            return self.clipped(e, min(1 / most, e.value) if most else low, math.inf, level)
        return self.clipped(e, 0.0, max(most, e.value) if most else high, level)


def correlation(first: Estimate, second: Estimate, se: float) -> float:
    """Correlation of two estimates whose difference has this standard error; 0 where one does not vary."""
    if not first.se or not second.se:
        return 0.0
    return max(-1.0, min(1.0, (first.se**2 + second.se**2 - se**2) / (2 * first.se * second.se)))


def limits_from_parts(design: StudyDesign, measure: Measure, method: ProportionMethod, level: float) -> Limits:
    """Limits of a measure that is linear in every part, or of any measure where all parts have two shares."""
    return mover.together(_value(design, measure, _shares(design)), _moved(design, measure, method, level))


def has_empty_part(design: StudyDesign, measure: Measure) -> bool:
    """Whether a share that the measure depends on is 0, so that the delta method assigns it no variance."""
    if not measure.linear:
        return design.has_empty_cell
    return any((_weights(design, measure, k)[1] == 0).any() for k in range(len(design.parts)))


def _moved(design: StudyDesign, measure: Measure, method: ProportionMethod, level: float) -> Iterator[Limits]:
    """The measure with one part at its limits and the others as estimated."""
    shares = _shares(design)
    for k, part in enumerate(design.parts):
        if measure.linear:
            weights, grouped = _weights(design, measure, k)
            if len(weights) > 1:
                each = [_share_limits(x, part.sum(), method, level) for x in grouped]
                yield mover.mean(weights, grouped / part.sum(), np.array(each))
            continue
        low, high = (
            _value(design, measure, [*shares[:k], np.array([1 - r, r]), *shares[k + 1 :]])
            for r in _share_limits(part[1], part.sum(), method, level)
        )
        yield low, high
    for centre, variance in zip(design.rest, design.rest_variances, strict=True):  # logit ρ of a case-control study
        half = intervals.quantile(level) * math.sqrt(variance)
        low, high = (_value(design, measure, shares, np.array([centre + side * half])) for side in (-1, 1))
        yield low, high


def _weights(design: StudyDesign, measure: Measure, k: int) -> tuple[Floats, Array]:
    """A linear measure is Σ_j w_j p_j in part k: the distinct w, and the total count of the cells with each."""
    shares = _shares(design)
    corners = np.eye(len(shares[k]))
    found = np.array([_value(design, measure, [*shares[:k], corner, *shares[k + 1 :]]) for corner in corners])
    weights, which = np.unique(found.round(12), return_inverse=True)
    return weights, np.bincount(which.ravel(), weights=design.parts[k], minlength=len(weights))


def _shares(design: StudyDesign) -> list[Array]:
    return [part / part.sum() for part in design.parts]


def _value(design: StudyDesign, measure: Measure, shares: list[Array], rest: Array | None = None) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(measure.function(design.from_parts(shares, design.rest if rest is None else rest)))


def _share_limits(x: float, n: float, method: ProportionMethod, level: float) -> Limits:
    return METHODS["exact" if x in (0, n) and method in UNDEFINED_AT_EDGE else method](x, n, level)
