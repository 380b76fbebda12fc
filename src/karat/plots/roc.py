"""ROC curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import drawn, emptier, new_axes, roc_square
from karat.plots.band import BandDisplay
from karat.result.digits import shown

if TYPE_CHECKING:
    from karat.curves.bands import Band
    from karat.curves.curve import RocCurve


@dataclass(frozen=True, eq=False)
class RocDisplay:
    """ROC curves by name, and bands by the name of their curve.

    Examples
    --------
    >>> import karat
    >>> from karat.plots.roc import RocDisplay
    >>> c = karat.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> RocDisplay({"mine": c}).frame()[["curve", "fpf", "tpf"]].iloc[-1].to_dict()
    {'curve': 'mine', 'fpf': 1.0, 'tpf': 1.0}
    """

    curves: Mapping[str, RocCurve]
    bands: Mapping[str, Band] = field(default_factory=dict)

    def frame(self) -> pd.DataFrame:
        """The points of all curves: `curve`, `threshold`, `fpf`, `tpf`, `likelihood_ratio`."""
        parts = [c.frame().assign(curve=name) for name, c in self.curves.items()]
        table = pd.concat(parts, ignore_index=True)
        return table[["curve", *(c for c in table.columns if c != "curve")]]

    def plot(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = roc_square(new_axes(ax))
        for name, curve in self.curves.items():
            (line,) = ax.plot(*drawn(curve), linewidth=1.6, label=f"{name}: AUC {_area(curve, level)}")
            if name in self.bands:
                BandDisplay(self.bands[name]).plot(ax, color=line.get_color())
        ax.legend(loc=emptier([c.auc.value for c in self.curves.values()]), fontsize="small", frameon=False)
        return ax


def _area(curve: RocCurve, level: float) -> str:
    area = curve.auc
    if area.se is None:
        return shown(area.value)
    low, high = area.ci(level)
    return f"{shown(area.value, area.se)} ({shown(low, area.se)} to {shown(high, area.se)})"
