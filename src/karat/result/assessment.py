"""Assessment: all estimates of one model, as a table that can be read, printed and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.errors import InputError, UndefinedError
from karat.result.digits import between, shown
from karat.result.estimate import Estimate
from karat.result.note import Note
from karat.result.shown import Result
from karat.result.table import Page, Table

if TYPE_CHECKING:
    from karat.sample import Fits

Key = tuple[str, str]

RECIPE = "These estimates describe the training procedure. Use the model refitted on all data."


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Result):
    """What `karat.assess` returns: `a["auc", "lpob"]` is an Estimate, `a.frame()` a DataFrame.

    Attributes
    ----------
    estimates : mapping of (str, str) to Estimate
        By (metric, method).
    model : str
        Description of the model.
    level : float, default 0.95
        Level of the intervals in tables.
    notes : tuple of Note
        What the reader should know; severity "warning" for what comes before believing a number.
    provenance : mapping
        Design, its fingerprint, seed and version.
    fits : Fits, optional
        The fits behind the estimates, for further questions.
    skipped : mapping of (str, str) to Note
        Why an estimate was not computed, by (metric, method).
    """

    estimates: Mapping[Key, Estimate]
    model: str
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Fits | None = None
    skipped: Mapping[Key, Note] = field(default_factory=dict)

    def __getitem__(self, key: Key) -> Estimate:
        """The estimate of a metric by a method.

        Raises
        ------
        UndefinedError
            Where it was skipped; the message says why.
        InputError
            Where there is no such estimate.
        """
        if key in self.estimates:
            return self.estimates[key]
        if key in self.skipped:
            raise UndefinedError(f"{_name(key)} was not computed", fix=self.skipped[key].message)
        raise InputError(f"There is no estimate {key!r}", fix=f"Available: {', '.join(map(_name, self.estimates))}")

    def __iter__(self) -> Iterator[Key]:
        return iter(self.estimates)

    def frame(self, level: float | None = None) -> pd.DataFrame:
        """One row per estimate, unrounded; None where nothing can be said.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; that of the assessment by default.

        Returns
        -------
        pandas.DataFrame
        """
        return pd.DataFrame([e.row(level or self.level) for e in self.estimates.values()])

    def page(self, level: float | None = None) -> Page:
        level = level or self.level
        heads = ("metric", "method", "value", "se", f"{level:.0%} interval", "MC error", "standard error, interval")
        said = dict.fromkeys((*self.notes, *self.skipped.values()))
        return Page(
            title=f"{self.model}\n{self.provenance.get('design', '')}".rstrip("\n"),
            tables=(Table.of(heads, [_cells(e, level) for e in self.estimates.values()]),),
            notes=tuple(sorted(said, key=lambda note: note.severity != "warning")),
            footer=RECIPE,
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "level": self.level,
            "estimates": [e.to_dict(self.level) for e in self.estimates.values()],
            "notes": [note.to_dict() for note in self.notes],
            "skipped": [{"metric": m, "method": k, "note": n.to_dict()} for (m, k), n in self.skipped.items()],
            "provenance": dict(self.provenance),
        }


def _name(key: Key) -> str:
    return "/".join(key)


def _cells(e: Estimate, level: float) -> tuple[str, ...]:
    row = e.row(level)
    scale = e.se if e.se is not None else e.mc_se
    limits = between(row["low"], row["high"], scale)
    mc_se = "" if e.mc_se is None else f"{e.mc_se:.1g}"
    how = " ".join(part for part in (e.se_method, row["interval"]) if part)
    return e.metric, e.method, shown(e.value, scale), shown(e.se, e.se), limits, mc_se, how
