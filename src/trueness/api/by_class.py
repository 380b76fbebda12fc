"""Decisions on left-out cases by class: the confusion matrix of an assessment, and each class against the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import recommended_estimate
from trueness.estimators.linearized import table_of_cases
from trueness.figures.figure import (
    AXIS,
    IN_A_LINE,
    LETTER,
    Dot,
    Figure,
    Mark,
    Panel,
    Text,
    box,
    forest_panel,
    forest_size,
    in_lines,
)
from trueness.metrics.table import Kappa
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result, Table
from trueness.result.words import with_interval
from trueness.sample.among import against_rest
from trueness.sample.fits import Fits
from trueness.typing import Floats, Label, Record

HEADS = {"tpf": "TPF (recall)", "ppv": "PPV (precision)", "f1": "F1"}
MEASURES = tuple(HEADS)
MOST_WRITTEN = 20  # classes in a picture with numbers in its cells
CELL = 0.52, 0.5  # inches at least
SHADE = 0.65  # of a cell that holds all cases of its row


@dataclass(frozen=True, eq=False, repr=False)
class ByClass(Result, Drawn):
    """Confusion matrix of left-out cases, and measures of each class; what `Assessment.by_class` returns.

    `frame("cells")` and `to_csv(path, of="cells")` have the matrix.

    Attributes
    ----------
    counts : DataFrame
        Cases by true class (rows) and decision (columns). With several rules per case a case counts with the share of
        each decision, so that a row sums to the cases of the class.
    found : mapping of (label, str) to Estimate or Note
        By class and measure; a note where the measure is undefined, e.g. a PPV where no rule ever decides for the class.
    fits : Fits
        The fits behind them.
    level : float
        Of the intervals.
    """

    counts: pd.DataFrame
    found: Mapping[tuple[Label, str], Estimate | Note] = field(repr=False)
    level: float = 0.95
    fits: Fits | None = field(default=None, repr=False)

    footnote = (
        "Each case by the rules that were not trained on it; of several, the mean of their decisions. TPF (recall), PPV "
        "(precision) and F1 are those of a class against the rest."
    )
    heading = "Decisions on {cases:.0f} left-out cases of {k} classes"
    columns: ClassVar[Columns] = {
        "class": Column("class"),
        "n": Column("n"),
        "metric": Column("metric"),
        "method": Column("method"),
        "value": Column("value", "estimate"),
    }

    @property
    def cases(self) -> float:
        """All left-out cases."""
        return float(self.counts.to_numpy().sum())

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.counts)

    def __getitem__(self, key: tuple[Label, str]) -> Estimate:
        """The estimate of a class and a measure, e.g. b["setosa", "ppv"]."""
        known = {(str(name), measure): found for (name, measure), found in self.found.items()}
        wanted = tuple(map(str, key)) if isinstance(key, tuple) else key
        if wanted not in known:
            raise InputError(f"There is no {key!r}", fix=f"Use a class and one of {', '.join(MEASURES)}")
        return _defined(known[wanted])

    def share(self, truth: Label, decision: Label) -> Estimate:
        """The share of the cases of one class that are decided for another, e.g. b.share("fox", "dog"); of a class for
        itself it is the TPF."""
        classes = [str(name) for name in self.counts.index]
        for param, label in (("truth", truth), ("decision", decision)):
            check_choice(param, str(label), classes, "There is no such class")
        if self.fits is None:
            raise InputError("Shares need the fits behind them, which are not kept in a file")
        e = _defined(_measure(self.fits, classes.index(str(truth)), "tpf", classes.index(str(decision))))
        return e.with_(metric=f"share of {truth} decided as {decision}")

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is undefined, and why."""
        return tuple(note.about(f"{name}, {m}") for (name, m), note in self.found.items() if isinstance(note, Note))

    def frame(self, of: Literal["classes", "cells"] = "classes") -> pd.DataFrame:
        """The tidy, unrounded table.

        Parameters
        ----------
        of : {"classes", "cells"}, default "classes"
            Rows: a measure of a class against the rest, or a cell of the confusion matrix.

        Returns
        -------
        pandas.DataFrame
            Of classes `class`, `n`, `metric`, `method`, `value`, `se`, `low`, `high`. Of cells `truth`, `decision`,
            `cases`, and the share of the cases of the true class: `share`, `se`, `low`, `high`.
        """
        check_choice("of", of, ("classes", "cells"), f"There is no table of {of!r}")
        if of == "cells":
            found = []
            for (truth, said), n in self.counts.stack(future_stack=True).items():
                row: Record = dict.fromkeys(("value", "se", "low", "high"))
                with suppress(UndefinedError):  # of a class without cases
                    row = self.share(truth, said).row(self.level)
                share = {"share": row["value"], **{key: row[key] for key in ("se", "low", "high")}}
                found.append({"truth": truth, "decision": said, "cases": float(n), **share})
            return pd.DataFrame(found)
        return super().frame()

    def rows(self) -> Iterator[Record]:
        sizes = self.counts.sum(axis=1)
        for (name, measure), found in self.found.items():
            e = found if isinstance(found, Estimate) else None
            about = {"class": name, "n": round(sizes[name]), "metric": measure}
            yield {**about, "method": None if e is None else e.method, "value": e}

    def tables(self, level: float) -> tuple[Table, Table]:
        """The confusion matrix, and one row per class."""
        names, form = [*map(str, self.counts.index)], ".0f" if np.allclose(self.counts, self.counts.round()) else ".1f"
        rows = [
            [name, *(format(n, form) for n in row)] for name, row in zip(names, self.counts.to_numpy(), strict=True)
        ]
        matrix = Table(["truth", *names], rows, "Left-out cases by truth (rows) and decision (columns)")
        heads = ("class", "cases", *(f"{HEADS[m]}, {100 * level:g} % interval" for m in MEASURES))
        each = []
        for name, n in self.counts.sum(axis=1).items():
            found = [self.found[name, m] for m in MEASURES]
            said = [with_interval(e, level) if isinstance(e, Estimate) else "undefined" for e in found]
            each.append((str(name), f"{n:.0f}", *said))
        return matrix, Table(heads, each, "Each class against the rest")

    def _tables(self) -> tuple[Table, ...]:
        return self.tables(self.level)

    def figure(self) -> Figure:
        """The confusion matrix, shaded by the share of the true class, and every measure by class on one scale."""
        panels, rows, ends = [], list[Dot](), list[float]()
        for m in MEASURES:
            of = {name: e for (name, measure), e in self.found.items() if measure == m and isinstance(e, Estimate)}
            dots = [e.dot(str(name), self.level) for name, e in of.items()]
            panel = forest_panel(dots, f"{HEADS[m]}, {100 * self.level:g} % interval")
            if panel is not None:
                panels.append(replace(panel, x_ticks=None))
                rows += dots
                ends += panel.x_limits or ()
        panels = [replace(panel, x_limits=(min(ends), max(ends))) for panel in panels]
        k, (wide, _) = len(self.counts), forest_size(rows)
        cells = CELL[0] * k if k <= MOST_WRITTEN else 0.0
        size = max(wide, wide - AXIS + cells), max(forest_size(rows[:k])[1], 1.2 + CELL[1] * k)
        return Figure("Each class against the rest", (self._matrix(size[0]), *panels), 1, size)

    def _matrix(self, width: float) -> Panel:
        """The confusion matrix in a panel of so many inches."""
        names, k = [str(name) for name in self.counts.index], len(self.counts)
        of_row = self.counts.div(self.counts.sum(axis=1).clip(lower=1e-9), axis=0).to_numpy()
        marks: list[Mark] = []
        for i, row in enumerate(self.counts.to_numpy().tolist()):
            for j, n in enumerate(row):
                marks.append(box((j - 0.5, j + 0.5), (i - 0.5, i + 0.5), opacity=SHADE * float(of_row[i, j])))
                if k <= MOST_WRITTEN:
                    words = f"{round(n, 1) if n < 100 else round(n):g}\n{100 * of_row[i, j]:.0f} %" if n else "0"
                    marks.append(Text(j, i, words, color="ink" if n else "soft"))
        most = int((width / LETTER - min(max(map(len, names)), IN_A_LINE)) / k) - 1
        return Panel(
            marks,
            "Left-out cases, and their share of the true class",
            "decision",
            "truth",
            x_limits=(-0.5, k - 0.5),
            y_limits=(k - 0.5, -0.5),
            x_ticks={j: in_lines(name, max(most, 3)) for j, name in enumerate(names)},
            y_ticks=dict(enumerate(names)),
            grid=False,
        )


def _defined(found: Estimate | Note) -> Estimate:
    """An error instead of a note."""
    if isinstance(found, Note):
        raise UndefinedError(str(found))
    return found


def by_class_of(fits: Fits, level: float = 0.95) -> ByClass:
    """`Assessment.by_class` of Fits."""
    if fits.sample.numbers is not None:
        raise InputError("There are no classes: the target is a number", param="fits")
    counts, labels = counts_of(fits), fits.sample.classes.tolist()
    found = {(label, m): _measure(fits, k, m) for k, label in enumerate(labels) for m in MEASURES}
    names = {"index": pd.Index(labels, name="truth"), "columns": pd.Index(labels, name="decision")}
    return ByClass(pd.DataFrame(counts, **names), found, level, fits)


def counts_of(fits: Fits) -> Floats:
    """(C, C) left-out cases by truth and decision, of the cross-validation where there are parts."""
    part = fits.part(("cv",)) if fits.parts else fits
    kappa = Kappa().bind(fits.sample)
    tested = int((~part.design.never_tested).sum())
    return table_of_cases(part, kappa) * tested


def _measure(fits: Fits, target: int, measure: str, decision: int | None = None) -> Estimate | Note:
    """Of a class against the rest; with a decision for another class, of the cells of the two."""
    decision = target if decision is None else decision

    def compute() -> Estimate | Note:
        one = against_rest(fits, target, decision)
        try:
            return recommended_estimate(one, measure)
        except UndefinedError as error:
            return Note("undefined", reason=error.message())

    return fits.cached(("class against the rest", target, measure, decision), compute)
