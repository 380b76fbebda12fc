"""A figure of a study as SVG: lines, points and bands, on linear or logarithmic axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from trueness.report.svg import Picture, cut, thinned, ticks
from trueness.studies.picture import Band, Panel, Points, Surface
from trueness.typing import Floats

WIDTH, HEIGHT, KEY = 440, 290, 20
MOST_POINTS = 150  # of a line, or of a cloud
KINDS = ("", "1", "2", "3")  # one colour per curve; a panel with more curves shows the first ones


def panel_svg(panel: Panel) -> str:
    """The panel, its first curves where it has many; nothing where it has a surface or nothing finite."""
    if any(isinstance(mark, Surface) for mark in panel.marks):
        return ""
    bands = [mark for mark in panel.marks if isinstance(mark, Band)]
    curves = [mark for mark in panel.marks if not isinstance(mark, Band | Surface)][: len(KINDS)]
    x_range = _range([_on(m.x, panel.x_log) for m in (*bands, *curves)], panel.x_limits, panel.x_log)
    heights = [
        _on(y, panel.y_log) for m in (*bands, *curves) for y in ((m.low, m.high) if isinstance(m, Band) else (m.y,))
    ]
    y_range = _range(heights, panel.y_limits, panel.y_log)
    if x_range is None or y_range is None:
        return ""
    names = [("band", m.label) for m in bands]
    names += [(f"key{kind}", m.label) for kind, m in zip(KINDS, curves, strict=False)]
    names = [(kind, cut(name, 50)) for kind, name in names if name]
    below = KEY * len(names)
    picture = Picture(panel.title, panel.x_label, panel.y_label, x_range, y_range, WIDTH, HEIGHT + below)
    picture.bottom += below
    for band in bands:
        x, low, high = (
            _on(v, log) for v, log in ((band.x, panel.x_log), (band.low, panel.y_log), (band.high, panel.y_log))
        )
        seen = _seen(x, x_range, low, high)
        picture.band(x[seen], low[seen].clip(*y_range), high[seen].clip(*y_range))
    for kind, mark in zip(KINDS, curves, strict=False):
        x, y = _on(mark.x, panel.x_log), _on(mark.y, panel.y_log)
        seen = _seen(x, x_range, y)
        x, y = x[seen], y[seen].clip(*y_range)
        if isinstance(mark, Points):
            for a, b in zip(x[:MOST_POINTS].tolist(), y[:MOST_POINTS].tolist(), strict=True):
                picture.dot(a, b, f"key{kind}")
        else:
            keep = thinned(x / np.ptp(x_range), y / np.ptp(y_range), MOST_POINTS)
            picture.line(x[keep], y[keep], f"curve{kind}")
    picture.legend(picture.left, picture.height - below, names)
    return picture.axes(_ticks(x_range, panel.x_ticks, panel.x_log), _ticks(y_range, panel.y_ticks, panel.y_log)).svg()


def _on(values: ArrayLike, log: bool) -> Floats:
    """Values as they stand on the axis."""
    found = np.atleast_1d(np.asarray(values, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(found) if log else found


def _seen(x: Floats, x_range: tuple[float, float], *heights: Floats) -> np.ndarray:
    inside = np.isfinite(x) & (x >= x_range[0]) & (x <= x_range[1])
    return np.asarray(inside & np.all([np.isfinite(y) for y in heights], axis=0))


def _range(values: list[Floats], limits: tuple[float, float] | None, log: bool) -> tuple[float, float] | None:
    """The limits that are given, else those of the values with some room; None where none is finite."""
    if limits is not None:
        low, high = (float(v) for v in _on(limits, log))
        return low, high
    every = np.concatenate(values) if values else np.array([])
    every = every[np.isfinite(every)]
    if not len(every):
        return None
    low, high = float(every.min()), float(every.max())
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _ticks(span: tuple[float, float], named: dict[float, str], log: bool) -> dict[float, str]:
    """Where the axis is marked, and with what."""
    if named:
        places = {float(_on(at, log)[0]): name for at, name in named.items()}
        return {at: name for at, name in places.items() if span[0] <= at <= span[1]}
    if not log:
        return {at: f"{at:g}" for at in ticks(*span)}
    powers = range(int(np.floor(span[0])), int(np.ceil(span[1])) + 1)
    steps = (1, 2, 5) if span[1] - span[0] < 2.5 else (1,)
    places = {float(np.log10(s) + p): f"{s * 10.0**p:g}" for p in powers for s in steps}
    return {at: name for at, name in places.items() if span[0] <= at <= span[1]}
