"""Time of fit against n, p and B, trueness and a scikit-learn loop, on log-log axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from jobs import MODELS, one_refit, two_classes
from timing import median_seconds

import trueness

AXES = {
    "n (p = 5, B = 200)": [(n, 5, 200) for n in (50, 200, 1000, 5000)],
    "p (n = 500, B = 200)": [(500, p, 200) for p in (2, 5, 15, 40)],
    "B (n = 200, p = 5)": [(200, 5, b) for b in (50, 200, 1000, 4000)],
}


def plot_scaling(path: Path) -> None:
    """One panel per quantity, for LDA."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    model = MODELS["LDA"][0]
    figure = Figure(figsize=(12, 4), layout="constrained")
    for axes, (label, points) in zip(figure.subplots(1, 3), AXES.items(), strict=True):
        ours, loop, at = [], [], []
        for n, p, b in points:
            X, y = two_classes(n, p)
            rows = np.random.default_rng(0).integers(0, n, size=(20, n))
            ours.append(
                median_seconds(lambda X=X, y=y, b=b: trueness.fit(model, X, y, trueness.Bootstrap(b), rng=0), 3)
            )
            loop.append(median_seconds(lambda X=X, y=y, r=rows: [one_refit(model, X, y, i) for i in r], 1) * b / 20)
            at.append({"n": n, "p": p, "B": b}[label[0]])
        draw(axes, label, at, loop, ours)
    figure.savefig(path, dpi=120)


def draw(axes: Any, label: str, at: list[int], loop: list[float], ours: list[float]) -> None:
    """One panel: both times, with ticks where they were measured."""
    axes.loglog(at, loop, "o-", label="scikit-learn loop")
    axes.loglog(at, ours, "o-", label="trueness")
    axes.set(xlabel=label, ylabel="CPU seconds", title=f"LDA: time against {label[0]}")
    axes.set_xticks(at, labels=[str(value) for value in at])
    axes.set_xticks([], minor=True)  # over less than two decades matplotlib would label them all
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend(loc="center right")  # between the two
