"""Confusion matrix and each class against the rest, of an assessment of several classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.api.by_class import by_class_of

NAMES = ("setosa", "versicolor", "virginica")


@pytest.fixture(scope="module")
def iris() -> tuple[np.ndarray, np.ndarray]:
    X, codes = load_iris(return_X_y=True)
    return X, np.array(NAMES)[codes]


def test_on_a_test_set_it_is_what_scikit_learn_and_diagnose_have():
    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b", "c", "d"], 300, p=[0.4, 0.3, 0.2, 0.1])
    said = np.where(rng.random(300) < 0.6, y, rng.choice(["a", "b", "c", "d"], 300))
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 300)), None, predictions=said[None])
    b, d = by_class_of(fits), trueness.diagnose(y, said)
    assert np.array_equal(b.counts.to_numpy(), confusion_matrix(y, said))
    for measure, score in (("tpf", recall_score), ("ppv", precision_score), ("f1", f1_score)):
        values = score(y, said, average=None, labels=list("abcd"))
        for name, value in zip("abcd", values, strict=True):
            e, same = b[name, measure], d.per_class(measure)[name]
            assert e.value == pytest.approx(value, abs=1e-12)
            if measure != "f1":  # plain shares: Wilson's interval in both
                assert e.ci() == pytest.approx(same.ci(), abs=1e-12)


def test_cross_validation_counts_every_case_once_per_repeat(iris):
    X, y = iris
    a = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5, repeats=3), metrics="error", rng=0)
    b = a.by_class()
    assert b.counts.sum(axis=1).to_dict() == pytest.approx(dict.fromkeys(NAMES, 50.0))
    assert 1 - np.trace(b.counts) / 150 == pytest.approx(a["error"].value, abs=1e-12)
    pooled = a.fits.pooled().predictions
    for k, name in enumerate(NAMES):
        mean = (pooled[:, a.fits.sample.codes == k] == k).mean()
        assert b[name, "tpf"].value == pytest.approx(mean, abs=1e-12)
        low, high = b[name, "ppv"].ci()
        assert 0 <= low <= b[name, "ppv"].value <= high <= 1


def test_names_of_classes_are_in_the_text_the_report_and_the_frame(iris):
    X, y = iris
    a = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5, repeats=2), rng=0)
    for page in (str(a), a.text(all=True), a.report()):
        assert "truth (rows) and decision (columns)" in page
        assert "Each class against the rest" in page
        assert all(name in page for name in NAMES)
    frame = a.by_class().frame()
    assert frame["class"].unique().tolist() == list(NAMES)
    assert frame["n"].tolist() == [50] * 9
    assert isinstance(a.by_class().counts, pd.DataFrame)
    matrix, *measures = a.by_class().figure().panels
    assert (list(matrix.x_ticks.values()), list(matrix.y_ticks.values())) == (list(NAMES), list(NAMES))
    assert len({panel.x_limits for panel in measures}) == 1  # one scale
    assert len(measures) == 3
    read = trueness.load(a.to_json())
    assert (str(read), str(read.by_class())) == (str(a), str(a.by_class()))
    assert read.by_class().figure().svg() == a.by_class().figure().svg()


def test_cells_are_shares_of_their_true_class(iris):
    X, y = iris
    b = trueness.assess(GaussianNB(), X, y, fits=60, metrics="error", rng=0).by_class()
    cells = b.frame("cells").set_index(["truth", "decision"])
    assert cells["cases"].unstack()[list(NAMES)].loc[list(NAMES)].to_numpy() == pytest.approx(b.counts.to_numpy())
    assert cells["share"].groupby("truth").sum().tolist() == pytest.approx([1.0] * 3)
    for name in NAMES:
        assert cells.loc[(name, name), "share"] == pytest.approx(b[name, "tpf"].value, abs=1e-12)
        assert tuple(cells.loc[(name, name), ["low", "high"]]) == pytest.approx(b[name, "tpf"].ci(), abs=1e-12)
    with pytest.raises(trueness.errors.InputError, match="no such class"):
        b.share("setosa", "rose")


def test_cells_of_a_test_set_have_wilsons_interval_and_labels_stay_what_they_are():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    said = np.where(rng.random(200) < 0.7, y, rng.integers(0, 3, 200))
    b = by_class_of(trueness.Fits.from_arrays(y, np.zeros((1, 200)), None, predictions=said[None]))
    for truth in range(3):
        for decision in range(3):
            n, of = ((y == truth) & (said == decision)).sum(), (y == truth).sum()
            e = b.share(truth, decision)
            assert e.value == pytest.approx(n / of)
            assert e.ci() == pytest.approx(trueness.tables.proportion_interval(n, of, "wilson"), abs=1e-12)
    assert b.frame()["class"].tolist() == [c for c in range(3) for _ in range(3)]
    assert b[2, "tpf"].value == b["2", "tpf"].value
    assert b.counts.loc[1, 2] == ((y == 1) & (said == 2)).sum()


def test_two_classes_have_it_too_but_do_not_print_it():
    rng = np.random.default_rng(0)
    y, X = rng.integers(0, 2, 120), rng.normal(size=(120, 2))
    X[:, 0] += y
    a = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5), metrics="error", rng=0)
    b = a.by_class()
    assert "Each class" not in str(a)
    assert b["1", "tpf"].value == pytest.approx(trueness.estimate(a.fits, "tpf", "cv").value, abs=1e-12)
    assert b["0", "tpf"].value == pytest.approx(trueness.estimate(a.fits, "specificity", "cv").value, abs=1e-12)


def test_a_class_that_is_never_decided_is_named():
    y = np.array(["a", "b", "c"] * 20)
    said = np.where(y == "c", "a", y)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 60)), None, predictions=said[None])
    b = by_class_of(fits)
    assert b["c", "tpf"].value == 0
    assert "undefined" in str(b)
    assert any("c, ppv" in str(note) for note in b.notes)
    with pytest.raises(trueness.errors.UndefinedError):
        b["c", "ppv"]
    with pytest.raises(trueness.errors.InputError, match="no"):
        b["d", "ppv"]


def test_a_regression_has_no_classes():
    X = np.random.default_rng(0).normal(size=(60, 2))
    a = trueness.assess(LinearRegression(), X[:, :1], X.sum(axis=1), plan=trueness.KFold(5), rng=0, checks=False)
    with pytest.raises(trueness.errors.InputError, match="no classes"):
        a.by_class()
