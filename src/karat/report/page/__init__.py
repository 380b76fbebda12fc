"""The page that all reports share: template, style sheet and script, put into one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from karat.result.note import Note


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    id : str
        Anchor.
    title : str
        Heading.
    html : str
        Content, escaped already.
    """

    id: str
    title: str
    html: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "html", Markup(self.html))


def whole_page(
    title: str,
    answer: str,
    sections: Sequence[Section],
    about: Sequence[str] = (),
    notes: Sequence[Note] = (),
    data: Mapping[str, Any] | None = None,
) -> str:
    """One HTML file. Only its own style sheet and script run: the policy holds their hashes."""
    style, script = _part("style.css"), _part("page.js")
    text = _template().render(
        title=title,
        answer=answer,
        about=about,
        warnings=[str(n) for n in notes if n.severity == "warning"],
        sections=sections,
        style=Markup(style),
        style_hash=Markup(_hash(style)),
        script=Markup(script),
        script_hash=Markup(_hash(script)),
        data=None if data is None else Markup(json.dumps(data, allow_nan=False).replace("<", "\\u003c")),
    )
    return str(text)


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_part("page.html"))


def _hash(text: str) -> str:
    """The hash that Content-Security-Policy compares with an inline part."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
