"""StudyResult: our tables, the published one, the claims of the study, and its figures."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.errors import InputError, TruenessError
from trueness.figures.figure import Figure
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Page, Result, Table
from trueness.result.words import counted

LEGEND = (
    "Digits in parentheses are Monte Carlo errors, in units of the last digits shown: what other trials would change. "
    "Where a truth is measured on one test set, all trials share its error, which is not included. Numbers after a "
    "slash are the published ones."
)


class StudyFailed(TruenessError, AssertionError):
    """A claim of a study does not hold; the message lists all claims."""


@dataclass(frozen=True)
class Claim:
    """Something that must hold in a study.

    Attributes
    ----------
    text : str
        The claim.
    holds : bool
        Whether it does.
    observed : str
        The numbers that decide it.
    """

    text: str
    holds: bool
    observed: str = ""

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The claim with its numbers."""
        return self.text + (f" ({self.observed})" if self.observed else "")


@dataclass(frozen=True, repr=False)
class Checks:
    """All claims of a study; true where all hold."""

    claims: tuple[Claim, ...]

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __str__(self) -> str:
        return "\n".join(map(str, self.claims))

    def __repr__(self) -> str:
        return str(self)

    def frame(self) -> pd.DataFrame:
        """One row per claim: `claim`, `holds`, `observed`."""
        return pd.DataFrame([{"claim": c.text, "holds": c.holds, "observed": c.observed} for c in self.claims])


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Result, Drawn):
    """What a study found.

    Attributes
    ----------
    tables : mapping of str to DataFrame
        By name; the first is the main one. Columns named <name>_mc hold Monte Carlo errors.
    printed : DataFrame or None
        The published numbers, with the same columns as far as they are published.
    claims : tuple of Claim
        What must hold.
    pictures : tuple of Figure
        Figures as data.
    notes : tuple of Note
        What the reader should know.
    settings : mapping
        Trials, sizes, seed, options and versions.
    name, title, source : str
        Name of the study, its title, and where the original was published.
    seconds : float
        Wall time.
    """

    tables: Mapping[str, pd.DataFrame]
    printed: pd.DataFrame | None = None
    claims: tuple[Claim, ...] = ()
    pictures: tuple[Figure, ...] = ()
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    name: str = ""
    title: str = ""
    source: str = ""
    seconds: float = 0.0

    def frame(self, which: str | None = None) -> pd.DataFrame:
        """A table of the study, unrounded.

        Parameters
        ----------
        which : str, optional
            Name of the table (a key of `tables`); the main one by default.

        Returns
        -------
        DataFrame
        """
        if which is None:
            which = next(iter(self.tables))
        if which not in self.tables:
            raise InputError(f"Unknown table {which!r}", param="which", fix=f"Available: {', '.join(self.tables)}")
        return self.tables[which].copy()

    def published(self) -> pd.DataFrame:
        """The published numbers; an empty table where there are none."""
        return pd.DataFrame() if self.printed is None else self.printed.copy()

    def checks(self) -> Checks:
        """Every claim and whether it holds; never raises."""
        return Checks(self.claims)

    def check(self) -> Checks:
        """Every claim.

        Returns
        -------
        Checks

        Raises
        ------
        StudyFailed
            If a claim does not hold.
        """
        checks = self.checks()
        if not checks:
            raise StudyFailed(f"Not every claim of {self.name} holds.\n{checks}")
        return checks

    def figure(self, which: int = 0) -> Figure:
        """A figure of the study.

        Parameters
        ----------
        which : int, default 0
            Number of the figure.

        Returns
        -------
        Figure
        """
        if not self.pictures and which == 0:
            return Figure(self.title, ())
        if not 0 <= which < len(self.pictures):
            raise InputError(f"The study has {counted(len(self.pictures), 'figure')}", param="which", got=which)
        return self.pictures[which]

    def page(self, level: float | None = None) -> Page:
        """What is shown: the first rows of every table beside the published numbers, claims and notes."""
        return self._page(most_rows=(70, 24))

    def full_page(self) -> Page:
        """The same with all rows."""
        return self._page(most_rows=(None, None))

    def _page(self, most_rows: tuple[int | None, int | None]) -> Page:
        from trueness.studies.page import table_of

        about = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        tables = [
            table_of(table, self.printed if i == 0 else None, name, most_rows[min(i, 1)])
            for i, (name, table) in enumerate(self.tables.items())
        ]
        if self.claims:
            rows = [("holds" if c.holds else "FAILS", c.sentence) for c in self.claims]
            tables.append(Table(("result", "claim"), rows, "Claims"))
        held = sum(c.holds for c in self.claims)
        return Page(
            title="\n".join(line for line in (self.title, self.source, about) if line),
            answer=f"{held} of {counted(len(self.claims), 'claim holds', 'claims hold')}." if self.claims else "",
            tables=tuple(tables),
            notes=self.notes,
            footer=LEGEND,
        )

    def to_dict(self) -> dict[str, object]:
        """Everything but the figures, in types that JSON can hold."""
        return {
            "study": self.name,
            "title": self.title,
            "source": self.source,
            "settings": dict(self.settings),
            "seconds": round(self.seconds, 1),
            "holds": bool(self.checks()),
            "claims": _records(self.checks().frame()),
            "tables": {name: _records(table) for name, table in self.tables.items()},
            "published": None if self.printed is None else _records(self.printed),
            "notes": [note.to_dict() for note in self.notes],
        }

    def write(self, out: str | Path) -> list[Path]:
        """Write tables (CSV), figures (PNG), everything as JSON, and an HTML page into a folder.

        Parameters
        ----------
        out : str or Path
            Folder; created where it is missing.

        Returns
        -------
        list of Path
            The files.
        """
        from trueness.studies.page import write

        return write(self, Path(out))


def _records(table: pd.DataFrame) -> list[dict[str, object]]:
    rows = table if isinstance(table.index, pd.RangeIndex) else table.rename_axis("row").reset_index()
    values = {str(column): rows[column].tolist() for column in rows}
    return [{name: _plain(column[i]) for name, column in values.items()} for i in range(len(rows))]


def _plain(value: object) -> object:
    """A number that JSON can hold; None for NaN and infinities."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
