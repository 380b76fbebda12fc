"""What all results with table measures share: one row per measure, with its value, standard error and interval."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from trueness.figures.figure import Figure, forest
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.json import json_value
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result
from trueness.result.words import spoken
from trueness.typing import Record


class MeasureAttribute:
    """A measure as an attribute of the same name: `d.tpf` is `d["tpf"]`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, d: Any, owner: type) -> Estimate:
        return self if d is None else d[self.name]  # type: ignore[return-value]  # of the class: itself


class TableResult(Result, Drawn, Cited):
    """A result whose numbers are measures of a table."""

    columns = {
        "measure": Column("measure"),
        "value": Column("value", "estimate"),
        "method": Column("method"),
        "design_effect": Column("design effect", ".3g"),
    }
    heading = "{title}"
    level: float

    @property
    @abstractmethod
    def title(self) -> str:
        """What stands above the numbers."""

    @abstractmethod
    def shown_estimates(self) -> list[Estimate]:
        """The measures, in the order shown."""

    def rows(self) -> Iterator[Record]:
        for e in self.shown_estimates():
            effect = {k: v for k, v in e.provenance.items() if k == "design_effect"}
            yield {"measure": e.metric, "value": e, "method": e.row(self.level)["interval"], **effect}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Each note once, preceded by the measures it belongs to; that of groups is a column of the table."""
        measures: dict[Note, list[str]] = {}
        for e in self.shown_estimates():
            for note in e.notes:
                measures.setdefault(note, []).append(e.metric)
        return tuple(
            note.about(*names, measures=names) for note, names in measures.items() if "design_effect" not in note.data
        )

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(e.metric, e) for e in self.shown_estimates()]

    def _beside(self, level: float) -> Record:
        """The measures, with their notes, for readers of the JSON."""
        rows = self.frame().set_index("measure").to_dict("index")
        notes = [note.to_dict() for note in self.notes]
        return {"notes": notes, "measures": {m: {k: json_value(v) for k, v in row.items()} for m, row in rows.items()}}

    def figure(self) -> Figure:
        """The measures between 0 and 1, with their intervals."""
        some = [e for e in self.shown_estimates() if e.bounds == (0.0, 1.0) and e.has_interval]
        return forest(
            [e.dot(spoken(e.metric), self.level) for e in some], "Measures", f"{100 * self.level:g} % interval"
        )
