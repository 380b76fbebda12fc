"""The concave hull of a ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.hull import Hull


@dataclass(frozen=True, eq=False)
class HullDisplay:
    """Corners joined by straight lines; draw it over the axes of its curve."""

    hull: Hull

    def frame(self) -> pd.DataFrame:
        return self.hull.frame()

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = roc_square(new_axes(ax), diagonal=ax is None)
        label = f"concave hull, area {self.hull.area:.3f}"
        ax.plot(self.hull.fpf, self.hull.tpf, "o--", color="0.25", markersize=4, linewidth=1, label=label)
        ax.legend(loc="lower right", fontsize="small", frameon=False)
        return ax
