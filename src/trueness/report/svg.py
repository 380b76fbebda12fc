"""Small pictures as SVG text: axes, curves, bands, bars and intervals, in the colours of a style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Self

import numpy as np

from trueness.typing import Floats, Ints

LETTER = 8  # width of a letter
Points = Iterable[tuple[float, float]]
Ticks = Sequence[float] | Mapping[float, str]


@dataclass
class Picture:
    """A plot; x and y in data units, drawn with classes that the style sheet (page/picture.css) colours."""

    title: str  # what a screen reader says
    x_name: str = ""
    y_name: str = ""
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    width: int = 440  # in units of the view box
    height: int = 420
    left: int = 0  # room beside the axes; 0 is as wide as the names of the ticks need
    right: int = 14
    top: int = 12
    bottom: int = 48
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.left:
            widest = max((len(f"{tick:g}") for tick in ticks(*self.y_range)), default=1)
            self.left = 34 + LETTER * max(3, widest)

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.height - self.bottom - (value - low) / (high - low) * (self.height - self.top - self.bottom)

    def path(self, points: Points, kind: str, close: bool = False) -> None:
        """A line through points, or an area where `close`."""
        spots = [f"{self.x(a):.1f} {self.y(b):.1f}" for a, b in points]
        if spots:
            self.parts.append(f'<path class="{kind}" d="M{"L".join(spots)}{"Z" if close else ""}"/>')

    def line(self, x: Floats, y: Floats, kind: str) -> None:
        """A curve through points."""
        self.path(zip(x.tolist(), y.tolist(), strict=True), kind)

    def band(self, x: Floats, low: Floats, high: Floats) -> None:
        """The area between two curves."""
        up = list(zip(x.tolist(), high.tolist(), strict=True))
        down = list(zip(x.tolist(), low.tolist(), strict=True))
        self.path([*up, *reversed(down)], "band", close=True)

    def dot(self, x: float, y: float, kind: str, name: str = "") -> None:
        label = f"<title>{escape(name)}</title>" if name else ""
        self.parts.append(f'<circle class="{kind}" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4.5">{label}</circle>')

    def box(self, x: tuple[float, float], y: tuple[float, float], kind: str) -> None:
        """A rectangle."""
        a, b, top, foot = self.x(x[0]), self.x(x[1]), self.y(y[1]), self.y(y[0])
        size = f'width="{b - a:.1f}" height="{foot - top:.1f}"'
        self.parts.append(f'<rect class="{kind}" x="{a:.1f}" y="{top:.1f}" {size}/>')

    def text(self, x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> None:
        """Words at a place in units of the view box."""
        style = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def legend(self, x: float, y: float, entries: Iterable[tuple[str, str]]) -> None:
        """Squares of these classes with their names, from a place in units of the view box."""
        for k, (kind, name) in enumerate(entries):
            self.parts.append(f'<rect class="{kind}" x="{x:.0f}" y="{y + 20 * k:.0f}" width="12" height="12"/>')
            self.text(x + 18, y + 11 + 20 * k, name)

    def axes(self, x_ticks: Ticks | None = None, y_ticks: Ticks | None = None) -> Self:
        """Axes with ticks, names and a grid, under what is drawn already; without ticks of y only the x axis."""
        above, self.parts = self.parts, []
        foot, end = self.height - self.bottom, self.width - self.right
        for tick, name in _named(x_ticks, self.x_range):
            self.parts.append(f'<path class="grid" d="M{self.x(tick):.1f} {self.top}V{foot}"/>')
            self.text(self.x(tick), foot + 18, name, "middle")
        self.text((self.left + end) / 2, foot + 38, self.x_name, "middle")
        if y_ticks is None or len(y_ticks):
            for tick, name in _named(y_ticks, self.y_range):
                self.parts.append(f'<path class="grid" d="M{self.left} {self.y(tick):.1f}H{end}"/>')
                self.text(self.left - 8, self.y(tick) + 4, name, "end")
            place = f"translate(14 {(self.top + foot) / 2:.0f}) rotate(-90)"
            self.parts.append(f'<text text-anchor="middle" transform="{place}">{escape(self.y_name)}</text>')
        self.parts.append(f'<path class="axis" d="M{self.left} {foot}H{end}"/>')
        self.parts += above
        return self

    def svg(self, extra: str = "") -> str:
        """The whole picture; `extra` is more SVG on top."""
        return (
            f'<svg width="{self.width}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self.title)}">'
            f"{''.join(self.parts)}{extra}</svg>"
        )


def _named(places: Ticks | None, span: tuple[float, float]) -> list[tuple[float, str]]:
    """Ticks with their names; round numbers where none are given."""
    if isinstance(places, Mapping):
        return list(places.items())
    return [(tick, f"{tick:g}") for tick in (ticks(*span) if places is None else places)]


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
