"""The store of trials: it tells settings apart, and refuses those of another study."""

import functools
import sqlite3

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness import studies
from trueness.errors import InputError
from trueness.fitting.described import described

NEAR = studies.two_gaussians(2, 1.2)


def evaluated(store, population=NEAR, model=None, estimators=("star",), rng=0, **more):
    return studies.evaluate(
        population, model or LDA(), estimators, sizes=(8,), trials=2, n_jobs=1, store=store, rng=rng, **more
    )


@pytest.mark.parametrize(
    "other",
    [
        {"population": studies.two_gaussians(2, 3.0)},
        {"model": QDA()},
        {"model": LDA(solver="lsqr", shrinkage=0.5)},
        {"estimators": ("apparent",)},
        {"estimators": {"star": ("star", {"undefined": "skip"})}},
        {"plan": trueness.Bootstrap(30)},
        {"rng": 1},
        {"rng": np.random.SeedSequence(0).spawn(1)[0]},
    ],
)
def test_a_store_of_another_study_is_refused(tmp_path, other):
    store = tmp_path / "s.db"
    first = evaluated(store)
    assert evaluated(store).frame().equals(first.frame())
    with pytest.raises(InputError, match="another study"):
        evaluated(store, **other)


def test_a_changed_number_is_refused(tmp_path):
    store = tmp_path / "s.db"
    evaluated(store)
    with sqlite3.connect(store) as file:
        (numbers,) = file.execute("select numbers from chunks").fetchone()
        changed = bytes([*numbers[:-1], numbers[-1] ^ 1])
        file.execute("update chunks set numbers = ?", (changed,))
    with pytest.raises(InputError, match="cannot be used"):
        evaluated(store)


def test_a_description_holds_class_and_parameters():
    assert described(LDA()) == described(LDA())
    assert described(LDA()) != described(LDA(tol=1e-3))
    assert described(studies.two_gaussians(2, 1.0)) != described(studies.two_gaussians(2, 1.0, priors=(0.1, 0.9)))
    assert described(evaluated)[0] == f"{__name__}.evaluated"


def test_functions_of_one_name_and_other_code_are_told_apart():
    def made(factor):
        return lambda trial: factor * trial.y.mean()

    assert described(made(1.0)) == described(made(1.0))
    assert described(made(1.0)) != described(made(2.0))  # what it holds
    assert described(lambda trial: 1.0) != described(lambda trial: 2.0)  # a constant
    assert described(lambda trial: trial.X) != described(lambda trial: trial.y)  # a name
    assert described(lambda trial, a=1: a) != described(lambda trial, a=2: a)  # a default
    assert described(functools.partial(evaluated, a=1)) != described(functools.partial(evaluated, a=2))
    assert described([c for c in "ab"]) == described(["a", "b"])
    assert described(lambda t: [x for x in t.y if x]) != described(lambda t: [x for x in t.y if not x])  # code within


def test_a_changed_function_is_not_read_from_the_store(tmp_path):
    first = evaluated(tmp_path / "s.db", estimators={"mine": lambda trial: 0.1})
    assert evaluated(tmp_path / "s.db", estimators={"mine": lambda trial: 0.1}).frame().equals(first.frame())
    with pytest.raises(InputError, match="another study"):
        evaluated(tmp_path / "s.db", estimators={"mine": lambda trial: 0.2})


class Weighted:
    """A callable object."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, trial):
        return self.weight


def test_objects_are_their_state():
    assert described(Weighted(1)) == described(Weighted(1))
    assert described(Weighted(1)) != described(Weighted(2))
    assert described(Weighted(1).__call__) != described(Weighted(2).__call__)
    a, b = (RandomForestClassifier(random_state=np.random.RandomState(k)) for k in (0, 1))
    assert described(a) != described(b)
    deep = RandomForestClassifier(max_depth=3)
    assert described({"m": DecisionTreeClassifier()}) != described({"m": DecisionTreeClassifier(max_depth=3)})
    assert described(deep) == described(RandomForestClassifier(max_depth=3))
    long = np.arange(2000.0)
    other = long.copy()
    other[1000] = 0  # a repr would show neither
    assert described(Weighted(long)) != described(Weighted(other))


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(InputError, match="cannot tell"):
        described(Weighted(weight for weight in (1, 2)))
