"""Plots: one file per figure or kind of figure, `draw(obj, ax)` as the one entry point."""

from trueness.plots import (  # noqa: F401  (each file registers what it draws)
    assessment,
    coverage,
    critical_difference,
    fagan,
    forest,
    four_regions,
    learning_curve,
    multiclass,
    on_roc,
    operating_points,
    pr,
    ranks,
    roc,
    two_sets,
)
from trueness.plots.draw import draw

__all__ = ["draw"]
