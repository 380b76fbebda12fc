"""The mean ROC curve of folds at operating points, with error bars."""

from __future__ import annotations

from trueness.curves.averaged_points import AveragedPoints, Measure, OperatingPoints, title
from trueness.plots.axes import boxed_legend, new_axes, roc_square
from trueness.plots.draw import draw
from trueness.typing import Axes


@draw.register(OperatingPoints)
def draw_operating_points(
    points: OperatingPoints,
    ax: Axes | None = None,
    *,
    point: int | None = None,
    measure: str | Measure = "fpf",
    level: float = 0.95,
) -> Axes:
    """The mean curve with the SDs of the means; with `point`, circle those whose measure does not differ from its
    (Paclík et al. 2008, figures 1 and 2)."""
    ax, table = _mean_curve(points, ax, color="C0"), points.frame()
    if point is not None:
        same = table[~points.test(point, measure, level)["differs"]]
        ax.plot(
            same["fpf"],
            same["tpf"],
            linestyle="none",
            marker="o",
            markersize=9,
            markerfacecolor="none",
            color="C3",
            label=f"{title(measure)} not different at {100 * level:g} %",
        )
        chosen = table.iloc[int(point)]
        ax.plot(chosen["fpf"], chosen["tpf"], "x", color="k", markersize=11, markeredgewidth=2, label="chosen point")
    boxed_legend(ax, "lower right")
    return ax


def _mean_curve(points: AveragedPoints, ax: Axes | None, how: str = "", color: str | None = None) -> Axes:
    ax = roc_square(new_axes(ax))
    table = points.frame()
    ax.errorbar(
        table["fpf"],
        table["tpf"],
        xerr=table.get("fpf_se"),
        yerr=table["tpf_se"],
        marker=".",
        markersize=4,
        linewidth=0.8,
        elinewidth=0.7,
        color=color,
        label=f"{how}mean over {points.n_folds} folds ± SD of the mean",
    )
    return ax
