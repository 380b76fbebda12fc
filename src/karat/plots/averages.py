"""ROC curves of folds averaged the older ways: vertically, and by thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.averaging import ThresholdAverage, VerticalAverage


@dataclass(frozen=True, eq=False)
class AverageDisplay:
    """The mean curve with the SDs of the means: of the TPF, and of the FPF too where thresholds were averaged."""

    average: VerticalAverage | ThresholdAverage
    label: str = ""

    def frame(self) -> pd.DataFrame:
        return self.average.frame()

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = roc_square(new_axes(ax))
        table = self.frame()
        ax.errorbar(
            table["fpf"],
            table["tpf"],
            xerr=table.get("fpf_se"),
            yerr=table["tpf_se"],
            marker=".",
            markersize=4,
            linewidth=0.8,
            elinewidth=0.7,
            label=f"{self.label}, mean over {self.average.n_folds} folds ± SD of the mean",
        )
        ax.legend(loc="lower right", fontsize="small", frameon=False)
        return ax
