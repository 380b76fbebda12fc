"""Decisions on left-out cases by class: the confusion matrix of an assessment, and each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.checks import level_of
from trueness.errors import InputError, UndefinedError
from trueness.estimators import available, estimate
from trueness.estimators.linearized import table_of_cases
from trueness.estimators.registry import recommended
from trueness.metrics import resolve
from trueness.metrics.table import Kappa
from trueness.result import Estimate
from trueness.result.shown import Drawn, Page, Result, Table, records
from trueness.result.words import Note, spoken, with_interval
from trueness.sample.among import against_rest
from trueness.sample.fits import Fits
from trueness.typing import Floats, Record

if TYPE_CHECKING:
    from trueness.figures import Figure

MEASURES = ("tpf", "ppv", "f1")
AGAINST_REST = (
    "Each case by the rules that were not trained on it; of several, the mean of their decisions. TPF (recall), PPV "
    "(precision) and F1 are those of a class against the rest."
)


@dataclass(frozen=True, eq=False, repr=False)
class ByClass(Result, Drawn):
    """Confusion matrix of left-out cases, and measures of each class; what `Assessment.by_class` returns.

    Attributes
    ----------
    counts : DataFrame
        Cases by true class (rows) and decision (columns). With several rules per case a case counts with the share of
        each decision, so that a row sums to the cases of the class.
    found : mapping of (str, str) to Estimate or Note
        By class and measure; a note where the measure is undefined, e.g. a PPV where no rule ever decides for the class.
    level : float
        Of the intervals.
    """

    counts: pd.DataFrame
    found: Mapping[tuple[str, str], Estimate | Note] = field(repr=False)
    level: float = 0.95

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        """The estimate of a class and a measure, e.g. b["setosa", "ppv"]."""
        if not isinstance(key, tuple) or (str(key[0]), str(key[1])) not in self.found:
            known = ", ".join(f"[{name!r}, {measure!r}]" for name, measure in list(self.found)[: len(MEASURES)])
            raise InputError(f"There is no {key!r}", fix=f"Use a class and a measure: {known}, ...")
        found = self.found[str(key[0]), str(key[1])]
        if isinstance(found, Note):
            raise UndefinedError(str(found))
        return found

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is undefined, and why."""
        return tuple(note.about(f"{name}, {m}") for (name, m), note in self.found.items() if isinstance(note, Note))

    def frame(self) -> pd.DataFrame:
        """One row per class and measure: `class`, `n`, `metric`, `method`, `value`, `se`, `low`, `high`."""
        sizes, rows = dict(zip(map(str, self.counts.index), self.counts.sum(axis=1), strict=True)), []
        for (name, measure), e in self.found.items():
            row = e.row(self.level) if isinstance(e, Estimate) else {}
            kept = {key: row.get(key) for key in ("method", "value", "se", "low", "high")}
            rows.append({"class": name, "n": round(sizes[name]), "metric": measure, **kept})
        return pd.DataFrame(rows)

    def tables(self, level: float | None = None) -> tuple[Table, Table]:
        """The confusion matrix, and one row per class."""
        level = level_of(level, self.level)
        names = [str(name) for name in self.counts.index]
        whole = np.allclose(self.counts, self.counts.round())
        rows = [
            [name, *(f"{v:.0f}" if whole else f"{v:.1f}" for v in row)]
            for name, row in zip(names, self.counts.to_numpy(), strict=True)
        ]
        matrix = Table.of(["truth", *names], rows, "Left-out cases by truth (rows) and decision (columns)")
        heads = ("class", "cases", *(f"{_head(m)}, {100 * level:g} % interval" for m in MEASURES))
        each = []
        for name, n in zip(names, self.counts.sum(axis=1), strict=True):
            found = [self.found[name, m] for m in MEASURES]
            said = [with_interval(e, level) if isinstance(e, Estimate) else "undefined" for e in found]
            each.append((name, f"{n:.0f}", *said))
        return matrix, Table.of(heads, each, "Each class against the rest")

    def page(self, level: float | None = None) -> Page:
        n, k = self.counts.to_numpy().sum(), len(self.counts)
        return Page(
            f"Decisions on {n:.0f} left-out cases of {k} classes", "", self.tables(level), self.notes, AGAINST_REST
        )

    def figure(self) -> Figure:
        """Every measure by class."""
        from trueness.figures import Figure, forest_panel, forest_size

        panels, sizes = [], []
        for m in MEASURES:
            of = {name: e for (name, measure), e in self.found.items() if measure == m and isinstance(e, Estimate)}
            dots = [e.dot(name, self.level) for name, e in of.items()]
            panel = forest_panel(dots, f"{spoken(m)}, {100 * self.level:g} % interval")
            if panel is not None:
                panels.append(panel)
                sizes.append(forest_size(dots))
        return Figure("Each class against the rest", tuple(panels), 1, max(sizes, default=(6.4, 2.0)))

    def to_dict(self) -> Record:
        return {
            "level": self.level,
            "classes": [str(name) for name in self.counts.index],
            "counts": self.counts.to_numpy().tolist(),
            "measures": records(self.frame()),
            "notes": [note.to_dict() for note in self.notes],
        }


def _head(measure: str) -> str:
    return {"tpf": "TPF (recall)", "ppv": "PPV (precision)"}.get(measure, spoken(measure))


def by_class_of(fits: Fits, level: float = 0.95) -> ByClass:
    """`Assessment.by_class` of Fits."""
    if fits.sample.numbers is not None:
        raise InputError("There are no classes: the target is a number", param="fits")
    counts = _counts(fits)
    found = {
        (str(name), m): _measure(fits, k, m) for k, name in enumerate(fits.sample.classes.tolist()) for m in MEASURES
    }
    labels = [str(name) for name in fits.sample.classes.tolist()]
    names = {"index": pd.Index(labels, name="truth"), "columns": pd.Index(labels, name="decision")}
    return ByClass(pd.DataFrame(counts, **names), found, level)


def _counts(fits: Fits) -> Floats:
    """(C, C) of the cross-validation where there are parts."""
    part = fits.part(("cv",)) if fits.parts else fits
    kappa = Kappa().bind(fits.sample)
    tested = int((~part.design.never_tested).sum())
    return table_of_cases(part, kappa) * tested


def _measure(fits: Fits, target: int, measure: str) -> Estimate | Note:
    def compute() -> Estimate | Note:
        one = against_rest(fits, target)
        known = {e.name for e in available(one.design.kind, resolve(measure).bind(one.sample))}
        method = next((name for name in recommended(one.design.kind) if name in known), None)
        if method is None:
            return Note("undefined", f"A {one.design.kind} design has no estimate of it.")
        try:
            return estimate(one, measure, method, undefined="failed")
        except UndefinedError as error:
            return Note("undefined", error.template())

    return fits.cached(("class against the rest", target, measure), compute)
