"""Performance against the number of training cases."""

from __future__ import annotations

import numpy as np

from trueness.plots.axes import metric_name, new_axes
from trueness.plots.draw import draw
from trueness.result.learning_curve import LearningCurve
from trueness.typing import Axes

MARKS = {"subsampling": "o", "cross-validation": "s", "bootstrap": "^", "extrapolation": "x"}


@draw.register(LearningCurve)
def draw_learning_curve(curve: LearningCurve, ax: Axes | None = None) -> Axes:
    """Estimates with their intervals, the power law as a line, extrapolations with their range (dashed)."""
    ax = new_axes(ax, figsize=(6.4, 4.4))
    table = curve.frame()
    for k, (source, rows) in enumerate(table.groupby("source", sort=False)):
        value = rows["value"].to_numpy(dtype=float)
        low, high = (rows[name].to_numpy(dtype=float) for name in ("low", "high"))
        spread = np.nan_to_num(np.vstack([value - low, high - value]))  # no bar without a standard error
        name = "bootstrap (.632 n distinct cases)" if source == "bootstrap" else str(source)
        bars = ax.errorbar(
            rows["n_train"], value, np.maximum(spread, 0), fmt=MARKS[str(source)], color=f"C{k}", capsize=3, label=name
        )
        if source == "extrapolation":
            for bar in bars[2]:
                bar.set_linestyle("--")
    if curve.law is not None:
        grid = np.geomspace(table["n_train"].min(), table["n_train"].max(), 200)
        label = f"{curve.law.a:.3f} {'+' if curve.law.sign > 0 else '−'} {curve.law.b:.2g} n^−{curve.law.c:.2g}"
        ax.plot(grid, curve.law(grid), color="0.5", linewidth=1, zorder=0, label=label)
    ax.set(xscale="log", xlabel="training cases", ylabel=metric_name(curve.estimates[0].metric))
    sizes = apart(table["n_train"].tolist())
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.legend(fontsize="small", frameon=False)
    return ax


def apart(sizes: list[int], ratio: float = 1.15) -> list[int]:
    """Sizes whose labels do not touch on a logarithmic axis: each at least `ratio` times the one before."""
    kept: list[int] = []
    for n in sorted({int(n) for n in sizes}):
        if not kept or n >= ratio * kept[-1]:
            kept.append(n)
    return kept
