"""Note: something the reader of a number should know, as a value that programs can read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from inspect import currentframe
from typing import Any, Literal

from trueness.errors import TruenessWarning, render, visible
from trueness.typing import Record

Severity = Literal["info", "warning"]


class Note:
    """A remark with a stable code.

    Parameters
    ----------
    code : str
        Stable name, e.g. "few-replicates"; docs/notes.md lists all of them.
    message : str
        One or two sentences; a template that names parameters as the `fix` of an error does.
    severity : {"info", "warning"}
        "warning" where the number should not be used without reading the note.
    **data
        What the sentence is made of, e.g. needed=2200.

    Examples
    --------
    >>> note = Note("few-replicates", "About 2200 replicates are needed.", needed=2200)
    >>> note.code, note.data["needed"], str(note)
    ('few-replicates', 2200, 'About 2200 replicates are needed.')
    """

    __slots__ = ("code", "data", "message", "severity")

    def __init__(self, code: str, message: str, severity: Severity = "info", **data: Any) -> None:
        self.code, self.message, self.severity = code, message, severity
        self.data: Mapping[str, Any] = data

    @classmethod
    def from_dict(cls, kept: Record) -> Note:
        """What `to_dict` gave, read from a file."""
        code, message, severity = (kept[name] for name in ("code", "message", "severity"))
        return cls(
            code, message, severity, **{k: v for k, v in kept.items() if k not in ("code", "message", "severity")}
        )

    def about(self, *names: str, **data: Any) -> Note:
        """The same note with what it is about in front: "lda − qda: ..."."""
        return type(self)(self.code, f"{', '.join(names)}: {self.message}", self.severity, **{**self.data, **data})

    def __str__(self) -> str:
        return visible(render(self.message))

    def __repr__(self) -> str:
        return f"Note({self.code!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and (self.code, self.message) == (other.code, other.message)

    def __hash__(self) -> int:
        return hash((self.code, self.message))

    def to_dict(self) -> Record:
        return {"code": self.code, "severity": self.severity, "message": str(self), **self.data}


def sentences(notes: Iterable[Note]) -> str:
    """All messages, one after the other."""
    return " ".join(map(str, notes))


def warnings_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each once, warnings before the others."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note.severity != "warning"))


def warn_of(*notes: Note | None) -> None:
    """Issue those that are warnings."""
    for note in notes:
        if note is not None and note.severity == "warning":
            warn(note)


def warn(note: Note, category: type[Warning] = TruenessWarning) -> None:
    """Issue the note as a warning, at the line that called trueness; the first argument of the warning is the note."""
    level, frame = 1, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("trueness."):
        level, frame = level + 1, frame.f_back
    warnings.warn(category(note), stacklevel=level)
