"""Plots: one file per figure, `draw(obj, ax)` as the one entry point."""

from karat.plots import band as _band
from karat.plots import choice as _choice
from karat.plots import fold_averages as _fold_averages
from karat.plots import hull as _hull
from karat.plots import multiclass as _multiclass
from karat.plots import operating_points as _operating_points
from karat.plots import point as _point
from karat.plots import pr as _pr
from karat.plots import roc as _roc
from karat.plots import threshold as _threshold
from karat.plots.draw import draw

__all__ = ["draw"]
