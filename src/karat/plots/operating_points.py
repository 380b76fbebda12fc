"""The mean ROC of operating-point averaging, with its error bars and the points that cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import boxed_legend, new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.operating_points import OperatingPoints


@dataclass(frozen=True, eq=False)
class OperatingPointsDisplay:
    """Figures 1 and 2 of seeds/002."""

    points: OperatingPoints
    point: int | None = None
    measure: str = "fpf"
    level: float = 0.95

    def frame(self) -> pd.DataFrame:
        """The points; with a chosen one also `same`: cannot be told apart from it."""
        table = self.points.frame()
        if self.point is not None:
            table["same"] = ~self.points.test(self.point, self.measure, self.level)["differs"]
        return table

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = roc_square(new_axes(ax))
        table = self.frame()
        ax.errorbar(
            table["fpf"],
            table["tpf"],
            xerr=table["fpf_se"],
            yerr=table["tpf_se"],
            marker=".",
            markersize=4,
            linewidth=0.8,
            elinewidth=0.7,
            color="C0",
            label=f"mean over {self.points.n_folds} folds ± SD of the mean",
        )
        if self.point is not None:
            same, chosen = table[table["same"]], table.iloc[int(self.point)]
            ax.plot(
                same["fpf"],
                same["tpf"],
                linestyle="none",
                marker="o",
                markersize=9,
                markerfacecolor="none",
                color="C3",
                label=f"{self.points.title(self.measure)} not different at {self.level:.0%}",
            )
            ax.plot(
                chosen["fpf"], chosen["tpf"], "x", color="k", markersize=11, markeredgewidth=2, label="chosen point"
            )
        boxed_legend(ax, "lower right")
        return ax
