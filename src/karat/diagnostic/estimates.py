"""Estimates of a table that need an interval of their own: ratios, differences of two, effective trials."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from karat.diagnostic import by_parts
from karat.formulas import intervals, mover
from karat.result import Estimate, Interval


@dataclass(frozen=True, eq=False)
class RatioEstimate(Estimate):
    """A ratio > 0; the interval "log" is Wald's on the logarithm, se(ln θ) = se(θ)/θ (delta method)."""

    interval: str = "log"
    bounds: tuple[float, float] = (0.0, math.inf)

    def _log(self, level: float, method: str) -> Interval:
        half = intervals.quantile(level) * self._require_se() / self.value
        return self._clip(self.value * math.exp(-half), self.value * math.exp(half), level, method)

    _INTERVALS = {"log": _log, "wald": Estimate._wald}  # noqa: RUF012 - a table of methods, never changed


@dataclass(frozen=True, eq=False)
class WeightedRatioEstimate(RatioEstimate):
    """A ratio that is 0 or infinite without the ½ that a correction makes many cases of: "mover" reaches 0 or ∞.

    `near_zero` is the ratio, or its inverse, as a measure that is 0 in this table (diagnostic.by_parts).
    """

    design: Any = field(default=None, repr=False)
    near_zero: Any = field(default=None, repr=False)
    inverse: bool = False
    shares_by: str = "wilson"
    interval: str = "mover"

    def _mover(self, level: float, method: str) -> Interval:
        _, most = by_parts.limits(self.design, self.near_zero, self.shares_by, level)
        low, high = self._log(level, method)  # where two shares are 0 (an odds ratio), one alone moves nothing
        if self.inverse:
            return self._clip(min(1 / most, self.value) if most else low, math.inf, level, method)
        return self._clip(0.0, max(most, self.value) if most else high, level, method)

    _INTERVALS = {"mover": _mover, "log": RatioEstimate._log, "wald": Estimate._wald}  # noqa: RUF012


@dataclass(frozen=True, eq=False)
class DifferenceEstimate(Estimate):
    """shift + scale (first − second); the interval "mover" is made of the intervals of the two (kernels.mover)."""

    first: Any = field(default=None, repr=False)
    second: Any = field(default=None, repr=False)
    correlation: float = 0.0
    scale: float = 1.0
    shift: float = 0.0
    interval: str = "mover"

    def _mover(self, level: float, method: str) -> Interval:
        self._require_se()
        a, b = self.first, self.second
        limits = mover.difference(a.value, a.ci(level), b.value, b.ci(level), self.correlation)
        return self._clip(self.shift + self.scale * limits[0], self.shift + self.scale * limits[1], level, method)

    _INTERVALS = {"mover": _mover, "wald": Estimate._wald}  # noqa: RUF012 - a table of methods, never changed


@dataclass(frozen=True, eq=False)
class EffectiveEstimate(Estimate):
    """A measure whose Wilson interval counts `trials` effective cases, those of the table with ½ in every cell.

    The plug-in standard error of a correlation collapses in small tables (a cell of 0 takes its part of the
    variance away); with the table that has no empty cell the interval covers better (docs/diagnostic.md).
    """

    trials: float = math.nan

    def _wilson(self, level: float, method: str) -> Interval:
        self._require_se()
        p, _ = self._unit()
        limits = intervals.wilson(min(max(p, 0.0), 1.0), self.trials, intervals.quantile(level))
        return self._scaled(limits, level, method)

    _INTERVALS = {  # noqa: RUF012 - a table of methods, never changed
        "wilson": _wilson,
        "wald": Estimate._wald,
        "logit": Estimate._logit,
    }


@dataclass(frozen=True, eq=False)
class PartsEstimate(Estimate):
    """A measure of shares that vary independently; the interval "mover" is made of theirs (diagnostic.by_parts)."""

    design: Any = field(default=None, repr=False)
    measure: Any = field(default=None, repr=False)
    shares_by: str = "wilson"
    interval: str = "mover"

    def _mover(self, level: float, method: str) -> Interval:
        self._require_se()
        return self._clip(*by_parts.limits(self.design, self.measure, self.shares_by, level), level, method)

    _INTERVALS = {  # noqa: RUF012 - a table of methods, never changed
        "mover": _mover,
        "wilson": Estimate._wilson,
        "wald": Estimate._wald,
        "logit": Estimate._logit,
    }


def correlation(first: Estimate, second: Estimate, se: float) -> float:
    """Of two estimates whose difference has this standard error; 0 where one does not vary."""
    if not first.se or not second.se:
        return 0.0
    return max(-1.0, min(1.0, (first.se**2 + second.se**2 - se**2) / (2 * first.se * second.se)))
