"""Estimate: a number, how sure we are of it, and what it is a number of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast

import pandas as pd

from trueness.checks import check_level, is_one_of, level_of
from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, forest
from trueness.result.interval import RULES, WALD, Interval, IntervalRule
from trueness.result.json import encoded, json_value
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Page, Result, Table, tidy
from trueness.result.words import StandardError, cells, how, sentence, spoken, titled, with_interval
from trueness.typing import Floats, Record


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Result, Drawn):
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
        What is estimated: this rule, or a mean over training sets, and of which size.
    se_method
        Which standard error `se` is: its name, with `words`, `sources`, `parts` and what it `assumes`.
    bounds
        The range of the metric; no interval leaves it.
    interval
        The rule that `ci()` follows when no method is named.
    alternatives
        Further rules that `ci(method=...)` knows by name, besides those of every estimate.
    cases
        The number of independent observations behind the estimate, used at the limit of its range
        (n for a loss, min(n1, n2) for an AUC).
    tested
        The number of tested cases, where it is not `cases` because they come in groups.
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
    notes
        What the reader should know: values with a code (docs/notes.md).
    bias
        Estimated bias of `value`, where the method estimates it (jackknife, bootstrap of a statistic).
    se_mc_se
        Monte-Carlo error of `se` itself, where the method knows it: its SD over seeds on the same cases.
    needed
        The number of replicates that `se` needs, where there are fewer.
    identical
        Whether it is the difference of two equal inputs: only then is a standard error of 0 exact.
    missing
        By how much fits that failed could lower and raise `value`, whatever they had given; intervals and tests allow
        for it.
    """

    value: float
    se: float | None = None
    mc_se: float | None = None
    influence: Floats | None = field(default=None, repr=False)
    metric: str = ""
    method: str = ""  # a Named, where it has words and sources
    estimand: str = ""
    se_method: StandardError | None = None
    bounds: tuple[float, float] = (-math.inf, math.inf)
    interval: IntervalRule = WALD
    alternatives: tuple[IntervalRule, ...] = ()
    cases: int | None = None
    tested: int | None = None
    plain: bool = False
    df: float | None = None
    replicates: Floats | None = field(default=None, repr=False)
    fold_sd: float | None = None
    mc_influence: Floats | None = field(default=None, repr=False)
    notes: tuple[Note, ...] = ()
    bias: float | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    se_mc_se: float | None = None
    needed: int | None = None
    identical: bool = False
    missing: tuple[float, float] = (0.0, 0.0)

    def __str__(self) -> str:
        number, se, _, _ = cells(self, 0.95)
        name = " ".join(filter(None, (self.metric, self.method)))
        return ": ".join(filter(None, (name, " ± ".join(filter(None, (number, se))))))

    def __repr__(self) -> str:
        limits = cells(self, 0.95).limits
        return "; ".join(filter(None, (f"{self} (95 %: {limits})" if limits else str(self), self.estimand)))

    def with_(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    # -- intervals -----------------------------------------------------------------------------

    def ci(self, level: float = 0.95, method: str | None = None) -> Interval:
        """A confidence interval; it never leaves the metric's range.

        Parameters
        ----------
        level : float, default 0.95
            Coverage asked for.
        method : str, optional
            None for the default of this estimate, or "wald", "logit", "wilson", "t", "continuity" (± (0.5/n + z·se)),
            "quantile" (of the values per replicate); for a plain proportion every method of
            `trueness.tables.proportion_interval`.

        Returns
        -------
        Interval

        Notes
        -----
        At the end of the range (AUC = 1, no error at all) the standard error is 0 and most formulas give an interval
        without length. There the exact interval of Clopper and Pearson for `cases` independent trials is given. Where
        fits failed, the limits are those of the worst and the best result that these could have had: an interval for
        every value between the two (Horowitz & Manski 2000).
        """
        check_level(level)
        rule = self.interval if method is None else self._rule(method)
        if rule.needs_se:
            self.require_se()
        found = rule.limits(self, level)
        if self.missing == (0.0, 0.0) or method == "quantile":
            return found
        (a, b), (low, high) = self.bounds, found
        low, high = max(low - self.missing[0], a), min(high + self.missing[1], b)
        return Interval(low, high, level=found.level, method=found.method, note=found.note)

    def nearest(self, null: float) -> float:
        """The value nearest to this one that it could have, whatever fits that failed had given."""
        return min(max(null, self.value - self.missing[0]), self.value + self.missing[1])

    def _rule(self, method: str) -> IntervalRule:
        known = RULES | {rule.name: rule for rule in (*self.alternatives, self.interval)}
        if not is_one_of(method, known):
            problem = f"There is no interval {method!r} for this estimate"
            raise InputError(problem, param="method", fix=f"Choose one of {', '.join(known)}")
        return known[method]

    def called(self) -> str:
        """ "auc by lpob", for messages."""
        return " by ".join(part for part in (self.metric, self.method) if part) or "the estimate"

    @property
    def of(self) -> str:
        """The metric; of a difference that of the two."""
        return self.metric.removesuffix(" difference")

    @property
    def has_interval(self) -> bool:
        """Whether `ci()` can answer."""
        return not self.interval.needs_se or (self.se is not None and not math.isnan(self.se))

    def require_se(self) -> float:
        """The standard error; an error where there is none."""
        if self.se is None or math.isnan(self.se):
            why = " ".join(map(str, self.notes)) or "No standard error is defined for it."
            raise InputError(f"{self.called()} has no standard error, so no interval. {why}")
        return self.se

    # -- showing -------------------------------------------------------------------------------

    def row(self, level: float = 0.95) -> Record:
        """One row of a table: plain numbers, blanks where nothing can be said."""
        check_level(level)
        found = self.ci(level) if self.has_interval else None
        low, high = found or (None, None)
        return {
            "metric": self.metric,
            "method": self.method,
            "value": self.value,
            "se": self.se,
            "low": low,
            "high": high,
            "mc_se": self.mc_se,
            "se_mc_se": self.se_mc_se,
            "fold_sd": self.fold_sd,
            "se_method": self.se_method,
            "interval": None if found is None else found.method,
            "estimand": self.estimand,
            "notes": " ".join(map(str, self.notes)),
        }

    def frame(self, level: float = 0.95, *, details: bool = False) -> pd.DataFrame:
        """One row, unrounded; with `details` also simulation errors, names of formulas and notes."""
        return tidy([self.row(level)], details)

    def answer(self, level: float = 0.95) -> str:
        """The value and its interval."""
        return sentence(self, level)

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, getattr(self, "level", 0.95))
        heads = ("value", "std. error", f"{100 * level:g} % interval", "simulation error", "how")
        filled = zip(heads, (*cells(self, level), how(self, level)), strict=True)
        known = {head: cell for head, cell in filled if cell}
        about = f"About: {self.estimand}." * bool(self.estimand)
        table = Table(list(known), [list(known.values())])
        return Page(f"{self.metric} {self.method}".strip(), self.answer(level), (table,), self.notes, about)

    def figure(self, level: float = 0.95) -> Figure:
        """The value with its interval; empty where there is none."""
        dots = [self.dot(self.method, level)] * self.has_interval
        return forest(dots, titled(self.metric), f"{spoken(self.metric)}, {100 * level:g} % interval")

    def dot(self, name: str, level: float, kind: str = "mark", se: float | None = None) -> Dot:
        """Its row in a figure; one without a standard error is rounded to `se`."""
        row, rounded = self.row(level), self if self.se is not None or se is None else self.with_(mc_se=se)
        return Dot(name, self.value, row["low"], row["high"], with_interval(rounded, level), kind)

    def to_dict(self, level: float = 0.95) -> Record:
        """Everything, in types that JSON can hold, with its limits at this level."""
        return cast(Record, encoded(self, level))

    def _beside(self, level: float) -> Record:
        """What JSON has for readers beside the fields."""
        row = self.row(level)
        return {"low": json_value(row["low"]), "high": json_value(row["high"]), "level": level}


def of_seeds(estimates: Iterable[Estimate], known_from: str = "") -> str:
    """By how much another seed would change the standard errors; `known_from` says how far that is known."""
    shares = [e.se_mc_se / e.se for e in estimates if e.se and e.se_mc_se and 0.005 * e.se <= e.se_mc_se < e.se]
    if not shares:
        return ""
    said = f"Another seed would change the standard errors by up to about {100 * max(shares):.0f} %"
    return f"{', '.join(filter(None, (said, known_from)))}."
