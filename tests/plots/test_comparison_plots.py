"""Forest plot, critical-difference diagram, ranks: the data first, the picture second."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from trueness import comparisons as C
from trueness.plots import draw
from trueness.plots.forest import ForestDisplay
from trueness.plots.ranks import RanksDisplay
from trueness.result.test_result import PosthocResult

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TABLE = pd.DataFrame(
    np.random.default_rng(0).normal(size=(20, 5)) + np.array([0, 0.2, 1.5, 1.6, 3]), columns=list("abcde")
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_critical_difference_diagram():
    n = C.nemenyi(TABLE)
    for bar in n.groups():
        assert n.ranks[bar].max() - n.ranks[bar].min() <= n.critical_difference
    ax = n.plot()
    text = " ".join(t.get_text() for t in ax.texts)
    assert f"CD = {n.critical_difference:.2f}" in text
    assert all(f"{m} (" in text for m in "abcde")
    thick = [line for line in ax.lines if line.get_linewidth() == 3.5]
    assert len(thick) == len(n.groups())


def test_diagram_without_a_critical_difference():
    ax = C.conover(TABLE).plot()
    assert not any("CD" in t.get_text() for t in ax.texts)


def test_forest_draws_into_given_axes():
    rows = pd.DataFrame(
        {
            "label": ["a − b", "a − c"],
            "value": [0.1, 0.2],
            "low": [0.05, np.nan],
            "high": [0.15, np.nan],
            "p_value": [0.01, np.nan],
        }
    )
    display = ForestDisplay(rows, "difference of the auc", margin=0.02)
    _, ax = plt.subplots()
    assert display.plot(ax) is ax
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a − b", "a − c"]
    intervals = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_color() == "C0"]
    assert [list(line.get_xdata()) for line in intervals] == [[0.05, 0.15]]
    assert display.frame().equals(rows)


def test_bars_never_reach_a_model_they_do_not_hold():
    ranks = pd.Series({"svm": 1.2, "knn": 2.0, "lda": 2.9, "qda": 2.92})
    p = pd.DataFrame(np.ones((4, 4)), index=ranks.index, columns=ranks.index)
    for pair in (("knn", "qda"), ("svm", "lda"), ("svm", "qda")):
        p.loc[pair] = p.loc[pair[::-1]] = 0.01
    result = PosthocResult("made up", 0.0, 0.01, ranks=ranks, p_values=p)
    assert result.groups() == [["svm", "knn"], ["knn", "lda"], ["lda", "qda"]]
    bars = [line for line in draw(result).lines if line.get_linewidth() == 3.5]
    for names, line in zip(result.groups(), bars, strict=True):
        low, high = line.get_xdata()
        assert {m for m in ranks.index if low <= ranks[m] <= high} == set(names)
        assert line.get_solid_capstyle() == "butt"


@pytest.mark.parametrize("scale", [1e-5, 1e-3, 0.1])
def test_forest_has_room_for_numbers_and_names(scale):
    rows = pd.DataFrame(
        {
            "label": ["QuadraticDiscriminantAnalysis, shrunk − LinearDiscriminantAnalysis", "a − b"],
            "value": [1.2 * scale, 2.1 * scale],
            "low": [0.5 * scale, -scale],
            "high": [1.9 * scale, 3 * scale],
            "p_value": [0.1, 0.2],
        }
    )
    ax = ForestDisplay(rows, "difference of the neg_root_mean_squared_error").plot()
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    boxes = [t.get_window_extent() for t in labels]
    assert len(boxes) >= 3
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
    name = ax.xaxis.label.get_window_extent()
    assert name.x0 >= 0
    assert name.x1 <= ax.figure.bbox.x1
    assert ax.get_xlabel().endswith("95 % interval per pair")
    assert ForestDisplay(rows[:1], "difference").plot().get_xlabel().endswith("95 % interval")


def test_ranks():
    display = RanksDisplay(C.ranks(TABLE))
    frame = display.frame()
    assert len(frame) == 100
    assert frame.groupby("data_set")["rank"].sum().eq(15).all()
    assert display.plot().get_xlabel().startswith("rank")
