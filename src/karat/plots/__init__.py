"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""

from karat.plots import (  # noqa: F401  (each file registers what it draws)
    coverage,
    critical_difference,
    fagan,
    forest,
    four_regions,
    ranks,
)
from karat.plots.draw import draw

__all__ = ["draw"]
