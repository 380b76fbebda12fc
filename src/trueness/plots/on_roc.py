"""What is drawn on a ROC curve, or with one: its band, its hull, a point, a choice, and a threshold."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from trueness.curves.bands import Band
from trueness.curves.choice import Choice
from trueness.curves.empirical import Hull
from trueness.curves.point import RocPoint, ThresholdAt
from trueness.plots.axes import boxed_legend, drawn, emptier, new_axes, roc_square
from trueness.plots.draw import draw
from trueness.result.digits import significant
from trueness.typing import Axes

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

MAX_CROSSES = 40  # more would hide each other
LEGEND_WIDTH = 38  # characters; more would not fit into the axes
CLASSES = {"fpf": "negatives", "tpf": "positives"}


@draw.register(Band)
def draw_band(band: Band, ax: Axes | None = None, *, color: ColorType = "C0") -> Axes:
    """Shaded between its limits, or crosses at thresholds for the binomial band."""
    b, alone = band, ax is None
    ax = roc_square(new_axes(ax), diagonal=alone)
    if b.fpf_low is not None and b.fpf_high is not None:
        at = slice(None, None, max(1, len(b.fpf) // MAX_CROSSES))
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


@draw.register(Hull)
def draw_hull(hull: Hull, ax: Axes | None = None) -> Axes:
    """Corners joined by straight lines; draw it over the axes of its curve."""
    ax = roc_square(new_axes(ax), diagonal=ax is None)
    label = f"concave hull, area {hull.area:.3f}"
    ax.plot(hull.fpf, hull.tpf, "o--", color="0.25", markersize=4, linewidth=1, label=label)
    ax.legend(loc="lower right", fontsize="small", frameon=False)
    return ax


@draw.register(RocPoint)
def draw_point(point: RocPoint, ax: Axes | None = None, *, level: float = 0.95, color: str = "C3") -> Axes:
    """A cross at (FPF, TPF) in its joint region; draw it over the axes of its curve."""
    from matplotlib.patches import Rectangle

    fpf, tpf = point.joint_region(level)
    ax = roc_square(new_axes(ax), diagonal=ax is None)
    label = f"{100 * level:g} % region of FPF and TPF"
    sides = fpf.high - fpf.low, tpf.high - tpf.low
    ax.add_patch(Rectangle((fpf.low, tpf.low), *sides, facecolor=color, edgecolor=color, alpha=0.25, label=label))
    x, y = point.fpf.value, point.tpf.value
    name = f"score ≥ {significant(point.threshold, 4)}"
    ax.plot([x], [y], "x", color="k", markersize=9, markeredgewidth=2, label=name)
    boxed_legend(ax, "lower right" if y >= x else "upper left")
    return ax


@draw.register(Choice)
def draw_choice(choice: Choice, ax: Axes | None = None) -> Axes:
    """The curve, the chosen point, and the points chosen on resamples."""
    ax = roc_square(new_axes(ax))
    ax.plot(*drawn(choice.curve), color="C0", linewidth=1.2)
    again = choice.replicates
    if len(again):
        label = f"chosen on {len(again)} resamples"
        ax.plot(again["fpf"], again["tpf"], ".", color="C1", markersize=4, alpha=0.3, zorder=1, label=label)
    criterion = fill(choice.criterion, LEGEND_WIDTH)
    name = f"{criterion}:\nscore ≥ {significant(choice.threshold, 4)}, TPF {choice.tpf:.3f}, FPF {choice.fpf:.3f}"
    ax.plot(choice.fpf, choice.tpf, "x", color="k", markersize=10, markeredgewidth=2, label=name)
    boxed_legend(ax, emptier([choice.curve.auc.value]))
    return ax


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
        ax.axvline(t.value, color="C3", linewidth=1.4, label=f"threshold {significant(t.value, 4)}")
    ax.set(xlabel="threshold", ylabel=t.rate.upper(), ylim=(-0.02, 1.02))
    right = len(x) > 0 and t.value > (x.min() + x.max()) / 2  # the share falls from upper left to lower right
    boxed_legend(ax, "lower left" if right else "upper right")
    return ax
