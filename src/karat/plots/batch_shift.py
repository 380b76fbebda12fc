"""One ROC curve, and where a fixed threshold ends up on it when scores are shifted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from karat.plots.axes import new_axes, roc_square


@dataclass(frozen=True, eq=False)
class BatchShiftDisplay:
    """The curves of all batches lie on each other; the points of the threshold do not."""

    study: Any  # a karat.studies.batch_shift.BatchShift

    def frame(self) -> pd.DataFrame:
        return self.study.frame()

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = roc_square(new_axes(ax))
        for curve in self.study.curves:
            ax.plot(curve.fpf, curve.tpf, color="C0", linewidth=1.2, alpha=0.6)
        table = self.frame()
        ax.plot([], [], color="C0", label=f"ROC of every batch, AUC {table['auc'].iloc[0]:.3f}")
        ax.plot(
            table["fpf"],
            table["tpf"],
            linestyle="none",
            marker="o",
            color="C3",
            label=f"threshold {self.study.threshold:.3g}",
        )
        for row in table.itertuples():
            ax.annotate(
                f"{row.shift:+g}" if row.shift else "0",
                (row.fpf, row.tpf),
                textcoords="offset points",
                xytext=(7, -9),
                fontsize=9,
            )
        ax.legend(loc="lower right", fontsize="small", frameon=False)
        return ax
