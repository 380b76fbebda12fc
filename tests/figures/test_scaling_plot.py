"""The plot of the benchmarks: no two labels of an axis may lie over each other."""

from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_labels_do_not_overlap(monkeypatch):
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are not shipped with the tests")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    scaling = import_module("scaling")
    figure = Figure(figsize=(12, 4), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, 3)
    for axes, (label, points) in zip(panels, scaling.AXES.items(), strict=True):
        at = [dict(zip("npB", point, strict=True))[label[0]] for point in points]
        scaling.draw(axes, label, at, [0.2, 0.2, 0.3, 0.5], [0.001, 0.001, 0.002, 0.007])
    canvas.draw()
    for axes in panels:
        ticks = axes.get_xticklabels() + axes.get_xticklabels(minor=True)
        boxes = sorted((t.get_window_extent() for t in ticks if t.get_text()), key=lambda box: box.x0)
        assert len(boxes) == 4
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
