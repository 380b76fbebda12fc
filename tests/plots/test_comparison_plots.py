"""Forest plot, critical-difference diagram, ranks: the data first, the picture second."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from karat import comparisons as C
from karat.plots.critical_difference import CriticalDifferenceDisplay
from karat.plots.forest import ForestDisplay
from karat.plots.ranks import RanksDisplay

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
    display = CriticalDifferenceDisplay(n)
    frame = display.frame()
    assert frame["rank"].is_monotonic_increasing
    assert frame["rank"].tolist() == pytest.approx(n.ranks.sort_values().tolist())
    for bar in n.groups():
        assert n.ranks[bar].max() - n.ranks[bar].min() <= n.critical_difference
    numbers = {i for groups in frame["groups"] for i in groups}
    assert numbers == set(range(1, len(n.groups()) + 1))
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


def test_ranks():
    display = RanksDisplay(C.ranks(TABLE))
    frame = display.frame()
    assert len(frame) == 100
    assert frame.groupby("data_set")["rank"].sum().eq(15).all()
    assert display.plot().get_xlabel().startswith("rank")
