"""A chosen operating point on its curve, and where resamples would have put it."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.plots.axes import boxed_legend, drawn, emptier, new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.choice import Choice

WIDTH = 38  # characters of the legend; more would not fit into the axes


@dataclass(frozen=True, eq=False)
class ChoiceDisplay:
    """The curve, the chosen point, and the points chosen on resamples."""

    choice: Choice

    def frame(self) -> pd.DataFrame:
        """The chosen point first, then a row a resample: `threshold`, `tpf`, `fpf`, `merit`, `resample`."""
        c = self.choice
        first = pd.DataFrame([{"threshold": c.threshold, "tpf": c.tpf, "fpf": c.fpf, "merit": c.merit, "resample": -1}])
        again = c.replicates.drop(columns="next_score", errors="ignore")
        if again.empty:
            return first
        return pd.concat([first, again.assign(resample=np.arange(len(again)))], ignore_index=True)

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        c = self.choice
        ax = roc_square(new_axes(ax))
        if c.curve is not None:
            ax.plot(*drawn(c.curve), color="C0", linewidth=1.2)
        table = self.frame()
        again = table[table["resample"] >= 0]
        if len(again):
            label = f"chosen on {len(again)} resamples"
            ax.plot(again["fpf"], again["tpf"], ".", color="C1", markersize=4, alpha=0.3, zorder=1, label=label)
        name = f"{fill(c.criterion, WIDTH)}:\nscore ≥ {c.threshold:.4g}, TPF {c.tpf:.3f}, FPF {c.fpf:.3f}"
        ax.plot(c.fpf, c.tpf, "x", color="k", markersize=10, markeredgewidth=2, label=name)
        boxed_legend(ax, "lower right" if c.curve is None else emptier([c.curve.auc.value]))
        return ax
