"""Axes to draw into, and what all ROC plots share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trueness.errors import InputError
from trueness.typing import Axes, Floats

if TYPE_CHECKING:
    from matplotlib.legend import Legend

    from trueness.curves.curve import RocCurve


def new_axes(ax: Axes | None = None, **figure: Any) -> Axes:
    """The axes given, or new ones with these options of `matplotlib.pyplot.subplots`; an error without matplotlib."""
    if ax is not None:
        if not hasattr(ax, "get_figure"):
            raise InputError("ax must be axes of matplotlib", param="ax", got=repr(ax))
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("Plots need matplotlib", fix="Run pip install matplotlib") from None
    made: Axes = plt.subplots(layout="constrained", **{"figsize": (5.2, 5.2), **figure})[1]
    return made


def roc_square(ax: Axes, *, diagonal: bool = True) -> Axes:
    """Unit square with the diagonal of chance and the names of the axes."""
    if diagonal:
        ax.plot([0, 1], [0, 1], color="0.75", linewidth=0.8, linestyle="--", zorder=0)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="FPF (1 − specificity)", ylabel="TPF (sensitivity)")
    ax.set_aspect("equal")
    return ax


def drawn(curve: RocCurve) -> tuple[Floats, Floats]:
    """FPF and TPF to draw a ROC curve through: its points, or a fine grid for a smooth model."""
    if curve.method not in ("binormal", "normal"):
        return curve.fpf, curve.tpf
    x = np.concatenate([[0.0], np.geomspace(1e-4, 1, 400)])
    return x, np.append(0.0, curve(x[1:]))


def metric_name(metric: str) -> str:
    """Name of a metric on an axis."""
    return "AUC" if metric == "auc" else metric.replace("_", " ")


Corner = Literal["lower right", "lower left", "upper right", "upper left", "best"]


def boxed_legend(ax: Axes, loc: Corner) -> Legend:
    """A legend in a frame and with small marks, so that none is taken for a point of the plot."""
    legend = ax.legend(loc=loc, fontsize="small", frameon=True, framealpha=0.9, edgecolor="0.8", markerscale=0.6)
    for handle in legend.legend_handles:
        if handle is not None and not hasattr(handle, "get_facecolor"):  # marks that are pale where there are many
            handle.set_alpha(1)
    return legend


def emptier(areas: Sequence[float]) -> Corner:
    """The corner for the legend: away from the curves, which lie below the diagonal where the AUC is below ½."""
    if min(areas) >= 0.5:
        return "lower right"
    return "upper left" if max(areas) < 0.5 else "best"
