"""A threshold for a wanted rate, where the scores of its class put it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from karat.plots.axes import new_axes

if TYPE_CHECKING:
    from karat.curves.point import ThresholdAt

CLASSES = {"fpf": "negatives", "tpf": "positives"}


@dataclass(frozen=True, eq=False)
class ThresholdDisplay:
    """The rate against the threshold, the wanted rate, and the interval of its threshold."""

    threshold: ThresholdAt
    level: float = 0.95

    def frame(self) -> pd.DataFrame:
        """A row a score of the class, high to low: `threshold`, and the share of cases at or above it."""
        scores = self.threshold.scores
        return pd.DataFrame({"threshold": scores, self.threshold.rate: np.arange(1, len(scores) + 1) / len(scores)})

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        t = self.threshold
        ax = new_axes(ax, figsize=(5.6, 4.2))
        table = self.frame()
        table = table[np.isfinite(table["threshold"])]
        x, y = (np.append(table[name], table[name].iloc[-1:]) for name in table)
        ax.step(x, y, where="post", color="C0", linewidth=1.4, label=f"share of {CLASSES[t.rate]} at or above it")
        ax.axhline(t.wanted, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
        low, high = t.ci(self.level)
        if len(x):
            span = np.clip([low, high], x.min(), x.max())  # a limit that does not exist ends with the scores
            ax.axvspan(*span, color="C3", alpha=0.2, linewidth=0, label=f"{100 * self.level:g} % interval")
        if np.isfinite(t.value):
            ax.axvline(t.value, color="C3", linewidth=1.4, label=f"threshold {t.value:.4g}")
        ax.set(xlabel="threshold", ylabel=t.rate.upper(), ylim=(-0.02, 1.02))
        beyond = (
            len(x) > 0 and t.value > (x.min() + x.max()) / 2
        )  # the share falls from the upper left to the lower right
        ax.legend(loc="lower left" if beyond else "upper right", fontsize="small", frameon=False)
        return ax
