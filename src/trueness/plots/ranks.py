"""Ranks of several models on several data sets: one point per data set, a bar at the mean rank."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from trueness.plots.axes import new_axes
from trueness.plots.draw import draw
from trueness.result.shown import Drawn
from trueness.typing import Axes


@dataclass(frozen=True, eq=False)
class RanksDisplay(Drawn):
    """Ranks of models, as a picture.

    Attributes
    ----------
    ranks : DataFrame
        As from `trueness.comparisons.ranks`: rows are data sets, columns models, 1 is the best.

    Examples
    --------
    >>> from trueness import comparisons
    >>> from trueness.plots.ranks import RanksDisplay
    >>> RanksDisplay(comparisons.ranks([[0.9, 0.8], [0.7, 0.6]])).frame()["rank"].tolist()
    [1.0, 1.0, 2.0, 2.0]
    """

    ranks: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """One row per model and data set, best model first: `model`, `data_set`, `rank`."""
        order = self.ranks.mean(axis=0).sort_values(kind="stable").index
        parts = [
            pd.DataFrame({"model": str(m), "data_set": self.ranks.index, "rank": self.ranks[m].to_numpy()})
            for m in order
        ]
        return pd.concat(parts, ignore_index=True)


@draw.register(RanksDisplay)
def ranks(display: RanksDisplay, ax: Axes | None = None) -> Axes:
    """Draw the ranks; the area of a dot is proportional to its number of data sets."""
    rows = display.frame()
    models = rows["model"].unique().tolist()
    ax = new_axes(ax, figsize=(6.4, 1.2 + 0.4 * len(models)))
    for place, model in enumerate(models):
        own = rows.loc[rows["model"] == model, "rank"]
        counts = own.value_counts()
        ax.scatter(counts.index, [place] * len(counts), s=18 * counts.to_numpy(), color="C0", alpha=0.45, linewidths=0)
        ax.plot([own.mean()] * 2, [place - 0.3, place + 0.3], color="black", linewidth=1.6)
    ax.set_yticks(range(len(models)), models)
    ax.set_ylim(len(models) - 0.5, -0.5)
    ax.set_xticks(range(1, len(models) + 1))
    ax.set_xlabel("rank (1 is best; bar: mean; dot size: number of data sets)")
    return ax
