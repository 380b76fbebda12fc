"""Class errors at the operating points of several classes, in 3-D and two by two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.plots.axes import boxed_legend, new_axes

if TYPE_CHECKING:
    from karat.curves.multiclass import MulticlassRoc


@dataclass(frozen=True, eq=False)
class MulticlassDisplay:
    """Figure 3 of seeds/002, and its projections."""

    roc: MulticlassRoc
    point: int | None = None
    level: float = 0.95

    def frame(self) -> pd.DataFrame:
        """The points; with a chosen one also `same`: no class error can be told apart from its."""
        table = self.roc.frame()
        if self.point is not None:
            table["same"] = ~self.roc.test(self.point, None, self.level)["differs"]
        return table

    def plot(self, ax: Any = None, classes: tuple[Any, Any, Any] | None = None) -> Any:
        """Three class errors against each other, or two where there are two classes; returns the axes."""
        chosen = self.roc.classes[:3] if classes is None else list(classes)
        if len(chosen) == 2:
            return self.plot_pairs(None if ax is None else [ax])[0]
        if len(chosen) != 3:
            raise InputError("the 3-D plot shows three classes", got=f"{len(chosen)}", fix="Use plot_pairs")
        if ax is None:
            ax = new_axes(subplot_kw={"projection": "3d"}, figsize=(6.5, 6))
        elif not hasattr(ax, "set_zlabel"):
            raise InputError("these axes are flat", fix='Make them with projection="3d", or use plot_pairs')
        self._draw(ax, [f"error_{c}" for c in chosen])
        ax.set(**{f"{d}label": f"error of class {c}" for d, c in zip("xyz", chosen, strict=True)})
        ax.locator_params(nbins=5)
        ax.view_init(elev=25, azim=40)
        ax.set_box_aspect(None, zoom=0.85)  # or the labels leave the figure
        ax.legend(loc="upper left", fontsize="small", frameon=False)
        return ax

    def plot_pairs(self, axes: Any = None) -> Any:
        """Every pair of class errors, with the SDs of the means; returns the axes, one a pair (and spare ones)."""
        pairs = list(combinations(self.roc.classes, 2))
        if axes is None:
            columns = min(3, len(pairs))
            rows = -(-len(pairs) // columns)
            axes = new_axes(nrows=rows, ncols=columns, figsize=(4.2 * columns, 4 * rows), squeeze=False).ravel()
        flat = np.asarray(axes).ravel()
        if len(flat) < len(pairs):
            raise InputError(f"{len(pairs)} pairs of classes need as many axes", got=len(flat))
        table = self.frame()
        for ax, (a, b) in zip(flat, pairs, strict=False):
            x, y = f"error_{a}", f"error_{b}"
            ax.errorbar(
                table[x],
                table[y],
                xerr=table[f"{x}_se"],
                yerr=table[f"{y}_se"],
                fmt="none",
                elinewidth=0.5,
                color="0.7",
                label="± SD of the mean",
            )
            self._draw(ax, [x, y])
            ax.set(xlabel=f"error of class {a}", ylabel=f"error of class {b}")
            ax.locator_params(nbins=5)
        for ax in flat[len(pairs) :]:
            ax.set_axis_off()
        boxed_legend(flat[0], "best")
        return axes

    def _draw(self, ax: Any, names: list[str]) -> None:
        table = self.frame()
        ax.plot(*(table[n] for n in names), linestyle="none", marker=".", color="C0", label="operating points")
        if self.point is None:
            return
        same, chosen = table[table["same"]], table.iloc[[int(self.point)]]
        ax.plot(
            *(same[n] for n in names),
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="none",
            color="C3",
            label=f"not different at {self.level:.0%}",
        )
        ax.plot(
            *(chosen[n] for n in names),
            linestyle="none",
            marker="x",
            color="k",
            markersize=10,
            markeredgewidth=2,
            label="chosen point",
        )
