"""Fagan's nomogram: a straight line from the probability before a test to that after it (Fagan 1975)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

from karat.plots.axes import new_axes
from karat.result.digits import shown

if TYPE_CHECKING:
    from karat.diagnostic.diagnosis import Diagnosis

PROBABILITIES = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9])
RATIOS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])


@dataclass(frozen=True, eq=False)
class FaganDisplay:
    """The lines of a positive and of a negative result.

    logit(after) = logit(before) + ln DLR: with −logit(before) on the left and logit(after) on the right, the middle
    of the line is at ½ ln DLR.
    """

    test: Diagnosis
    pre_test: float
    level: float = 0.95

    def frame(self) -> pd.DataFrame:
        """A row a result: `result`, `pre_test`, `dlr`, `dlr_low`, `dlr_high`, `post_test`, `low`, `high`."""
        after = self.test.post_test(self.pre_test)
        rows = []
        for result, dlr, post in (
            ("positive", self.test.dlr_positive, after.positive),
            ("negative", self.test.dlr_negative, after.negative),
        ):
            ratio, limits = dlr.ci(self.level), post.ci(self.level)
            rows.append(
                {
                    "result": result,
                    "pre_test": after.pre_test,
                    "dlr": dlr.value,
                    "dlr_low": ratio.low,
                    "dlr_high": ratio.high,
                    "post_test": post.value,
                    "low": limits.low,
                    "high": limits.high,
                }
            )
        return pd.DataFrame(rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw into axes (new ones where none are given); returns them."""
        ax = new_axes(ax, figsize=(5.6, 7.2))
        odds = special.logit(PROBABILITIES / 100)
        _scale(ax, 0, -odds, [f"{p:g}" for p in PROBABILITIES], "right")
        _scale(ax, 1, np.log(RATIOS) / 2, [f"{r:g}" for r in RATIOS], "right")
        _scale(ax, 2, odds, [f"{p:g}" for p in PROBABILITIES], "left")
        after = self.test.post_test(self.pre_test)
        errors = (after.positive.se, after.negative.se)
        for row, se, color in zip(self.frame().itertuples(), errors, ("C3", "C0"), strict=True):
            start, end = -special.logit(row.pre_test), special.logit(row.post_test)
            text = f"{row.result}: {shown(row.post_test, se)} ({shown(row.low, se)} to {shown(row.high, se)})"
            ax.plot([0, 2], [start, end], color=color, linewidth=1.6, label=text)
            ends = special.logit([row.low, row.high])
            ax.fill([0, 2, 2], [start, *ends], color=color, alpha=0.15, linewidth=0)
            ax.plot([2], [end], "o", color=color, markersize=4)
        ax.plot([0], [-special.logit(after.pre_test)], "o", color="0.2", markersize=4)
        ax.set(xlim=(-0.35, 2.35), ylim=(-7.3, 7.3), xticks=[0, 1, 2], yticks=[])
        ax.set_xticklabels(["before the test (%)", "likelihood ratio", "after the test (%)"])
        ax.tick_params(axis="x", length=0)
        for side in ("top", "left", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.08), fontsize="small", frameon=False, ncols=1)
        return ax


def _scale(ax: Any, x: float, at: np.ndarray, labels: list[str], side: str) -> None:
    """A vertical scale with its ticks and numbers."""
    ax.plot([x, x], [at.min(), at.max()], color="0.3", linewidth=0.8, zorder=1)
    step = -0.03 if side == "right" else 0.03
    for place, label in zip(at, labels, strict=True):
        ax.plot([x, x + step], [place, place], color="0.3", linewidth=0.8)
        ax.text(x + 1.6 * step, place, label, ha=side, va="center", fontsize=7, color="0.2")
