"""Precision–recall curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.plots.axes import new_axes
from karat.result.digits import shown

if TYPE_CHECKING:
    from karat.curves.pr import PrCurve


@dataclass(frozen=True, eq=False)
class PrDisplay:
    """PR curves by name: the points, the interpolation between them, and the line of chance (the prevalence)."""

    curves: Mapping[str, PrCurve]

    def frame(self) -> pd.DataFrame:
        """The points of all curves: `curve`, `threshold`, `recall`, `precision`."""
        parts = [c.frame().assign(curve=name) for name, c in self.curves.items()]
        return pd.concat(parts, ignore_index=True)[["curve", "threshold", "recall", "precision"]]

    def plot(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = new_axes(ax)
        for name, curve in self.curves.items():
            area, (low, high) = curve.average_precision, curve.average_precision.ci(level)
            limits = f"{shown(area.value, area.se)} ({shown(low, area.se)} to {shown(high, area.se)})"
            label = f"{name}: AP {limits}" if name else f"AP {limits}"
            smooth = curve.interpolated()
            (line,) = ax.plot(smooth["recall"], smooth["precision"], linewidth=1.5, label=label)
            few = len(curve.recall) <= 60  # the points themselves, where they can be told apart
            if few:
                ax.plot(curve.recall[1:], curve.precision[1:], ".", color=line.get_color(), markersize=5)
            ax.axhline(curve.prevalence, color=line.get_color(), linewidth=0.8, linestyle="--", zorder=0)
        shares = sorted({c.prevalence for c in self.curves.values()})
        ax.annotate(
            "chance", (0.0, shares[-1]), xytext=(2, 3), textcoords="offset points", fontsize="small", color="0.4"
        )
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.03), xlabel="recall (TPF)", ylabel="precision (PPV)")
        ax.set_xticks(np.linspace(0, 1, 6))
        ax.set_aspect("equal")
        ax.legend(loc="best", fontsize="small", frameon=False)
        return ax
