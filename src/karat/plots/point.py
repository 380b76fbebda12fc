"""One operating point and the rectangle that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.plots.axes import boxed_legend, new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.point import RocPoint


@dataclass(frozen=True, eq=False)
class PointDisplay:
    """A cross at (FPF, TPF) in its joint region; draw it over the axes of its curve."""

    point: RocPoint
    level: float = 0.95

    def frame(self) -> pd.DataFrame:
        """One row: `threshold`, `fpf`, `fpf_low`, `fpf_high`, `tpf`, `tpf_low`, `tpf_high`: the sides of the region."""
        row: dict[str, float] = {"threshold": self.point.threshold}
        names, rates = ("fpf", "tpf"), (self.point.fpf, self.point.tpf)
        for name, rate, (low, high) in zip(names, rates, self.point.joint_region(self.level), strict=True):
            row |= {name: rate.value, f"{name}_low": low, f"{name}_high": high}
        return pd.DataFrame([row])

    def plot(self, ax: Any = None, *, color: str = "C3") -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        from matplotlib.patches import Rectangle

        at = self.frame().iloc[0]
        ax = roc_square(new_axes(ax), diagonal=ax is None)
        corner, sides = (at.fpf_low, at.tpf_low), (at.fpf_high - at.fpf_low, at.tpf_high - at.tpf_low)
        label = f"{100 * self.level:g} % region of FPF and TPF"
        ax.add_patch(Rectangle(corner, *sides, facecolor=color, edgecolor=color, alpha=0.25, label=label))
        name = f"score ≥ {at.threshold:.4g}"
        ax.plot(*np.array([at.fpf, at.tpf]), "x", color="k", markersize=9, markeredgewidth=2, label=name)
        boxed_legend(ax, "lower right" if at.tpf >= at.fpf else "upper left")
        return ax
