"""assess: one call, every estimate, and what the reader must know."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import karat
from karat.errors import InputError, KaratWarning
from karat.result.assessment import RECIPE


def test_it_holds_every_estimate_of_its_plan(two_gaussians):
    X, y = two_gaussians
    a = karat.assess(LDA(), X, y, plan=karat.Bootstrap(150), rng=0)
    methods = {"apparent", "sb", "rb", "632", "632+", "star"}
    assert set(a) == {("error", m) for m in methods | {"loob", "majority"}} | {("auc", m) for m in methods | {"lpob"}}
    fits = karat.fit(LDA(), X, y, karat.Bootstrap(150), rng=0)
    assert a["auc", "lpob"].value == karat.estimate(fits, "auc", "lpob").value
    assert a["error", "majority"].value == 0.5
    table = a.table()
    assert list(table.columns[:6]) == ["metric", "method", "value", "se", "low", "high"]
    assert len(table) == len(list(a))
    assert RECIPE in str(a)
    with pytest.raises(InputError, match="no such estimate"):
        a["auc", "loob"]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (karat.KFold(5), {"apparent", "cv", "cv_pooled"}),
        (karat.LeaveOneOut(), {"apparent", "cv", "cv_pooled"}),
        (karat.MonteCarlo(40), {"apparent", "cv", "cv_pooled"}),
        (karat.Holdout(0.6), {"apparent", "holdout"}),
        (karat.NestedKFold(4, repeats=2), {"apparent", "nested_cv"}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::karat.errors.KaratWarning")  # 24 test cases settle nothing
def test_every_plan(two_gaussians, plan, expected):
    X, y = two_gaussians
    a = karat.assess(LDA(), X, y, plan=plan, metrics=["error"], rng=0)
    assert {k for _, k in a} == expected | {"majority"}


def test_what_is_undefined_is_named_not_dropped(two_gaussians):
    X, y = two_gaussians
    a = karat.assess(LDA(), X, y, plan=karat.LeaveOneOut(), rng=0)
    assert ("auc", "cv") not in set(a)
    assert any("auc cv is not defined here" in n for n in a.notes)
    assert ("auc", "cv_pooled") in set(a)


def test_the_same_seed_gives_the_same_json_for_any_jobs(two_gaussians):
    X, y = two_gaussians
    texts = {karat.assess(GaussianNB(), X, y, plan=karat.Bootstrap(60), rng=5, n_jobs=j).to_json() for j in (1, 2)}
    assert len(texts) == 1
    other = karat.assess(GaussianNB(), X, y, plan=karat.Bootstrap(60), rng=6).to_json()
    assert other not in texts


def test_json_csv_latex_and_html(two_gaussians, tmp_path):
    X, y = two_gaussians
    a = karat.assess(LDA(), X, y, plan=karat.Bootstrap(150), rng=0)
    a.to_json(tmp_path / "a.json")
    read = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert read["estimates"][0]["metric"] == "error"
    assert read["provenance"]["fingerprint"] == a.fits.design.fingerprint
    a.to_csv(tmp_path / "a.csv")
    frame = pd.read_csv(tmp_path / "a.csv")
    assert frame["value"].tolist() == pytest.approx(a.table()["value"].tolist())
    assert r"\begin{tabular}" in a.to_latex()
    assert "<table>" in a._repr_html_()


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(KaratWarning, match="1 of 150 rows"):
        a = karat.assess(LDA(), X, y, plan=karat.Bootstrap(100), rng=0)
    assert a["auc", "lpob"].value > 0.95
    assert a["error", "loob"].se > 0


def test_the_positive_class_is_asked_for_before_any_fit(two_gaussians):
    X, y = two_gaussians

    class Never(LDA):
        def fit(self, X, y):
            raise AssertionError("fitted too early")

    with pytest.raises(InputError, match="'sick' and 'well'"):
        karat.assess(Never(), X, np.array(["well", "sick"])[y])


def test_imbalance_and_a_useless_model_are_warned_of():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat([0, 1], [90, 10])
    with pytest.warns(KaratWarning) as caught:
        a = karat.assess(LDA(), X, y, plan=karat.Bootstrap(150), rng=0)
    said = " ".join(str(w.message) for w in caught)
    assert "10.0% of the cases are 1" in said
    assert "not clearly better than always answering the commonest class" in said
    assert len(a.warnings) == 2
    assert "Warning: " in str(a)


def test_lpob_that_would_be_too_dear_is_left_out_and_named(two_gaussians, monkeypatch):
    X, y = two_gaussians
    monkeypatch.setattr("karat.api.assess.TOO_DEAR", 10)
    a = karat.assess(LDA(), X, y, plan=karat.Bootstrap(60), rng=0)
    assert ("auc", "lpob") not in set(a)
    assert any("lpob is left out" in n for n in a.notes)


def test_bad_calls(two_gaussians):
    X, y = two_gaussians
    for options, message in (
        ({"level": 95}, "level"),
        ({"metrics": []}, "no metric"),
        ({"metrics": ["x"]}, "no metric 'x'"),
    ):
        with pytest.raises(InputError, match=message):
            karat.assess(LDA(), X, y, **options)


def test_a_target_that_is_also_a_feature():
    frame = pd.DataFrame({"a": np.arange(20.0), "y": [0, 1] * 10})
    with pytest.raises(InputError, match="also a feature"):
        karat.assess(LDA(), frame, frame["y"])


def test_other_metrics_and_groups(two_gaussians):
    X, y = two_gaussians
    groups = np.arange(40) // 2
    a = karat.assess(
        LDA(),
        X,
        y,
        plan=karat.Bootstrap(200),
        metrics=["brier", "fnf", "f1", karat.metrics.Cost(matrix=[[0, 1], [5, 0]])],
        groups=groups,
        rng=0,
    )
    assert {m for m, _ in a} == {"brier", "fnf", "f1", "cost"}
    assert a.fits.design.n_units == 20
