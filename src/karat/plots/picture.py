"""Draw a Picture with matplotlib."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.result.picture import Band, Line, Panel, Picture, Points, Surface


def draw(picture: Picture, figure: Any = None) -> Any:
    """The figure: a new one of pyplot where none is given."""
    columns = min(picture.columns, len(picture.panels))
    rows = math.ceil(len(picture.panels) / columns)
    if figure is None:
        figure = _pyplot().figure(figsize=size(picture), layout="constrained")
    for i, panel in enumerate(picture.panels):
        _draw_panel(panel, figure.add_subplot(rows, columns, i + 1))
    if picture.caption:
        figure.suptitle(picture.caption, fontsize=10)
    return figure


def png(picture: Picture) -> bytes:
    """The figure as PNG, without a window and without a trace of when it was made."""
    _pyplot()
    from matplotlib.figure import Figure

    figure = draw(picture, Figure(figsize=size(picture), layout="constrained"))
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return out.getvalue()


def size(picture: Picture) -> tuple[float, float]:
    columns = min(picture.columns, len(picture.panels))
    rows = math.ceil(len(picture.panels) / columns)
    width, height = picture.panel_size
    return (max(5.6, width * columns), height * rows + 0.4)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError("plots need matplotlib", fix="pip install 'karat[plot]'") from None
    return plt


def _draw_panel(panel: Panel, ax: Any) -> None:
    for mark in panel.marks:
        _draw_mark(mark, ax)
    ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    ax.title.set_fontsize(10)
    if panel.x_log:
        ax.set_xscale("log")
    if panel.y_log:
        ax.set_yscale("log")
    if panel.x_limits is not None:
        ax.set_xlim(panel.x_limits)
    if panel.y_limits is not None:
        ax.set_ylim(panel.y_limits)
    if panel.x_ticks:
        ax.set_xticks(list(panel.x_ticks), list(panel.x_ticks.values()))
        ax.minorticks_off()
    if panel.y_ticks:
        ax.set_yticks(list(panel.y_ticks), list(panel.y_ticks.values()), fontsize=7)
    if any(mark.label for mark in panel.marks):
        ax.legend(fontsize=7)


def _draw_mark(mark: Any, ax: Any) -> None:
    label = mark.label or None
    if isinstance(mark, Line):
        color = {} if mark.color is None else {"color": mark.color}
        drawn = ax.plot(mark.x, mark.y, mark.style, **color, label=label, linewidth=mark.width, markersize=3)
        if mark.error is not None:
            ax.errorbar(mark.x, mark.y, yerr=mark.error, fmt="none", ecolor=drawn[0].get_color(), elinewidth=0.8)
    elif isinstance(mark, Points):
        ax.scatter(mark.x, mark.y, s=mark.size, marker=mark.marker, color=mark.color, label=label, linewidths=0.8)
    elif isinstance(mark, Band):
        ax.fill_between(mark.x, mark.low, mark.high, alpha=0.2, color=mark.color, label=label, linewidth=0)
    elif isinstance(mark, Surface):
        z = np.asarray(mark.z)
        if mark.shaded:
            ax.contourf(mark.x, mark.y, z, levels=[-np.inf, 0, np.inf], colors=["C0", "C1"], alpha=0.15)
        ax.contour(mark.x, mark.y, z, levels=sorted(mark.levels), colors=mark.color or "k", linestyles=mark.style)
        if mark.label:
            ax.plot([], [], mark.style, color=mark.color or "k", label=mark.label)
