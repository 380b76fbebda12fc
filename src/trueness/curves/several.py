"""ROC curves of several scores on the same cases: their areas, and DeLong's test of every pair."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from trueness.checks import level_of
from trueness.curves.curve import RocCurve, roc_figure
from trueness.errors import InputError
from trueness.figures import Figure
from trueness.result import Estimate, Note, TestResult
from trueness.result.joint import largest_difference
from trueness.result.paired import paired_test
from trueness.result.shown import Cited, Drawn, Page, Result, Table
from trueness.result.test_result import equal_p, rounded_p
from trueness.result.words import OF_FIXED_RULES, cells, counted, shown, with_interval
from trueness.sample.measured import Aucs
from trueness.typing import Record

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class RocCurves(Result, Drawn, Cited):
    """What `trueness.roc` returns for {name: scores}: a curve of each, and the differences of their areas.

    Attributes
    ----------
    curves : mapping of str to RocCurve
        By the name of the score; also `c["name"]`.
    level : float
        Level of the intervals in tables.
    """

    curves: Mapping[str, RocCurve]
    level: float = field(default=0.95, kw_only=True)

    def __getitem__(self, name: str) -> RocCurve:
        if name not in self.curves:
            raise InputError(f"There is no score {name!r}", param="name", fix=f"Choose one of {', '.join(self.curves)}")
        return self.curves[name]

    @property
    def areas(self) -> Mapping[str, Estimate]:
        """The area under each curve."""
        return {name: curve.auc for name, curve in self.curves.items()}

    @cached_property
    def _aucs(self) -> Aucs:
        first = next(iter(self.curves.values())).data
        rules = [[(curve.data.scores, first.positive)] for curve in self.curves.values()]
        return Aucs.over(rules, first.positive.astype(np.intp), first.groups)

    @cached_property
    def differences(self) -> Mapping[Pair, Estimate]:
        """First − second of every pair."""
        pairs = combinations(enumerate(self.curves), 2)
        return {(a, b): self._aucs.difference(i, j) for (i, a), (j, b) in pairs}

    @cached_property
    def tests(self) -> Mapping[Pair, TestResult]:
        """DeLong's test of every pair that has one."""
        found = {
            pair: paired_test(d, "DeLong, paired", assumptions=OF_FIXED_RULES) for pair, d in self.differences.items()
        }
        return {pair: test for pair, test in found.items() if test is not None}

    @cached_property
    def adjusted(self) -> Mapping[Pair, float]:
        """p-values adjusted for all pairs, by the law of the largest |t|, as in `trueness.systems.compare`."""
        if not self.tests:
            return {}
        law = largest_difference(self.differences.values(), self._aucs.sums)
        return {pair: law.adjusted(test.p_value) for pair, test in self.tests.items()}

    def pair_row(self, pair: Pair) -> Record:
        """One pair: difference, standard error, statistic and p-values, missing where there is no test."""
        d, test = self.differences[pair], self.tests.get(pair)
        several = len(self.tests) > 1
        return {
            "scores": list(pair),
            "difference": d.value,
            "se": None if test is None else d.se,
            "z": None if test is None else test.statistic,
            "p_value": None if test is None else test.p_value,
            "p_adjusted": self.adjusted.get(pair) if several else None,
        }

    def pair_notes(self, pair: Pair) -> tuple[Note, ...]:
        """Why there is no test, and what its own notes say."""
        d, test = self.differences[pair], self.tests.get(pair)
        if test is not None:
            return (*test.notes, *(note for note in d.notes if note.code in ("groups", "few-groups")))
        if d.noted("no-se-one-case"):
            return (Note("no-test-one-case", "No test: a class has only 1 case, which has no variance."),)
        why = "the variance of the difference is 0, or rests on too few cases"
        return (Note("no-test", f"No test: {why}."), *d.notes)

    def figure(self, level: float | None = None) -> Figure:
        """The curves in one picture, with their areas."""
        return roc_figure(self.curves, level=level_of(level, self.level))

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        data = next(iter(self.curves.values())).data
        heads = ("score", "AUC", "std. error", f"{100 * level:g} % interval")
        tables = [
            Table.of(heads, [(name, *cells(e, level)[:3]) for name, e in self.areas.items()]),
            *self._asked(level),
        ]
        if self.differences:
            tables.append(self._pairs_table("z" if data.groups is None else "t"))
        notes = [note.about(name) for name, e in self.areas.items() for note in e.notes] + self._asked_notes()
        notes += [note.about(" − ".join(pair)) for pair in self.differences for note in self.pair_notes(pair)]
        down, up = data.classes
        title = f"{counted(data.n1, 'positive')} ({up}), {counted(data.n0, 'negative')} ({down})"
        return Page(title, self.answer(level), tuple(tables), tuple(notes))

    def _asked(self, level: float) -> list[Table]:
        """Tables of what else was asked of the curves."""
        return []

    def _asked_notes(self) -> list[Note]:
        return []

    def _pairs_table(self, statistic: str) -> Table:
        several = len(self.tests) > 1
        rows = []
        for pair in self.differences:
            row = self.pair_row(pair)
            p = ["" if row[name] is None else rounded_p(row[name]) for name in ("p_value", "p_adjusted")]
            z = "" if row["z"] is None else f"{row['z']:.3f}"
            value = shown(row["difference"], row["se"])
            rows.append((" − ".join(pair), value, shown(row["se"], row["se"]), z, *p[: 1 + several]))
        return Table.of(("DeLong's test", "difference", "se", statistic, "p", *["p (all pairs)"] * several), rows)

    def answer(self, level: float | None = None) -> str:
        """The areas, in a sentence each, and the difference of two."""
        level = level_of(level, self.level)
        named = f"{100 * level:g} % CI"
        said = [f"AUC of {name} {with_interval(e, level, named)}." for name, e in self.areas.items()]
        if len(self.tests) == 1:
            ((pair, test),) = self.tests.items()
            d = with_interval(self.differences[pair], level, named)
            said.append(f"Difference {d}, p {equal_p(test.p_value)}.")
        return " ".join(said)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        yield from ((f"auc.{name}", e) for name, e in self.areas.items())
        yield from ((f"auc.{a} - {b}", d) for (a, b), d in self.differences.items())

    def frame(self) -> pd.DataFrame:
        """One row per score: value, se, low, high."""
        rows = ((name, e.row(self.level)) for name, e in self.areas.items())
        return pd.DataFrame(
            [
                {"score": name, "asked": "AUC", **{k: row[k] for k in ("value", "se", "low", "high")}}
                for name, row in rows
            ]
        )

    def to_dict(self) -> Record:
        pairs = [
            {**self.pair_row(pair), "notes": [note.to_dict() for note in self.pair_notes(pair)]}
            for pair in self.differences
        ]
        return {"auc": [{"score": name, **e.to_dict(self.level)} for name, e in self.areas.items()], "delong": pairs}
