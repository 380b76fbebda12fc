"""ROC curves of folds averaged vertically, or by thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.curves.fold_averages import FoldAverage
from karat.plots.axes import new_axes, roc_square
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@draw.register(FoldAverage)
def draw_fold_average(average: FoldAverage, ax: Axes | None = None) -> Axes:
    """The mean curve with the SDs of the means: of the TPF, and of the FPF too where thresholds were averaged."""
    ax = roc_square(new_axes(ax))
    table = average.frame()
    ax.errorbar(
        table["fpf"],
        table["tpf"],
        xerr=table.get("fpf_se"),
        yerr=table["tpf_se"],
        marker=".",
        markersize=4,
        linewidth=0.8,
        elinewidth=0.7,
        label=f"{average.method} averaging, mean over {average.n_folds} folds ± SD of the mean",
    )
    ax.legend(loc="lower right", fontsize="small", frameon=False)
    return ax
