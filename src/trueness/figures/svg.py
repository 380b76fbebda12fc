"""Figures as SVG text, in the colours of a style sheet; every word is escaped."""

import math
from collections.abc import Iterable, Mapping
from textwrap import wrap

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import escape, typeset
from trueness.figures.figure import (
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
    edge_of,
    in_lines,
    parted,
)
from trueness.typing import Bools, Floats, Ints

UNIT = 80  # per inch
LETTER, LINE, KEY = 7.9, 17, 20  # width of a letter, height of a line of words, of an entry of the legend
BREADTHS = {  # of letters that are narrower or broader than most, in fonts that run wide
    **dict.fromkeys("ijlI.,:;'| ", 4.5),
    **dict.fromkeys("frt()[]/-", 5.6),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&", 9.6),
    **dict.fromkeys("=+−<>±≥≤~…", 11.0),
    **dict.fromkeys("mwMW%@", 12.8),
}
BROAD, USUAL, BOLD = 14.0, 8.3, 1.12  # of letters of East Asia, of all others; of bold letters, relative
LEAST_AXIS = 150
EDGE, BEYOND = 7, 20  # units around the axes that marks may reach; lengths of an axis that places lie beyond it
MOST_POINTS = 400  # of a curve
MOST_SPOTS = 150  # of a cloud whose points have names, sizes or a shape of their own
MOST_DOTS = 2000  # of one without
LAYERS = 8  # of dots, so that dense parts are darker
BROADEST = 12  # hundreds of units, in marks.css
DASHES = {"--": ' stroke-dasharray="6 4"', ":": ' stroke-dasharray="2 3"'}
SHAPES = {  # corners of markers, in units of their radius
    "s": (("M", -1, -1), ("L", 1, -1), ("L", 1, 1), ("L", -1, 1)),
    "D": (("M", -1, 0), ("L", 0, -1), ("L", 1, 0), ("L", 0, 1)),
    "^": (("M", -1, 1), ("L", 0, -1), ("L", 1, 1)),
    "v": (("M", -1, -1), ("L", 0, 1), ("L", 1, -1)),
    "x": (("M", -1, -1), ("L", 1, 1), ("M", 1, -1), ("L", -1, 1)),
    "+": (("M", -1, 0), ("L", 1, 0), ("M", 0, -1), ("L", 0, 1)),
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


def panels_svg(figure: Figure) -> list[str]:
    """Every panel for itself, without a style sheet."""
    return [Drawing(panel, figure).svg() for panel in figure.panels]


class Scale:
    """From values on an axis to places in the picture."""

    def __init__(self, values: Iterable[ArrayLike], limits: tuple[float, float] | None, log: bool) -> None:
        self.log = log
        if limits is None:
            every = np.concatenate([np.empty(0), *(self.on(v) for v in values)])
            every = every[np.isfinite(every)]
            low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
            room = 0.04 * (high - low)
            room = room if math.isfinite(room) and room > 0 else 0.5
            self.first, self.last = low - room, high + room
        else:
            self.first, self.last = (float(v) for v in self.on(limits))
        self.low, self.high = sorted((self.first, self.last))
        self.start, self.end = 0.0, 1.0

    def on(self, values: ArrayLike) -> Floats:
        """Values as they stand on the axis."""
        found = np.atleast_1d(np.asarray(values, dtype=float)).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log10(found) if self.log else found

    def inside(self, values: ArrayLike) -> Bools:
        """Which values the axis shows."""
        room = 1e-9 * (self.high - self.low)
        on = self.on(values)
        return np.asarray((on >= self.low - room) & (on <= self.high + room))

    def __call__(self, values: ArrayLike) -> Floats:
        """Places of values; those far beyond the axis near its end, where they are not seen either."""
        share = (self.on(values) / 2 - self.first / 2) / (self.last / 2 - self.first / 2)
        return np.asarray(self.start + share.clip(-BEYOND, 1 + BEYOND) * (self.end - self.start))

    def at(self, value: float) -> float:
        return float(self(value)[0])

    def named(self, given: Mapping[float, str] | None, most: float) -> dict[float, str]:
        """Where the axis is marked, and with what; automatic ones do not touch in a width of `most` letters."""
        if given is not None:
            return {at: in_lines(name) for at, name in given.items() if self.inside(at)[0]}
        found = dict(self._powers() if self.log else ((tick, f"{tick:g}") for tick in ticks(self.low, self.high)))
        while len(found) > 2 and sum(len(name) + 2 for name in found.values()) > most:
            found = dict(list(found.items())[::2])
        return found

    def _powers(self) -> Iterable[tuple[float, str]]:
        steps = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        for p in range(math.floor(self.low), math.ceil(self.high) + 1):
            found = [float(f"{s}e{p}") for s in steps]
            yield from ((tick, f"{tick:g}") for tick in found if self.inside(tick)[0])


class Drawing:
    """A panel as SVG: `x` and `y` give places, `svg()` the whole, `width` and `height` its size."""

    def __init__(self, panel: Panel, figure: Figure) -> None:
        self.panel, self.name = panel, panel.title or figure.name
        self.x = Scale((v for m in panel.marks for v in _values(m)[0]), panel.x_limits, panel.x_log)
        self.y = Scale((v for m in panel.marks for v in _values(m)[1]), panel.y_limits, panel.y_log)
        self.most = min(MOST_POINTS, max(60, 2 * MOST_POINTS // max(1, sum(isinstance(m, Line) for m in panel.marks))))
        wide, high = UNIT * figure.size[0], UNIT * figure.size[1]
        self.y_ticks = self.y.named(panel.y_ticks, high / LINE * 3) if panel.frame else {}
        self.left = 14 + _broadest(self.y_ticks, panel.strong) + 22 * bool(panel.y_label) if panel.frame else 6.0
        beside = 16 + _broadest(panel.beside, panel.strong)
        self.right = self.left + max(LEAST_AXIS, wide - self.left - beside)
        self.width = self.right + beside
        letters = int(self.width / LETTER)
        self.title, self.x_label = wrap(panel.title, int(0.85 * letters)), wrap(panel.x_label, letters)
        self.x_ticks = self.x.named(panel.x_ticks, (self.right - self.left) / LETTER) if panel.frame else {}
        self.top = 12 + LINE * len(self.title)
        lines = max((name.count("\n") for name in self.x_ticks.values()), default=-1) + 1
        self.named = 5 * bool(lines) + LINE * lines  # height of the names of ticks
        below = 8 + self.named + LINE * len(self.x_label) if panel.frame else 6
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
        if self.panel.frame:  # a picture of its own, so that it ends at the axes
            left, top = self.left - EDGE, self.top - EDGE
            wide, high = self.right - self.left + 2 * EDGE, self.foot - self.top + 2 * EDGE
            place_of = f'x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}"'
            marks = f'<svg {place_of} viewBox="{left:.1f} {top:.1f} {wide:.1f} {high:.1f}">{marks}</svg>'
        return (
            f'<svg class="trueness-figure{self._broad}"{place} width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img" aria-label="{escape(self.name)}">'
            f"{self._axes()}{marks}{words}{self._legend()}{extra}</svg>"
        )

    @property
    def _broad(self) -> str:
        """A class by its width: a small screen scrolls broad pictures rather than make their words too small."""
        hundreds = round(self.width / 100)
        return f" w{min(hundreds, BROADEST)}" if hundreds > 4 else ""

    def _axes(self) -> str:
        """Grid, names of ticks, names of axes, and the title."""
        panel, middle = self.panel, (self.left + self.right) / 2
        out = [_words(middle, 16 + LINE * k, line, "middle", "b") for k, line in enumerate(self.title)]
        if not panel.frame:
            return "".join(out)
        for at, name in self.x_ticks.items():
            x = self.x.at(at)
            out += [
                _stroke(f"M{x:.1f} {self.top:.1f}V{self.foot:.1f}" if panel.grid else "", "line"),
                *(_words(x, self.foot + 18 + LINE * k, line, "middle") for k, line in enumerate(name.split("\n"))),
            ]
        for at, name in self.y_ticks.items():
            y, weight = self.y.at(at), "b" if at in panel.strong else ""
            lines = name.split("\n")
            top = y + 4 - LINE * (len(lines) - 1) / 2
            out += [_words(self.left - 8, top + LINE * k, line, "end", weight) for k, line in enumerate(lines)]
            if panel.beside:  # names of rows need no grid
                out.append(_words(self.right + 10, y + 4, panel.beside.get(at, ""), "start", weight))
            elif panel.grid:
                out.append(_stroke(f"M{self.left:.1f} {y:.1f}H{self.right:.1f}", "line"))
        half = LETTER * max((len(line) for line in self.x_label), default=0) / 2
        middle = min(max(middle, half + 2), self.width - half - 2)  # long words stay inside
        below = self.foot + self.named + 13
        out += [_words(middle, below + LINE * k, line, "middle") for k, line in enumerate(self.x_label)]
        if panel.y_label:
            turned = f'transform="translate(14 {(self.top + self.foot) / 2:.0f}) rotate(-90)"'
            words = escape(cut(panel.y_label, int((self.foot - self.top + 30) / LETTER)))
            out.append(f'<text text-anchor="middle" {turned}>{words}</text>')
        return "".join([*out, _stroke(f"M{self.left:.1f} {self.foot:.1f}H{self.right:.1f}", "soft")])

    def _legend(self) -> str:
        out, x, y = [], self.left if self.panel.frame else 6.0, self.legend
        for mark, role, words in self.keys:
            out += [
                _key(mark, role, x, y + 8),
                *(_words(x + 30, y + 12 + LINE * k, line) for k, line in enumerate(words)),
            ]
            y += KEY + LINE * (len(words) - 1)
        return "".join(out)

    def _mark(self, mark: Mark, role: str) -> str:
        """One mark."""
        if isinstance(mark, Line | Points):
            return self._curve(mark, role)
        if isinstance(mark, Intervals):
            along, across = (self.x, self.y) if mark.across else (self.y, self.x)
            at, low, high = across(mark.at), along(mark.low), along(mark.high)
            seen = across.inside(mark.at) & np.isfinite(low) & np.isfinite(high)
            ends = zip(at[seen].tolist(), low[seen].tolist(), high[seen].tolist(), strict=True)
            parts = (f"M{a:.1f} {c:.1f}H{b:.1f}" if mark.across else f"M{c:.1f} {a:.1f}V{b:.1f}" for c, a, b in ends)
            return _stroke("".join(parts), role, mark.width, mark.style, mark.opacity)
        if isinstance(mark, Area):
            x, y = self.x(mark.x), self.y(mark.y)
            halves = np.array_split(np.flatnonzero(np.isfinite(x) & np.isfinite(y)), 2)  # a band goes there and back
            keep = np.concatenate([half[thinned(x[half], y[half], MOST_POINTS)] for half in halves])
            return _area(_path(x[keep], y[keep], close=True), role, mark)
        if isinstance(mark, Bars):
            edges, tops, foot = self.x(mark.edges).tolist(), self.y(mark.heights).tolist(), self.y.at(0.0)
            bars = (bar for bar in zip(edges[:-1], edges[1:], tops, strict=True) if foot - bar[2] > 0.05)
            path = "".join(f"M{a:.1f} {foot:.1f}V{top:.1f}H{b:.1f}V{foot:.1f}Z" for a, b, top in bars)
            return _fill(path, role, mark.opacity)
        if isinstance(mark, Rule):
            down = mark.x is not None
            spot = self.x.at(mark.x) if mark.x is not None else self.y.at(mark.y or 0.0)
            path = (
                f"M{spot:.1f} {self.foot:.1f}V{self.top:.1f}"
                if down
                else f"M{self.left:.1f} {spot:.1f}H{self.right:.1f}"
            )
            return _stroke(path, role, mark.width, mark.style)
        lines, left = mark.words.split("\n"), self.x.at(mark.x)
        foot = self.y.at(mark.y) + (-4 if mark.above else 4) - LINE * (len(lines) - 1) / 2
        return "".join(_words(left, foot + LINE * k, each, mark.anchor, f"t {role}") for k, each in enumerate(lines))

    def _curve(self, mark: Line | Points, role: str) -> str:
        """A line, thinned out, or points with their names."""
        x, y = self.x(mark.x), self.y(mark.y)
        here = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if isinstance(mark, Points):
            if len(here) > MOST_SPOTS and not mark.names and np.ndim(mark.size) == 0 and mark.marker in "o.":
                return _dots(x[here], y[here], mark, role)
            here = here[np.linspace(0, len(here) - 1, min(len(here), MOST_SPOTS)).round().astype(int)]
            radii = np.broadcast_to(0.56 * np.sqrt(np.asarray(mark.size, dtype=float)), x.shape)
            spots = ((k, _style(mark, role), mark.names[k] if mark.names else "") for k in here.tolist())
            return "".join(_spot(x[k], y[k], radii[k], mark.marker, style, name) for k, style, name in spots)
        style, marker = parted(mark.style)
        path = ""
        for part in np.split(here, np.flatnonzero(np.diff(here) > 1) + 1):  # points without a value are a gap
            some = part[thinned(x[part], y[part], self.most)]
            path += _path(x[some], y[some])
        here = here[thinned(x[here], y[here], self.most)]
        out = _stroke(path, role, mark.width, style, mark.opacity) if style else ""
        if mark.error is not None:
            middle, error = (np.ravel(np.asarray(v, dtype=float)) for v in (mark.y, mark.error))
            out += self._mark(Intervals(mark.x, middle - error, middle + error, width=0.9), role)
        drawn = _style(Points(0, 0, marker=marker), role)
        return out + "".join(_spot(x[k], y[k], 2.6, marker, drawn) for k in here.tolist()) if marker else out


def _values(mark: Mark) -> tuple[list[ArrayLike], list[ArrayLike]]:
    """What a mark asks of the x axis and of the y axis."""
    if isinstance(mark, Intervals):
        ends: list[ArrayLike] = [mark.low, mark.high]
        return (ends, [mark.at]) if mark.across else ([mark.at], ends)
    if isinstance(mark, Bars):
        return [mark.edges], [mark.heights, 0.0]
    if isinstance(mark, Rule):
        return ([] if mark.x is None else [mark.x]), ([] if mark.y is None else [mark.y])
    return [mark.x], [mark.y]


def _path(x: Floats, y: Floats, close: bool = False) -> str:
    points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    return f"M{points}{'Z' if close else ''}" if points else ""


def _stroke(path: str, role: str, width: float = 0.8, style: str = "-", opacity: float = 1.0) -> str:
    fade = f' opacity="{opacity:g}"' if opacity < 1 else ""
    drawn = f'<path class="s {role}" stroke-width="{1.25 * width:.3g}"{DASHES.get(style, "")}{fade} d="{path}"/>'
    return drawn if path else ""


def _fill(path: str, role: str, opacity: float) -> str:
    return f'<path class="f {role}" opacity="{opacity:g}" d="{path}"/>' if path else ""


def _area(path: str, role: str, mark: Area) -> str:
    return _fill(path, role, mark.opacity) + (_stroke(path, role, opacity=edge_of(mark)) if mark.edge else "")


def _style(mark: Points, role: str) -> str:
    """Attributes of points: crosses are lines, hollow points have an edge."""
    kind = "s" if mark.marker in "x+" else "h" if mark.hollow else "f"
    wide = ' stroke-width="2.2"' if mark.marker in "x+" else ' stroke-width="1.6"' if mark.hollow else ""
    return f'class="{kind} {role}"{wide}' + (f' opacity="{mark.opacity:g}"' if mark.opacity < 1 else "")


def _spot(x: float, y: float, r: float, marker: str, style: str, name: str = "") -> str:
    title = f"<title>{typeset(escape(name))}</title>" if name else ""
    if marker in "o.":
        r *= 0.6 if marker == "." else 1
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {style}>{title}</circle>'
    corners = " ".join(f"{op}{x + a * r:.1f} {y + b * r:.1f}" for op, a, b in SHAPES[marker])
    return f'<path d="{corners}{"" if marker in "x+" else "Z"}" {style}>{title}</path>'


def _dots(x: Floats, y: Floats, mark: Points, role: str) -> str:
    """Many equal points: lines without length, with round ends, in a few layers."""
    some = np.linspace(0, len(x) - 1, min(len(x), MOST_DOTS)).round().astype(int)
    wide = 1.12 * math.sqrt(float(np.asarray(mark.size))) * (0.6 if mark.marker == "." else 1)
    style = f'class="s {role}" stroke-linecap="round" stroke-width="{wide:.3g}" opacity="{mark.opacity:g}"'
    layers = (some[k::LAYERS].tolist() for k in range(LAYERS))
    return "".join(f'<path {style} d="{"".join(f"M{x[i]:.1f} {y[i]:.1f}h0" for i in layer)}"/>' for layer in layers)


def _key(mark: Mark, role: str, x: float, y: float) -> str:
    """The sign of a mark in the legend."""
    if isinstance(mark, Area | Bars):
        square = f"M{x + 4:.1f} {y - 6:.1f}h14v12h-14Z"
        return _fill(square, role, max(mark.opacity, 0.3))
    if isinstance(mark, Points):
        return _spot(x + 11, y, 4, mark.marker, _style(mark, role))
    style, marker = parted(mark.style) if isinstance(mark, Line | Intervals | Rule) else ("-", "")
    line = _stroke(f"M{x:.1f} {y:.1f}H{x + 22:.1f}", role, 1.6, style) if style else ""
    return line + (_spot(x + 11, y, 3, marker, _style(Points(0, 0, marker=marker), role)) if marker else "")


def _words(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return (
        f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{typeset(escape(words))}</text>' if words else ""
    )


def breadth(words: str) -> float:
    """What a line of words needs at most, in a font that runs wide."""
    return sum(BREADTHS.get(c, BROAD if c >= "\u2e80" else USUAL) for c in words)


def _broadest(names: Mapping[float, str], strong: frozenset[float]) -> float:
    bold = {at: BOLD if at in strong else 1.0 for at in names}
    return max(
        (bold[at] * breadth(typeset(line)) for at, name in names.items() for line in name.split("\n")), default=0.0
    )


def cut(words: str, most: int) -> str:
    """Words of at most so many letters."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


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
