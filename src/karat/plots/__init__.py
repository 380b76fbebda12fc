"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""

from karat.plots import coverage, fagan, forest, four_regions  # noqa: F401  (each file registers what it draws)
from karat.plots.draw import draw

__all__ = ["draw"]
