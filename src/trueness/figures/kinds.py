"""Kinds of figures that several results share: rows of dots with intervals, the unit square of ROC curves, shares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from trueness.figures.figure import Area, Figure, Intervals, Line, Mark, Panel, Points, Rule, box

LETTER, LINE, AXIS = 0.1, 0.34, 2.3  # inches: width of a letter, height of a row, least width of an axis
MOST_IN_A_NAME = 70  # letters of the name of a row


@dataclass(frozen=True)
class Dot:
    """One row: a value with its interval and its number in words; `kind` is "mark", "minor" or "hollow"."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    said: str = ""
    kind: str = "mark"


def forest(dots: Sequence[Dot], name: str, axis: str, margin: float | None = None, zero: bool = False) -> Figure:
    """One row per dot, with its number beside it; for differences a dashed line at 0 and the band of the margin.

    Without a finite value it has no panel.
    """
    panel = forest_panel(dots, axis, margin, zero)
    return Figure(name, () if panel is None else (panel,), columns=1, size=forest_size(dots))


def forest_size(dots: Sequence[Dot]) -> tuple[float, float]:
    """Width and height in inches that names, axis and numbers need."""
    names, said = (
        max((len(w) for w in words), default=0) for words in ([d.name for d in dots], [d.said for d in dots])
    )
    return AXIS + 0.4 + LETTER * (min(names, MOST_IN_A_NAME) + said), 0.72 + LINE * max(1, len(dots))


def forest_panel(
    dots: Sequence[Dot], axis: str, margin: float | None = None, zero: bool = False, title: str = ""
) -> Panel | None:
    """The rows of `forest`; None without a finite value."""
    dots = [d for d in dots if math.isfinite(d.value)]
    if not dots:
        return None
    ends = [v for d in dots for v in (d.value, d.low, d.high) if v is not None and math.isfinite(v)] + [0.0] * zero
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 1e-6 * max(abs(high), 1e-3))
    rows, limits = (len(dots) - 0.5, -0.5), (low - room, high + room)
    marks: list[Mark] = []
    if margin is not None:
        inside = max(-margin, limits[0]), min(margin, limits[1])
        marks.append(box(inside, rows, color="soft", opacity=0.16))
    marks += [Rule(x=0.0)] if zero else []
    for kind in ("minor", "hollow", "mark"):
        here = [k for k, d in enumerate(dots) if d.kind == kind]
        if here:
            color = "C0" if kind == "mark" else "soft"
            x, a, b = (
                np.array([getattr(dots[k], part) for k in here], dtype=float) for part in ("value", "low", "high")
            )
            marks.append(
                Intervals(
                    here,
                    a.clip(*limits),
                    b.clip(*limits),
                    color=color,
                    across=True,
                    width=2.2 if kind == "mark" else 1.3,
                )
            )
            names = [f"{dots[k].name}: {dots[k].said}" for k in here]
            marks.append(Points(x, here, color=color, size=40, hollow=kind == "hollow", names=names))
    return Panel(
        marks,
        title,
        axis,
        x_limits=limits,
        y_limits=rows,
        x_ticks=None if low < high else {low: f"{low:g}"},
        y_ticks={k: d.name for k, d in enumerate(dots)},
        beside={k: d.said for k, d in enumerate(dots)} if any(d.said for d in dots) else {},
        strong=frozenset(k for k, d in enumerate(dots) if d.kind == "mark" and len({e.kind for e in dots}) > 1),
    )


def shares(parts: Sequence[tuple[str, float, str, str]], name: str, axis: str = "") -> Figure:
    """One bar per part: its name, its size, what is said of it, and its colour."""
    bars = [
        box((0.0, size), (k - 0.32, k + 0.32), color=color, opacity=0.75) for k, (_, size, _, color) in enumerate(parts)
    ]
    most = max(size for _, size, _, _ in parts)
    panel = Panel(
        bars,
        x_label=axis,
        x_limits=(0.0, 1.02 * most or 1.0),
        y_limits=(len(parts) - 0.5, -0.5),
        y_ticks={k: part for k, (part, *_) in enumerate(parts)},
        beside={k: said for k, (_, _, said, _) in enumerate(parts)},
    )
    return Figure(name, (panel,), 1, forest_size([Dot(part, size, said=said) for part, size, said, _ in parts]))


def unit_square(marks: Sequence[Mark], x_label: str, y_label: str, **words: Any) -> Panel:
    """A panel from 0 to 1 in both directions."""
    ticks, ends = {k / 5: f"{k / 5:g}" for k in range(6)}, (-0.01, 1.01)
    return Panel(
        marks,
        x_label=x_label,
        y_label=y_label,
        x_limits=ends,
        y_limits=ends,
        x_ticks=ticks,
        y_ticks=ticks,
        square=True,
        **words,
    )


def roc_panel(marks: Sequence[Mark], **words: Any) -> Panel:
    """The unit square with the diagonal of chance and the names of the axes."""
    areas, others = [m for m in marks if isinstance(m, Area)], [m for m in marks if not isinstance(m, Area)]
    chance = Line([0, 1], [0, 1], style="--", color="soft", width=0.9)
    names = ("FPF (1 − specificity)", "TPF (sensitivity)")
    return unit_square([*areas, chance, *others], *names, **({"legend": "lower right"} | words))


def ranks_figure(ranks: pd.DataFrame) -> Figure:
    """Ranks of models (columns) on data sets (rows), as from `trueness.comparisons.ranks`.

    A bar marks the mean rank; the area of a dot is proportional to its number of data sets.
    """
    marks: list[Mark] = []
    order = ranks.mean(axis=0).sort_values(kind="stable").index
    for place, model in enumerate(order):
        counts = ranks[model].value_counts()
        marks.append(Points(counts.index, [place] * len(counts), color="C0", size=18 * counts.to_numpy(), opacity=0.45))
        marks.append(Line([ranks[model].mean()] * 2, [place - 0.3, place + 0.3], color="ink"))
    panel = Panel(
        marks,
        x_label="rank (1 is best; bar: mean; dot size: number of data sets)",
        y_limits=(len(order) - 0.5, -0.5),
        x_ticks={float(k): str(k) for k in range(1, len(order) + 1)},
        y_ticks={k: str(model) for k, model in enumerate(order)},
    )
    return Figure("Ranks", (panel,), size=(6.4, 1.2 + 0.4 * len(order)))
