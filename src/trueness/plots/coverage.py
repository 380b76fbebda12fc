"""Coverage of intervals of a proportion over p."""

from __future__ import annotations

from trueness.plots.axes import new_axes
from trueness.plots.draw import draw
from trueness.tables.proportion import ProportionCoverage
from trueness.typing import Axes


@draw.register(ProportionCoverage)
def draw_coverage(coverage: ProportionCoverage, ax: Axes | None = None) -> Axes:
    """One line per method, and the level."""
    ax = new_axes(ax, figsize=(7.2, 4.2))
    frame = coverage.frame()
    for method, part in frame.groupby("method", sort=False):
        mean = part["coverage"].mean()
        ax.plot(part["p"], part["coverage"], linewidth=0.9, label=f"{method} (mean {mean:.3f})")
    ax.axhline(coverage.level, color="0.3", linewidth=0.8, linestyle="--", zorder=0)
    low = max(0.0, min(coverage.level - 0.05, frame["coverage"].quantile(0.02)) - 0.02)
    ax.set(xlim=(0, 1), ylim=(low, 1.005), xlabel="p", ylabel=f"coverage, n = {coverage.n}")
    ax.legend(loc="lower center", fontsize="small", frameon=False, ncols=2)
    return ax
