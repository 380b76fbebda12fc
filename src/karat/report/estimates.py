"""Estimates in a report: a dot with its interval for each, and the table behind the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.report.svg import Picture
from karat.result.estimate import Estimate

LINE = 26


def intervals_svg(estimates: Sequence[Estimate], chosen: Sequence[bool], level: float, name: str) -> str:
    """One line per estimate of one metric; the recommended ones in colour, an apparent one with a hollow mark."""
    rows = [e.row(level) for e in estimates]
    ends = [float(v) for r in rows for v in (r["value"], r["low"], r["high"]) if v is not None and math.isfinite(v)]
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 1e-3)
    height = LINE * len(rows) + 60
    picture = Picture(
        f"{name}: estimates with {100 * level:g} % intervals",
        x_name=f"{name}, {100 * level:g} % interval",
        x_range=(low - room, high + room),
        y_range=(0.0, float(len(rows))),
        width=720,
        height=height,
        left=150,
    )
    for k, (row, recommended) in enumerate(zip(rows, chosen, strict=True)):
        at = len(rows) - k - 0.5
        picture.text(picture.left - 12, picture.y(at) + 4, str(row["method"]), "end")
        if row["low"] is not None:
            picture.path([(row["low"], at), (row["high"], at)], "range" if recommended else "rangeminor")
        said = f"{row['method']}: {row['value']:.4g}"
        picture.dot(float(row["value"]), at, "mark" if recommended else "minor", said)
    picture.axes(y_ticks=())
    return picture.svg()
