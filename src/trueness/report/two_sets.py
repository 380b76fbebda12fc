"""Pictures of an assessment with a training set and an independent test set."""

from __future__ import annotations

from trueness.report.dispatch import html_of, picture_of, table_sections
from trueness.report.dots import Dot, dots_svg
from trueness.report.page import whole_page
from trueness.report.scores import score_sections
from trueness.result.two_sets import TwoSets, TwoSetsPair


@html_of.register(TwoSets)
def two_sets_page(t: TwoSets) -> str:
    """The tables, and the scores of the test cases by the rule trained on the training set."""
    page = t.page()
    sections, data = table_sections(t, page), None
    left_out = None if t.fits is None else t.fits.left_out()
    if left_out is not None:
        found, data = score_sections(left_out.data, t.level, left_out.origin, left_out.scale)
        sections[len(page.tables) : len(page.tables)] = found
    title, *about = page.title.split("\n")
    return whole_page(f"Two sets: {title}", page.answer, sections, tuple(about), page.notes, data)


@picture_of.register(TwoSets)
def two_sets_picture(t: TwoSets, zero: bool = False) -> str:
    """The three estimates."""
    names = ("this rule", "mean of rules", "bootstrap mean")
    kinds = ("mark", "mark", "minor")
    dots = [Dot.of(n, e, t.level, kind) for n, e, kind in zip(names, t.estimates(), kinds, strict=True)]
    name = f"{t.model}: {t.fixed.metric}"
    return dots_svg(dots, name, f"{name}, {100 * t.level:g} % interval", zero=zero)


@picture_of.register(TwoSetsPair)
def pair_picture(t: TwoSetsPair) -> str:
    """The estimates of both models and of their difference."""
    parts = [two_sets_picture(part) for part in t.models.values()]
    return "".join([*parts, two_sets_picture(t.difference, zero=True)])
