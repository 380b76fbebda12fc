"""Small pictures as SVG text: axes, curves, bands, bars and intervals, in the colours of the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from karat.typing import Floats

Points = Iterable[tuple[float, float]]


@dataclass
class Picture:
    """A square or wide plot; x and y in data units, drawn with classes that the style sheet colours.

    Attributes
    ----------
    title : str
        What a screen reader says.
    x_name, y_name : str
        Names of the axes.
    x_range, y_range : tuple of float
        Limits of the axes.
    width, height : int
        Size in the units of the view box.
    left : int
        Room for the labels of the y axis.
    """

    title: str
    x_name: str = ""
    y_name: str = ""
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    width: int = 420
    height: int = 420
    left: int = 54
    parts: list[str] = field(default_factory=list)

    top = 12
    right = 14
    bottom = 46

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

    def band(self, x: Floats, low: Floats, high: Floats, kind: str = "band") -> None:
        """The area between two curves."""
        up = list(zip(x.tolist(), high.tolist(), strict=True))
        down = list(zip(x.tolist(), low.tolist(), strict=True))
        self.path([*up, *reversed(down)], kind, close=True)

    def dot(self, x: float, y: float, kind: str, name: str = "") -> None:
        label = f"<title>{escape(name)}</title>" if name else ""
        self.parts.append(f'<circle class="{kind}" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4">{label}</circle>')

    def bar(self, x: tuple[float, float], height: float, kind: str) -> None:
        a, b, top = self.x(x[0]), self.x(x[1]), self.y(height)
        foot = self.y(self.y_range[0])
        size = f'width="{b - a:.1f}" height="{foot - top:.1f}"'
        self.parts.append(f'<rect class="{kind}" x="{a:.1f}" y="{top:.1f}" {size}/>')

    def text(self, x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> None:
        """Words at a place in units of the view box."""
        style = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def axes(self, x_ticks: Sequence[float] | None = None, y_ticks: Sequence[float] | None = None) -> None:
        """Axes with ticks and names; without ticks of y only the x axis."""
        foot, end = self.height - self.bottom, self.width - self.right
        self.parts.append(f'<path class="axis" d="M{self.left} {foot}H{end}"/>')
        for tick in ticks(*self.x_range) if x_ticks is None else x_ticks:
            self.parts.append(f'<path class="axis" d="M{self.x(tick):.1f} {foot}v5"/>')
            self.text(self.x(tick), foot + 19, f"{tick:g}", "middle")
        self.text((self.left + end) / 2, foot + 38, self.x_name, "middle")
        if y_ticks is None or len(y_ticks):
            self.parts.append(f'<path class="axis" d="M{self.left} {self.top}V{foot}"/>')
            for tick in ticks(*self.y_range) if y_ticks is None else y_ticks:
                self.parts.append(f'<path class="axis" d="M{self.left} {self.y(tick):.1f}h-5"/>')
                self.text(self.left - 9, self.y(tick) + 4, f"{tick:g}", "end")
            place = f"translate(14 {(self.top + foot) / 2:.0f}) rotate(-90)"
            self.parts.append(f'<text text-anchor="middle" transform="{place}">{escape(self.y_name)}</text>')

    def svg(self, extra: str = "") -> str:
        """The whole picture; `extra` is more SVG on top."""
        kind = "square" if self.width == self.height else "broad"
        return (
            f'<svg class="{kind}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self.title)}">'
            f"{''.join(self.parts)}{extra}</svg>"
        )


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers within the limits."""
    raw = max(high - low, 1e-12) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def thinned(x: Floats, y: Floats, most: int) -> np.ndarray:
    """Indices of about `most` points of a curve, in equal steps along it, both ends kept."""
    if len(x) <= most:
        return np.arange(len(x))
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    marks = np.linspace(0, along[-1], most)
    return np.unique(np.append(np.searchsorted(along, marks).clip(0, len(x) - 1), [0, len(x) - 1]))
