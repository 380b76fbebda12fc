"""The report of a ROC curve."""

from __future__ import annotations

import hashlib

import numpy as np

from trueness.curves.curve import RocCurve
from trueness.report.dispatch import html_of, picture_of
from trueness.report.page import whole_page
from trueness.report.parts import made_section, methods_section, notes_section
from trueness.report.scores import score_sections
from trueness.report.threshold import roc_picture
from trueness.sample.scored import Scored

LEVEL = 0.95
SIZE = 330  # of a small picture


@html_of.register(RocCurve)
def roc_page(curve: RocCurve, level: float = LEVEL, name: str = "") -> str:
    """The whole page as HTML; `name` is that of the score."""
    page = curve.page(level)
    fitted = None if curve.method == "empirical" else curve
    sections, data = score_sections(curve.data, level, fitted=fitted)
    negative, positive = map(str, curve.data.classes)
    made = made_section(
        {"data": data_hash(curve.data), "positive": positive, "negative": negative, "curve": curve.method}, level
    )
    title = f"ROC curve of {name}" if name else "ROC curve"
    about = (page.title, *page.footer.split("\n"))
    return whole_page(
        title,
        page.answer,
        [*sections, methods_section(curve), notes_section(page.notes), made],
        about,
        page.notes,
        data,
    )


def data_hash(data: Scored) -> str:
    """Of labels and scores, in the order of the cases."""
    both = np.stack([data.positive.astype(float), np.asarray(data.scores, dtype=float)])
    return "sha256:" + hashlib.sha256(both.tobytes()).hexdigest()[:32]


@picture_of.register(RocCurve)
def small_roc(curve: RocCurve, at: tuple[float, float] | None = None) -> str:
    """The curve with its band, and a point (FPF, TPF) on it."""
    return roc_svg(curve.data, at)


def roc_svg(data: Scored, at: tuple[float, float] | None = None) -> str:
    """The empirical curve of scores with its band, and a point on it."""
    picture, _, _ = roc_picture(data, LEVEL, size=SIZE)
    if at is not None:
        picture.dot(*at, "here")
    return picture.axes().svg()
