"""One operating point and the rectangle that contains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.curves.point import RocPoint
from karat.plots.axes import boxed_legend, new_axes, roc_square
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(RocPoint)
def draw_point(point: RocPoint, ax: Axes | None = None, *, level: float = 0.95, color: str = "C3") -> Axes:
    """A cross at (FPF, TPF) in its joint region; draw it over the axes of its curve."""
    from matplotlib.patches import Rectangle

    fpf, tpf = point.joint_region(level)
    ax = roc_square(new_axes(ax), diagonal=ax is None)
    label = f"{100 * level:g} % region of FPF and TPF"
    sides = fpf.high - fpf.low, tpf.high - tpf.low
    ax.add_patch(Rectangle((fpf.low, tpf.low), *sides, facecolor=color, edgecolor=color, alpha=0.25, label=label))
    x, y = point.fpf.value, point.tpf.value
    name = f"score ≥ {point.threshold:.4g}"
    ax.plot([x], [y], "x", color="k", markersize=9, markeredgewidth=2, label=name)
    boxed_legend(ax, "lower right" if y >= x else "upper left")
    return ax
