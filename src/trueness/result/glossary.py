"""Words of tables and reports: docs/glossary.md, which the package holds, read where a word is asked for.

Heads of HTML tables show what they mean to a reader who points at them; `trueness help WORD` prints it.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from trueness.errors import escape
from trueness.result.words import bare

ROW = re.compile(r"^\| \*\*(.+?)\*\*(?: \((.+)\))? \| (.+?) \| (?:\[.*\]\((.+)\.md\))? *\|$", re.MULTILINE)


@dataclass(frozen=True)
class Word:
    """A row of the glossary."""

    name: str  # as it is written in tables
    also: tuple[str, ...]  # other spellings
    says: str  # what it means
    page: str  # of the documentation that has more, without ".md"; "" where none has

    @property
    def anchor(self) -> str:
        """Its place on a page."""
        return "word-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower().replace("+", " plus ")).strip("-")


def documentation() -> Traversable:
    """The pages: a wheel holds them inside the package, a checkout beside src."""
    inside = files("trueness").joinpath("docs")
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "docs"


@cache
def words() -> dict[str, Word]:
    """Every spelling, as `key` has it, and its word; empty where the pages are missing."""
    page = documentation().joinpath("glossary.md")
    found = ROW.findall(page.read_text(encoding="utf-8")) if page.is_file() else []
    rows = [Word(name, tuple(filter(None, also.split("; "))), says, more) for name, also, says, more in found]
    spelled = {key(name): row for row in reversed(rows) for name in row.also}
    return spelled | {key(row.name): row for row in rows}


def key(text: str) -> str:
    """A spelling without capitals; "c-statistic", "c statistic" and "c_statistic" are one."""
    return bare(text).casefold()


def word(text: str) -> Word | None:
    """The word of this spelling, also of a head such as "95 % interval", "p (all pairs)" or "auc cv+training".

    >>> word("95 % interval").name, word("mc_se").name, word("c-statistic").name
    ('interval', 'simulation error', 'auc')
    """
    known, plain = words(), text.strip().lower()
    short = re.sub(r"^[\d.]+ % |(,| \() ?[\d.]+ %.*$", "", plain)
    bare = re.sub(r" ?\(.*\)$", "", short)
    tries = (plain, short, bare, bare.removeprefix("mean "), bare.rpartition(" ")[2])
    return next((known[each] for each in map(key, tries) if each in known), None)


def marked(text: str, linked: bool = False) -> str:
    """The text as HTML, escaped, with what it means as a tooltip; `linked` leads to the list that `listed` makes."""
    found = word(text)
    if found is None:
        return escape(text)
    says = escape(found.says.replace("`", ""))
    if linked:
        return f'<a class="word" href="#{found.anchor}" title="{says}">{escape(text)}</a>'
    return f'<abbr title="{says}">{escape(text)}</abbr>'


def listed(html: str) -> str:
    """A list, by name, of the words that these parts of a page link to; "" where there are none."""
    used = set(re.findall(r'href="#(word-[a-z0-9-]+)"', html))
    rows = sorted((w for w in set(words().values()) if w.anchor in used), key=lambda w: w.name.casefold())
    said = (f'<dt id="{w.anchor}">{escape(w.name)}</dt><dd>{escape(w.says.replace("`", ""))}</dd>' for w in rows)
    return f'<dl class="words">{"".join(said)}</dl>' if rows else ""
