"""Differences of systems with the intervals that hold for all pairs together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from karat.plots.axes import metric_name
from karat.plots.draw import draw
from karat.plots.forest import ForestDisplay, forest
from karat.result.systems import SystemsComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(SystemsComparison)
def draw_systems(comparison: SystemsComparison, ax: Axes | None = None) -> Axes:
    """One line per pair: the difference and its interval."""
    rows = []
    for pair, d in comparison.differences.items():
        low, high = comparison.interval(pair) or (math.nan, math.nan)
        p = comparison.adjusted.get(pair, math.nan)
        rows.append({"label": " − ".join(pair), "value": d.value, "low": low, "high": high, "p_value": p})
    name = f"difference of the {metric_name(comparison.metric)}"
    ax = forest(ForestDisplay(pd.DataFrame(rows), name, comparison.level), ax)
    if len(rows) > 1:
        ax.set_xlabel(f"{name},\n{100 * comparison.level:g} % intervals for all pairs together")
    return ax
