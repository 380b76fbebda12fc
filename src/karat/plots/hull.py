"""The concave hull of a ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.curves.hull import Hull
from karat.plots.axes import new_axes, roc_square
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(Hull)
def draw_hull(hull: Hull, ax: Axes | None = None) -> Axes:
    """Corners joined by straight lines; draw it over the axes of its curve."""
    ax = roc_square(new_axes(ax), diagonal=ax is None)
    label = f"concave hull, area {hull.area:.3f}"
    ax.plot(hull.fpf, hull.tpf, "o--", color="0.25", markersize=4, linewidth=1, label=label)
    ax.legend(loc="lower right", fontsize="small", frameon=False)
    return ax
