"""Class errors at the operating points of several classes, in 3-D and two by two (Paclík et al. 2008, figure 3)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trueness.curves.multiclass import MulticlassRoc
from trueness.errors import InputError
from trueness.plots.axes import boxed_legend, new_axes
from trueness.plots.draw import draw
from trueness.typing import Label

if TYPE_CHECKING:
    from collections.abc import Sequence


@draw.register(MulticlassRoc)
def draw_multiclass(
    roc: MulticlassRoc,
    ax: Any = None,
    *,
    pairs: bool = False,
    point: int | None = None,
    level: float = 0.95,
    classes: Sequence[Label] | None = None,
) -> Any:
    """Class errors in 3-D, of the first three classes (flat where there are two), or two by two with `pairs`; with
    `point`, circle those that do not differ from it."""
    if pairs:
        return _draw_pairs(roc, ax, point, level)
    chosen = roc.classes[:3] if classes is None else list(classes)
    if len(chosen) == 2:
        return _draw_pairs(roc, None if ax is None else [ax], point, level)[0]
    if len(chosen) != 3:
        raise InputError(
            "The 3-D plot shows three classes", param="classes", got=f"{len(chosen)}", fix="Use plot_pairs"
        )
    if ax is None:
        ax = new_axes(subplot_kw={"projection": "3d"}, figsize=(6.5, 6))
    elif not hasattr(ax, "set_zlabel"):
        raise InputError(
            "The axes are not three-dimensional", param="ax", fix='Create them with projection="3d", or use plot_pairs'
        )
    _draw_errors(roc, ax, [f"error_{c}" for c in chosen], point, level)
    ax.set(**{f"{d}label": f"error of class {c}" for d, c in zip("xyz", chosen, strict=True)})
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.labelpad = 9  # or names touch the numbers
    ax.locator_params(nbins=5)
    ax.view_init(elev=25, azim=40)
    ax.set_box_aspect(None, zoom=0.85)  # or the labels leave the figure
    ax.legend(loc="upper left", fontsize="small", frameon=False)
    return ax


def _draw_pairs(roc: MulticlassRoc, axes: Any, point: int | None, level: float) -> Any:
    """Every pair of class errors, with the SDs of the means; returns the axes, one per pair (and spare ones)."""
    pairs = list(combinations(roc.classes, 2))
    if axes is None:
        columns = min(3, len(pairs))
        rows = -(-len(pairs) // columns)
        grid = new_axes(None, nrows=rows, ncols=columns, figsize=(4.2 * columns, 4 * rows), squeeze=False)
        axes = np.asarray(grid).ravel()
    flat = np.asarray(axes).ravel()
    if len(flat) < len(pairs):
        raise InputError(f"{len(pairs)} pairs of classes need {len(pairs)} axes", param="axes", got=f"{len(flat)} axes")
    table = roc.frame()
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
        _draw_errors(roc, ax, [x, y], point, level)
        ax.set(xlabel=f"error of class {a}", ylabel=f"error of class {b}")
        ax.locator_params(nbins=5)
    for ax in flat[len(pairs) :]:
        ax.set_axis_off()
    boxed_legend(flat[0], "best")
    return axes


def _draw_errors(roc: MulticlassRoc, ax: Any, names: list[str], point: int | None, level: float) -> None:
    table = roc.frame()

    def marks(rows: pd.DataFrame, **style: Any) -> None:
        ax.plot(*(rows[name] for name in names), linestyle="none", **style)

    marks(table, marker=".", color="C0", label="operating points")
    if point is None:
        return
    same = table[~roc.test(point, None, level)["differs"]]
    marks(
        same, marker="o", markersize=8, markerfacecolor="none", color="C3", label=f"not different at {100 * level:g} %"
    )
    chosen = table.iloc[[int(point)]]
    marks(chosen, marker="x", color="k", markersize=10, markeredgewidth=2, label="chosen point")
