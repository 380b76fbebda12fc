"""Pictures of an assessment with a training set and an independent test set."""

from __future__ import annotations

from karat.report.dispatch import picture_of
from karat.report.dots import Dot, dots_svg
from karat.result.two_sets import TwoSets, TwoSetsPair


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
