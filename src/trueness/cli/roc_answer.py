"""What `trueness roc` answers: areas, what else was asked of each curve, and DeLong's test of every pair of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd

from trueness.checks import level_of
from trueness.cli.roc import Answers
from trueness.errors import InputError
from trueness.result import Estimate, Note
from trueness.result.digits import cells, counted, shown, with_interval
from trueness.result.shown import Result
from trueness.result.table import Page, Table
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.curves.curve import RocCurve


@dataclass(frozen=True, repr=False)
class RocAnswer(Result):
    """Curves of several scores on the same cases."""

    curves: dict[str, RocCurve]  # by score
    areas: dict[str, Estimate]  # their areas, with notes
    answers: dict[str, Answers]  # what else was asked of each
    tests: list[PairTest]  # DeLong's test of every pair
    level: float = 0.95  # level of the intervals

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        data = next(iter(self.curves.values())).data
        interval = f"{100 * level:g} % interval"
        rows = [(name, *cells(e, level)[:3]) for name, e in self.areas.items()]
        tables = [Table.of(("score", "AUC", "std. error", interval), rows)]
        asked = [(name, *row) for name, a in self.answers.items() for row in a.rows()]
        if asked:
            tables.append(Table.of(("score", "asked", "value", "std. error", interval), asked))
        if self.tests:
            tables.append(_test_table(self.tests, "t" if data.groups is not None else "z"))
        notes = [note.about(name) for name, e in self.areas.items() for note in e.notes]
        for name, a in self.answers.items():
            notes += [note.about(name) for note in a.notes if note not in self.areas[name].notes]
        notes += [note.about(" − ".join(t.scores)) for t in self.tests for note in t.notes]
        down, up = data.classes
        title = f"{counted(data.n1, 'positive')} ({up}), {counted(data.n0, 'negative')} ({down})"
        return Page(title, self.answer(level), tuple(tables), tuple(notes))

    def answer(self, level: float) -> str:
        """The areas, in a sentence each."""
        named = f"{100 * level:g} % CI"
        return " ".join(f"AUC of {name} {with_interval(e, level, named)}." for name, e in self.areas.items())

    def frame(self) -> pd.DataFrame:
        """One row per score and number asked of it."""
        rows = []
        for name, e in self.areas.items():
            row = e.row(self.level)
            rows.append({"score": name, "asked": "AUC", **{k: row[k] for k in ("value", "se", "low", "high")}})
            rows += [{"score": name, **each} for each in self.answers[name].to_dicts()]
        return pd.DataFrame(rows)

    def to_dict(self) -> Record:
        return {
            "auc": [{"score": name, **e.to_dict(self.level)} for name, e in self.areas.items()],
            "delong": [test.to_dict() for test in self.tests],
            "asked": [{"score": name, **row} for name, a in self.answers.items() for row in a.to_dicts()],
            "band": [{"score": name, **a.band.to_dict()} for name, a in self.answers.items() if a.band is not None],
        }


@dataclass(frozen=True)
class PairTest:
    """DeLong's test of two scores; without a statistic where there is none, and a note says why."""

    scores: tuple[str, str]
    difference: float
    notes: tuple[Note, ...]
    se: float | None = None
    z: float | None = None
    p_value: float | None = None
    p_holm: float | None = None

    def to_dict(self) -> dict[str, object]:
        return {**vars(self), "scores": list(self.scores), "notes": [note.to_dict() for note in self.notes]}


def delong_tests(
    y: pd.Series,
    table: pd.DataFrame,
    curves: dict[str, RocCurve],
    positive: str | None,
    groups: pd.Series | None,
) -> list[PairTest]:
    """DeLong's test of every pair, with Holm's adjustment where there are several."""
    from trueness.comparisons.auc_tests import delong
    from trueness.comparisons.p_values import holm

    tests = []
    for a, b in combinations(curves, 2):
        gap = curves[a].auc.value - curves[b].auc.value
        if min(curves[a].data.n1, curves[a].data.n0) == 1:
            why = Note("no-test-one-case", "No test: a class has only 1 case, which has no variance.")
            tests.append(PairTest((a, b), gap, (why,)))
            continue
        try:
            result = delong(y, table[a], table[b], positive=positive, groups=groups)
        except InputError as error:  # each score has a curve, so it is the test that does not exist
            tests.append(PairTest((a, b), gap, (Note("no-test", f"No test: {error.problem}."),)))
            continue
        se = None if result.difference is None else _finite(result.difference.se)
        tests.append(PairTest((a, b), gap, result.notes, se, _finite(result.statistic), result.p_value))
    known = [t.p_value for t in tests if t.p_value is not None]
    if len(known) < 2:
        return tests
    adjusted = iter(holm(known).tolist())
    return [t if t.p_value is None else replace(t, p_holm=next(adjusted)) for t in tests]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _test_table(tests: list[PairTest], statistic: str) -> Table:
    from trueness.result.test_result import rounded_p

    adjusted = any(t.p_holm is not None for t in tests)
    heads = ("DeLong's test", "difference", "se", statistic, "p", *(("p (Holm)",) if adjusted else ()))
    rows = []
    for t in tests:
        p = ["" if p is None else rounded_p(p) for p in (t.p_value, t.p_holm)]
        z = "" if t.z is None else f"{t.z:.3f}"
        cells = (" − ".join(t.scores), shown(t.difference, t.se), shown(t.se, t.se), z, *p[: 2 if adjusted else 1])
        rows.append(cells)
    return Table.of(heads, rows)
