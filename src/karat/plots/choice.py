"""A chosen operating point on its curve, and where resamples would have put it."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from karat.curves.choice import Choice
from karat.plots.axes import boxed_legend, drawn, emptier, new_axes, roc_square
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEGEND_WIDTH = 38  # characters; more would not fit into the axes


@draw.register(Choice)
def draw_choice(choice: Choice, ax: Axes | None = None) -> Axes:
    """The curve, the chosen point, and the points chosen on resamples."""
    ax = roc_square(new_axes(ax))
    ax.plot(*drawn(choice.curve), color="C0", linewidth=1.2)
    again = choice.replicates
    if len(again):
        label = f"chosen on {len(again)} resamples"
        ax.plot(again["fpf"], again["tpf"], ".", color="C1", markersize=4, alpha=0.3, zorder=1, label=label)
    criterion = fill(choice.criterion, LEGEND_WIDTH)
    name = f"{criterion}:\nscore ≥ {choice.threshold:.4g}, TPF {choice.tpf:.3f}, FPF {choice.fpf:.3f}"
    ax.plot(choice.fpf, choice.tpf, "x", color="k", markersize=10, markeredgewidth=2, label=name)
    boxed_legend(ax, emptier([choice.curve.auc.value]))
    return ax
