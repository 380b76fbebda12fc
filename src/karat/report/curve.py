"""The report of a ROC curve."""

from __future__ import annotations

from karat.curves.curve import RocCurve
from karat.report.dispatch import html_of, picture_of
from karat.report.page import whole_page
from karat.report.parts import made_section, notes_section
from karat.report.scores import score_sections
from karat.report.threshold import roc_picture

LEVEL = 0.95


@html_of.register(RocCurve)
def roc_page(curve: RocCurve, level: float = LEVEL, name: str = "") -> str:
    """The whole page as HTML; `name` is that of the score."""
    page = curve.page(level)
    fitted = None if curve.method == "empirical" else curve
    sections, data = score_sections(curve.data, level, fitted=fitted)
    negative, positive = map(str, curve.data.classes)
    made = made_section({"positive": positive, "negative": negative, "curve": curve.method}, level)
    title = f"ROC curve of {name}" if name else "ROC curve"
    about = (page.title, page.footer)
    return whole_page(title, page.answer, [*sections, notes_section(page.notes), made], about, page.notes, data)


@picture_of.register(RocCurve)
def small_roc(curve: RocCurve) -> str:
    """The curve with its band."""
    picture, _, _ = roc_picture(curve.data, LEVEL, size=330)
    picture.axes()
    return picture.svg()
