"""A threshold for a wanted rate, where the scores of its class put it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.curves.point import ThresholdAt
from karat.plots.axes import boxed_legend, new_axes
from karat.plots.draw import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASSES = {"fpf": "negatives", "tpf": "positives"}


@draw.register(ThresholdAt)
def draw_threshold(threshold: ThresholdAt, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """The rate against the threshold, the wanted rate, and the interval of its threshold."""
    t = threshold
    ax = new_axes(ax, figsize=(5.6, 4.2))
    shares = np.arange(1, len(t.scores) + 1) / len(t.scores)
    finite = np.isfinite(t.scores)
    x, y = (np.append(v[finite], v[finite][-1:]) for v in (t.scores, shares))
    ax.step(x, y, where="post", color="C0", linewidth=1.4, label=f"share of {CLASSES[t.rate]} at or above it")
    ax.axhline(t.wanted, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    if len(x):
        low, high = np.clip(t.ci(level), x.min(), x.max()).tolist()  # an infinite limit ends with the scores
        ax.axvspan(low, high, color="C3", alpha=0.2, linewidth=0, label=f"{100 * level:g} % interval")
    if np.isfinite(t.value):
        ax.axvline(t.value, color="C3", linewidth=1.4, label=f"threshold {t.value:.4g}")
    ax.set(xlabel="threshold", ylabel=t.rate.upper(), ylim=(-0.02, 1.02))
    right = len(x) > 0 and t.value > (x.min() + x.max()) / 2  # the share falls from upper left to lower right
    boxed_legend(ax, "lower left" if right else "upper right")
    return ax
