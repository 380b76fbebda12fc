"""Dots with intervals: one line per estimate or per difference, with its numbers beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trueness.report.svg import Picture, cut, ticks
from trueness.result.digits import between, shown
from trueness.result.estimate import Estimate

LINE = 27
AXIS = 170  # width of the axis
LETTER = 7.9  # width of a bold letter in a wide font
MOST_LETTERS = 26  # of a name beside a dot; its whole is in the table and in the tooltip


@dataclass(frozen=True)
class Dot:
    """One line of the picture; `kind` is "mark", "minor" or "hollow"."""

    name: str
    value: float
    low: float | None
    high: float | None
    said: str
    kind: str = "mark"

    @classmethod
    def of(cls, name: str, e: Estimate, level: float, kind: str = "mark", se: float | None = None) -> Dot:
        """The dot of an estimate; one without a standard error is rounded to `se`."""
        row = e.row(level)
        scale = next((v for v in (e.se, se, e.mc_se) if v is not None), None)
        limits = between(row["low"], row["high"], scale)
        return cls(
            name, e.value, row["low"], row["high"], shown(e.value, scale) + (f" ({limits})" if limits else ""), kind
        )


def dots_svg(dots: Sequence[Dot], title: str, axis: str, margin: float | None = None, zero: bool = False) -> str:
    """One line per dot; a dashed line at 0 and the band of the margin for differences."""
    dots = [d for d in dots if math.isfinite(d.value)]
    if not dots:
        return ""
    ends = [v for d in dots for v in (d.value, d.low, d.high) if v is not None and math.isfinite(v)]
    ends += [0.0] if zero else []
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 1e-6 * max(abs(high), 1e-3))
    names = [cut(d.name, MOST_LETTERS) for d in dots]
    left, right = (round(20 + LETTER * max(map(len, words))) for words in (names, [d.said for d in dots]))
    picture = Picture(
        title,
        axis,
        "",
        (low - room, high + room),
        (0.0, float(len(dots))),
        width=left + right + max(AXIS, round(LETTER * len(axis)) - 2 * min(left, right)),
        height=LINE * len(dots) + 62,
        left=left,
        right=right,
    )
    if margin is not None:
        picture.box((max(-margin, low - room), min(margin, high + room)), picture.y_range, "margin")
    if zero:
        picture.path([(0.0, 0.0), (0.0, float(len(dots)))], "chance")
    for k, (d, name) in enumerate(zip(dots, names, strict=True)):
        at = len(dots) - k - 0.5
        words = "strong" if d.kind == "mark" else ""
        picture.text(left - 12, picture.y(at) + 4, name, "end", words)
        picture.text(picture.width - right + 12, picture.y(at) + 4, d.said, "start", words)
        if d.low is not None and d.high is not None:
            inside = (max(d.low, low - room), at), (min(d.high, high + room), at)  # a limit may be infinite
            picture.path(inside, "range" if d.kind == "mark" else "rangeminor")
        picture.dot(d.value, at, d.kind, f"{d.name}: {d.said}")
    few = _few_ticks(low - room, high + room, picture.width - left - right) if low < high else [low]
    return picture.axes(few, y_ticks=()).svg()


def _few_ticks(low: float, high: float, width: int) -> list[float]:
    """Ticks whose labels do not touch."""
    found = ticks(low, high)
    widest = max((len(f"{t:g}") for t in found), default=1)
    while len(found) > 2 and len(found) * (8 * widest + 10) > width:
        found = found[::2]
    return found
