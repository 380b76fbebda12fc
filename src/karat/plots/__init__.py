"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""

from karat.plots import critical_difference, forest, ranks  # noqa: F401  (each registers what it draws)
from karat.plots.draw import draw

__all__ = ["draw"]
