"""Parts that pages share: tables that scroll on a phone, notes with their codes, how it was made."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from karat import __version__
from karat.report.page import Section
from karat.result.note import Note
from karat.result.table import Table, html_table, label


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """A table that scrolls where it is wider than the page; nothing without rows."""
    return scrolling(Table.of(heads, rows, title)) if rows else ""


def scrolling(of: Table) -> str:
    """A table that scrolls, also by keyboard, where it is wider than the page."""
    name = escape(of.title or ", ".join(filter(None, of.heads)))
    return f'<div class="wide" role="region" tabindex="0" aria-label="{name}">{html_table(of)}</div>'


def folded(summary: str, html: str) -> str:
    """What opens on request."""
    return f"<details><summary>{escape(summary)}</summary>{html}</details>" if html else ""


def small(words: str) -> str:
    """A paragraph in small print, escaped."""
    return f'<p class="small">{escape(words)}</p>'


def listed(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def notes_section(notes: Sequence[Note]) -> Section:
    """All notes with their codes, warnings first."""
    ordered = sorted(notes, key=lambda n: n.severity != "warning")
    return Section("notes", "Notes", table(("", "code", "note"), [(label(n), n.code, str(n)) for n in ordered]))


def made_section(provenance: Mapping[str, Any], level: float) -> Section:
    """Design, seed, versions, command line."""
    import numpy
    import scipy
    import sklearn

    rows = [(str(name), str(value)) for name, value in provenance.items() if value is not None]
    rows += [("level", f"{level:g}")]
    libraries = {"numpy": numpy.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    known = {name for name, _ in rows}
    versions = {"karat": __version__, "python": platform.python_version(), **libraries}
    rows += [(name, version) for name, version in versions.items() if name not in known]
    if sys.argv and sys.argv[0].endswith(("karat", "karat.exe")):
        rows.append(("command", " ".join(["karat", *sys.argv[1:]])))
    return Section("made", "How it was made", table(("what", "value"), rows))
