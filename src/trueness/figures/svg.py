"""Figures as SVG text, in the colours of a style sheet; every word is escaped."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from textwrap import shorten, wrap

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import escape, typeset
from trueness.figures.figure import (
    EDGE,
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
    css,
    in_lines,
    parted,
)
from trueness.typing import Bools, Floats, Ints

UNIT = 80  # per inch
LETTER, LINE, KEY = 7.9, 17, 20  # width of a letter, height of a line of words, of an entry of the legend
BREADTHS = {  # of letters that are narrower or broader than most, in bold fonts that run wide
    **dict.fromkeys("ijlI.,:;'|frt()[]/- ", 6.0),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&=+−<>±≥≤~…", 11.0),
    **dict.fromkeys("mwMW%@", 14.0),
}
BROAD, USUAL = 15.0, 9.0  # of letters of East Asia, of all others
LEAST_AXIS = 150
AROUND, BEYOND = 7, 20  # units around the axes that marks may reach; lengths of an axis that places lie beyond it
MOST_POINTS = 400  # of a curve
MOST_SPOTS = 150  # of a cloud whose points have names or a shape of their own
MOST_DOTS = 2000  # of one of discs
LAYERS = 8  # of dots, so that dense parts are darker
BROADEST = 12  # hundreds of units, in marks.css
DASHES = {"--": ' stroke-dasharray="6 4"', ":": ' stroke-dasharray="2 3"'}
SHAPES = {  # markers of radius 1
    "o": "M-1 0A1 1 0 0 1 1 0A1 1 0 0 1 -1 0Z",
    "s": "M-1 -1H1V1H-1Z",
    "D": "M-1 0L0 -1L1 0L0 1Z",
    "^": "M-1 1L0 -1L1 1Z",
    "v": "M-1 -1L0 1L1 -1Z",
    "x": "M-1 -1L1 1M1 -1L-1 1",
    "+": "M-1 0H1M0 -1V1",
}


def alone(figure: Figure) -> str:
    """One SVG of all panels, with its style sheet and a background."""
    drawings = [Drawing(panel, figure) for panel in figure.panels]
    _, columns = figure.grid
    placed, width, top = [], 0.0, 0.0
    for k in range(0, len(drawings), columns):
        left = 0.0
        for each in drawings[k : k + columns]:
            placed.append(each.svg(place=f' x="{left:.0f}" y="{top:.0f}"'))
            left += each.width
        width, top = max(width, left), top + max(each.height for each in drawings[k : k + columns])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trueness-figure" width="{width:.0f}" role="img" '
        f'viewBox="0 0 {width:.0f} {top:.0f}" aria-label="{escape(figure.name)}"><style>{css("file")}</style>'
        f'<rect class="f paper" width="100%" height="100%"/>{"".join(placed)}</svg>'
    )


class Scale:
    """From values on an axis to places in the picture."""

    def __init__(self, values: Iterable[ArrayLike], limits: tuple[float, float] | None, log: bool) -> None:
        self.log = log
        if limits is None:
            every = np.concatenate([np.empty(0), *(self.on(v) for v in values)])
            every = every[np.isfinite(every)]
            low, high = float(every.min(initial=np.inf)), float(every.max(initial=-np.inf))
            room = 0.04 * (high - low)
            limits = (low - room, high + room) if 0 < room < math.inf else (low - 0.5, high + 0.5)
            self.first, self.last = limits if len(every) else (0.0, 1.0)
        else:
            self.first, self.last = (float(v) for v in self.on(limits))
        self.low, self.high = sorted((self.first, self.last))
        self.start, self.end = 0.0, 1.0

    def on(self, values: ArrayLike) -> Floats:
        """Values as they stand on the axis."""
        found = np.asarray(values, dtype=float).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log10(found) if self.log else found

    def inside(self, values: ArrayLike) -> Bools:
        """Which values the axis shows."""
        return np.abs(2 * self.on(values) - self.low - self.high) <= (1 + 1e-9) * (self.high - self.low)

    def __call__(self, values: ArrayLike) -> Floats:
        """Places of values; those far beyond the axis near its end, where they are not seen either."""
        share = (self.on(values) / 2 - self.first / 2) / (self.last / 2 - self.first / 2)
        return np.asarray(self.start + share.clip(-BEYOND, 1 + BEYOND) * (self.end - self.start))

    def named(self, given: Mapping[float, str] | None, most: float) -> dict[float, str]:
        """Where the axis is marked, and with what; automatic ones do not touch in a width of `most` letters."""
        if given is not None:
            return {at: in_lines(name) for at, name in given.items() if self.inside(at)}
        found = ticks(self.low, self.high)
        if self.log:
            steps = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            found = [tick for p in powers for s in steps if self.inside(tick := float(f"{s}e{p}"))]
        while len(found) > 2 and sum(len(f"{tick:g}") + 2 for tick in found) > most:
            found = found[::2]
        return {tick: f"{tick:g}" for tick in found}


class Drawing:
    """A panel as SVG: `x` and `y` give places, `svg()` the whole, `width` and `height` its size."""

    def __init__(self, panel: Panel, figure: Figure) -> None:
        self.panel, self.name = panel, panel.title or figure.name
        self.x = Scale((v for m in panel.marks for v in _values(m)[0]), panel.x_limits, panel.x_log)
        self.y = Scale((v for m in panel.marks for v in _values(m)[1]), panel.y_limits, panel.y_log)
        wide, high = UNIT * figure.size[0], UNIT * figure.size[1]
        self.y_ticks = self.y.named(panel.y_ticks, high / LINE * 3)
        self.left = 14 + _broadest(self.y_ticks) + 22 * bool(panel.y_label)
        beside = 16 + _broadest(panel.beside)
        self.right = self.left + max(LEAST_AXIS, wide - self.left - beside)
        self.width = self.right + beside
        letters = int(self.width / LETTER)
        self.title, self.x_label = wrap(panel.title, int(0.85 * letters)), wrap(panel.x_label, letters)
        self.x_ticks = self.x.named(panel.x_ticks, (self.right - self.left) / LETTER)
        self.top = 12 + LINE * len(self.title)
        self.named = max((5 + LINE * len(name.split("\n")) for name in self.x_ticks.values()), default=0)
        below = 8 + self.named + LINE * len(self.x_label)
        side = (self.right - self.left) * (self.y.high - self.y.low) / (self.x.high - self.x.low)
        self.foot = self.top + side if panel.square else max(self.top + 20, high - below)
        self.keys = [(m, role, wrap(m.label, letters - 5)) for m, role in panel.coloured() if m.label]
        self.legend = self.foot + below + 4
        self.height = self.foot + below + sum(KEY + LINE * (len(words) - 1) for _, _, words in self.keys)
        self.x.start, self.x.end, self.y.start, self.y.end = self.left, self.right, self.foot, self.top

    def svg(self, extra: str = "", place: str = "") -> str:
        """The whole picture; `extra` is more SVG on top, `place` attributes of a place in another one."""
        drawn = [(isinstance(mark, Text), self._mark(mark, role)) for mark, role in self.panel.coloured()]
        marks, words = ("".join(each for is_text, each in drawn if is_text == wanted) for wanted in (False, True))
        left, top = self.left - AROUND, self.top - AROUND  # of a picture of its own, so that marks end at the axes
        wide, high = self.right - self.left + 2 * AROUND, self.foot - self.top + 2 * AROUND
        legend, y = [], self.legend
        for mark, role, lines in self.keys:
            legend += [_key(mark, role, self.left, y + 8), _words(self.left + 30, y + 12, lines)]
            y += KEY + LINE * (len(lines) - 1)
        broad = min(round(self.width / 100), BROADEST)  # a small screen scrolls rather than make words too small
        return (
            f'<svg class="trueness-figure w{broad}"{place} width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img" aria-label="{escape(self.name)}">{self._axes()}'
            f'<svg x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'viewBox="{left:.1f} {top:.1f} {wide:.1f} {high:.1f}">{marks}</svg>{words}{"".join(legend)}{extra}</svg>'
        )

    def _axes(self) -> str:
        """Grid, names of ticks, names of axes, and the title."""
        panel, middle = self.panel, (self.left + self.right) / 2
        out, grid = [_words(middle, 16, self.title, "middle", "b")], ""
        for x, name in zip(self.x(list(self.x_ticks)), self.x_ticks.values(), strict=True):
            out.append(_words(x, self.foot + 18, name.split("\n"), "middle"))
            grid += f"M{x:.1f} {self.top:.1f}V{self.foot:.1f}"
        for y, (at, name) in zip(self.y(list(self.y_ticks)), self.y_ticks.items(), strict=True):
            lines, kind = name.split("\n"), "b" * (at in panel.strong)
            out.append(_words(self.left - 8, y + 4 - LINE * (len(lines) - 1) / 2, lines, "end", kind))
            out.append(_words(self.right + 10, y + 4, [panel.beside.get(at, "")], kind=kind))
            grid += f"M{self.left:.1f} {y:.1f}H{self.right:.1f}" * (not panel.beside)
        half = LETTER * max((len(line) for line in self.x_label), default=0) / 2
        middle = min(max(middle, half + 2), self.width - half - 2)  # long words stay inside
        out.append(_words(middle, self.foot + self.named + 13, self.x_label, "middle"))
        turned = f'transform="translate(14 {(self.top + self.foot) / 2:.0f}) rotate(-90)"'
        words = escape(shorten(panel.y_label, int((self.foot - self.top + 30) / LETTER), placeholder="…"))
        foot = f"M{self.left:.1f} {self.foot:.1f}H{self.right:.1f}" * bool(self.x_ticks)
        out.append(f'<text text-anchor="middle" {turned}>{words}</text>' if words else "")
        return _path(grid * panel.grid, "line", width=0.8) + "".join(out) + _path(foot, "soft", width=0.8)

    def _mark(self, mark: Mark, role: str) -> str:
        """One mark."""
        if isinstance(mark, Intervals):
            along, across = (self.x, self.y) if mark.across else (self.y, self.x)
            at, low, high = across(mark.at), along(mark.low), along(mark.high)
            seen = across.inside(mark.at) & np.isfinite(low) & np.isfinite(high)
            ends = zip(at[seen].tolist(), low[seen].tolist(), high[seen].tolist(), strict=True)
            parts = (f"M{a:.1f} {c:.1f}H{b:.1f}" if mark.across else f"M{c:.1f} {a:.1f}V{b:.1f}" for c, a, b in ends)
            return _path("".join(parts), role, mark.opacity, mark.width, mark.style)
        if isinstance(mark, Bars):
            edges, tops, foot = self.x(mark.edges).tolist(), self.y(mark.heights).tolist(), self.y(0.0)[0]
            bars = zip(edges[:-1], edges[1:], tops, strict=True)
            path = "".join(f"M{a:.1f} {foot:.1f}V{top:.1f}H{b:.1f}V{foot:.1f}Z" for a, b, top in bars)
            return _path(path, role, mark.opacity)
        if isinstance(mark, Rule):
            if mark.x is None:
                path = f"M{self.left:.1f} {self.y(mark.y or 0.0)[0]:.1f}H{self.right:.1f}"
            else:
                path = f"M{self.x(mark.x)[0]:.1f} {self.foot:.1f}V{self.top:.1f}"
            return _path(path, role, 1.0, mark.width, mark.style)
        x, y = self.x(mark.x), self.y(mark.y)
        if isinstance(mark, Text):
            lines = mark.words.split("\n")
            return _words(x[0], y[0] + 4 - LINE * (len(lines) - 1) / 2, lines, mark.anchor, f"t {role}")
        here = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if isinstance(mark, Points):
            return _spots(
                x[here],
                y[here],
                replace(mark, names=[mark.names[k] for k in here.tolist()] if mark.names else ()),
                role,
            )
        path = ""
        for part in np.split(here, np.flatnonzero(np.diff(here) > 1) + 1):  # points without a value are a gap
            some = part[thinned(x[part], y[part], MOST_POINTS)]
            points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x[some].tolist(), y[some].tolist(), strict=True))
            path += f"M{points}" * bool(points)
        if isinstance(mark, Area):
            path += "Z" * bool(path)
            return _path(path, role, mark.opacity) + _path(path, role, min(1.0, EDGE * mark.opacity), 0.8)
        style, marker = parted(mark.style)
        out = _path(path * bool(style), role, mark.opacity, mark.width, style)
        if mark.error is not None:
            middle, error = (np.ravel(np.asarray(v, dtype=float)) for v in (mark.y, mark.error))
            out += self._mark(Intervals(mark.x, middle - error, middle + error, width=0.9), role)
        return out + _spots(x[here], y[here], Points(0, 0, marker=marker), role) if marker else out


def _values(mark: Mark) -> tuple[list[ArrayLike], list[ArrayLike]]:
    """What a mark asks of the x axis and of the y axis."""
    if isinstance(mark, Intervals):
        ends: list[ArrayLike] = [mark.low, mark.high]
        return (ends, [mark.at]) if mark.across else ([mark.at], ends)
    if isinstance(mark, Bars):
        return [mark.edges], [mark.heights, 0.0]
    return [v for v in (mark.x,) if v is not None], [v for v in (mark.y,) if v is not None]


def _path(d: str, role: str, opacity: float = 1.0, width: float | None = None, style: str = "-") -> str:
    """A line of this width, or what is inside it; nothing of an empty one."""
    line = "" if width is None else f' stroke-width="{1.25 * width:.3g}"{DASHES.get(style, "")}'
    return f'<path class="{"s" if line else "f"} {role}"{line} opacity="{opacity:g}" d="{d}"/>' if d else ""


def _spots(x: Floats, y: Floats, mark: Points, role: str) -> str:
    """Points with their names; discs without names as lines without length, with round ends, in a few layers."""
    radius, names = 0.56 * math.sqrt(mark.size), mark.names or [""] * len(x)
    discs = mark.marker == "o" and not mark.hollow and not mark.names
    some = np.linspace(0, len(x) - 1, min(len(x), MOST_DOTS if discs else MOST_SPOTS)).round().astype(int).tolist()
    if discs:
        style = f'class="s {role}" stroke-linecap="round" stroke-width="{2 * radius:.3g}" opacity="{mark.opacity:g}"'
        layers = ("".join(f"M{x[i]:.1f} {y[i]:.1f}h0" for i in some[k::LAYERS]) for k in range(min(LAYERS, len(some))))
        return "".join(f'<path {style} d="{layer}"/>' for layer in layers)
    kind, wide = ("s", 2.2) if mark.marker in "x+" else ("h", 1.6) if mark.hollow else ("f", 0)
    spots = "".join(
        f'<path d="{SHAPES[mark.marker]}" transform="translate({x[k]:.1f} {y[k]:.1f}) scale({radius:.2f})">'
        f"<title>{typeset(escape(names[k]))}</title></path>"
        for k in some
    )
    return f'<g class="{kind} {role}" stroke-width="{wide / radius:.3g}" opacity="{mark.opacity:g}">{spots}</g>'


def _key(mark: Mark, role: str, x: float, y: float) -> str:
    """The sign of a mark in the legend."""
    middle, height = np.array([x + 11]), np.array([y])
    if isinstance(mark, Area | Bars):
        return _path(f"M{x + 4:.1f} {y - 6:.1f}h14v12h-14Z", role, max(mark.opacity, 0.3))
    if isinstance(mark, Points):
        return _spots(middle, height, replace(mark, names=(), size=50), role)
    style, marker = parted(mark.style) if isinstance(mark, Line | Intervals | Rule) else ("-", "")
    line = _path(f"M{x:.1f} {y:.1f}H{x + 22:.1f}" * bool(style), role, 1.0, 1.6, style)
    return line + _spots(middle, height, Points(0, 0, marker=marker), role) if marker else line


def _words(x: float, y: float, lines: Sequence[str], anchor: str = "start", kind: str = "") -> str:
    """Lines of words."""
    style = f' class="{kind}"' if kind else ""
    return "".join(
        f'<text{style} x="{x:.1f}" y="{y + LINE * k:.1f}" text-anchor="{anchor}">{typeset(escape(line))}</text>'
        for k, line in enumerate(lines)
        if line
    )


def _broadest(names: Mapping[float, str]) -> float:
    """What the lines of names need at most, in a bold font that runs wide."""
    lines = (typeset(line) for name in names.values() for line in name.split("\n"))
    return max((sum(BREADTHS.get(c, BROAD if c >= "\u2e80" else USUAL) for c in line) for line in lines), default=0.0)


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers within the limits; none where their distance overflows."""
    if not math.isfinite(high - low):
        return []
    raw = max(high - low, 1e-12) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, math.floor(high / step + 1e-9) + 1)]


def thinned(x: Floats, y: Floats, most: int) -> Ints:
    """Indices of about `most` points of a curve, in equal steps along it, both ends kept."""
    if len(x) <= most:
        return np.arange(len(x))
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    marks = np.linspace(0, along[-1], most)
    return np.unique(np.append(np.searchsorted(along, marks).clip(0, len(x) - 1), [0, len(x) - 1]))
