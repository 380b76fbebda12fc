"""StudyResult: our table, the printed one, what is claimed of them, and the pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from karat.errors import InputError, KaratError
from karat.result.digits import counted
from karat.result.picture import Picture


class StudyFailed(KaratError, AssertionError):
    """A claim of a study does not hold; the message lists all of them."""


@dataclass(frozen=True)
class Claim:
    """One thing that must hold, whether it does, and the numbers it rests on."""

    says: str
    holds: bool
    seen: str = ""

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.says}" + (f" ({self.seen})" if self.seen else "")


@dataclass(frozen=True)
class Checks:
    """All claims of a study; true where all hold."""

    claims: tuple[Claim, ...]

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __iter__(self) -> Any:
        return iter(self.claims)

    def __str__(self) -> str:
        return "\n".join(map(str, self.claims))

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame([{"claim": c.says, "holds": c.holds, "seen": c.seen} for c in self.claims])


@dataclass(frozen=True, eq=False)
class StudyResult:
    """What a study found.

    Attributes
    ----------
    name, title, source
        Which study, in words, and where it is printed.
    settings
        Trials, sizes, seed, options and versions.
    tables
        By name; the first is the main one. Columns <name>_mc are Monte-Carlo errors.
    printed
        The published numbers, with the same columns as far as they are printed; None: the source prints none.
    claims
        What must hold.
    pictures
        Figures as data.
    notes
        What the reader should know.
    seconds
        Wall time.
    """

    name: str
    title: str
    source: str
    tables: Mapping[str, pd.DataFrame]
    settings: Mapping[str, Any] = field(default_factory=dict)
    printed: pd.DataFrame | None = None
    claims: tuple[Claim, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def table(self, which: str | None = None) -> pd.DataFrame:
        """Our numbers: the main table, or another one by its name."""
        if which is None:
            which = next(iter(self.tables))
        if which not in self.tables:
            raise InputError(f"this study has no table {which!r}", fix=f"It has {', '.join(self.tables)}")
        return self.tables[which].copy()

    def published(self) -> pd.DataFrame:
        """The printed numbers; an empty table where the source prints none."""
        return pd.DataFrame() if self.printed is None else self.printed.copy()

    def checks(self) -> Checks:
        """Every claim and whether it holds, without raising."""
        return Checks(self.claims)

    def check(self) -> Checks:
        """Every claim; StudyFailed where one does not hold."""
        checks = self.checks()
        if not checks:
            raise StudyFailed(f"{self.name}: not every claim holds.\n{checks}")
        return checks

    def plot(self, which: int = 0) -> Any:
        """The figure, drawn with matplotlib; `which` of several."""
        if not 0 <= which < len(self.pictures):
            raise InputError(f"this study has {counted(len(self.pictures), 'figure')}", got=which)
        return self.pictures[which].plot()

    def write(self, out: str | Path) -> list[Path]:
        """Tables as CSV, figures as PNG, and a page that sets ours beside the printed ones."""
        from karat.studies.page import write

        return write(self, Path(out))

    def __str__(self) -> str:
        lines = [f"{self.title} ({self.source})", ""]
        for i, (name, table) in enumerate(self.tables.items()):
            rows, columns = (70, 14) if i == 0 else (24, 10)  # all of it is in .table(name)
            shown = table[[c for c in table.columns if not str(c).endswith("_mc")]]
            index = not isinstance(table.index, pd.RangeIndex)
            lines += [
                name,
                shown.to_string(index=index, float_format="{:.4f}".format, max_rows=rows, max_cols=columns),
                "",
            ]
        lines += [str(self.checks()), *self.notes]
        return "\n".join(line for line in lines if line is not None).rstrip()

    def _repr_html_(self) -> str:
        return f"<h3>{self.title}</h3>{self.table().to_html()}<pre>{self.checks()}</pre>"
