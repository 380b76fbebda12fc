"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""
# ruff: noqa: F401 (each module registers what it draws)

import karat.plots.band
import karat.plots.choice
import karat.plots.fold_averages
import karat.plots.hull
import karat.plots.multiclass
import karat.plots.operating_points
import karat.plots.point
import karat.plots.pr
import karat.plots.roc
import karat.plots.threshold
from karat.plots.draw import draw

__all__ = ["draw"]
