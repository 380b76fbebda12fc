"""Axes to draw into, and what all ROC plots share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.errors import InputError


def new_axes(ax: Any = None, **figure: Any) -> Any:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("plots need matplotlib", do="pip install 'karat[plot]'") from None
    figure.setdefault("figsize", (5.2, 5.2))
    return plt.subplots(layout="constrained", **figure)[1]


def roc_square(ax: Any, *, diagonal: bool = True) -> Any:
    """Unit square with the diagonal of chance and the names of the axes."""
    if diagonal:
        ax.plot([0, 1], [0, 1], color="0.75", linewidth=0.8, linestyle="--", zorder=0)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="FPF (1 − specificity)", ylabel="TPF (sensitivity)")
    ax.set_aspect("equal")
    return ax


def emptier(areas: Sequence[float]) -> str:
    """The corner for the legend: away from the curves, which lie below the diagonal where the AUC is below ½."""
    if min(areas) >= 0.5:
        return "lower right"
    return "upper left" if max(areas) < 0.5 else "best"
