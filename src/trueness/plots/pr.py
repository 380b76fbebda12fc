"""Precision–recall curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trueness.curves.pr import PrCurve
from trueness.plots.axes import new_axes
from trueness.plots.draw import draw
from trueness.result.digits import with_interval
from trueness.typing import Axes

MAX_MARKS = 60  # with more points marks cannot be told apart


@draw.register(PrCurve)
def draw_pr(curve: PrCurve, ax: Axes | None = None, *, label: str = "", level: float = 0.95) -> Axes:
    """One curve."""
    return draw_pr_curves({label: curve}, ax, level=level)


def draw_pr_curves(curves: Mapping[str, PrCurve], ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Several curves by name: the points, the interpolation between them, and the line of chance (the prevalence)."""
    ax = new_axes(ax)
    for name, curve in curves.items():
        area = with_interval(curve.average_precision, level)
        label = f"{name}: AP {area}" if name else f"AP {area}"
        smooth = curve.interpolated()
        (line,) = ax.plot(smooth["recall"], smooth["precision"], linewidth=1.5, label=label)
        if len(curve.recall) <= MAX_MARKS:
            ax.plot(curve.recall[1:], curve.precision[1:], ".", color=line.get_color(), markersize=5)
        ax.axhline(curve.prevalence, color=line.get_color(), linewidth=0.8, linestyle="--", zorder=0)
    highest = max(c.prevalence for c in curves.values())
    ax.annotate("chance", (0.0, highest), xytext=(2, 3), textcoords="offset points", fontsize="small", color="0.4")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.03), xlabel="recall (TPF)", ylabel="precision (PPV)")
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_aspect("equal")
    ax.legend(loc="best", fontsize="small", frameon=False)
    return ax
