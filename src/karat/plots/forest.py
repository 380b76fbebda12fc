"""Forest plot: differences with their intervals, one line a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import new_axes

if TYPE_CHECKING:
    from karat.result.comparison import Comparison


@dataclass(frozen=True, eq=False)
class ForestDisplay:
    """Differences of pairs of models.

    Attributes
    ----------
    rows
        `label`, `value`, `low`, `high`, `p_value`; low and high are NaN where no interval can be given.
    name
        What is on the axis.
    level
        Of the intervals.
    margin
        Half-width of the region that does not matter, or None.
    """

    rows: pd.DataFrame
    name: str
    level: float = 0.95
    margin: float | None = None

    @classmethod
    def of(cls, comparison: Comparison) -> ForestDisplay:
        table = comparison.table()
        rows = pd.DataFrame(
            {
                "label": table["first"] + " − " + table["second"],
                "value": table["difference"],
                "low": table["low"].astype(float),
                "high": table["high"].astype(float),
                "p_value": table["p_holm"].astype(float),
            }
        )
        return cls(rows, f"difference of the {comparison.metric}", comparison.level, comparison.margin)

    @property
    def interval(self) -> str:
        """What the lines are: of several pairs each interval is of its pair alone, not adjusted for all of them."""
        return f"{self.level:.0%} interval{' per pair' if len(self.rows) > 1 else ''}"

    def frame(self) -> pd.DataFrame:
        """What is drawn: a row a pair."""
        return self.rows.copy()

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        longest = max(len(label) for label in self.rows["label"])
        ax = new_axes(ax, figsize=(max(6.4, 4.6 + 0.09 * longest), 1.4 + 0.4 * len(self.rows)))
        if self.margin is not None:
            ax.axvspan(-self.margin, self.margin, color="0.93", zorder=0)
        ax.axvline(0, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
        for place, row in enumerate(self.rows.itertuples()):
            if row.low == row.low:
                ax.plot([row.low, row.high], [place, place], color="C0", linewidth=1.6, solid_capstyle="butt")
            ax.plot([row.value], [place], "s", color="C0", markersize=5)
        ax.set_yticks(range(len(self.rows)), self.rows["label"].tolist())
        ax.set_ylim(len(self.rows) - 0.5, -0.5)
        ax.set_xlabel(f"{self.name},\n{self.interval}")
        ax.locator_params(axis="x", nbins=5)  # small differences have long numbers: few of them, so that none touch
        return ax
