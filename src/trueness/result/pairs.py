"""Pairs of models or systems: their differences in either order, tests, and what comparisons have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

from trueness.checks import check_level, level_of
from trueness.errors import InputError, visible
from trueness.figures.figure import Figure, forest
from trueness.formulas.intervals import MaxT
from trueness.result.columns import Column, Columns, cells_of
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.joint import Tango, largest_difference
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result, Table, flat, plain
from trueness.result.test_result import UNNAMED, TestResult
from trueness.result.verdict import BESIDE, Outcome, Question, outcome, verdict
from trueness.result.words import p_between, spoken
from trueness.typing import Floats, Record

Pair = tuple[Any, Any]  # names, or labels of modalities


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pairs:
    """Differences of rules on the same cases, their tests, and what holds for all pairs together.

    Attributes
    ----------
    differences : mapping of (str, str) to Estimate
        first − second of every pair.
    tests : mapping of (str, str) to TestResult
        The test of every pair that can be tested, not adjusted.
    adjusted : mapping of (str, str) to float
        p-values of those pairs adjusted for all pairs, by the distribution of the largest |t| (`law`).
    law : MaxT, optional
        That distribution; None: each pair stands alone.
    """

    differences: Mapping[Pair, Estimate]
    tests: Mapping[Pair, TestResult]
    adjusted: Mapping[Pair, float]
    law: MaxT | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        differences: Mapping[Pair, Estimate],
        test: Callable[[Estimate], TestResult | None],
        sums: Callable[[Floats], Floats],
    ) -> Pairs:
        """Tested one by one, and together by the largest |t|; `sums` adds up an influence within independent units."""
        law = largest_difference(differences.values(), sums)
        tests = {pair: found for pair, d in differences.items() if (found := test(d)) is not None}
        adjusted = {pair: law.adjusted(found.p_value) for pair, found in tests.items()}
        return Pairs(differences=differences, tests=tests, adjusted=adjusted, law=law)

    def minus(self, pair: Pair) -> Estimate:
        """first − second of a pair in either order.

        Raises
        ------
        InputError
            Where there is no such pair.
        """
        known = self.differences
        if not {pair, pair[::-1]} & {*known}:
            pairs = ", ".join(map(str, known))
            raise InputError(f"There is no pair {pair!r}", fix=f"Choose one of {pairs}, in either order")
        return known[pair] if pair in known else mirrored(known[pair[::-1]])

    def level_of_each(self, level: float) -> float:
        """Level of the interval of each pair at which all of them hold together at `level`."""
        return level if self.law is None else self.law.level_per_statistic(level)

    def p_range_of(self, pair: Pair) -> tuple[float, float] | None:
        """The adjusted p-values of a pair that 95 % of other seeds would give; None where that is not known."""
        test = self.tests.get(pair)
        if test is None or test.p_range is None:
            return None
        low, high = test.p_range if self.law is None else map(self.law.adjusted, test.p_range)
        return low, high


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Paired(Pairs, Drawn, Result, Cited):
    """What comparisons of models and of systems have in common: pairs, who leads, and the verdict."""

    metric: str
    higher_is_better: bool | None
    estimates: Mapping[str, Estimate]
    pair: Pair
    level: float = 0.95
    margin: float | None = None  # the largest difference that does not matter
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    baseline: str | None = None  # the one that all others are compared with; None: every pair
    unit: str = "case"
    units: int | None = None
    rule: ClassVar[str] = "model"

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
        q, test = self.question(pair), self.tests.get(pair, self.tests.get(pair[::-1]))
        if test is not None:
            alone = "; this pair alone, unadjusted" * (q.pairs > 1)
            statistic = test.statistic if pair in self.tests else 0.0 - test.statistic
            d = q.difference if test.difference is not None else None
            test = replace(test, test=test.test + alone, statistic=statistic, difference=d, names=pair)
        return PairAnswer(
            **{f.name: getattr(q.difference, f.name) for f in fields(Estimate)},
            test=test,
            p_value=q.p_value,
            p_range=q.p_range,
            verdict=visible(verdict(q)),
            names=pair,
            level=self.level,
            law=self.law,
            of=self.metric,
            margin=self.margin,
        )

    def question(self, pair: Pair) -> Question:
        """What the verdict about a pair, in either order, rests on."""
        own = pair if pair in self.differences else pair[::-1]
        return Question(
            *pair,
            metric=self.metric,
            higher_is_better=self.higher_is_better,
            difference=self.minus(pair),
            p_value=self.adjusted.get(own),
            level=self.level,
            margin=self.margin,
            pairs=len(self.differences),
            each=self.pair_level,
            unit=self.unit,
            units=self.units,
            p_range=self.p_range_of(own),
        )

    @property
    def outcome(self) -> Outcome:
        """The verdict as a value, e.g. "better", "open" or "equivalent" (`trueness.result.verdict.Outcome`)."""
        return outcome(self.question(self.pair))

    @cached_property
    def verdict(self) -> str:
        """One sentence about two rules; of several, after one about the best, about the best and the next, or after what is
        shown of each beside the baseline."""
        said, order = verdict(self.question(self.pair)), self.ranking()
        if self.baseline is not None and len(order) > 2:
            found: dict[str, list[str]] = {}
            for pair in self.differences:
                q = self.question(pair)
                found.setdefault(BESIDE[outcome(q)].format(way=q.way), []).append(pair[0])
            shown = "; ".join(f"{shown}: {', '.join(names)}" for shown, names in found.items())
            said = f"Beside {self.baseline}: {shown}. {said}"
        elif len(order) > 2:
            alike = [name for name in order[1:] if not self.differ((order[0], name))]
            others = f"not shown to differ from it: {', '.join(alike)}" if alike else "all others differ"
            said = f"Of {len(order)} {self.rule}s, {order[0]} comes first in {spoken(self.metric)}; {others}. {said}"
        return visible(said)

    def differ(self, pair: Pair) -> bool:
        """Whether the two are shown to differ, by the adjusted p-value and a standard error that is valid."""
        return outcome(self.question(pair)).startswith("better")

    @cached_property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank of each that the tests allow: 1 + how many are better, and k − how many are worse;
        together a 1 − α confidence set of all ranks (Mogstad, Romano, Shaikh & Wilhelm 2024)."""
        above, below = dict.fromkeys(self.estimates, 0), dict.fromkeys(self.estimates, 0)
        for pair in filter(self.differ, self.differences):
            best, worst = pair if self.question(pair).way == "better" else pair[::-1]
            below[best] += 1
            above[worst] += 1
        return {name: (1 + above[name], len(above) - below[name]) for name in above}

    def ranking(self) -> list[str]:
        """Names, best first; highest first where the direction of the metric is unknown."""
        return ranked(self.estimates, self.higher_is_better)

    @property
    def p_range(self) -> tuple[float, float] | None:
        """The p-values of `difference` that 95 % of other seeds would give, adjusted as `p_value` is; None where that is
        not known."""
        return self.p_range_of(self.pair)

    def interval(self, pair: Pair) -> Interval | None:
        """The interval of a difference, as tables show it; None where there is none."""
        d = self[pair]
        return d.ci(self.level) if d.has_interval else None

    @cached_property
    def pair_level(self) -> float:
        """Level of the interval of each pair at which all of them hold together at `level`."""
        return self.level_of_each(self.level)

    def figure(self) -> Figure:
        """The differences, with a dashed line at 0 and the band of the margin."""
        dots = [d.dot(" − ".join(pair), self.pair_level) for pair, d in self.differences.items()]
        together = self.together and f"{self.together} together"
        axis = f"difference of the {spoken(self.metric)}, {100 * self.level:g} % interval{together}"
        return forest(dots, f"Differences of the {spoken(self.metric)}", axis, self.margin, zero=True)

    def rows(self) -> Iterable[Record]:
        """One row per pair: the difference and its p-values."""
        for pair, d in self.differences.items():
            row, test = d.row(self.pair_level), self.tests.get(pair)
            low, high = self.p_range_of(pair) or (None, None)
            yield {
                "first": pair[0],
                "second": pair[1],
                "difference": d.value,
                **{name: row[name] for name in ("se", "low", "high")},
                "p_value": None if test is None else test.p_value,
                "p_adjusted": self.adjusted.get(pair),
                **{"p_low": low, "p_high": high, "df": d.df},
                **{name: row[name] for name in ("se_method", "interval", "mc_se", "se_mc_se", "notes")},
            }

    def ranked_rows(self) -> Iterable[Record]:
        """One row per rule, best first: its estimate, and the ranks that the tests allow."""
        for name in self.ranking():
            low, high = self.ranks[name]
            yield {self.rule: name, **self.estimates[name].row(self.level), "rank_low": low, "rank_high": high}

    def answer(self) -> str:
        """The verdict."""
        return self.verdict

    @property
    def together(self) -> str:
        """What is added to the heads of intervals and p-values."""
        return " for all pairs" * (len(self.differences) > 1)

    of_each: ClassVar[Columns] = {
        "name": Column("{rule}"),
        "value": Column("{metric}", "estimate"),
        "rank": Column("rank"),
    }
    columns: ClassVar[Columns] = {
        "pair": Column("difference"),
        "value": Column("{metric}", "value", "pair_level"),
        "se": Column("std. error", "se", "pair_level"),
        "limits": Column("{percent} interval{together}", "limits", "pair_level"),
        "p": Column("p{together}", "p"),
        "p_range": Column("over seeds"),
    }

    def _tables(self) -> tuple[Table, ...]:
        every, pairs = self.baseline is None, list[Record]()
        ranks = {name: "–".join(map(str, dict.fromkeys(of))) * every for name, of in self.ranks.items()}
        rules = [{"name": name, "value": self.estimates[name], "rank": ranks[name]} for name in self.ranking()]
        for pair, d in self.differences.items():
            row = {
                "pair": " − ".join(pair),
                **dict.fromkeys(("value", "se", "limits"), d),
                "p": self.adjusted.get(pair),
            }
            pairs.append({**row, **self._further(pair)})
        return Table(*cells_of(self.of_each, rules, self)), Table(*cells_of(self.columns, pairs, self))

    def _further(self, pair: Pair) -> Record:
        """Further cells of a pair."""
        limits = self.p_range_of(pair)
        return {} if limits is None else {"p_range": p_between(limits)}

    def _beside(self, level: float) -> Record:
        """What JSON has beside the fields."""
        return {"verdict": self.verdict, "outcome": self.outcome, "p_value": self.p_value, "pairs": [*self.rows()]}

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

    def answer(self, level: float = 0.95) -> str:
        """The verdict."""
        return self.verdict or super().answer(level)

    def figure(self, level: float | None = None) -> Figure:
        """The difference with its interval, with a line at 0 and the band of the margin."""
        level = level_of(level, self.level)
        together = " for all pairs together" * (self.law is not None and len(self.law.loadings) > 1)
        axis = f"difference of the {spoken(self.of)}, {100 * level:g} % interval{together}"
        dot = self.dot(" − ".join(self.names), level)
        return forest([dot], f"Difference of the {spoken(self.of)}", axis, self.margin, zero=True)


def ranked(estimates: Mapping[str, Estimate], higher_is_better: bool | None) -> list[str]:
    """Names, best first; highest first where the direction of the metric is unknown."""
    sign = 1 if higher_is_better is False else -1
    return sorted(estimates, key=lambda name: sign * estimates[name].value)


def check_baseline(baseline: object, names: Iterable[str]) -> None:
    """An error unless it is None or one of the names."""
    if baseline is not None and baseline not in [*names]:
        problem, fix = "baseline must be one of the names that are compared", f"Names: {', '.join(names)}"
        raise InputError(problem, param="baseline", got=repr(baseline), fix=fix)


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


def mirrored(d: Estimate) -> Estimate:
    """second − first, from first − second."""
    known = {name: getattr(d, name) for name in ("influence", "mc_influence", "replicates")}
    rule, missing = d.interval, d.missing[::-1]
    if isinstance(rule, Tango):
        z = None if rule.z is None else -rule.z
        rule = replace(rule, first=rule.second, second=rule.first, z=z)
    elif not rule.needs_se:  # those with a standard error are symmetric
        rule = Mirrored(rule.name, d)
    if not rule.needs_se:
        missing = (0.0, 0.0)
    turned = {name: -values for name, values in known.items() if values is not None}
    return d.with_(value=-d.value, interval=rule, missing=missing, **turned)


def pair_notes(differences: Mapping[Pair, Estimate]) -> tuple[Note, ...]:
    """The notes of all differences, each once; of several pairs, each note names the pairs that it is about."""
    pairs: dict[Note, list[str]] = {}
    for pair, d in differences.items():
        for note in d.notes:
            pairs.setdefault(note, []).append(" − ".join(pair))
    everywhere = len(differences)
    return tuple(note if len(of) == everywhere else note.about(*of, pairs=of) for note, of in pairs.items())
