"""Parts that pages share: tables that scroll on a phone, notes with their codes, how it was made."""

import platform
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from trueness.errors import escape, typeset
from trueness.fitting.described import versions
from trueness.leaks.check import LOOKED_FOR
from trueness.report.methods import all_methods, bibtex_of
from trueness.report.page import Section
from trueness.result.notes import Note, warnings_first
from trueness.result.shown import Result, Table, html_table, label

CHANCE = "Grey line: a score without knowledge, AUC 0.5."


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], about: str = "") -> str:
    """A table that scrolls where it is wider than the page; nothing without rows."""
    return scrolling(Table.of(heads, rows), about=about) if rows else ""


def worded(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of words, whose cells are as narrow as the page; nothing without rows."""
    return scrolling(Table.of(heads, rows), "wide words") if rows else ""


def scrolling(of: Table, kind: str = "wide", about: str = "") -> str:
    """A table that scrolls, also by keyboard, where it is wider than the page; `about` makes its name unique."""
    name = escape(f"{about} {of.title or ', '.join(filter(None, of.heads))}".strip())
    return f'<div class="{kind}" role="region" tabindex="0" aria-label="{name}">{html_table(of, linked=True)}</div>'


def folded(summary: str, html: str, kind: str = "") -> str:
    """What opens on request, and in print unless its `kind` is "unprinted"."""
    opened = f'<details class="{kind}">' if kind else "<details>"
    return f"{opened}<summary>{escape(summary)}</summary>{html}</details>" if html else ""


def paragraph(words: str) -> str:
    """Sentences, escaped, with real minus signs."""
    return f"<p>{typeset(escape(words))}</p>"


def small(words: str) -> str:
    """A paragraph in small print, escaped."""
    return f'<p class="small">{typeset(escape(words))}</p>'


def listed(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{typeset(escape(sentence))}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def notes_section(notes: Sequence[Note]) -> Section:
    """All notes with their codes, warnings first."""
    rows = [(label(n), n.code, typeset(str(n))) for n in warnings_first(notes)]
    return Section("notes", "Notes", worded(("", "code", "note"), rows))


# what provenance holds, in the order and the words of the page; the rest follows as it is
MADE = {
    "design": "design",
    "plan": "plan as given",
    "fits": "fits",
    "costs": "costs",
    "stopped": "stopped",
    "seed": "seed",
    "data": "hash of the data",
    "fingerprint": "hash of the design",
    "begun": "begun",
    "seconds": "seconds",
    "design_effect": "design effect",
}
ELSEWHERE = ("checks", "words", "libraries")  # of provenance, shown in other places


def made_section(provenance: Mapping[str, Any], level: float, more: str = "") -> Section:
    """Design, plan, seed, hashes, times, versions, command line; and `more` as HTML."""
    current = versions()
    known = {name: provenance[name] for name in MADE if provenance.get(name) is not None}
    known |= {k: v for k, v in provenance.items() if k not in (*known, *ELSEWHERE, *current) and v is not None}
    if "begun" in known:
        known["begun"] = f"{datetime.fromisoformat(known['begun']):%Y-%m-%d %H:%M:%S %Z}"
    rows = [(MADE.get(name, str(name)), _told(value)) for name, value in known.items()]
    used = {name: provenance.get(name, version) for name, version in current.items()}
    used |= provenance.get("libraries", {})
    used["Python"] = f"{platform.python_version()} ({platform.system()}, {platform.machine()})"
    rows += [("level", f"{level:g}"), ("software", ", ".join(f"{name} {version}" for name, version in used.items()))]
    if sys.argv and sys.argv[0].endswith(("trueness", "trueness.exe")):
        rows.append(("command line", shlex.join(["trueness", *sys.argv[1:]])))
    return Section("made", "How it was made", worded(("what", "value"), rows) + more)


def _told(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def methods_section(result: Result, sections: Iterable[Section] = ()) -> Section:
    """Sentences for a paper, also those of what sections show besides, and their sources as BibTeX."""
    results = [result, *(cast(Result, each) for section in sections for each in section.results)]
    words = "".join(map(paragraph, all_methods(results).split("\n\n")))
    sources = folded("BibTeX of the sources", f"<pre>{escape(bibtex_of(*results))}</pre>")
    return Section("methods", "Methods, for a paper", words + sources)


def checks_section(provenance: Mapping[str, Any], notes: Sequence[Note]) -> Section:
    """The checks of the data that were made, with their codes and what they found."""
    made = provenance.get("checks", ())
    found = {code: [n for n in notes if n.code == code] for code in made}
    words = LOOKED_FOR
    rows = [(code, words.get(code, ""), " ".join(map(str, found[code]))) for code in made]
    alarms = [code for code in made if found[code]]
    said = f"{len(made)} checks of the data before the first fit, in a fast mode; "
    said += f"{', '.join(alarms)} found something." if alarms else "nothing was found."
    heads = ("code", "what is looked for", "found")
    told, quiet = ([row for row in rows if bool(found[row[0]]) is wanted] for wanted in (True, False))
    html = f"{paragraph(said)}{worded(heads, told)}" + folded(
        "Checks that found nothing", worded(heads[:2], [row[:2] for row in quiet])
    )
    return Section("checks", "Checks", html if made else "")
