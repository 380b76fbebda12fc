"""`evaluate`: wrong input, and estimators without an answer."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness import studies
from trueness.errors import InputError

POPULATION = studies.two_gaussians(2, 1.2)
LDA = LinearDiscriminantAnalysis()


def evaluate(population=POPULATION, model=LDA, estimators=("star",), **options):
    options = {"sizes": (10,), "trials": 4, "n_jobs": 1, "plan": trueness.Bootstrap(20), **options}
    return studies.evaluate(population, model, estimators, **options)


@pytest.mark.parametrize(
    ("param", "options"),
    [
        ("sizes", {"sizes": 20}),
        ("sizes", {"sizes": "20"}),
        ("sizes", {"sizes": ()}),
        ("sizes", {"sizes": (-3,)}),
        ("sizes", {"sizes": (20.5,)}),
        ("sizes", {"sizes": ((20, 1.5),)}),
        ("sizes", {"sizes": ((20, 20, 20),)}),
        ("population", {"population": "gauss"}),
        ("population", {"population": {"a": POPULATION, "b": None}}),
        ("population", {"population": {}}),
        ("model", {"model": "lda"}),
        ("model", {"model": LinearDiscriminantAnalysis}),
        ("model", {"model": {}}),
        ("estimators", {"estimators": "star"}),
        ("estimators", {"estimators": 3}),
        ("estimators", {"estimators": {"true": "star"}}),
        ("estimators", {"estimators": {"mine (se)": "star"}}),
        ("estimators", {"estimators": {"mine": lambda trial: None}}),
        ("estimators", {"estimators": {"mine": lambda trial: "high"}}),
        ("estimators", {"estimators": {"mine": lambda trial: {"a": [1, 2]}}}),
        ("estimators", {"estimators": {"mine": lambda trial: {"true": 1.0}}}),
        ("estimators", {"estimators": {"star": "star", "mine": lambda trial: {"star": 1.0}}}),
    ],
)
def test_wrong_input_names_the_parameter(param, options):
    with pytest.raises(InputError) as caught:
        evaluate(**options)
    assert caught.value.param == param


def test_wrong_numbers():
    with pytest.raises(InputError, match="at least 2"):
        evaluate(trials=1)
    with pytest.raises(InputError, match="n_jobs"):
        evaluate(n_jobs=0)
    with pytest.raises(InputError, match="sizes must be whole numbers of at least 2. Got 20.5"):
        evaluate(sizes=(20.5,))


def test_sizes_of_numpy_are_sizes():
    a, b = evaluate(sizes=np.array([10, 12])), evaluate(sizes=(10, 12))
    assert a.frame().equals(b.frame())
    assert a.settings["sizes"] == [10, 12]
    assert evaluate(sizes=np.array([[10, 12]])).frame()["size"].unique().tolist() == ["10+12"]


def sometimes(trial):
    """No answer on every other sample."""
    return np.nan if trial.seed.spawn_key[-1] % 2 else trial.y.mean() + 0.001 * trial.X[0, 0]


def never(trial):
    return np.nan


def test_samples_without_an_answer_are_counted():
    found = evaluate(estimators={"star": "star", "half": sometimes, "never": never}, trials=10)
    table = found.frame().set_index("estimator")
    assert table["answered"].to_dict() == {"true": 1.0, "star": 1.0, "half": 0.5, "never": 0.0}
    assert table.loc["half", ["mean", "sd", "rms", "mean_mc"]].notna().all()
    assert np.isnan(table.loc["never", "mean"])
    assert set(found.frame("decomposition")["estimator"]) == {"star", "half"}
    assert "answered" not in evaluate().frame()  # where all have one


def test_the_row_of_half_an_estimator_is_of_its_own_samples():
    whole = evaluate(estimators={"all": lambda trial: trial.X[0, 0]}, trials=8).frame()
    half = evaluate(estimators={"all": lambda t: np.nan if t.seed.spawn_key[-1] >= 4 else t.X[0, 0]}, trials=8).frame()
    first = evaluate(estimators={"all": lambda trial: trial.X[0, 0]}, trials=4).frame()
    row = half[half["estimator"] == "all"].iloc[0]
    assert row["rms"] == first[first["estimator"] == "all"]["rms"].iloc[0]
    assert row["rms"] != whole[whole["estimator"] == "all"]["rms"].iloc[0]


def test_a_metric_that_needs_probabilities_gets_them():
    table = evaluate(metric="brier", estimators=["loob", "apparent"], trials=6).frame().set_index("estimator")
    assert table["mean"].between(0.05, 0.4).all()
    assert table.loc["apparent", "mean"] < table.loc["true", "mean"]
