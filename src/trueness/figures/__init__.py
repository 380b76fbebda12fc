"""Figures as data: marks, axes and words, drawn by matplotlib (`figure.draw(ax)`) or as SVG (`figure.svg()`).

A result describes its picture in `figure()`; `plot()`, the notebook view and the report draw that.
"""

from trueness.figures.figure import (
    Area,
    Bars,
    Dot,
    Figure,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Text,
    band,
    box,
    by_class,
    forest,
    forest_panel,
    forest_size,
    roc_panel,
    unit_square,
)

__all__ = [
    "Area",
    "Bars",
    "Dot",
    "Figure",
    "Intervals",
    "Line",
    "Mark",
    "Panel",
    "Points",
    "Rule",
    "Text",
    "band",
    "box",
    "by_class",
    "forest",
    "forest_panel",
    "forest_size",
    "roc_panel",
    "unit_square",
]
