"""What all results with table measures share: one row per measure, with its value, standard error and interval."""

import math
from abc import abstractmethod

import pandas as pd

from trueness.checks import level_of
from trueness.figures.figure import Figure, forest
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Page, Result, Table, tidy
from trueness.result.words import places, scale_of, shown, spoken


class TableResult(Result, Drawn, Cited):
    """A result whose numbers are measures of a table."""

    level: float

    @abstractmethod
    def shown_estimates(self) -> list[Estimate]:
        """The measures, in the order shown."""

    @abstractmethod
    def _title(self) -> str:
        """What stands above the numbers."""

    @abstractmethod
    def _facts(self) -> dict[str, object]:
        """Counts, labels and design, for JSON."""

    @abstractmethod
    def _answer(self, level: float) -> str:
        """The main measures in words."""

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(e.metric, e) for e in self.shown_estimates()]

    def _tables(self) -> tuple[Table, ...]:
        """Tables above the measures."""
        return ()

    def figure(self) -> Figure:
        """The measures between 0 and 1, with their intervals."""
        some = [e for e in self.shown_estimates() if e.bounds == (0.0, 1.0) and e.has_interval]
        return forest(
            [e.dot(spoken(e.metric), self.level) for e in some], "Measures", f"{100 * self.level:g} % interval"
        )

    def page(self, level: float | None = None) -> Page:
        at = level_of(level, self.level)
        estimates = self.shown_estimates()
        return Page(
            self._title(),
            self._answer(at),
            tables=(*self._tables(), measures_table(estimates, at)),
            notes=notes_by_measure(estimates),
        )

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        """One row per measure: value, se, low, high, method of the interval, and design_effect where cases come in
        groups; missing where undefined. With `details` also the notes."""
        rows = [(e, e.row(self.level)) for e in self.shown_estimates()]
        grouped = _in_groups([e for e, _ in rows])
        return tidy(
            (
                {
                    "measure": e.metric,
                    **{k: row[k] for k in ("value", "se", "low", "high")},
                    "method": row["interval"],
                    **({"design_effect": e.provenance.get("design_effect")} if grouped else {}),
                    "notes": row["notes"],
                }
                for e, row in rows
            ),
            details,
        )

    def to_dict(self) -> dict[str, object]:
        """What JSON can hold: undefined numbers are None."""
        measures = {}
        for e in self.shown_estimates():
            full = e.to_dict(self.level)
            measures[e.metric] = {k: full[k] for k in ("value", "se", "low", "high", "interval", "notes")}
            if "design_effect" in e.provenance:
                measures[e.metric]["design_effect"] = e.provenance["design_effect"]
        return {**self._facts(), "level": self.level, "measures": measures}


def measures_table(estimates: list[Estimate], level: float) -> Table:
    """One row per estimate, rounded to its standard error."""
    grouped = _in_groups(estimates)
    heads = ["measure", "value", "std. error", f"{100 * level:g} % interval", "method"]
    heads += ["design effect"] if grouped else []
    rows = []
    for e in estimates:
        row = e.row(level)
        scale = scale_of(e.se, row["low"], row["high"])
        digits = places(scale)
        limits = "" if row["low"] is None else " to ".join(_limit(row[k], digits) for k in ("low", "high"))
        cells = [e.metric, shown(e.value, scale), shown(e.se, scale), limits, row["interval"] or ""]
        if grouped:
            effect = e.provenance.get("design_effect")
            cells.append("" if effect is None else f"{effect:.3g}")
        rows.append(cells)
    return Table.of(heads, rows)


def notes_by_measure(estimates: list[Estimate]) -> tuple[Note, ...]:
    """Each note once, preceded by the measures it belongs to."""
    measures: dict[Note, list[str]] = {}
    for e in estimates:
        for note in (note for note in e.notes if note.code != "groups"):  # the table has a column for it
            measures.setdefault(note, []).append(e.metric)
    return tuple(note.about(*names, measures=names) for note, names in measures.items())


def _in_groups(estimates: list[Estimate]) -> bool:
    return any("design_effect" in e.provenance for e in estimates)


def _limit(value: float, digits: int) -> str:
    """As many digits as the value, and more where only zeros would be seen (the lower limit of a ratio)."""
    if value == 0 or round(value, digits) != 0:
        return f"{value:.{digits}f}"
    return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"
