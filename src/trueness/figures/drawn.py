"""Figures by matplotlib, which is loaded here only."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from trueness.errors import InputError, typeset, visible
from trueness.figures.figure import (
    COLOURS,
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
    Text,
    edge_of,
    in_lines,
    parted,
)
from trueness.typing import Axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

LETTERS = 11.5  # per inch, of a title or label
SMALL_LETTERS, HANDLE, LEAST_LETTERS = 14.0, 0.6, 12  # of a legend: per inch, inches beside its words, of a line
MOST_OF_AXES = 0.42  # of the height of axes of others, for a legend inside
HEADING, NAMES_OF_TICKS = 0.3, 2.2  # inches; per inch of an axis
LEAST_SHARE, PAD, BELOW = 0.4, 0.04, 0.65  # of a place in a grid that marks keep; inches to others; of the gap, below
SMALL, TINY, TICKS, LINE = "small", "x-small", 0.32, 0.18  # sizes of letters; inches of names of ticks, of a line
_used: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # how many colours of curves the axes have already


def draw(figure: Figure, ax: Axes | Sequence[Axes] | None = None) -> Axes:
    """Draw every panel into axes of a new figure or into those given; the first panel into a single one that is given."""
    if not figure.panels:
        raise InputError(f"There is nothing to draw: {figure.name}")
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise InputError("Plots need matplotlib", fix="Run pip install matplotlib") from None
        axes = _grid(figure, plt.figure(figsize=_size(figure), layout="constrained"))
        _draw_own(figure, axes)
        return axes[0]
    if not all(hasattr(each, "inset_axes") for each in np.ravel(np.asarray(ax, dtype=object))):
        raise InputError("ax must be axes of matplotlib", param="ax", got=repr(ax))
    axes = list(np.ravel(np.asarray(ax, dtype=object)))
    if isinstance(ax, Sequence | np.ndarray) and len(axes) < len(figure.panels):
        need = f"{len(figure.panels)} panels need {len(figure.panels)} axes"
        fix = "Pass one pair of axes, not in a list, for the first panel alone; or none for a new figure"
        raise InputError(need, param="ax", got=f"{len(axes)} axes", fix=fix)
    for title, panel, each in zip(_titles(figure), figure.panels, axes, strict=False):
        _fit(panel, each, title, _draw_panel(panel, each))
    return axes[0]


def _draw_own(figure: Figure, axes: Sequence[Axes]) -> None:
    """Into axes of a figure that was made for it."""
    for title, panel, each in zip(_titles(figure), figure.panels, axes, strict=True):
        _draw_panel(panel, each)
        _name(panel, each, title, figure.size[0])
        _legend(panel, each, SMALL, 0.75 * LETTERS * figure.size[0])


def _titles(figure: Figure) -> list[str]:
    """Of every panel; of the first the heading where it has none."""
    return [panel.title or (figure.heading if k == 0 else "") for k, panel in enumerate(figure.panels)]


def png(figure: Figure, dpi: int) -> bytes:
    """The figure as PNG, without a window."""
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise InputError("Plots need matplotlib", fix="Run pip install matplotlib") from None
    canvas = Canvas(figsize=_size(figure), layout="constrained")
    _draw_own(figure, _grid(figure, canvas))
    out = io.BytesIO()
    canvas.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


def _size(figure: Figure) -> tuple[float, float]:
    rows, columns = figure.grid
    return figure.size[0] * columns, figure.size[1] * rows + HEADING * bool(figure.heading)


def _grid(figure: Figure, canvas: Canvas) -> list[Axes]:
    return [canvas.add_subplot(*figure.grid, k + 1) for k in range(len(figure.panels))]


def _draw_panel(panel: Panel, ax: Any) -> list[Any]:
    """Marks and axes, and the words beside rows, which are returned; a panel over another one takes the next colours."""
    before = _used.get(ax, 0)
    dark = _dark(ax)
    coloured = panel.coloured()
    for depth, (mark, role) in enumerate(coloured):
        shifted = SERIES[(SERIES.index(role) + before) % len(SERIES)] if role in SERIES else role
        under = 1 if isinstance(mark, Area | Rule) else 2
        common = {"label": _plain(mark.label) or None, "zorder": under + depth / 100}
        _mark(ax, mark, COLOURS[shifted][dark], COLOURS["paper"][dark], **common)
    _used[ax] = before + max((SERIES.index(role) + 1 for _, role in coloured if role in SERIES), default=0)
    if not panel.frame:
        ax.set_axis_off()
    for axis in "xy":
        log, limits, ticks = (getattr(panel, f"{axis}_{what}") for what in ("log", "limits", "ticks"))
        if log:
            getattr(ax, f"set_{axis}scale")("log")
        if limits is not None:
            getattr(ax, f"set_{axis}lim")(limits)
        if ticks is not None:
            named = [_plain(words if axis == "x" else in_lines(words)) for words in ticks.values()]
            getattr(ax, f"set_{axis}ticks")(list(ticks), named)
            getattr(ax, f"{axis}axis").minorticks_off()
        elif not log:
            ax.locator_params(axis=axis, nbins=6)
    for label, place in zip(ax.get_yticklabels(), panel.y_ticks or (), strict=False):
        label.set_fontweight("bold" if place in panel.strong else "normal")
    beside = []
    for place, words in panel.beside.items():
        style = {"fontweight": "bold" if place in panel.strong else "normal", "annotation_clip": False, "va": "center"}
        at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        beside.append(ax.annotate(_plain(words), (1, place), (8, 0), **at, **style))
    if panel.y_ticks and panel.beside:  # rows of words
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", color=COLOURS["line"][dark], linewidth=0.8)
    ax.set_axisbelow(True)
    if panel.square:
        ax.set_aspect("equal")
    return beside


def _name(panel: Panel, ax: Any, title: str, width: float) -> None:
    """The title and the names of the axes, wrapped at so many inches."""
    if title:
        ax.set_title(_wrapped(title, width), fontsize="medium")
    ax.set_xlabel(_wrapped(panel.x_label, 0.75 * width if panel.beside else width))
    ax.set_ylabel(_plain(panel.y_label))


def _legend(panel: Panel, ax: Any, size: str, letters: float, columns: int = 1, short: bool = False) -> Any:
    """The legend, in lines of so many letters; `short`, of names without the numbers after them."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return None
    labels = [label.split(": ")[0] for label in labels] if short else labels
    labels = [fill(label, max(LEAST_LETTERS, int(letters))) for label in labels]
    corner: dict[str, Any] = {"loc": panel.legend}
    if panel.legend == "below":
        from matplotlib.transforms import ScaledTranslation

        lines = panel.x_label != "" and 1 + ax.get_xlabel().count("\n")
        down = ScaledTranslation(0, -(TICKS + LINE * lines), ax.figure.dpi_scale_trans)
        corner = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + down}
        corner |= {"borderaxespad": 0, "frameon": False}
    look = {"framealpha": 0.85, "edgecolor": COLOURS["line"][_dark(ax)], "fontsize": size, "ncols": columns}
    return ax.legend(handles, labels, **corner, **look)


def _fit(panel: Panel, ax: Any, title: str, beside: list[Any]) -> None:
    """Name the axes of somebody's figure, and keep words out of its other axes.

    Where no layout makes room, the axes are made smaller within their place in the grid. Numbers beside rows and
    legends are left out where they would need too much of it.
    """
    dpi, spec = ax.figure.dpi, ax.get_subplotspec()
    slot = None if spec is None else _slot(ax, spec)
    if slot is not None:
        if _beside(ax) > (1 - LEAST_SHARE) * slot.width:
            for words in beside:
                words.remove()
        if panel.y_ticks and _beside(ax) > (1 - LEAST_SHARE) * slot.width:
            most = max(LEAST_LETTERS, int((1 - LEAST_SHARE) * slot.width / dpi * LETTERS))
            ax.set_yticks(list(panel.y_ticks), [_plain(in_lines(words, most)) for words in panel.y_ticks.values()])
        _make_room(ax, slot)
    width = ax.get_window_extent().width / dpi
    if panel.x_ticks and panel.frame and not panel.x_log:
        most = int(LETTERS * width / len(panel.x_ticks))
        small = max(map(len, panel.x_ticks.values())) > most
        named = [_plain(in_lines(words, max(3, int(1.5 * most)))) for words in panel.x_ticks.values()]
        ax.set_xticks(list(panel.x_ticks), named, **({"fontsize": TINY} if small else {}))
    elif not panel.x_log:
        ax.locator_params(axis="x", nbins=max(2, min(6, int(NAMES_OF_TICKS * width))))
    _name(replace(panel, beside={}), ax, title, 1.15 * width)
    if slot is not None:
        _make_room(ax, slot)
    _set(ax)
    own = ax.get_window_extent()
    letters = SMALL_LETTERS * (own.width / dpi - HANDLE)
    tries = ((SMALL, letters, 1, False), (TINY, 1.2 * letters, 1, False), (TINY, letters, 1, True))
    for each in (*tries, (TINY, 0.5 * letters, 2, True)):
        legend = _legend(panel, ax, *each)
        if legend is None:
            break
        size = legend.get_window_extent()
        if size.height <= MOST_OF_AXES * own.height and size.width <= own.width:
            break
        legend.remove()
    if slot is not None and panel.legend == "below":
        _make_room(ax, slot)


def _beside(ax: Any) -> float:
    """Pixels of what stands at the left and at the right of axes."""
    own, tight = ax.get_window_extent(), ax.get_tightbbox()
    return float(own.x0 - tight.x0 + tight.x1 - own.x1)


def _slot(ax: Any, spec: Any) -> Any:
    """What belongs to axes of a grid, in pixels: most of the gap at their left and below them, up to the edges of the
    figure."""
    from matplotlib.transforms import Bbox

    bottoms, tops, _, rights = spec.get_gridspec().get_grid_positions(ax.figure)
    (top, low), (first, last) = ((r.start, r.stop - 1) for r in (spec.rowspan, spec.colspan))
    x0 = rights[first - 1] if first else 0.0
    x1 = rights[last] if last + 1 < len(rights) else 1.0
    y0 = bottoms[low] - BELOW * (bottoms[low] - tops[low + 1]) if low + 1 < len(tops) else 0.0
    y1 = tops[top] + (1 - BELOW) * (bottoms[top - 1] - tops[top]) if top else 1.0
    return Bbox.from_extents(x0, y0, x1, y1).transformed(ax.figure.transSubfigure).padded(-PAD * ax.figure.dpi)


def _make_room(ax: Any, slot: Any) -> None:
    """Smaller axes, so that their words end at the slot."""
    room = ax.get_axes_locator()
    if room is None:
        room = _Room(ax)
        ax.set_axes_locator(room)
    if isinstance(room, _Room):
        tight = ax.get_tightbbox()
        beyond = [*np.minimum(tight.min - slot.min, 0.0), *np.maximum(tight.max - slot.max, 0.0)]
        room.margins -= np.array(beyond) / ax.figure.dpi
        _set(ax)


class _Room:
    """The place of axes in their grid, less margins in inches where neither a layout nor a user has moved them since."""

    def __init__(self, ax: Any) -> None:
        self.get_subplotspec = ax.get_subplotspec  # tight_layout asks for it
        from matplotlib.layout_engine import PlaceHolderLayoutEngine

        self.margins = np.zeros(4)
        self.engine, self.bounds = ax.figure.get_layout_engine(), ax.get_position(original=True).bounds
        self.needed = self.engine is None or isinstance(self.engine, PlaceHolderLayoutEngine)

    def __call__(self, ax: Any, renderer: object) -> Any:
        from matplotlib.transforms import Bbox

        place, of = ax.get_position(original=True), ax.figure
        if not self.needed or of.get_layout_engine() is not self.engine or place.bounds != self.bounds:
            return None
        box = place.transformed(of.transSubfigure).extents + self.margins * of.dpi
        if box[2] <= box[0] or box[3] <= box[1]:
            return None
        return Bbox.from_extents(*box).transformed(of.transSubfigure.inverted())


def _set(ax: Any) -> None:
    """Put axes where they will stand."""
    room = ax.get_axes_locator()
    ax.apply_aspect(room(ax, None) if room else None)


def _dark(ax: Any) -> bool:
    return sum(_rgb(ax.get_facecolor())) < 1.5


def _rgb(colour: Any) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def _plain(words: str) -> str:
    """Words as they are: hidden characters of names as Python writes them, and no formulas between $ signs."""
    return typeset(visible(words)).replace("$", r"\$")


def _wrapped(words: str, width: float) -> str:
    return "\n".join(fill(line, max(LEAST_LETTERS, int(LETTERS * width))) for line in _plain(words).split("\n"))


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
        small = mark.marker == "."
        size = np.asarray(mark.size) * (0.36 if small else 1.0)
        ax.scatter(
            mark.x,
            mark.y,
            size,
            marker="o" if small else mark.marker,
            alpha=mark.opacity,
            linewidths=width,
            **face,
            **common,
        )
    elif isinstance(mark, Intervals):
        lines = ax.hlines if mark.across else ax.vlines
        look = {"color": colour, "linestyle": mark.style, "linewidth": mark.width, "alpha": mark.opacity}
        lines(mark.at, mark.low, mark.high, **look, **common)
    elif isinstance(mark, Area):
        inside, edge = ((*_rgb(colour), opacity) for opacity in (mark.opacity, edge_of(mark)))
        ax.fill(mark.x, mark.y, facecolor=inside, edgecolor=edge, linewidth=float(mark.edge), **common)
    elif isinstance(mark, Bars):
        if not mark.edge:
            ax.stairs(mark.heights, mark.edges, fill=True, color=colour, alpha=mark.opacity, **common)
            return
        inside = (*_rgb(colour), mark.opacity)
        ax.stairs(mark.heights, mark.edges, fill=True, facecolor=inside, edgecolor=colour, linewidth=1.5, **common)
    elif isinstance(mark, Rule):
        across, at = (ax.axhline, mark.y) if mark.x is None else (ax.axvline, mark.x)
        across(at, color=colour, linewidth=mark.width, linestyle=mark.style, **common)
    elif isinstance(mark, Text):
        place = {"ha": {"start": "left", "middle": "center", "end": "right"}[mark.anchor]}
        ax.text(
            mark.x,
            mark.y,
            _plain(mark.words),
            va="bottom" if mark.above else "center",
            color=colour,
            fontsize="small",
            **place,
        )
    else:
        sides = [COLOURS[role][0] for role in ("C0", "C1")]
        ax.contourf(mark.x, mark.y, mark.z, levels=[-np.inf, 0, np.inf], colors=sides, alpha=0.15)
        ax.contour(mark.x, mark.y, mark.z, levels=[0.0], colors=colour, linestyles="-")
        ax.plot([], [], "-", color=colour, **common)
