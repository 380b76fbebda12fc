"""How often the intervals of a proportion hold, over p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from karat.diagnostic.proportion import coverage
from karat.plots.axes import new_axes


@dataclass(frozen=True, eq=False)
class CoverageDisplay:
    """Coverage of one or more methods of `proportion_interval` for n trials, summed exactly over all outcomes.

    Examples
    --------
    >>> CoverageDisplay(["wald", "wilson"], n=10, points=99).frame().groupby("method")["coverage"].min().round(3)
    method
    wald      0.096
    wilson    0.904
    Name: coverage, dtype: float64
    """

    methods: Sequence[str]
    n: int
    level: float = 0.95
    points: int = 999

    def frame(self) -> pd.DataFrame:
        """`method`, `p`, `coverage` at evenly spaced p inside (0, 1)."""
        p = np.arange(1, self.points + 1) / (self.points + 1)
        parts = [
            pd.DataFrame({"method": method, "p": p, "coverage": coverage(method, self.n, p, self.level)})
            for method in ([self.methods] if isinstance(self.methods, str) else self.methods)
        ]
        return pd.concat(parts, ignore_index=True)

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = new_axes(ax, figsize=(7.2, 4.2))
        table = self.frame()
        for method, part in table.groupby("method", sort=False):
            mean = part["coverage"].mean()
            ax.plot(part["p"], part["coverage"], linewidth=0.9, label=f"{method} (mean {mean:.3f})")
        ax.axhline(self.level, color="0.3", linewidth=0.8, linestyle="--", zorder=0)
        low = max(0.0, min(self.level - 0.05, table["coverage"].quantile(0.02)) - 0.02)
        ax.set(xlim=(0, 1), ylim=(low, 1.005), xlabel="p", ylabel=f"coverage, n = {self.n}")
        ax.legend(loc="lower center", fontsize="small", frameon=False, ncols=2)
        return ax
