"""LearningCurve: performance against the number of training cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.figures.figure import Figure, Intervals, Line, Mark, Panel, Points
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.words import sentence, spoken
from trueness.typing import Record

Source = Literal["subsampling", "cross-validation", "bootstrap"]


@dataclass(frozen=True)
class Extrapolation:
    """A value at a number of training cases that was not tried.

    Attributes
    ----------
    n_train : int
        Training cases.
    value : float
        By the power law through all sizes.
    low, high : float
        Range of the laws through fewer sizes and through the ends of the intervals; not a confidence interval.
    """

    n_train: int
    value: float
    low: float
    high: float


MARKS = {"subsampling": "o", "cross-validation": "s", "bootstrap": "^", "extrapolation": "x"}


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Result, Drawn, Cited):
    """What `trueness.learning_curve` returns.

    Attributes
    ----------
    sizes : tuple of int
        Training cases of each estimate, ascending.
    estimates : tuple of Estimate
        One per size.
    sources : tuple of {"subsampling", "cross-validation", "bootstrap"}
        Where each comes from. "bootstrap": training sets of n draws with about .632 n distinct cases.
    law : callable or None
        Power law a + b n^(−c) of the training cases; None where fewer than four sizes have a standard error.
    extrapolations : tuple of Extrapolation
        For the larger sizes that were asked for.
    model : str
        Description of the model.
    level : float
        Level of the intervals.
    notes : tuple of Note
        What the reader should know.
    """

    sizes: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    sources: tuple[Source, ...]
    law: Any
    extrapolations: tuple[Extrapolation, ...]
    model: str
    level: float = 0.95
    notes: tuple[Note, ...] = ()

    def _points(self) -> Iterator[tuple[int, Source, Estimate]]:
        return zip(self.sizes, self.sources, self.estimates, strict=True)

    columns: ClassVar[Columns] = {
        "n_train": Column("training cases"),
        "source": Column("source"),
        "value": Column("value", "estimate"),
        "mc_se": Column("simulation error", ".1g"),
        "method": Column(""),
    }
    heading = "{model}"

    def rows(self) -> Iterator[Record]:
        for n, source, e in self._points():
            yield {"n_train": n, "source": source, "value": e, "mc_se": e.mc_se, "method": e.method}

    def frame(self) -> pd.DataFrame:
        """One row per size, extrapolations last, unrounded."""
        known = {"source": "extrapolation", "method": "power law"}
        more = pd.DataFrame([{**vars(x), **known} for x in self.extrapolations])
        return pd.concat([super().frame(), more], ignore_index=True) if len(more) else super().frame()

    def figure(self) -> Figure:
        """Estimates with their intervals, the power law as a line, extrapolations with their range (dashed)."""
        table, marks = self.frame(), list[Mark]()
        if self.law is not None:
            at = np.geomspace(table["n_train"].min(), table["n_train"].max(), 100)
            b = float(f"{self.law.b:.2g}")
            label = f"{self.law.a:.3f} {'−+'[self.law.sign > 0]} {b:.10g} n^−{self.law.c:.2g}"
            marks.append(Line(at, self.law(at), label, color="soft", width=1))
        for k, (source, rows) in enumerate(table.groupby("source", sort=False)):
            n, value, low, high = (rows[c].to_numpy(dtype=float) for c in ("n_train", "value", "low", "high"))
            style, name = "--" if source == "extrapolation" else "-", str(source)
            name += " (.632 n distinct cases)" * (source == "bootstrap")
            marks.append(Intervals(n, low, high, color=f"C{k}", style=style))
            marks.append(Points(n, value, name, MARKS[str(source)], f"C{k}", 36))
        known = sorted(table["n_train"].unique().tolist())
        ticks = {float(n): str(n) for n in (known[0], known[len(known) // 2], known[-1])}
        name = spoken(self.estimates[0].metric)
        return Figure(
            f"Learning curve: {name}",
            (Panel(marks, "", "training cases", name, x_log=True, x_ticks=ticks),),
            size=(6.0, 4.6),
        )

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(f"{e.metric}.{source}.{n}", e) for n, source, e in self._points()]

    def _tables(self) -> tuple[Table, ...]:
        rows = [(str(x.n_train), f"{x.value:.3f}", f"{x.low:.3f} to {x.high:.3f}") for x in self.extrapolations]
        more = Table(("training cases", "value", "range"), rows, "Extrapolation by a power law")
        return *super()._tables(), *[more] * bool(rows)

    def answer(self) -> str:
        """What most training cases gave, and what more are expected to give."""
        n, e = max(zip(self.sizes, self.estimates, strict=True), key=lambda point: point[0])
        more = [f"About {x.value:.3f} is expected with {x.n_train}." for x in self.extrapolations]
        return " ".join([f"With {n} training cases: {sentence(e, self.level)}", *more])
