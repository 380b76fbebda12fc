"""A confidence band around a ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.plots.axes import new_axes, roc_square

if TYPE_CHECKING:
    from karat.curves.bands import Band


@dataclass(frozen=True, eq=False)
class BandDisplay:
    """A band: shaded between its limits, or crosses at thresholds for the binomial one."""

    band: Band

    def frame(self) -> pd.DataFrame:
        return self.band.frame()

    def plot(self, ax: Any = None, *, color: str = "C0") -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        b = self.band
        alone = ax is None
        ax = roc_square(new_axes(ax), diagonal=alone)
        if b.fpf_low is not None and b.fpf_high is not None:
            step = max(1, len(b.fpf) // 40)  # more crosses than this hide each other
            at = slice(None, None, step)
            ax.errorbar(
                b.fpf[at],
                b.tpf[at],
                xerr=[(b.fpf - b.fpf_low)[at].clip(0), (b.fpf_high - b.fpf)[at].clip(0)],
                yerr=[(b.tpf - b.low)[at].clip(0), (b.high - b.tpf)[at].clip(0)],
                fmt=".",
                markersize=3,
                elinewidth=0.6,
                color=color,
                alpha=0.6,
                label=b.name,
            )
        else:
            ax.fill_between(b.fpf, b.low, b.high, color=color, alpha=0.15, linewidth=0, label=b.name)
        if alone:
            ax.legend(loc="lower right", fontsize="small", frameon=False)
        return ax
