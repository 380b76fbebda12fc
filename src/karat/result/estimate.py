"""Estimate: a number, how sure we are of it, and what it is a number of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from karat.errors import InputError
from karat.formulas import intervals, proportions
from karat.result.digits import shown, with_se
from karat.result.interval import Interval


@dataclass(frozen=True, eq=False)
class Estimate:
    """One number with its uncertainty.

    Attributes
    ----------
    value
        The estimate.
    se
        Standard error: how much `value` would vary over samples of this size. None where no
        standard error can be defended; a note says why.
    mc_se
        Monte-Carlo error: how much `value` would vary over repetitions of the resampling on the
        same cases. It shrinks with the number of resamples, `se` does not.
    influence
        (n,) scaled so that its norm (summed within groups first) is the exact standard error. The
        standard error of a difference on the same design is the norm of the difference.
    estimand
        What is estimated: this rule, or the mean over training sets of this size.
    se_method
        Which standard error `se` is.
    bounds
        The range of the metric; no interval leaves it.
    interval
        The interval that `ci()` gives when none is named.
    cases
        The number of independent observations that speak when the estimate is at its limit
        (n for a loss, min(n1, n2) for an AUC).
    plain
        Whether `value` is a plain proportion x / cases.
    df
        Degrees of freedom: quantiles are Student's instead of the normal where it is given.
    replicates
        Values of the metric in every replicate, for `interval="quantile"`.
    fold_sd
        SD over folds or replicates: a spread, not an error.
    mc_influence
        (F,) contribution of every replicate to the Monte-Carlo error; its norm is `mc_se`.
    """

    value: float
    se: float | None = None
    mc_se: float | None = None
    influence: np.ndarray | None = field(default=None, repr=False)
    metric: str = ""
    method: str = ""
    estimand: str = ""
    se_method: str | None = None
    bounds: tuple[float, float] = (-math.inf, math.inf)
    interval: str = "wald"
    cases: int | None = None
    plain: bool = False
    df: float | None = None
    replicates: np.ndarray | None = field(default=None, repr=False)
    fold_sd: float | None = None
    mc_influence: np.ndarray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        name = " ".join(part for part in (self.metric, self.method) if part)
        return f"{name}: {with_se(self.value, self.se)}" if name else with_se(self.value, self.se)

    def with_(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def noting(self, *notes: str) -> Self:
        """A copy with these notes added; the estimate itself where it has them all."""
        new = tuple(n for n in notes if n and n not in self.notes)
        return self.with_(notes=self.notes + new) if new else self

    # -- intervals -----------------------------------------------------------------------------

    def ci(self, level: float = 0.95, method: str | None = None) -> Interval:
        """A confidence interval; it never leaves the metric's range.

        Parameters
        ----------
        level
            Coverage asked for, e.g. 0.95.
        method
            None for the default of this estimate, or "wald", "logit", "wilson", "t",
            "continuity" (the ± (0.5/n + z·se) of seeds/003), "quantile" (of the values per
            replicate); for a plain proportion every method of `karat.proportion_interval`.

        Notes
        -----
        At the limit of the range (AUC = 1, no error at all) the standard error is 0 and most
        formulas give an interval without length. There the exact interval of Clopper and Pearson
        for `cases` independent trials is given: for an AUC of 1, all of the m = min(n1, n2)
        disjoint pairs are in order, so P(AUC = 1) ≤ AUC^m, and the limit (α/2)^(1/m) is safe.
        """
        if isinstance(level, (str, bool)) or not 0 < level < 1:
            raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
        method = method or self.interval
        try:
            build = self._INTERVALS[method]
        except KeyError:
            raise InputError(
                f"there is no interval {method!r} for this estimate", fix=f"Choose one of {', '.join(self._INTERVALS)}"
            ) from None
        return build(self, level, method)

    def _called(self) -> str:
        return " by ".join(part for part in (self.metric, self.method) if part) or "the estimate"

    def _require_se(self) -> float:
        if self.se is None or math.isnan(self.se):
            why = " ".join(self.notes) or "No standard error is defined for it."
            raise InputError(f"{self._called()} has no standard error, so no interval. {why}")
        return self.se

    def _clip(self, low: float, high: float, level: float, method: str, note: str = "") -> Interval:
        a, b = self.bounds
        return Interval(max(low, a), min(high, b), level=level, method=method, note=note)

    def _unit(self) -> tuple[float, float]:
        """The estimate moved to the unit interval, and the length of its range."""
        a, b = self.bounds
        if not (math.isfinite(a) and math.isfinite(b)):
            raise InputError(
                f"{self.metric} has no finite range, so a logit or Wilson interval does not exist",
                got=f"bounds {self.bounds}",
                fix='Use method="wald"',
            )
        return (self.value - a) / (b - a), b - a

    def _scaled(self, limits: tuple[float, float], level: float, method: str, note: str = "") -> Interval:
        a, b = self.bounds
        return self._clip(a + limits[0] * (b - a), a + limits[1] * (b - a), level, method, note)

    def _at_limit(self, p: float, level: float) -> Interval:
        if self.cases is None:
            raise InputError(
                f"{self._called()} is at the limit of its range with a standard error of 0, and the "
                "number of independent cases behind it is not known: no interval can be defended"
            )
        m, x = self.cases, 0 if p <= 0 else self.cases
        note = f"at the limit of the range: exact interval for {m} independent cases"
        return self._scaled(intervals.clopper_pearson(x, m, level), level, "exact", note)

    def _wald(self, level: float, method: str) -> Interval:
        se = self._require_se()
        if se == 0:
            a, b = self.bounds
            if self.value in (a, b) and math.isfinite(self.value):
                return self._at_limit(self._unit()[0], level)
            return self._clip(
                self.value, self.value, level, method, "the standard error is 0: no case makes a difference"
            )
        return self._clip(*intervals.wald(self.value, se, intervals.quantile(level, self.df)), level, method)

    def _t(self, level: float, method: str) -> Interval:
        if self.df is None:
            raise InputError("a t interval needs degrees of freedom, and this estimate has none", fix='Use "wald"')
        return self._wald(level, method)

    def _logit(self, level: float, method: str) -> Interval:
        se = self._require_se()
        p, length = self._unit()
        if not 0 < p < 1:
            return self._at_limit(p, level)
        return self._scaled(intervals.logit(p, se / length, intervals.quantile(level, self.df)), level, method)

    def _wilson(self, level: float, method: str) -> Interval:
        se = self._require_se()
        p, length = self._unit()
        q = intervals.quantile(level, self.df)
        if self.plain and self.cases:
            return self._scaled(intervals.wilson(p, self.cases, q), level, method)
        if not 0 < p < 1:
            return self._at_limit(p, level)
        if se == 0:
            return self._wald(level, method)
        # n_eff: the number of independent trials that would have this standard error
        return self._scaled(intervals.wilson(p, p * (1 - p) / (se / length) ** 2, q), level, method)

    def _continuity(self, level: float, method: str) -> Interval:
        se = self._require_se()
        if self.cases is None:
            raise InputError("the continuity-corrected interval needs the number of cases")
        half = 0.5 / self.cases + intervals.quantile(level) * se  # seeds/003, k-fold cross-validation
        return self._clip(self.value - half, self.value + half, level, method)

    def _quantile(self, level: float, method: str) -> Interval:
        if self.replicates is None:
            raise InputError(
                "these estimates hold no values per replicate", fix='Ask for them: estimate(..., se="quantile")'
            )
        note = (
            "quantiles of the values per replicate: each comes from a part of the cases, so this is no confidence "
            "interval and has no coverage to speak of"
        )
        return self._clip(*intervals.percentile(self.replicates, level), level, method, note)

    def _proportion(self, level: float, method: str) -> Interval:
        if not (self.plain and self.cases):
            raise InputError(
                f"the interval {method!r} is for a plain proportion, and this estimate is none", fix='Use "wilson"'
            )
        self._require_se()
        if method == "cloglog" and self.value in (0, 1):
            return self._at_limit(self.value, level)
        limits = proportions.METHODS[method](round(self.value * self.cases), self.cases, level)
        return self._clip(*limits, level, method)

    _INTERVALS: ClassVar[dict[str, Callable[..., Interval]]] = {
        "wald": _wald,
        "logit": _logit,
        "wilson": _wilson,
        "t": _t,
        "continuity": _continuity,
        "quantile": _quantile,
        **dict.fromkeys([name for name in proportions.METHODS if name not in ("wald", "logit", "wilson")], _proportion),
    }

    # -- showing -------------------------------------------------------------------------------

    def row(self, level: float = 0.95) -> dict[str, Any]:
        """One row of a table: plain numbers, blanks where nothing can be said."""
        low, high, interval = self._limits(level)
        return {
            "metric": self.metric,
            "method": self.method,
            "value": self.value,
            "se": self.se,
            "low": low,
            "high": high,
            "mc_se": self.mc_se,
            "fold_sd": self.fold_sd,
            "se_method": self.se_method,
            "interval": interval,
            "estimand": self.estimand,
            "notes": " ".join(self.notes),
        }

    def _limits(self, level: float) -> tuple[float | None, float | None, str | None]:
        if self.interval == "quantile" or (self.se is not None and not math.isnan(self.se)):
            interval = self.ci(level)
            return interval.low, interval.high, interval.method
        return None, None, None

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """What JSON can hold: undefined numbers are None."""
        out = {k: _plain(v) for k, v in self.row(level).items()}
        out["level"] = level
        out["df"] = _plain(self.df)
        out["notes"] = list(self.notes)
        out["provenance"] = dict(self.provenance)
        return out

    def _repr_html_(self) -> str:
        low, high, _ = self._limits(0.95)
        limits = "" if low is None else f" (95 %: {shown(low, self.se)} to {shown(high, self.se)})"
        return f"<b>{self.metric} {self.method}</b> {with_se(self.value, self.se)}{limits}"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
