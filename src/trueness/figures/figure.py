"""What a figure is: panels of marks on named axes, with words as data and colours by their role; and kinds that several
results share: rows of dots with intervals, the unit square of ROC curves, shares.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trueness.checks import path_of, write_file
from trueness.typing import Axes

N_BARS = 40  # of a histogram
FEW, SHORT = 4, 9.0  # panels and inches of a picture in a notebook that are not folded
EDGE = 3.5  # opacity of the edge of an area, relative to that of the area; paper and bright screens need it
COLOURS = {
    "ink": ("#1c2430", "#e8ecf2", "currentColor"),
    "soft": ("#55606f", "#aab5c5", "color-mix(in srgb, currentColor 70%, transparent)"),
    "line": ("#dde3ea", "#343e4d", "#868e9940"),
    "paper": ("#ffffff", "#141920", "transparent"),
    "C0": ("#1b5e9b", "#7db5ee", "#3a82c4"),  # blue
    "C1": ("#a84c13", "#f0a878", "#d0722f"),  # orange
    "C2": ("#1d7048", "#7fd0a4", "#2f9464"),  # green
    "C3": ("#7a3f93", "#cfa3e4", "#9a62b5"),  # purple
    "C4": ("#0b6f80", "#6fd0de", "#2b9bad"),  # teal
    "C5": ("#9c2f63", "#f09cc3", "#c4578d"),  # pink
    "C6": ("#69600c", "#d3c765", "#98892c"),  # olive
    "C7": ("#6e4530", "#d2ab95", "#9d7460"),  # brown
    "accent": ("#b3261e", "#ff9a8f", "#d9534f"),  # what is chosen, or wrong
}


def css(kind: str) -> str:
    """The style sheet of figures: for a "page" (light, dark, print), a "notebook", or a "file" of its own."""
    light, dark, either = ("".join(f"--{role}:{of[k]};" for role, of in COLOURS.items()) for k in range(3))
    root = {"page": ":root", "file": ".trueness-figure"}.get(kind)
    variables = f"{root}{{{light}}}@media screen and (prefers-color-scheme: dark){{{root}{{{dark}}}}}"
    roles = "".join(f".trueness-figure .{role}{{--c:var(--{role})}}" for role in COLOURS)
    marks = files("trueness.figures").joinpath("marks.css").read_text(encoding="utf-8")
    return f"{variables if root else f'.trueness{{{either}}}'}{roles}{marks}"


SERIES = tuple(f"C{k}" for k in range(8))  # colours of curves that name none, in this order


@dataclass(frozen=True, eq=False)
class Line:
    """A curve, its points marked where the style has a marker; `error` (a standard error) is drawn as bars.

    `style` is written as in matplotlib: "-", "--", ":" or "", and a marker of "o", "s", "D", "^", "v", "x", "+".
    """

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    style: str = "-"
    color: str | None = None
    error: ArrayLike | None = None
    width: float = 1.6
    opacity: float = 1.0


def parted(style: str) -> tuple[str, str]:
    """The line and the marker of a style."""
    line = "".join(c for c in style if c in "-:")
    return line, style.replace(line, "") if line else style


@dataclass(frozen=True, eq=False)
class Points:
    """Points without a line between them; `size` is an area in square points.

    `names` are shown where the pointer is; `hollow` points have an edge only.
    """

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    marker: str = "o"
    color: str | None = None
    size: float = 18.0
    hollow: bool = False
    opacity: float = 1.0
    names: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Intervals:
    """Lines from low to high at each point: in y at x, or in x at y where `across`. NaN draws none."""

    at: ArrayLike
    low: ArrayLike
    high: ArrayLike
    label: str = ""
    color: str | None = "C0"
    across: bool = False
    style: str = "-"
    width: float = 1.6
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Area:
    """A shaded polygon, with an edge of the same colour."""

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    color: str = "C0"
    opacity: float = 0.17


@dataclass(frozen=True, eq=False)
class Bars:
    """A histogram: heights between edges."""

    edges: ArrayLike
    heights: ArrayLike
    label: str = ""
    color: str = "C0"
    opacity: float = 0.55


@dataclass(frozen=True, eq=False)
class Rule:
    """A straight line across the whole panel, at x or at y."""

    x: float | None = None
    y: float | None = None
    label: str = ""
    color: str = "soft"
    style: str = "--"
    width: float = 0.9


@dataclass(frozen=True, eq=False)
class Text:
    """Words at a place; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    words: str
    anchor: str = "middle"
    color: str = "ink"
    label: str = ""


Mark = Line | Points | Intervals | Area | Bars | Rule | Text


def band(x: ArrayLike, low: ArrayLike, high: ArrayLike, label: str = "", color: str = "C0", **style: Any) -> Area:
    """The area between two curves."""
    return Area(np.append(x, np.flip(x)), np.append(low, np.flip(high)), label, color, **style)


def box(x: tuple[float, float], y: tuple[float, float], **style: Any) -> Area:
    """A rectangle."""
    return Area([x[0], x[1], x[1], x[0]], [y[0], y[0], y[1], y[1]], **style)


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes.

    Attributes
    ----------
    marks : tuple of Mark
        What is drawn, the first undermost.
    title, x_label, y_label : str
        Words.
    x_log, y_log : bool
        Whether an axis is logarithmic.
    x_limits, y_limits : (float, float), optional
        Ends of an axis, which may run downwards; by default those of the marks.
    x_ticks, y_ticks : mapping of float to str, optional
        Where an axis is marked, and with what; round numbers by default. Without any place there is no axis. Long
        names stand in two lines (`in_lines`).
    beside : mapping of float to str
        Words at the right of a place on the y axis.
    strong : set of float
        Places on the y axis whose words are bold.
    square : bool
        One unit is as long on both axes.
    grid : bool
        Whether SVG has lines at the ticks; not through cells with numbers.
    """

    marks: Sequence[Mark]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = False
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    x_ticks: Mapping[float, str] | None = None
    y_ticks: Mapping[float, str] | None = None
    beside: Mapping[float, str] = field(default_factory=dict)
    strong: frozenset[float] = frozenset()
    square: bool = False
    grid: bool = True

    def coloured(self) -> list[tuple[Mark, str]]:
        """Every mark with its colour; curves and points that name none take those of `SERIES` in turn."""
        free = iter(SERIES * (1 + len(self.marks) // len(SERIES)))
        return [(mark, next(free) if mark.color is None else mark.color) for mark in self.marks]


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels in a grid of `columns`, each of `size` inches.

    Attributes
    ----------
    name : str
        What it shows, for a reader who cannot see it.
    panels : tuple of Panel
        One pair of axes each.
    columns : int
        Panels beside each other.
    size : (float, float)
        Width and height of a panel in inches.
    heading : str
        What stands above the first panel where matplotlib draws it, such as the name of the model; pages have it in
        their title.
    """

    name: str
    panels: Sequence[Panel]
    columns: int = 3
    size: tuple[float, float] = (5.2, 5.2)
    heading: str = ""

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        columns = max(1, min(self.columns, len(self.panels)))
        return math.ceil(len(self.panels) / columns), columns

    def draw(self, ax: Axes | Sequence[Axes] | None = None) -> Axes:
        """Draw with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or a sequence of them, optional
            Where to draw: one for the first panel alone, or a sequence of one per panel; a new figure with all panels by
            default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes given, or those of the first panel; `ax.figure.axes` has all of a new figure.
        """
        from trueness.figures.drawn import draw

        return draw(self, ax)

    def png(self, dpi: int = 110) -> bytes:
        """The figure as PNG by matplotlib, without a window and without the time when it was made."""
        from trueness.figures.drawn import png

        return png(self, dpi)

    def svg(self, path: str | Path | None = None) -> str:
        """The figure as SVG that needs no other file, light or dark as the reader's system is; also written to `path`."""
        from trueness.figures.svg import alone

        text = alone(self)
        if path is not None:
            write_file(path_of("path", path), text, "path")
        return text

    def html(self) -> str:
        """SVG for a page that has the style sheet `css`."""
        from trueness.figures.svg import Drawing

        each = "".join(Drawing(panel, self).svg() for panel in self.panels)
        return f'<div class="pictures">{each}</div>' if each else ""

    def short_html(self) -> str:
        """As `html`: of many panels the first, and the others folded."""
        few = min(FEW, max(1, int(SHORT // self.size[1])) * self.grid[1])
        rest = replace(self, panels=self.panels[few:]).html()
        more = f"<details><summary>More pictures: {len(self.panels) - few}</summary>{rest}</details>" if rest else ""
        return replace(self, panels=self.panels[:few]).html() + more

    def _repr_html_(self) -> str:
        return self.svg()


LETTER, ROW, ROWS, AXIS = 0.1, 0.34, 0.48, 2.3  # inches: of a letter, of rows of one line and of two, least of an axis
IN_A_LINE = 40  # letters of the name of a row, in each of two lines


def in_lines(words: str, most: int = IN_A_LINE) -> str:
    """A name in at most two lines of so many letters, of which the middle is left out where it is longer; a difference
    has each name in a line of its own."""
    if "\n" in words or len(words) <= most:
        return words
    first, minus, second = words.partition(" − ")
    if not minus:
        first = wrap(words, most)[0]
    half = (most - 1) // 2
    return "\n".join(
        line if len(line) <= most else f"{line[: most - 1 - half].rstrip()}…{line[-half:].lstrip()}"
        for line in (first, f"− {second}" if minus else words[len(first) :].strip())
        if line
    )


@dataclass(frozen=True)
class Dot:
    """One row: a value with its interval and its number in words; `kind` is "mark", "minor" or "hollow"."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    said: str = ""
    kind: str = "mark"


KINDS = {"minor": ("soft", 1.3), "hollow": ("soft", 1.3), "mark": ("C0", 2.2)}  # colour and width of a dot's line


def forest(dots: Sequence[Dot], name: str, axis: str, margin: float | None = None, zero: bool = False) -> Figure:
    """One row per dot, with its number beside it; for differences a dashed line at 0 and the band of the margin.

    Without a finite value it has no panel.
    """
    panel = forest_panel(dots, axis, margin, zero)
    return Figure(name, () if panel is None else (panel,), columns=1, size=forest_size(dots))


def forest_size(dots: Sequence[Dot]) -> tuple[float, float]:
    """Width and height in inches that names, axis and numbers need."""
    names = [in_lines(d.name) for d in dots]
    wide = (
        max((len(line) for w in words for line in w.split("\n")), default=0)
        for words in (names, [d.said for d in dots])
    )
    return AXIS + 0.4 + LETTER * sum(wide), 0.72 + (ROWS if "\n" in "".join(names) else ROW) * max(1, len(dots))


def forest_panel(
    dots: Sequence[Dot], axis: str, margin: float | None = None, zero: bool = False, title: str = ""
) -> Panel | None:
    """The rows of `forest`; None without a finite value."""
    dots = [d for d in dots if math.isfinite(d.value)]
    if not dots:
        return None
    table, kinds = np.array([(d.value, d.low, d.high) for d in dots], dtype=float), np.array([d.kind for d in dots])
    ends = [*table[np.isfinite(table)].tolist(), *[0.0] * zero]
    room = max(0.06 * (max(ends) - min(ends)), 1e-4 * abs(max(ends))) or 0.5
    rows, limits = (len(dots) - 0.5, -0.5), (min(ends) - room, max(ends) + room)
    marks: list[Mark] = [Rule(x=0.0)] if zero else []
    if margin is not None:
        inside = max(-margin, limits[0]), min(margin, limits[1])
        marks.insert(0, box(inside, rows, color="soft", opacity=0.16))
    for kind in [kind for kind in KINDS if kind in kinds]:
        here, (color, width) = np.flatnonzero(kinds == kind), KINDS[kind]
        values, low, high = table[here].clip(*limits).T
        names = [f"{dots[k].name}: {dots[k].said}" for k in here]
        marks.append(Intervals(here, low, high, color=color, across=True, width=width))
        marks.append(Points(values, here, color=color, size=40, hollow=kind == "hollow", names=names))
    return Panel(
        marks,
        title,
        axis,
        x_limits=limits,
        y_limits=rows,
        y_ticks={k: d.name for k, d in enumerate(dots)},
        beside={k: d.said for k, d in enumerate(dots) if d.said},
        strong=frozenset(np.flatnonzero(kinds == "mark") if len(set(kinds)) > 1 else ()),
    )


def by_class(
    values: Sequence[ArrayLike],
    names: Sequence[str],
    title: str,
    axis: str,
    ends: tuple[float, float],
    weights: Sequence[ArrayLike | None] = (None, None),
    height: float = 5.2,
) -> Figure:
    """Histograms of the values of each class between two ends, as shares of the class; all but the first are outlines,
    which grey print tells apart."""
    edges = np.linspace(*ends, N_BARS + 1)
    heights = [np.histogram(np.clip(v, *ends), edges, weights=w)[0] for v, w in zip(values, weights, strict=True)]
    marks = list[Mark]()
    for k, (name, height_of) in enumerate(zip(names, heights, strict=True)):
        share, label = height_of / height_of.sum(), f"class {name}"
        outline = Line(np.repeat(edges, 2)[1:-1], np.repeat(share, 2), label, color=f"C{k}")
        marks.append(outline if k else Bars(edges, share, label))
    panel = Panel(marks, "", axis, "share of the class", x_limits=ends)
    return Figure(title, (panel,), size=(5.2, height))


def unit_square(marks: Sequence[Mark], x_label: str, y_label: str, title: str = "") -> Panel:
    """A panel from 0 to 1 in both directions."""
    ticks, ends = {k / 5: f"{k / 5:g}" for k in range(6)}, (-0.01, 1.01)
    return Panel(marks, title, x_label, y_label, False, False, ends, ends, ticks, ticks, square=True)


def roc_panel(marks: Sequence[Mark], title: str = "") -> Panel:
    """The unit square with the diagonal of chance and the names of the axes."""
    chance = Line([0, 1], [0, 1], style="--", color="soft", width=0.9)
    return unit_square([chance, *marks], "FPF (1 − specificity)", "TPF (sensitivity)", title)
