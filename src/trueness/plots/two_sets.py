"""Total variance against the sizes of the training set and of the test set."""

from __future__ import annotations

import numpy as np

from trueness.plots.axes import metric_name, new_axes
from trueness.plots.draw import draw
from trueness.result.two_sets import TwoSets, TwoSetsPair
from trueness.typing import Axes

TIMES = np.geomspace(0.25, 16, 37)  # times as many test cases


@draw.register(TwoSets)
def draw_two_sets(t: TwoSets, ax: Axes | None = None) -> Axes:
    """One line per size of the training set, dashed where no rules of this size were fitted; a dot for the study.

    A line that becomes flat has reached its training variance: more test cases buy nothing there.
    """
    ax = new_axes(ax, figsize=(6.4, 4.6))
    least = int(np.ceil(2 * t.n_test / min(t.strata)))
    sizes = np.unique(np.maximum(np.round(TIMES * t.n_test).astype(int), least))
    table = t.sizes(n_test=sizes.tolist())
    name = metric_name(t.fixed.metric)
    table = table[table.total > 0]  # a logarithmic axis has no 0
    for k, (n_train, rows) in enumerate(table.groupby("n_train")):
        fitted = bool(rows.fitted.iloc[0])
        value = f", {name} {rows.value.iloc[0]:.3f}" if fitted else ", training variance ∝ 1/n"
        here = n_train == t.n_train
        (line,) = ax.plot(rows.n_test, rows.total, label=f"{n_train} training cases{value}", color=f"C{k}")
        line.set(linestyle="-" if fitted else "--", linewidth=2.0 if here else 1.2)
        if here:
            now = rows[rows.n_test == t.n_test]
            ax.plot(now.n_test, now.total, "o", color=f"C{k}", markersize=7)
    ax.set(xscale="log", yscale="log", xlabel="test cases", ylabel=f"variance of the {name}", title=t.model[:70])
    ax.legend(fontsize="small", frameon=False)
    return ax


@draw.register(TwoSetsPair)
def draw_pair(t: TwoSetsPair, ax: Axes | None = None) -> Axes:
    """The figure of the difference."""
    return draw(t.difference, ax)
