"""The page that all reports share: template, style sheets and script, put into one file that needs no network."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from trueness.errors import typeset, visible
from trueness.figures.figure import css
from trueness.result.glossary import listed
from trueness.result.notes import Note
from trueness.result.shown import Cited


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    id: str  # anchor
    title: str  # heading
    html: str  # content, escaped already
    results: tuple[Cited, ...] = ()  # shown there, whose sentences stand among those for a paper, too


def whole_page(
    title: str,
    answer: str,
    sections: Sequence[Section],
    about: Sequence[str] = (),
    notes: Sequence[Note] = (),
    data: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """One HTML file. Only its own style sheet and script run: the policy holds their hashes.

    The answer is one or two sentences, `about` are lines under the title, and warnings among the notes stand under the
    answer. Empty sections are left out; the script reads `data`. The words of all tables are explained at the end.
    """
    sections = [*sections, Section("words", "Words", listed("".join(s.html for s in sections)))]
    style, script = css("page") + part("style.css"), part("page.js")
    return rendered(
        "page.html",
        title=title,
        answer=typeset(answer),
        about=[typeset(line) for line in about if line],
        warnings=[n for n in notes if n.severity == "warning"],
        sections=[(s.id, s.title, Markup(s.html)) for s in sections if s.html],
        style=Markup(style),
        style_hash=Markup(_hash(style)),
        script=Markup(script),
        script_hash=Markup(_hash(script)),
        data=None if data is None else Markup(json.dumps(data, allow_nan=False).replace("<", "\\u003c")),
    )


def rendered(template: str, **values: object) -> str:
    """A template of this folder; values are escaped unless they are Markup."""
    return str(_environment().get_template(template).render(**values))


@cache
def part(name: str) -> str:
    """A file of this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(part),
        finalize=lambda value: visible(value) if type(value) is str else value,  # Markup is written already
    )


def _hash(text: str) -> str:
    """The hash that Content-Security-Policy compares with an inline part."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
