"""Figures of comparisons: forest, critical-difference diagram."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness import comparisons as C
from trueness.errors import UndefinedError
from trueness.figures import Line, Text
from trueness.result.test_result import PosthocResult

TABLE = pd.DataFrame(
    np.random.default_rng(0).normal(size=(20, 5)) + np.array([0, 0.2, 1.5, 1.6, 3]), columns=list("abcde")
)


def words(figure):
    return " ".join(mark.words for mark in figure.panels[0].marks if isinstance(mark, Text))


def bars(figure):
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Line) and mark.width == 3.5]


def test_critical_difference_diagram():
    n = C.nemenyi(TABLE)
    for bar in n.groups():
        assert n.ranks[bar].max() - n.ranks[bar].min() <= n.critical_difference
    figure = n.figure()
    assert f"CD = {n.critical_difference:.2f}" in words(figure)
    assert all(f"{m} (" in words(figure) for m in "abcde")
    assert len(bars(figure)) == len(n.groups())


def test_diagram_without_a_critical_difference():
    assert "CD" not in words(C.conover(TABLE).figure())


def test_bars_never_reach_a_model_they_do_not_hold():
    ranks = pd.Series({"svm": 1.2, "knn": 2.0, "lda": 2.9, "qda": 2.92})
    p = pd.DataFrame(np.ones((4, 4)), index=ranks.index, columns=ranks.index)
    for pair in (("knn", "qda"), ("svm", "lda"), ("svm", "qda")):
        p.loc[pair] = p.loc[pair[::-1]] = 0.01
    result = PosthocResult("made up", 0.0, 0.01, ranks=ranks, p_values=p)
    assert result.groups() == [["svm", "knn"], ["knn", "lda"], ["lda", "qda"]]
    for names, bar in zip(result.groups(), bars(result.figure()), strict=True):
        low, high = bar.x
        assert {m for m in ranks.index if low <= ranks[m] <= high} == set(names)


def test_a_forest_says_how_its_intervals_hold():
    rng = np.random.default_rng(0)
    answers = pd.DataFrame({"id": range(60), **{n: rng.integers(0, 2, 60) for n in "abc"}})
    k = trueness.systems.compare(answers, item="id", systems=list("abc"))
    (panel,) = k.figure().panels
    assert panel.x_label == "difference of the accuracy, 95 % interval for all pairs together"
    assert list(panel.y_ticks.values()) == ["a − b", "a − c", "b − c"]
    two = trueness.systems.compare(answers, item="id", systems=["a", "b"])
    assert two.figure().panels[0].x_label == "difference of the accuracy, 95 % interval"
    low, high = two.interval(("a", "b"))
    interval = two.figure().panels[0].marks[1]
    assert (interval.low[0], interval.high[0]) == pytest.approx((low, high))


def test_roc_curves_of_all_models(two_gaussians):
    X, y = two_gaussians
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    k = trueness.compare(models, X, y, fits=60, rng=0)
    labels = k.plot_roc().get_legend_handles_labels()[1]
    assert [label.split(":")[0] for label in labels] == k.ranking()
    numbers = trueness.compare({"a": Ridge(), "b": Ridge(5.0)}, X, X[:, 0] + y, fits=60, rng=0)
    with pytest.raises(UndefinedError, match=r"one left-out score per case\.$"):
        numbers.plot_roc()
    several = trueness.compare(models, *load_iris(return_X_y=True), fits=60, rng=0)
    with pytest.raises(UndefinedError, match="There is no ROC curve"):
        several.plot_roc()
    assert len(trueness.assess(several.fits["nb"]).plot_roc().get_legend_handles_labels()[1]) == 3
