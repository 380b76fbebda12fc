"""Finding: what a check found, with a stable code; Findings: all of one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from trueness import texts_of
from trueness.result.shown import Page, Result
from trueness.result.words import Note, counted
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.leaks.data import Data

ALPHA = 0.01  # chance that a check of all columns raises an alarm where they are noise
NAMED_COLUMNS = 5  # columns that a sentence lists


class Finding(Note):
    """A note of a check: its code is "L001" … and docs/checks has a page of that name.

    Examples
    --------
    >>> finding = Finding("L003", "Column 'id' numbers the rows.", "warning", columns=("id",))
    >>> finding.code, finding.severity, finding.columns, str(finding)
    ('L003', 'warning', ('id',), "Column 'id' numbers the rows. [L003]")
    """

    __slots__ = ()

    @property
    def columns(self) -> tuple[str | int, ...]:
        """Columns of X that it is about: names, or numbers where columns have no names."""
        return tuple(self.data.get("columns", ()))

    def __str__(self) -> str:
        return f"{super().__str__()} [{self.code}]"

    def to_dict(self) -> Record:
        return {**super().to_dict(), "columns": list(self.columns)}


@dataclass(frozen=True)
class LeakCheck:
    """A declared check."""

    looks_for: Mapping[str, str]  # in words, by the code of the finding
    function: Callable[[Data], Iterable[Finding]]


CHECKS: list[LeakCheck] = []
Function = TypeVar("Function", bound="Callable[[Data], Iterable[Finding]]")


def leak_check(**looks_for: str) -> Callable[[Function], Function]:
    """Function decorator: declare a check by the codes of its findings, each with what it looks for in words."""

    def declare(function: Function) -> Function:
        CHECKS.append(LeakCheck(looks_for, function))
        return function

    return declare


def looked_for() -> dict[str, str]:
    """What is looked for, by code, of all files of this room that declare a check."""
    for file, text in texts_of("trueness.leaks"):
        if "\n@leak_check(" in text:
            import_module(f"trueness.leaks.{file}")
    return dict(sorted(pair for check in CHECKS for pair in check.looks_for.items()))


def named(columns: tuple[str | int, ...]) -> str:
    """ "Column 'a'", "Columns 'a' and 3", or "Columns 'a', 'b', … (12 in all)"."""
    names = [repr(c) for c in columns]
    if len(names) > NAMED_COLUMNS:
        return f"Columns {', '.join(names[:NAMED_COLUMNS])}, … ({len(names)} in all)"
    head = f"{', '.join(names[:-1])} and " if len(names) > 1 else ""
    return f"Column{'s' if len(names) > 1 else ''} {head}{names[-1]}"


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """What `trueness.check` returns: a sequence of Finding, warnings first.

    Attributes
    ----------
    found : tuple of Finding
        Warnings first, then in the order of codes.
    checked : tuple of str
        Codes of the checks that were made.
    about : str
        The data, e.g. "189 cases, 10 columns".
    """

    found: tuple[Finding, ...]
    checked: tuple[str, ...]
    about: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, k: int) -> Finding:
        return self.found[k]

    def frame(self) -> pd.DataFrame:
        """One row per finding: `code`, `severity`, `columns`, `message`."""
        rows = [(f.code, f.severity, f.columns, str(f)) for f in self.found]
        return pd.DataFrame(rows, columns=["code", "severity", "columns", "message"])

    def to_dict(self) -> Record:
        return {"about": self.about, "checked": list(self.checked), "findings": [f.to_dict() for f in self.found]}

    def page(self, level: float | None = None) -> Page:
        warnings = sum(f.severity == "warning" for f in self.found)
        kinds = [counted(warnings, "warning"), counted(len(self.found) - warnings, "note")]
        said = " and ".join(kind for kind in kinds if not kind.startswith("0 "))
        return Page(
            title=f"{counted(len(self.checked), 'check')} of {self.about}",
            answer=f"{said}." if said else "Nothing found.",
            notes=self.found,
            footer="trueness help CODE explains a code and how to fix or ignore it." if self.found else "",
        )
