"""What the laboratory refuses, and what an estimator of one's own cannot spoil."""

import functools

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import karat
from karat import studies
from karat.errors import InputError
from karat.studies.identity import identity

POPULATION = studies.two_gaussians(2, 1.2)
LDA = LinearDiscriminantAnalysis()


def evaluate(population=POPULATION, model=LDA, estimators=("star",), **options):
    options = {"sizes": (10,), "trials": 4, "n_jobs": 1, "plan": karat.Bootstrap(20), **options}
    return studies.evaluate(population, model, estimators, **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sizes": 20}, "list of sample sizes"),
        ({"sizes": "20"}, "list of sample sizes"),
        ({"sizes": ()}, "at least one size"),
        ({"sizes": (-3,)}, "a size must be a whole number of at least 2"),
        ({"sizes": (20.5,)}, "a size must be a whole number"),
        ({"sizes": ((20, 1.5),)}, "a size must be a whole number"),
        ({"sizes": ((20, 20, 20),)}, "one a class"),
        ({"population": "gauss"}, "one of karat.studies"),
        ({"population": {"a": POPULATION, "b": None}}, "one of karat.studies"),
        ({"population": {}}, "at least one population"),
        ({"model": "lda"}, "scikit-learn classifier"),
        ({"model": LinearDiscriminantAnalysis}, "not fitted"),
        ({"model": {}}, "at least one model"),
        ({"estimators": "star"}, "list of methods"),
        ({"estimators": 3}, "list of methods"),
        ({"estimators": {"true": "star"}}, "none called 'true'"),
        ({"estimators": {"mine (se)": "star"}}, "none called"),
        ({"estimators": {"mine": lambda trial: None}}, "must give a number"),
        ({"estimators": {"mine": lambda trial: "high"}}, "must give a number"),
        ({"estimators": {"mine": lambda trial: {"a": [1, 2]}}}, "a must give a number"),
        ({"estimators": {"mine": lambda trial: {"true": 1.0}}}, "the same name"),
        ({"estimators": {"star": "star", "mine": lambda trial: {"star": 1.0}}}, "the same name"),
        ({"trials": 1}, "at least 2"),
        ({"n_jobs": 0}, "n_jobs must"),
    ],
)
def test_wrong_input_is_a_message(options, says):
    with pytest.raises(InputError, match=says):
        evaluate(**options)


def test_sizes_of_numpy_are_sizes():
    a, b = evaluate(sizes=np.array([10, 12])), evaluate(sizes=(10, 12))
    assert a.table().equals(b.table())
    assert a.settings["sizes"] == [10, 12]
    assert evaluate(sizes=np.array([[10, 12]])).table()["size"].unique().tolist() == ["10+12"]


def sometimes(trial):
    """No answer on every other sample."""
    return np.nan if trial.seed.spawn_key[-1] % 2 else trial.y.mean() + 0.001 * trial.X[0, 0]


def never(trial):
    return np.nan


def test_samples_without_an_answer_are_counted():
    found = evaluate(estimators={"star": "star", "half": sometimes, "never": never}, trials=10)
    table = found.table().set_index("estimator")
    assert table["answered"].to_dict() == {"true": 1.0, "star": 1.0, "half": 0.5, "never": 0.0}
    assert table.loc["half", ["mean", "sd", "rms", "mean_mc"]].notna().all()
    assert np.isnan(table.loc["never", "mean"])
    assert set(found.table("decomposition")["estimator"]) == {"star", "half"}
    assert "answered" not in evaluate().table()  # where all have one


def test_the_row_of_half_an_estimator_is_of_its_own_samples():
    whole = evaluate(estimators={"all": lambda trial: trial.X[0, 0]}, trials=8).table()
    half = evaluate(estimators={"all": lambda t: np.nan if t.seed.spawn_key[-1] >= 4 else t.X[0, 0]}, trials=8).table()
    first = evaluate(estimators={"all": lambda trial: trial.X[0, 0]}, trials=4).table()
    row = half[half["estimator"] == "all"].iloc[0]
    assert row["rms"] == first[first["estimator"] == "all"]["rms"].iloc[0]
    assert row["rms"] != whole[whole["estimator"] == "all"]["rms"].iloc[0]


def test_a_metric_that_needs_probabilities_gets_them():
    table = evaluate(metric="brier", estimators=["loob", "apparent"], trials=6).table().set_index("estimator")
    assert table["mean"].between(0.05, 0.4).all()
    assert table.loc["apparent", "mean"] < table.loc["true", "mean"]


# -- what a store knows of a function ------------------------------------------------------------------------------


def test_functions_of_one_name_and_other_code_are_told_apart():
    def made(factor):
        return lambda trial: factor * trial.y.mean()

    assert identity(made(1.0)) == identity(made(1.0))
    assert identity(made(1.0)) != identity(made(2.0))  # what it holds
    assert identity(lambda trial: 1.0) != identity(lambda trial: 2.0)  # a constant
    assert identity(lambda trial: trial.X) != identity(lambda trial: trial.y)  # a name
    assert identity(lambda trial, a=1: a) != identity(lambda trial, a=2: a)  # a default
    assert identity(functools.partial(sometimes, a=1)) != identity(functools.partial(sometimes, a=2))
    assert identity([c for c in "ab"]) == identity(["a", "b"])
    assert identity(lambda t: [x for x in t.y if x]) != identity(lambda t: [x for x in t.y if not x])  # code within


def test_a_changed_function_is_not_read_from_the_store(tmp_path):
    first = evaluate(estimators={"mine": lambda trial: 0.1}, store=tmp_path / "s.db")
    assert evaluate(estimators={"mine": lambda trial: 0.1}, store=tmp_path / "s.db").table().equals(first.table())
    with pytest.raises(InputError, match="another study"):
        evaluate(estimators={"mine": lambda trial: 0.2}, store=tmp_path / "s.db")


class Weighted:
    """A callable object."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, trial):
        return self.weight


def test_objects_are_their_state():
    assert identity(Weighted(1)) == identity(Weighted(1))
    assert identity(Weighted(1)) != identity(Weighted(2))
    assert identity(Weighted(1).__call__) != identity(Weighted(2).__call__)
    a, b = (RandomForestClassifier(random_state=np.random.RandomState(k)) for k in (0, 1))
    assert identity(a) != identity(b)
    deep = RandomForestClassifier(max_depth=3)
    assert identity({"m": DecisionTreeClassifier()}) != identity({"m": DecisionTreeClassifier(max_depth=3)})
    assert identity(deep) == identity(RandomForestClassifier(max_depth=3))
    long = np.arange(2000.0)
    other = long.copy()
    other[1000] = 0  # a repr would show neither
    assert identity(Weighted(long)) != identity(Weighted(other))


def test_what_cannot_be_told_apart_is_refused():
    class Local:
        __slots__ = ()

    with pytest.raises(InputError, match="cannot tell"):
        identity(Local())
