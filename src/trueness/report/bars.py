"""Bars: counts over a range, and one bar divided into shares."""

from __future__ import annotations

from collections.abc import Sequence

from trueness.report.svg import Picture
from trueness.typing import Floats, Ints


def bars_svg(edges: Floats, heights: Ints, title: str, x_name: str, y_name: str) -> str:
    """A histogram."""
    ends, top = (float(edges[0]), float(edges[-1])), 1.05 * float(heights.max())
    picture = Picture(title, x_name, y_name, ends, (0.0, top), height=240)
    for a, b, h in zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True):
        if h:
            picture.box((a, b), (0.0, h), "bar")
    return picture.axes().svg()


def shares_svg(parts: Sequence[tuple[str, str, float, str]], title: str) -> str:
    """One bar of parts (class of the style sheet, name, size, what is said of it), with its key below."""
    whole = sum(size for _, _, size, _ in parts) or 1.0
    picture = Picture(title, width=440, height=26 + 20 * len(parts), left=1, right=0, top=0)
    picture.bottom = picture.height - 16
    begin = 0.0
    for kind, _, size, _ in parts:
        if size:
            picture.box((begin, begin + size / whole), (0.0, 1.0), kind)
        begin += size / whole
    picture.legend(1, 26, [(kind, f"{name}: {said}") for kind, name, _, said in parts])
    return picture.svg()
