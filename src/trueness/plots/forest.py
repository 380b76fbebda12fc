"""Forest plot: differences with their intervals, one line per pair."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from trueness.plots.axes import metric_name, new_axes
from trueness.plots.draw import draw
from trueness.result.comparison import Comparison, Paired
from trueness.result.shown import Drawn
from trueness.systems.result import SystemsComparison
from trueness.typing import Axes


@dataclass(frozen=True, eq=False)
class ForestDisplay(Drawn):
    """Differences of pairs of models, as a picture.

    Attributes
    ----------
    rows : DataFrame
        `label`, `value`, `low`, `high`, `p_value`; low and high are NaN where there is no interval.
    name : str
        Label of the axis.
    level : float
        Level of the intervals.
    margin : float, optional
        Half-width of the region of differences that do not matter.
    """

    rows: pd.DataFrame
    name: str
    level: float = 0.95
    margin: float | None = None

    @classmethod
    def of(cls, comparison: Paired) -> ForestDisplay:
        """The differences of a comparison; p-values are adjusted for all pairs."""
        rows = []
        for pair, d in comparison.differences.items():
            low, high = comparison.interval(pair) or (math.nan, math.nan)
            p = comparison.adjusted.get(pair, math.nan)
            rows.append({"label": " − ".join(pair), "value": d.value, "low": low, "high": high, "p_value": p})
        margin = comparison.margin if isinstance(comparison, Comparison) else None
        name = f"difference of the {metric_name(comparison.metric)}"
        return cls(pd.DataFrame(rows), name, comparison.level, margin)

    @property
    def interval(self) -> str:
        """What the lines are; with several pairs each interval is for its own pair, not adjusted for all."""
        return f"{100 * self.level:g} % interval{' per pair' if len(self.rows) > 1 else ''}"

    def frame(self) -> pd.DataFrame:
        """What is drawn: one row per pair."""
        return self.rows.copy()


@draw.register(ForestDisplay)
def forest(display: ForestDisplay, ax: Axes | None = None) -> Axes:
    """Draw one line per pair, with a dashed line at 0 and a band for the margin."""
    rows = display.rows
    longest = max(len(label) for label in rows["label"])
    ax = new_axes(ax, figsize=(max(6.4, 4.6 + 0.09 * longest), 1.4 + 0.4 * len(rows)))
    if display.margin is not None:
        ax.axvspan(-display.margin, display.margin, color="0.93", zorder=0)
    ax.axvline(0, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    for place, row in enumerate(rows.itertuples()):
        if not math.isnan(row.low):
            ax.plot([row.low, row.high], [place, place], color="C0", linewidth=1.6, solid_capstyle="butt")
        ax.plot([row.value], [place], "s", color="C0", markersize=5)
    ax.set_yticks(range(len(rows)), rows["label"].tolist())
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel(f"{display.name},\n{display.interval}")
    ax.locator_params(axis="x", nbins=5)  # small differences have long tick labels, which must not touch
    return ax


@draw.register(Comparison)
@draw.register(SystemsComparison)
def comparison_forest(comparison: Paired, ax: Axes | None = None) -> Axes:
    """Draw the differences of a comparison; the intervals of several systems hold for all pairs together."""
    display = ForestDisplay.of(comparison)
    ax = forest(display, ax)
    if len(display.rows) > 1 and isinstance(comparison, SystemsComparison):
        ax.set_xlabel(f"{display.name},\n{100 * comparison.level:g} % intervals for all pairs together")
    return ax
