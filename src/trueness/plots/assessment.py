"""The estimates of one metric, each a dot with its interval."""

from __future__ import annotations

import math

from trueness.errors import InputError
from trueness.plots.axes import metric_name, new_axes
from trueness.plots.draw import draw
from trueness.result.assessment import Assessment
from trueness.typing import Axes


@draw.register(Assessment)
def draw_assessment(a: Assessment, ax: Axes | None = None, *, metric: str | None = None) -> Axes:
    """One line per estimator of a metric (the first by default): the recommended one first and in colour, the apparent
    one hollow, those without a standard error without a line."""
    metrics = list(dict.fromkeys(m for m, _ in a.estimates))
    metric = metric or metrics[0]
    if metric not in metrics:
        raise InputError(
            f"There is no metric {metric!r}",
            param="metric",
            got=repr(metric),
            fix=f"Choose one of {', '.join(metrics)}",
        )
    chosen = a.recommended.get(metric)
    some = {k: e for (m, k), e in a.estimates.items() if m == metric and k != "majority" and math.isfinite(e.value)}
    order = sorted(some, key=lambda k: k != chosen)
    ax = new_axes(ax, figsize=(6.4, 1.3 + 0.32 * len(order)))
    for place, k in enumerate(order):
        e, colour = some[k], "C0" if k == chosen else "0.45"
        if e.has_interval:
            ax.plot([*e.ci(a.level)], [place, place], color=colour, linewidth=2.2 if k == chosen else 1.2)
        ax.plot(
            [e.value], [place], "o", color=colour, markerfacecolor="white" if k == "apparent" else colour, markersize=6
        )
    ax.set_yticks(range(len(order)), order)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel(f"{metric_name(metric)}, {100 * a.level:g} % interval")
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.locator_params(axis="x", nbins=6)
    return ax
