"""Intervals, and the rules by which limits follow from an estimate. An Estimate holds one rule as its default."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from trueness.errors import InputError
from trueness.formulas import intervals, proportions
from trueness.result.notes import Note
from trueness.result.words import Named
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.result.estimate import Estimate


OF_EXACT = Named("exact", "exact", "clopper_pearson_1934")
OF_WILSON = Named("wilson", "Wilson's", "wilson_1927")
MOVER = Named("mover", "MOVER", "zou_donner_2008")
NAMED: dict[str, Named] = {name: name for name in (OF_WILSON, OF_EXACT, MOVER)}  # that also appear as plain names
FEW_ERRORS = 5  # fewer errors than this do not show how much an error rate varies


class Interval(tuple[float, float]):
    """A pair (low, high) that also knows its level, its method and a note about it.

    Examples
    --------
    >>> low, high = Interval(0.71, 0.93, level=0.95, method="logit")
    """

    level: float
    method: str
    note: Note | None

    def __new__(cls, low: float, high: float, *, level: float, method: str, note: Note | None = None) -> Interval:
        self = super().__new__(cls, (float(low), float(high)))
        self.level, self.method, self.note = level, method, note
        return self

    def to_dict(self) -> Record:
        return {"low": self.low, "high": self.high, "level": self.level, "method": self.method, "note": self.note}

    @classmethod
    def from_dict(cls, kept: Record) -> Interval:
        """What `to_dict` gave, read from a file."""
        return cls(**kept)

    def __reduce__(self) -> tuple[Any, ...]:  # so that it pickles and copies
        return Interval.from_dict, (self.to_dict(),)

    @property
    def low(self) -> float:
        return self[0]

    @property
    def high(self) -> float:
        return self[1]

    def covers(self, value: float) -> bool:
        """Whether the interval includes a value."""
        low, high = self
        return low <= value <= high

    def __repr__(self) -> str:
        note = f", note={str(self.note)!r}" if self.note else ""
        return f"Interval({self.low:.6g}, {self.high:.6g}, level={self.level}, method={self.method!r}{note})"


class IntervalRule(ABC):
    """One way to get limits. A rule that needs more than the estimate itself is a dataclass that holds it."""

    name: str  # a Named, where it has words and sources
    needs_se: ClassVar[bool] = True
    tests: ClassVar[bool] = False  # whether the test of a value is that it lies outside of it, and not value / se
    at_open_end: bool = False  # whether it has length at the finite end of a range whose other end is infinite

    def to_dict(self) -> Record:
        """What it holds beside its name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @classmethod
    def from_dict(cls, kept: Record) -> IntervalRule:
        """What `to_dict` gave, read from a file."""
        return cls(**kept)

    @abstractmethod
    def limits(self, e: Estimate, level: float) -> Interval:
        """The interval; `level` was checked, and so was the standard error where the rule needs one."""

    def clipped(self, e: Estimate, low: float, high: float, level: float, note: Note | None = None) -> Interval:
        """The interval inside the range of the metric."""
        a, b = e.bounds
        return Interval(max(low, a), min(high, b), level=level, method=self.name, note=note)

    def scaled(self, e: Estimate, limits: tuple[float, float], level: float, note: Note | None = None) -> Interval:
        """Limits on the unit interval moved to the range of the metric."""
        a, b = e.bounds
        return self.clipped(e, a + limits[0] * (b - a), a + limits[1] * (b - a), level, note)


def unit(e: Estimate) -> tuple[float, float]:
    """The estimate moved to the unit interval, and the length of its range."""
    a, b = e.bounds
    if not (math.isfinite(a) and math.isfinite(b)):
        raise InputError(
            f"{e.metric or 'This estimate'} has no finite range, so a logit or Wilson interval does not exist",
            param="method",
            got=f"bounds {e.bounds}",
            fix="Use method='wald'",
        )
    return (e.value - a) / (b - a), b - a


class Wald(IntervalRule):
    """value ± q·se, with Student's quantile where the estimate has degrees of freedom."""

    name = Named("wald", "symmetric")

    def limits(self, e: Estimate, level: float) -> Interval:
        se = e.require_se()
        if se > 0:
            half = intervals.quantile(level, e.df) * se
            return self.clipped(e, e.value - half, e.value + half, level)
        if e.value in e.bounds and math.isfinite(e.value):
            return EXACT.limits(e, level)
        note = Note("zero-se")
        return self.clipped(e, e.value, e.value, level, note)


class StudentT(Wald):
    """Wald's interval with Student's quantile."""

    name = Named("t", "Student's")

    def limits(self, e: Estimate, level: float) -> Interval:
        if e.df is None:
            raise InputError(
                "A t interval needs degrees of freedom, and this estimate has none",
                param="method",
                fix="Use method='wald'",
            )
        return super().limits(e, level)


class Logit(IntervalRule):
    """Wald's interval on the logit scale of the metric's range."""

    name = "logit"

    def limits(self, e: Estimate, level: float) -> Interval:
        p, length = unit(e)
        if not 0 < p < 1:
            return EXACT.limits(e, level)
        return self.scaled(e, intervals.logit(p, e.require_se() / length, intervals.quantile(level, e.df)), level)


@dataclass(frozen=True, eq=False)
class Wilson(IntervalRule):
    """Wilson's score interval; where the value is no plain proportion, with the number of independent trials that
    would have its standard error. Near the end of the range, where fewer than five tested cases could make the value, it
    is never surer than at the end.

    For a mean of losses that are 0 or 1, from resampling (`of_rate`), the standard error goes to 0 near the ends faster
    than √(p (1 − p)): a case that is misclassified by one replicate in a hundred hardly adds to it, and n_eff =
    p (1 − p)/se² has no limit. So p is held to ½/n … 1 − ½/n, n_eff to 4n, and with fewer than five errors to the number
    of independent cases.
    """

    of_rate: bool = field(default=False, kw_only=True)
    name = OF_WILSON

    def limits(self, e: Estimate, level: float) -> Interval:
        p, length = unit(e)
        q = intervals.quantile(level, e.df)
        if e.plain and e.cases:
            return self.scaled(e, intervals.wilson(p, e.cases, q), level)
        if not 0 < p < 1:
            return EXACT.limits(e, level)
        se = e.require_se() / length
        if se == 0:
            return WALD.limits(e, level)
        if not e.cases:
            return self.scaled(e, intervals.wilson(p, p * (1 - p) / se**2, q), level)
        n = e.tested or e.cases
        few = n * min(p, 1 - p) < FEW_ERRORS
        held, most = p, math.inf
        if self.of_rate:
            held, most = min(max(p, 0.5 / n), 1 - 0.5 / n), e.cases if few else 4 * n
        low, high = intervals.wilson(p, min(held * (1 - held) / se**2, most), q)
        if few:
            at_0, at_1 = (intervals.clopper_pearson(x, e.cases, level) for x in (0, e.cases))
            low, high = min(low, at_1[0]), max(high, at_0[1])
        return self.scaled(e, (low, high), level)


@dataclass(frozen=True, eq=False)
class EffectiveWilson(IntervalRule):
    """Wilson's interval with `trials` effective cases, those of the table with ½ added to every cell.

    The plug-in standard error of a correlation is too small in small tables, because an empty cell contributes no
    variance; the table with ½ in every cell gives better coverage (docs/diagnostic.md).
    """

    trials: float
    name = OF_WILSON

    def limits(self, e: Estimate, level: float) -> Interval:
        p, _ = unit(e)
        limits = intervals.wilson(min(max(p, 0.0), 1.0), self.trials, intervals.quantile(level))
        return self.scaled(e, limits, level)


class Exact(IntervalRule):
    """The interval of an estimate at the end of its range, where the standard error is 0.

    Clopper and Pearson's for `cases` independent trials. For an AUC of 1, all of the m = min(n1, n2) disjoint pairs
    are in order, so P(AUC = 1) ≤ AUC^m, and the limit (α/2)^(1/m) is safe.
    """

    name = OF_EXACT
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        if e.cases is None:
            raise InputError(
                f"{e.called()} is at the end of its range, and the number of its independent cases is not known"
            )
        m, x = e.cases, 0 if unit(e)[0] <= 0 else e.cases
        note = Note("at-limit", cases=e.cases)
        return self.scaled(e, intervals.clopper_pearson(x, m, level), level, note)


class Continuity(IntervalRule):
    """value ± (0.5/n + z·se): the normal interval of cross-validation with a continuity correction (Yousef, Machine
    Learning Assessment)."""

    name = "continuity"

    def limits(self, e: Estimate, level: float) -> Interval:
        if e.cases is None:
            raise InputError("The continuity-corrected interval needs the number of cases", param="method")
        half = 0.5 / e.cases + intervals.quantile(level) * e.require_se()
        return self.clipped(e, e.value - half, e.value + half, level)


QUANTILES = Note("quantile-interval")


class Quantile(IntervalRule):
    """Quantiles of the values per replicate: a spread, not a confidence interval."""

    name = "quantile"
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        if e.replicates is None:
            raise InputError(
                "This estimate holds no values per replicate", param="method", fix='Use estimate(..., se="quantile")'
            )
        return self.clipped(e, *intervals.percentile(e.replicates, level), level, QUANTILES)


@dataclass(frozen=True, eq=False)
class Proportion(IntervalRule):
    """One of the intervals of `trueness.tables.proportion_interval`, for a plain proportion x/n."""

    name: str

    def limits(self, e: Estimate, level: float) -> Interval:
        if not (e.plain and e.cases):
            raise InputError(
                f"The interval {self.name!r} is for a plain proportion x/n", param="method", fix="Use method='wilson'"
            )
        if self.name == "cloglog" and e.value in (0, 1):
            return EXACT.limits(e, level)
        limits = proportions.METHODS[self.name](round(e.value * e.cases), e.cases, level)
        return self.clipped(e, *limits, level)


class LogWald(IntervalRule):
    """θ·exp(± z·se/θ): Wald's interval of ln θ for a positive θ, by the delta method."""

    name = "log"

    def limits(self, e: Estimate, level: float) -> Interval:
        if not e.value > 0:
            raise InputError(f"{e.called()} is not positive, so its logarithm has no interval", param="method")
        factor = math.exp(min(intervals.quantile(level, e.df) * e.require_se() / e.value, 700.0))
        return self.clipped(e, e.value / factor, e.value * factor, level)


@dataclass(frozen=True, eq=False)
class LogOfLoss(LogWald):
    """The interval of ln θ for a mean loss θ that has no upper limit, which has length where all losses are 0 too.

    There the share of cases with another loss is at most Clopper and Pearson's limit p for `cases` independent ones. A
    loss has no limit, so it is taken to be at most `largest`, that of predicting one end of the observed range of the
    targets where the other is true; the limit is (p · largest)^power.

    The mean of skewed losses is skewed, too, and most samples miss its largest losses: the upper limit of ln θ is higher
    by v (γ (2q² + 1)/6 − v q²/2), where that is positive (Hall 1992; trueness.estimators.estimation).

    Where no loss of a case exceeds `most`, the upper limit is at most that of a share θ/most of losses that are all 0 or
    `most`, which vary more than any others of this mean (Clopper and Pearson's limit, also between whole numbers of
    cases), or Wald's where that is above: where the standard error is several times the value, e^(q·se/θ) is a number
    without meaning.
    """

    largest: float
    power: float = 1.0  # θ is this power of a mean loss
    skew: float = 0.0  # γ, the skewness of the mean loss over test sets
    spread: float = 0.0  # v, its relative standard error over test sets
    most: float = math.inf
    name = Named("log", "log, corrected for skewness", "hall_1992")

    @property
    def at_open_end(self) -> bool:  # type: ignore[override]
        return math.isfinite(self.largest)

    def limits(self, e: Estimate, level: float) -> Interval:
        if e.value > 0:
            if e.require_se() == 0:
                return WALD.limits(e, level)
            (low, high), q = super().limits(e, level), intervals.quantile(level, e.df)
            longer = self.power * self.spread * max(0.0, self.skew * (2 * q**2 + 1) / 6 - self.spread * q**2 / 2)
            high *= math.exp(longer)
            if e.cases is not None and self.most < math.inf:
                share = min(e.value / self.most, 1.0)
                extreme = self.most * intervals.clopper_pearson(share * e.cases, e.cases, level)[1]
                high = min(high, max(extreme, e.value + q * e.require_se()))
            return self.clipped(e, low, high, level)
        if e.cases is None:
            raise InputError(
                f"{e.called()} is at the end of its range, and the number of its independent cases is not known"
            )
        share = intervals.clopper_pearson(0, e.cases, level)[1]
        note = Note("no-errors-seen", cases=e.cases)
        return self.clipped(e, 0.0, (share * self.largest) ** self.power, level, note)


@dataclass(frozen=True, eq=False)
class LogOfRest(IntervalRule):
    """The interval of ln(1 − θ) for a θ that is at most 1, such as R²; as `LogOfLoss` where θ is 1."""

    largest: float
    name = Named("log rest", "log(1 − value)")

    @property
    def at_open_end(self) -> bool:  # type: ignore[override]
        return math.isfinite(self.largest)

    def limits(self, e: Estimate, level: float) -> Interval:
        rest = LogOfLoss(self.largest).limits(e.with_(value=1 - e.value, bounds=(0.0, math.inf)), level)
        return self.clipped(e, 1 - rest.high, 1 - rest.low, level, rest.note)


WALD, LOGIT, WILSON, EXACT, LOG = Wald(), Logit(), Wilson(), Exact(), LogWald()
WILSON_OF_RATE = Wilson(of_rate=True)

RULES: dict[str, IntervalRule] = {
    rule.name: rule
    for rule in (
        WALD,
        LOGIT,
        WILSON,
        StudentT(),
        Continuity(),
        Quantile(),
        *(Proportion(NAMED.get(name, name)) for name in proportions.METHODS if name not in ("wald", "logit", "wilson")),
    )
}
"""What `Estimate.ci(method=...)` accepts for every estimate."""
