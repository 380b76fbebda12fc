"""Critical-difference diagram: mean ranks on a line, bars over models that cannot be told apart (Demšar 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import new_axes

if TYPE_CHECKING:
    from karat.result.rank_result import PosthocResult

OVERHANG = 0.04  # of a bar beyond its models, in ranks


@dataclass(frozen=True, eq=False)
class CriticalDifferenceDisplay:
    """Mean ranks of models after Nemenyi's test, or another test of all pairs.

    Examples
    --------
    >>> from karat import comparisons
    >>> from karat.plots.critical_difference import CriticalDifferenceDisplay
    >>> n = comparisons.nemenyi([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]])
    >>> CriticalDifferenceDisplay(n).frame()[["model", "rank"]].values.tolist()
    [['model 1', 1.25], ['model 2', 2.0], ['model 3', 2.75]]
    """

    result: PosthocResult

    def frame(self) -> pd.DataFrame:
        """A row a model, best first: `model`, `rank`, and `groups` (numbers of the bars it belongs to)."""
        bars = self.result.groups()
        ranks = self.result.ranks.sort_values(kind="stable")
        return pd.DataFrame(
            {
                "model": [str(m) for m in ranks.index],
                "rank": ranks.to_numpy(),
                "groups": [tuple(i + 1 for i, bar in enumerate(bars) if m in bar) for m in ranks.index],
            }
        )

    def _ends(self, bar: list[str]) -> tuple[float, float]:
        """Where a bar begins and ends: a little beyond its models, and never as far as a model it does not hold."""
        ranks = self.result.ranks
        low, high = float(ranks[bar].min()), float(ranks[bar].max())
        below, above = ranks[ranks < low], ranks[ranks > high]
        left = min(OVERHANG, (low - float(below.max())) / 3) if len(below) else OVERHANG
        right = min(OVERHANG, (float(above.min()) - high) / 3) if len(above) else OVERHANG
        return low - left, high + right

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        rows, bars = self.frame(), self.result.groups()
        k = len(rows)
        left = (k + 1) // 2  # the better half is named on the left, the rest on the right
        depth = 1 + 0.35 * len(bars) + 0.6 * left
        ax = new_axes(ax, figsize=(6.4, 1.2 + 0.35 * depth))
        ax.set(xlim=(0.4, k + 0.6), ylim=(depth + 0.6, -1.4))
        ax.axis("off")
        ax.plot([1, k], [0, 0], color="black", linewidth=1)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [-0.15, 0], color="black", linewidth=1)
            ax.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize="small")
        for i, bar in enumerate(bars):
            ax.plot(self._ends(bar), [0.35 * (i + 1)] * 2, color="black", linewidth=3.5, solid_capstyle="butt")
        for i, row in enumerate(rows.itertuples()):
            on_left = i < left
            y = 1 + 0.35 * len(bars) + 0.6 * (i if on_left else k - 1 - i)
            edge = 0.7 if on_left else k + 0.3
            ax.plot([row.rank, row.rank, edge], [0, y, y], color="0.3", linewidth=0.9)
            side = "right" if on_left else "left"
            ax.text(edge, y, f" {row.model} ({row.rank:.2f}) ", ha=side, va="center", fontsize="small")
        cd = self.result.critical_difference
        if cd is not None:
            ax.plot([1, 1 + cd], [-1.0, -1.0], color="black", linewidth=1.4)
            ax.text(1 + cd / 2, -1.05, f"CD = {cd:.2f}", ha="center", va="bottom", fontsize="small")
        return ax
