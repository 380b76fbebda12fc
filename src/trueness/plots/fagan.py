"""Fagan's nomogram: a straight line from the probability before a test to that after it (Fagan 1975).

logit(after) = logit(before) + ln DLR: with −logit(before) on the left and logit(after) on the right, the middle of the
line is at ½ ln DLR.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from trueness.plots.axes import new_axes
from trueness.plots.draw import draw
from trueness.result.digits import with_interval
from trueness.tables.post_test import PostTest
from trueness.typing import Axes, Floats

PERCENT = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9])
RATIOS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])


@draw.register(PostTest)
def draw_fagan(test: PostTest, ax: Axes | None = None) -> Axes:
    """The lines of a positive and of a negative result, with their intervals."""
    ax = new_axes(ax, figsize=(5.6, 7.2))
    odds = special.logit(PERCENT / 100)
    _scale(ax, 0, -odds, PERCENT, "right")
    _scale(ax, 1, np.log(RATIOS) / 2, RATIOS, "right")
    _scale(ax, 2, odds, PERCENT, "left")
    start = -special.logit(test.pre_test)
    for result, e, color in (("positive", test.positive, "C3"), ("negative", test.negative, "C0")):
        low, high = e.ci(test.level)
        text = f"{result}: {with_interval(e, test.level)}"
        end = special.logit(e.value)
        ax.plot([0, 2], [start, end], color=color, linewidth=1.6, label=text)
        ax.fill([0, 2, 2], [start, *special.logit([low, high])], color=color, alpha=0.15, linewidth=0)
        ax.plot([2], [end], "o", color=color, markersize=4)
    ax.plot([0], [start], "o", color="0.2", markersize=4)
    ax.set(xlim=(-0.35, 2.35), ylim=(-7.3, 7.3), xticks=[0, 1, 2], yticks=[])
    ax.set_xticklabels(["before the test (%)", "likelihood ratio", "after the test (%)"])
    ax.tick_params(axis="x", length=0)
    ax.spines[:].set_visible(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.08), fontsize="small", frameon=False, ncols=1)
    return ax


def _scale(ax: Axes, x: float, at: Floats, numbers: Floats, side: str) -> None:
    """A vertical scale with its ticks and numbers."""
    ax.plot([x, x], [at.min(), at.max()], color="0.3", linewidth=0.8, zorder=1)
    step = -0.03 if side == "right" else 0.03
    for place, number in zip(at, numbers, strict=True):
        ax.plot([x, x + step], [place, place], color="0.3", linewidth=0.8)
        ax.text(x + 1.6 * step, place, f"{number:g}", ha=side, va="center", fontsize=7, color="0.2")
