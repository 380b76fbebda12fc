"""Figures by matplotlib, which is loaded here only."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from trueness.errors import InputError, typeset, visible
from trueness.figures.figure import (
    COLOURS,
    EDGE,
    SERIES,
    Area,
    Bars,
    Figure,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    in_lines,
    parted,
)
from trueness.typing import Axes

try:
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgb, to_rgba
    from matplotlib.figure import Figure as Canvas
except ImportError:
    raise InputError("Plots need matplotlib", fix="Run pip install matplotlib") from None

LETTERS, LEAST_LETTERS = 11.5, 12  # per inch of a title or label; of a line of a legend
HEADING = 0.3  # inches
_used: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # how many colours of curves the axes have already


def draw(figure: Figure, ax: Axes | Sequence[Axes] | None = None) -> Axes:
    """Draw every panel into axes of a new figure or into those given; the first panel into a single one that is given."""
    if not figure.panels:
        raise InputError(f"There is nothing to draw: {figure.name}")
    if ax is None:
        return _new(figure, plt.figure).axes[0]
    axes = list[Axes](np.ravel(np.asarray(ax, dtype=object)))
    if not all(hasattr(each, "inset_axes") for each in axes):
        raise InputError("ax must be axes of matplotlib", param="ax", got=repr(ax))
    if isinstance(ax, Sequence | np.ndarray) and len(axes) < len(figure.panels):
        need = f"{len(figure.panels)} panels need {len(figure.panels)} axes"
        fix = "Pass one pair of axes, not in a list, for the first panel alone; or none for a new figure"
        raise InputError(need, param="ax", got=f"{len(axes)} axes", fix=fix)
    _draw_into(figure, axes)
    return axes[0]


def png(figure: Figure, dpi: int) -> bytes:
    """The figure as PNG, without a window."""
    out = io.BytesIO()
    canvas = _new(figure, Canvas)
    canvas.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


def _new(figure: Figure, canvas: Callable[..., Canvas]) -> Canvas:
    """Every panel in axes of its own."""
    (rows, columns), (wide, high) = figure.grid, figure.size
    new = canvas(figsize=(wide * columns, high * rows + HEADING * bool(figure.heading)), layout="constrained")
    _draw_into(figure, [new.add_subplot(rows, columns, k + 1) for k in range(len(figure.panels))])
    return new


def _draw_into(figure: Figure, axes: Iterable[Any]) -> None:
    heading = figure.heading  # above the first panel where it has no title
    for panel, ax in zip(figure.panels, axes, strict=False):
        _draw_panel(panel, ax)
        letters = max(LEAST_LETTERS, int(LETTERS * ax.get_position().width * ax.figure.get_figwidth()))
        if panel.title or heading:
            ax.set_title(_wrapped(panel.title or heading, letters), fontsize="medium")
        ax.set_xlabel(_wrapped(panel.x_label, letters))
        ax.set_ylabel(_plain(panel.y_label))
        handles, labels = ax.get_legend_handles_labels()
        if labels:
            named, line = [fill(label, letters) for label in labels], COLOURS["line"][_dark(ax)]
            ax.legend(handles, named, framealpha=0.85, edgecolor=line, fontsize="small")
        heading = ""


def _draw_panel(panel: Panel, ax: Any) -> None:
    """Marks, axes and the words beside rows; a panel over another one takes the next colours."""
    before = _used.get(ax, 0)
    dark = _dark(ax)
    coloured = panel.coloured()
    for depth, (mark, role) in enumerate(coloured):
        shifted = SERIES[(SERIES.index(role) + before) % len(SERIES)] if role in SERIES else role
        under = 1 if isinstance(mark, Area | Rule) else 2
        common = {"label": _plain(mark.label) or None, "zorder": under + depth / 100}
        _mark(ax, mark, COLOURS[shifted][dark], COLOURS["paper"][dark], **common)
    _used[ax] = before + max((SERIES.index(role) + 1 for _, role in coloured if role in SERIES), default=0)
    if panel.x_ticks is not None and not panel.x_ticks:
        ax.set_axis_off()
    for axis in "xy":
        log, limits, ticks = (getattr(panel, f"{axis}_{what}") for what in ("log", "limits", "ticks"))
        if log:
            getattr(ax, f"set_{axis}scale")("log")
        if limits is not None:
            getattr(ax, f"set_{axis}lim")(limits)
        if ticks is not None:
            named = [_plain(in_lines(words)) for words in ticks.values()]
            getattr(ax, f"set_{axis}ticks")(list(ticks), named)
            getattr(ax, f"{axis}axis").minorticks_off()
        elif not log:
            ax.locator_params(axis=axis, nbins=6)
    for label, place in zip(ax.get_yticklabels(), panel.y_ticks or (), strict=False):
        label.set_fontweight("bold" if place in panel.strong else "normal")
    for place, words in panel.beside.items():
        style = {"fontweight": "bold" if place in panel.strong else "normal", "annotation_clip": False, "va": "center"}
        at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        ax.annotate(_plain(words), (1, place), (8, 0), **at, **style)
    if panel.y_ticks and panel.beside:  # rows of words
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", color=COLOURS["line"][dark], linewidth=0.8)
    ax.set_axisbelow(True)
    if panel.square:
        ax.set_aspect("equal")


def _dark(ax: Any) -> bool:
    return sum(to_rgb(ax.get_facecolor())) < 1.5


def _plain(words: str) -> str:
    """Words as they are: hidden characters of names as Python writes them, and no formulas between $ signs."""
    return typeset(visible(words)).replace("$", r"\$")


def _wrapped(words: str, letters: int) -> str:
    return "\n".join(fill(line, letters) for line in _plain(words).split("\n"))


def _mark(ax: Any, mark: Mark, colour: str, paper: str, **common: Any) -> None:
    """Draw one mark; `common` is what all take: its label and its depth."""
    if isinstance(mark, Line):
        style, marker = parted(mark.style)
        look = {"linestyle": style or "none", "marker": marker, "markersize": 4, "linewidth": mark.width}
        ax.plot(mark.x, mark.y, color=colour, alpha=mark.opacity, **look, **common)
        if mark.error is not None:
            ax.errorbar(mark.x, mark.y, yerr=mark.error, fmt="none", ecolor=colour, elinewidth=0.9)
    elif isinstance(mark, Points):
        face = {"facecolors": paper, "edgecolors": colour} if mark.hollow else {"color": colour}
        width = 2.0 if mark.marker in "x+" else 1.3 if mark.hollow else 0.0
        look = {"marker": mark.marker, "alpha": mark.opacity, "linewidths": width}
        ax.scatter(mark.x, mark.y, mark.size, **look, **face, **common)
    elif isinstance(mark, Intervals):
        lines = ax.hlines if mark.across else ax.vlines
        look = {"color": colour, "linestyle": mark.style, "linewidth": mark.width, "alpha": mark.opacity}
        lines(mark.at, mark.low, mark.high, **look, **common)
    elif isinstance(mark, Area):
        edge = to_rgba(colour, min(1.0, EDGE * mark.opacity))
        ax.fill(mark.x, mark.y, facecolor=to_rgba(colour, mark.opacity), edgecolor=edge, linewidth=1.0, **common)
    elif isinstance(mark, Bars):
        ax.stairs(mark.heights, mark.edges, fill=True, color=colour, alpha=mark.opacity, **common)
    elif isinstance(mark, Rule):
        across, at = (ax.axhline, mark.y) if mark.x is None else (ax.axvline, mark.x)
        across(at, color=colour, linewidth=mark.width, linestyle=mark.style, **common)
    else:
        side = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
        ax.text(mark.x, mark.y, _plain(mark.words), ha=side, va="center", color=colour, fontsize="small")
