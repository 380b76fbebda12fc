"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""

from karat.plots import (  # noqa: F401  (each file registers what it draws)
    assessment,
    band,
    choice,
    coverage,
    critical_difference,
    fagan,
    fold_averages,
    forest,
    four_regions,
    hull,
    learning_curve,
    multiclass,
    operating_points,
    point,
    pr,
    ranks,
    roc,
    systems,
    threshold,
    two_sets,
)
from karat.plots.draw import draw

__all__ = ["draw"]
