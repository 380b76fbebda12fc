"""Critical-difference diagram: mean ranks on a line, bars over models that do not differ (Demšar 2006)."""

from __future__ import annotations

from trueness.plots.axes import new_axes
from trueness.plots.draw import draw
from trueness.result.test_result import PosthocResult
from trueness.typing import Axes

OVERHANG = 0.04  # of a bar beyond its models, in ranks


@draw.register(PosthocResult)
def critical_difference(result: PosthocResult, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of models after Nemenyi's test, or another test of all pairs."""
    ranks, bars = result.ranks.sort_values(kind="stable"), result.groups()
    k = len(ranks)
    left = (k + 1) // 2  # the better half is named on the left, the rest on the right
    depth = 1 + 0.35 * len(bars) + 0.6 * left
    ax = new_axes(ax, figsize=(6.4, 1.2 + 0.35 * depth))
    ax.set(xlim=(0.4, k + 0.6), ylim=(depth + 0.6, -1.4))
    ax.axis("off")
    ax.plot([1, k], [0, 0], color="black", linewidth=1)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [-0.15, 0], color="black", linewidth=1)
        ax.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize="small")
    for i, bar in enumerate(bars):
        ax.plot(_ends(result, bar), [0.35 * (i + 1)] * 2, color="black", linewidth=3.5, solid_capstyle="butt")
    for i, (model, rank) in enumerate(ranks.items()):
        on_left = i < left
        y = 1 + 0.35 * len(bars) + 0.6 * (i if on_left else k - 1 - i)
        edge = 0.7 if on_left else k + 0.3
        ax.plot([rank, rank, edge], [0, y, y], color="0.3", linewidth=0.9)
        ax.text(edge, y, f" {model} ({rank:.2f}) ", ha="right" if on_left else "left", va="center", fontsize="small")
    cd = result.critical_difference
    if cd is not None:
        ax.plot([1, 1 + cd], [-1.0, -1.0], color="black", linewidth=1.4)
        ax.text(1 + cd / 2, -1.05, f"CD = {cd:.2f}", ha="center", va="bottom", fontsize="small")
    return ax


def _ends(result: PosthocResult, bar: list[str]) -> tuple[float, float]:
    """Where a bar begins and ends: a little beyond its models, but short of any model outside it."""
    ranks = result.ranks
    low, high = float(ranks[bar].min()), float(ranks[bar].max())
    below, above = ranks[ranks < low], ranks[ranks > high]
    left = min(OVERHANG, (low - float(below.max())) / 3) if len(below) else OVERHANG
    right = min(OVERHANG, (float(above.min()) - high) / 3) if len(above) else OVERHANG
    return low - left, high + right
