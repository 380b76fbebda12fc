"""Notes: what the reader of a number should know.

Every note is of a kind in `CATALOGUE`, which has its sentence once. `Note(code, field=value)` fills it in; nothing
branches on a code: what a program needs to know is a field of a result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from inspect import currentframe
from string import Formatter
from typing import Any, Literal, NamedTuple, Self

from trueness.checks import SHOWN
from trueness.errors import TruenessWarning, visible
from trueness.result.words import listed, shown
from trueness.typing import Record

Severity = Literal["info", "warning"]
Scope = Literal["estimate", "result", "fits", "data"]


class Kind(NamedTuple):
    """A kind of note.

    Attributes
    ----------
    code : str
        Stable name, e.g. "few-replicates".
    text : str
        One sentence with {fields} as `str.format` has them; a list is "a, b and c", a number is rounded.
    severity : {"info", "warning"}
        "warning" where the number should not be used without reading the note.
    scope : {"estimate", "result", "fits", "data"}
        Who inherits it: nobody, the result that recommends the estimate, all estimates of the same fits, everything
        of the same data.
    """

    code: str
    text: str
    severity: Severity = "info"
    scope: Scope = "estimate"


CATALOGUE = [
    Kind(
        "left-out-scores",
        "One left-out score per case, from several rules: the interval does not count training cases and is too short.",
        "warning",
        "fits",
    ),
]

KINDS = {kind.code: kind for kind in CATALOGUE}


class Fields(Formatter):
    """Fields of a note in words."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion and isinstance(value, list | tuple | frozenset):
            return [super(Fields, self).convert_field(each, conversion) for each in value]
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Mapping):
            return listed(f"{name} {self.format_field(each, format_spec)}" for name, each in value.items())
        if isinstance(value, list | tuple | frozenset):
            return listed(self.format_field(each, format_spec) for each in value)
        if isinstance(value, float) and not format_spec:
            return shown(value)
        return str(super().format_field(value, format_spec))


class Note:
    """A remark of a kind in the catalogue.

    Parameters
    ----------
    code : str
        Of a kind in `CATALOGUE`, e.g. "left-out-scores"; docs/notes.md lists all of them.
    **data
        The fields of its sentence.

    Examples
    --------
    >>> note = Note("left-out-scores")
    >>> note.code, note.severity, note.scope
    ('left-out-scores', 'warning', 'fits')
    """

    __slots__ = ("code", "data", "message", "scope", "severity")

    def __init__(self, code: str, message: str = "", severity: Severity = "info", **data: Any) -> None:
        scope: Scope = data.pop("scope", "estimate")
        kind = KINDS.get(code) or Kind(code, message.replace("{", "{{").replace("}", "}}"), severity, scope)
        self.code, self.severity, self.scope = kind.code, kind.severity, kind.scope
        self.data: Mapping[str, Any] = data
        self.message = visible(Fields().format(kind.text, **data))

    @classmethod
    def from_dict(cls, kept: Record) -> Self:
        """What `to_dict` gave, read from a file."""
        note = cls.__new__(cls)
        note.data = {**kept}
        for name in ("code", "message", "scope", "severity"):
            setattr(note, name, note.data.pop(name))
        return note

    def about(self, *names: str, **data: Any) -> Self:
        """The same note with what it is about in front: "lda − qda: ..."."""
        note = copy(self)
        note.message, note.data = f"{', '.join(names)}: {self.message}", {**self.data, **data}
        return note

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"Note({self.code!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and (self.code, self.message) == (other.code, other.message)

    def __hash__(self) -> int:
        return hash((self.code, self.message))

    def to_dict(self) -> Record:
        named = {"code": self.code, "severity": self.severity, "scope": self.scope, "message": str(self)}
        return {**named, **self.data}


def inherited(notes: Iterable[Note], *scopes: Scope) -> tuple[Note, ...]:
    """The notes of these scopes."""
    return tuple(note for note in notes if note.scope in scopes)


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
    if category is TruenessWarning and not SHOWN.get():
        return
    level, frame = 1, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("trueness."):
        level, frame = level + 1, frame.f_back
    warnings.warn(category(note), stacklevel=level)


SEVERAL_RULES = Note("left-out-scores")
