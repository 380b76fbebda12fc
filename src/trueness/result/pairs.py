"""Pairs of models or systems: their differences in either order, tests, and what comparisons have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any, TypeVar, cast

from trueness.checks import check_level, level_of
from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, forest
from trueness.formulas.intervals import MaxT
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.joint import Tango
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Page, Result, Table, flat, plain
from trueness.result.test_result import UNNAMED, TestResult
from trueness.result.words import cells, in_words, p_between, rounded_p, sentence, spoken
from trueness.typing import Floats, Record

Pair = tuple[str, str]
T = TypeVar("T")  # an Estimate, a TestResult, or what does not depend on the order


class EitherOrder(dict[Pair, T]):
    """Answers by pair, in the order of their differences; in the other order with the sign turned."""

    def __missing__(self, pair: Pair) -> T:
        if isinstance(pair, tuple) and pair[::-1] in self:
            return mirrored(self[pair[::-1]])
        pairs = ", ".join(map(str, self)) or "none"
        raise InputError(f"There is no pair {pair!r}", fix=f"Choose one of {pairs}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Paired(Drawn, Result, Cited):
    """What comparisons of models and of systems have in common: differences of every pair, and their tests."""

    verdict: str
    outcome: str
    metric: str
    higher_is_better: bool | None
    estimates: Mapping[str, Estimate]
    differences: Mapping[Pair, Estimate]
    tests: Mapping[Pair, TestResult]
    adjusted: Mapping[Pair, float]
    pair: Pair
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    law: MaxT | None = field(default=None, repr=False)  # of the largest |t| of all pairs; None: of each pair alone
    baseline: str | None = None  # the one that all others are compared with; None: every pair
    say: Callable[[Any, Pair], str] | None = field(default=None, repr=False)  # the verdict about a pair

    @property
    def difference(self) -> PairAnswer:
        """first − second of `pair`, in the order given: of two, or of several the two that come first."""
        return self[self.pair]

    @property
    def p_value(self) -> float | None:
        """p-value of `difference`, adjusted where there are several pairs; None where no test can be made."""
        return self.adjusted.get(self.pair)

    def __getitem__(self, pair: Pair) -> PairAnswer:
        """first − second of a pair, in either order, with its test and the verdict about it.

        Raises
        ------
        InputError
            Where there is no such pair.
        """
        if isinstance(pair, tuple) and len(pair) == 2:
            for own in (pair, pair[::-1]):
                if own in self.differences:
                    return self._answer(pair, own)
        about = "" if self.baseline is None else f"; each is compared with {self.baseline} only"
        one = (
            f"Use .estimates[{pair!r}] for one model, or two names. "
            if isinstance(pair, str) and pair in self.estimates
            else ""
        )
        raise InputError(f"There is no pair {pair!r}", fix=f"{one}Names: {', '.join(self.estimates)}{about}")

    def _answer(self, pair: Pair, own: Pair) -> PairAnswer:
        d = self.differences[own] if pair == own else mirrored(self.differences[own])
        test = self.tests.get(own)
        if test is not None and pair != own:
            test = mirrored(test)
        test = None if test is None else replace(test, names=pair)
        if test is not None and self.law is not None and len(self.law.loadings) > 1:
            test = replace(test, test=f"{test.test}; this pair alone, unadjusted")
        known = {f.name: getattr(d, f.name) for f in fields(Estimate)}
        return PairAnswer(
            **known,
            test=test,
            p_value=self.adjusted.get(own),
            p_range=self.p_range_of(own),
            verdict="" if self.say is None else self.say(self, pair),
            names=pair,
            level=self.level,
            law=self.law,
            of=self.metric,
            margin=getattr(self, "margin", None),
        )

    @property
    def p_range(self) -> tuple[float, float] | None:
        """The p-values of `difference` that 95 % of other seeds would give, adjusted as `p_value` is; None where that is
        not known."""
        return self.p_range_of(self.pair)

    def p_range_of(self, pair: Pair) -> tuple[float, float] | None:
        """The same of any pair, in the order of its difference."""
        test = self.tests.get(pair)
        if test is None or test.p_range is None:
            return None
        low, high = test.p_range if self.law is None else map(self.law.adjusted, test.p_range)
        return low, high

    def ranking(self) -> list[str]:
        """Names, best first; highest first where the direction of the metric is unknown."""
        return ranked(self.estimates, self.higher_is_better)

    def interval(self, pair: Pair) -> Interval | None:
        """The interval of a difference, as tables show it; None where there is none."""
        d = self[pair]
        return d.ci(self.level) if d.has_interval else None

    @property
    def pair_level(self) -> float:
        """Level of the interval of each pair at which all of them hold together at `level`."""
        return self._level_of_each(self.level)

    def _level_of_each(self, level: float) -> float:
        return level if self.law is None else self.law.level_per_statistic(level)

    def figure(self) -> Figure:
        """The differences, with a dashed line at 0 and the band of the margin."""
        dots = [d.dot(" − ".join(pair), self.pair_level) for pair, d in self.differences.items()]
        title = f"Differences of the {spoken(self.metric)}"
        return _differences(dots, title, self.metric, self.level, getattr(self, "margin", None), len(dots) > 1)

    def _pair_row(self, pair: Pair, level: float) -> Record:
        """What the row of a pair in `frame` begins with."""
        d, test = self.differences[pair], self.tests.get(pair)
        row = d.row(level)
        return {
            "first": pair[0],
            "second": pair[1],
            "difference": d.value,
            **{name: row[name] for name in ("se", "low", "high")},
            "p_value": None if test is None else test.p_value,
        }

    def _seeds(self, pair: Pair) -> Record:
        """The range of the adjusted p-value over seeds in the row of a pair."""
        low, high = self.p_range_of(pair) or (None, None)
        return {"p_low": low, "p_high": high}

    def _pair_dict(self, pair: Pair) -> Record:
        """What a pair in `to_dict` begins with."""
        return {
            "first": pair[0],
            "second": pair[1],
            "difference": self.differences[pair].to_dict(self.pair_level),
            "test": self.tests[pair].to_dict() if pair in self.tests else None,
        }

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return ((f"{self.metric}.{name}", e) for name, e in self.estimates.items())

    def flat(self) -> dict[str, float]:
        """Numbers by name, for MLflow, W&B and the like: "auc.lda", "auc.lda.se", …, "lda_minus_qda",
        "lda_minus_qda.p" (adjusted where there are several pairs)."""
        named = {pair: "_minus_".join(pair) for pair in self.differences}
        out = super().flat() | flat(((named[pair], d) for pair, d in self.differences.items()), self.pair_level)
        return out | {f"{plain(named[pair])}.p": p for pair, p in self.adjusted.items()}


@dataclass(frozen=True, eq=False, repr=False)
class PairAnswer(Estimate):
    """first − second of a pair of a comparison: an Estimate, with its test and what follows from it.

    Where several pairs were compared, its intervals and `p_value` hold for all of them together, as those of the
    comparison's table do.

    Attributes
    ----------
    test : TestResult, optional
        The test of this pair alone, unadjusted; None where none can be made.
    p_value : float, optional
        Its p-value, adjusted for all pairs that were compared.
    p_range : (float, float), optional
        The same for 95 % of other seeds.
    verdict : str
        The answer in one sentence.
    names : (str, str)
        First and second.
    level : float
        Of the intervals that are shown; that of the comparison.
    """

    test: TestResult | None = None
    p_value: float | None = None
    p_range: tuple[float, float] | None = None
    verdict: str = ""
    names: Pair = UNNAMED
    level: float = 0.95
    law: MaxT | None = field(default=None, repr=False)  # of the largest |t| of all pairs
    of: str = ""  # the metric that was compared
    margin: float | None = None

    def __str__(self) -> str:
        return self.verdict or super().__str__()

    def __repr__(self) -> str:
        return self.verdict or super().__repr__()

    @property
    def _together(self) -> bool:
        """Whether limits and p-value allow for other pairs."""
        return self.law is not None and len(self.law.loadings) > 1

    def ci(self, level: float = 0.95, method: str | None = None) -> Interval:
        """A confidence interval; where several pairs were compared, those of all pairs hold together at `level`.

        Parameters
        ----------
        level, method
            As of an Estimate.

        Returns
        -------
        Interval
            `k.differences[pair].ci()` is that of the pair alone.
        """
        check_level(level)
        if self.law is None:
            return super().ci(level, method)
        found = super().ci(self.law.level_per_statistic(level), method)
        return Interval(*found, level=level, method=found.method, note=found.note)

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        together = " for all pairs" if self._together else ""
        heads = ("difference", "std. error", f"{100 * level:g} % interval{together}", f"p{together}", "over seeds")
        p = "" if self.p_value is None else rounded_p(self.p_value)
        seeds = "" if self.p_range is None else p_between(self.p_range)
        filled = zip(heads, (*cells(self, level)[:3], p, seeds), strict=True)
        known = {head: cell for head, cell in filled if cell}
        about = f"About: {self.estimand}." if self.estimand else ""
        table = Table.of(list(known), [list(known.values())])
        return Page(
            f"{in_words(self.of)}: {' − '.join(self.names)}",
            self.verdict or sentence(self, level),
            (table,),
            self.notes,
            about,
        )

    def figure(self, level: float | None = None) -> Figure:
        """The difference with its interval, with a line at 0 and the band of the margin."""
        level = level_of(level, self.level)
        dots, name = [self.dot(" − ".join(self.names), level)], f"Difference of the {spoken(self.of)}"
        return _differences(dots, name, self.of, level, self.margin, self._together)


def _differences(dots: list[Dot], name: str, metric: str, level: float, margin: float | None, together: bool) -> Figure:
    """Differences with their intervals, a dashed line at 0 and the band of the margin."""
    how = " for all pairs together" if together else ""
    return forest(dots, name, f"difference of the {spoken(metric)}, {100 * level:g} % interval{how}", margin, zero=True)


def ranked(estimates: Mapping[str, Estimate], higher_is_better: bool | None) -> list[str]:
    """Names, best first; highest first where the direction of the metric is unknown."""
    sign = 1 if higher_is_better is False else -1
    return sorted(estimates, key=lambda name: sign * estimates[name].value)


def pairs_of(estimates: Mapping[str, Estimate], higher_is_better: bool | None, baseline: str | None) -> list[Pair]:
    """The pairs that are compared: two as they were given; of several every pair, best first; with a baseline each of the
    others, best first, and it."""
    names = ranked(estimates, higher_is_better)
    if baseline is not None:
        return [(name, baseline) for name in names if name != baseline]
    return list(combinations(estimates if len(names) == 2 else names, 2))


@dataclass(frozen=True, eq=False)
class Mirrored(IntervalRule):
    """The interval of −d: that of d with the signs changed."""

    name: str
    of: Estimate
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        low, high = self.of.ci(level)
        return Interval(-high, -low, level=level, method=self.name)


def _mirrored_test(test: TestResult) -> TestResult:
    about = None if test.difference is None else mirrored(test.difference)
    names = test.names if test.names == UNNAMED else test.names[::-1]
    return replace(test, statistic=-test.statistic if test.statistic else 0.0, difference=about, names=names)


def mirrored(d: T) -> T:
    """second − first, or its test, from first − second; a p-value is the same."""
    if isinstance(d, TestResult):
        return cast(T, _mirrored_test(d))
    if not isinstance(d, Estimate):
        return d

    def negative(values: Floats | None) -> Floats | None:
        return None if values is None else -values

    return d.with_(
        value=-d.value,
        influence=negative(d.influence),
        mc_influence=negative(d.mc_influence),
        replicates=negative(d.replicates),
        missing=d.missing[::-1] if d.interval.needs_se else (0.0, 0.0),
        interval=_mirrored_rule(d),
    )


def _mirrored_rule(d: Estimate) -> IntervalRule:
    rule = d.interval
    if isinstance(rule, Tango):
        return replace(rule, first=rule.second, second=rule.first, z=None if rule.z is None else -rule.z)
    return rule if rule.needs_se else Mirrored(rule.name, d)  # those with a se are symmetric


def pair_notes(differences: Mapping[Pair, Estimate]) -> tuple[Note, ...]:
    """The notes of all differences, each once; of several pairs, each note names the pairs that it is about."""
    pairs: dict[Note, list[str]] = {}
    for pair, d in differences.items():
        for note in d.notes:
            pairs.setdefault(note, []).append(" − ".join(pair))
    everywhere = len(differences)
    return tuple(note if len(of) == everywhere else note.about(*of, pairs=of) for note, of in pairs.items())
