"""`html_of(result)`: the one way to a report. Some results have a page of their own; others have one of their tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from trueness.api.two_sets_result import TwoSets
from trueness.curves.curve import RocCurve
from trueness.curves.roc import RocCurves
from trueness.report.page import Section, whole_page
from trueness.report.parts import made_section, methods_section, notes_section, scrolling
from trueness.report.scores import score_sections
from trueness.result.shown import Cited, Drawn, Page, Result
from trueness.typing import Record

PAGES = {  # results with a page of their own: the file and the function that makes it
    "Assessment": ("assessment", "assessment_page"),
    "Opening": ("assessment", "opening_page"),
    "Paired": ("comparison", "comparison_page"),
    "ReaderStudy": ("comparison", "readers_page"),
    "RocCurve": ("pages", "roc_page"),
    "RocCurves": ("pages", "curves_page"),
    "TwoSets": ("pages", "two_sets_page"),
}
TITLES = {  # of results whose page has none
    "Band": "Band of a ROC curve",
    "RocPoint": "Point of a ROC curve",
    "SampleSize": "Number of cases",
    "ThresholdAt": "Threshold",
}


def html_of(result: Result, **options: Any) -> str:
    """A self-contained HTML page of a result; options as its own page takes them, if it has one."""
    for kind in type(result).__mro__:
        if kind.__name__ in PAGES:
            file, function = PAGES[kind.__name__]
            return str(getattr(import_module(f"trueness.report.{file}"), function)(result, **options))
    page, name = result.page(), type(result).__name__
    title, *about = (page.title or TITLES.get(name, name)).split("\n")
    return whole_page(title, page.answer, table_sections(result, page), (*about, *page.footer.split("\n")), page.notes)


def table_sections(result: Result, page: Page) -> list[Section]:
    """One section per table of the result, its figure, its notes, and how it was made."""
    found = [
        Section(
            f"table-{k}",
            t.title or (t.heads[0][:1].upper() + t.heads[0][1:] if k > 1 else "Results"),
            scrolling(replace(t, title="")),
        )
        for k, t in enumerate(page.tables, 1)
    ]
    drawn = result.figure() if isinstance(result, Drawn) else None
    figure = [] if drawn is None else [Section("figure", drawn.name or "Figure", drawn.html())]
    made = made_section(getattr(result, "provenance", {}), getattr(result, "level", 0.95))
    methods = [methods_section(result)] if isinstance(result, Cited) else []
    return [*found[:1], *figure, *found[1:], *methods, notes_section(page.notes), made]


def roc_page(curve: RocCurve, level: float = 0.95, name: str = "") -> str:
    """The whole page of a ROC curve; `name` is that of the score."""
    page = curve.page(level)
    sections, read = score_sections(curve.data, level, fitted=None if curve.method == "empirical" else curve)
    sections += [methods_section(curve), notes_section(page.notes), made_section(_known([curve]), level)]
    title = f"ROC curve of {name}" if name else "ROC curve"
    return whole_page(title, page.answer, sections, (page.title, *page.footer.split("\n")), page.notes, read)


def _known(curves: Sequence[RocCurve]) -> Record:
    """The hash of the labels, the scores and the groups, in the order of the cases; and what the curves are of."""
    data = curves[0].data
    rows = [data.positive, *(curve.data.scores for curve in curves), *([] if data.groups is None else [data.groups])]
    both = np.stack([np.asarray(row, dtype=float) for row in rows])
    return {
        "data": "sha256:" + hashlib.sha256(both.tobytes()).hexdigest()[:32],
        "positive": str(data.classes[1]),
        "negative": str(data.classes[0]),
        "curve": curves[0].method,
    }


MOST_SLIDERS = 6  # scores of one page whose thresholds are shown


def curves_page(c: RocCurves) -> str:
    """The tables and the picture of several curves, what was asked of them, and a slider for the threshold of each."""
    page, several = c.page(), len(c.curves) > 1
    *sections, methods, notes, made = table_sections(c, page)
    made = made_section(_known(list(c.curves.values())), c.level)
    if not several:  # the slider has the curve
        sections = [section for section in sections if section.id != "figure"]
    read = []
    for k, (name, curve) in enumerate(c.curves.items() if len(c.curves) <= MOST_SLIDERS else (), 1):
        place = f"s{k}-" if several else ""
        found, panel = score_sections(curve.data, c.level, name=name if several else "", place=place)
        sections += found
        read.append(panel)
    title = f"ROC curve{'s' if several else ''} of {', '.join(c.curves)}"
    about = (page.title, *page.footer.split("\n"))
    return whole_page(title, page.answer, [*sections, methods, notes, made], about, page.notes, read or None)


def two_sets_page(t: TwoSets) -> str:
    """The tables, and the scores of the test cases by the rule trained on the training set."""
    page = t.page()
    sections, read = table_sections(t, page), None
    sections[0] = replace(sections[0], html=sections[0].html + t.figure("estimates").html())
    left_out = None if t.fits is None else t.fits.left_out()
    if left_out is not None:
        found, read = score_sections(
            left_out.data, t.level, left_out.origin, left_out.scale, fits=t.fits, own=left_out.own
        )
        sections[-3:-3] = found
    title, *about = page.title.split("\n")
    return whole_page(f"Two sets: {title}", page.answer, sections, tuple(about), page.notes, read)
