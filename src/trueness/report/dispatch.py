"""`html_of(result)`: the one way to a report, and `notebook_html(result)`: the one way into a notebook. Each file of
this room registers the pages and pictures that it makes; every other result has a page of its tables."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from trueness.report.page import Section, part, whole_page
from trueness.report.parts import made_section, methods_section, notes_section, scrolling
from trueness.result.shown import Cited, Result, Shown
from trueness.result.table import Page, as_html

TITLES = {  # of results whose page has none
    "Band": "Band of a ROC curve",
    "RocPoint": "Point of a ROC curve",
    "SampleSize": "Number of cases",
    "ThresholdAt": "Threshold",
}


@singledispatch
def html_of(result: Result, **options: Any) -> str:
    """A self-contained HTML page of a result; options as its own page takes them, if it has one."""
    page = result.page()
    name = type(result).__name__
    title, *about = (page.title or TITLES.get(name, name)).split("\n")
    return whole_page(title, page.answer, table_sections(result, page), (*about, *page.footer.split("\n")), page.notes)


def table_sections(result: Result, page: Page) -> list[Section]:
    """One section per table of the result, its notes, and how it was made."""
    found = [
        Section(f"table-{k}", t.title or "Results", scrolling(replace(t, title="")))
        for k, t in enumerate(page.tables, 1)
    ]
    if found:
        found[0] = Section(found[0].id, found[0].title, found[0].html + picture_of(result))
    made = made_section(getattr(result, "provenance", {}), getattr(result, "level", 0.95))
    methods = [methods_section(result)] if isinstance(result, Cited) else []
    return [*found, *methods, notes_section(page.notes), made]


@singledispatch
def picture_of(shown: Shown) -> str:
    """A small picture as SVG, coloured by page/picture.css; nothing where there is none."""
    return ""


@singledispatch
def page_of(shown: Shown) -> Page:
    """What is shown in words and tables: of a result its page."""
    assert isinstance(shown, Result)
    return shown.page()


def notebook_html(shown: Shown) -> str:
    """What a notebook shows: the page, and the picture."""
    style = part("notebook.css") + part("picture.css")
    return f'<div class="trueness"><style>{style}</style>{as_html(page_of(shown), picture_of(shown))}</div>'
