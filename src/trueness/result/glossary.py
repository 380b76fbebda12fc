"""Words of tables and reports: docs/glossary.md, which the package holds, read where a word is asked for.

Heads of HTML tables show what they mean to a reader who points at them; `trueness help WORD` prints it.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trueness.errors import escape
from trueness.result.words import bare

ROW = re.compile(r"^\| \*\*(.+?)\*\*(?: \((.+)\))? \| (.+?) \|", re.MULTILINE)


class Word(NamedTuple):
    """A row of the glossary."""

    name: str  # as it is written in tables
    says: str  # what it means


def documentation() -> Path:
    """The folder of pages: a wheel holds it inside the package, a checkout beside src."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "docs"
    return inside if inside.is_dir() else package.parents[1] / "docs"


@cache
def words() -> dict[str, Word]:
    """Every spelling without capitals, and its word; empty where the pages are missing."""
    page = documentation() / "glossary.md"
    known = {}
    for name, also, says in ROW.findall(page.read_text(encoding="utf-8")) if page.is_file() else ():
        for spelling in (name, *filter(None, also.split("; "))):
            known[bare(spelling).casefold()] = Word(name, says.replace("`", ""))
    return known


def word(text: str) -> Word | None:
    """The word of this spelling, also of a head such as "95 % interval", "p (all pairs)" or "auc cv+training".

    >>> word("95 % interval").name, word("mc_se").name, word("c-statistic").name
    ('interval', 'simulation error', 'auc')
    """
    plain = text.strip().lower()
    short = re.sub(r"^[\d.]+ % |(,| \() ?[\d.]+ %.*$", "", plain)
    alone = re.sub(r" ?\(.*\)$", "", short)
    tries = (plain, short, alone, alone.removeprefix("mean "), alone.rpartition(" ")[2])
    return next(filter(None, (words().get(bare(each).casefold()) for each in tries)), None)


def marked(text: str) -> str:
    """The text as HTML, escaped, with what it means as a tooltip."""
    found = word(text)
    return escape(text) if found is None else f'<abbr title="{escape(found.says)}">{escape(text)}</abbr>'
