"""Studies after Wu (2018): formulas against other programs and enumeration, claims on the published settings."""

import json
from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness import studies
from trueness.errors import InputError
from trueness.studies.bias_and_variance import squared_loss, zero_one_loss
from trueness.studies.models import AdaBoost, best_stump
from trueness.studies.published.early_stopping import stopped_at
from trueness.studies.published.ridge import shrinkage
from trueness.studies.published.stratified_folds import EXACT, LABELS
from trueness.studies.regression import (
    PARABOLA,
    NearestNeighbours,
    Polynomial,
    RegressionPopulation,
    parabola,
    parabola_population,
)


def test_equation_4_written_out():
    x = np.linspace(-2, 2, 9)
    assert np.allclose(np.polynomial.Polynomial(PARABOLA)(x), parabola(x))  # p0 is 5.72, not the printed 6.8


@pytest.mark.parametrize("degree", [1, 2, 3, 6])
def test_polynomials_are_scikit_learns(degree):
    X, y = parabola_population().draw(20, rng=0)
    theirs = make_pipeline(PolynomialFeatures(degree, include_bias=False), LinearRegression()).fit(X, y)
    ours = Polynomial(degree).fit(X, y)
    assert np.allclose(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.powers_[1:], theirs[-1].coef_)
    assert np.isclose(ours.powers_[0], theirs[-1].intercept_)


def test_a_polynomial_needs_more_cases_than_its_degree():
    with pytest.raises(InputError, match="4 parameters"):
        Polynomial(3).fit(np.zeros((3, 1)), np.zeros(3))


def test_neighbours_are_scikit_learns():
    X, y = RegressionPopulation(np.sin).draw(25, rng=0)
    at = np.linspace(-3, 3, 40)[:, None]
    assert np.allclose(
        NearestNeighbours(4).fit(X, y).predict(at), KNeighborsRegressor(4, algorithm="brute").fit(X, y).predict(at)
    )


def test_ridge_is_scikit_learns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), rng.normal(size=12)
    for penalty in (0.1, 5.0):
        assert np.allclose(shrinkage(X, penalty) @ y, Ridge(alpha=penalty, fit_intercept=False).fit(X, y).coef_)
    assert (shrinkage(X, np.inf) == 0).all()


def test_adaboost_against_scikit_learn_where_both_choose_the_same_stumps():
    # scikit-learn's stumps minimise Gini's impurity, not the error: here both choose the same four
    X, y = studies.two_gaussians(3, 1.0).draw((40, 40), rng=2)
    ours = AdaBoost(4).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=4).fit(X, y)
    assert np.allclose(ours.errors_, theirs.estimator_errors_)
    assert np.allclose(ours.coefficients_, theirs.estimator_weights_)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_the_best_stump_by_trying_them_all():
    rng = np.random.default_rng(0)
    X, t = rng.integers(0, 5, size=(15, 2)).astype(float), rng.choice([-1, 1], size=15)
    weights = rng.dirichlet(np.ones(15))
    stump, error = best_stump(X, t, weights, np.argsort(X, axis=0, kind="stable"))
    tried = [
        weights[np.where(X[:, j] > cut, sign, -sign) != t].sum()
        for j in (0, 1)
        for cut in (-1, 0.5, 1.5, 2.5, 3.5)
        for sign in (-1, 1)
    ]
    assert np.isclose(error, min(tried))
    assert np.isclose(weights[stump(X) != t].sum(), error)


def test_adaboost_stops_at_a_perfect_stump():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    rule = AdaBoost(10).fit(X, np.array([0, 0, 1, 1]))
    assert len(rule.stumps_) == 1
    assert rule.predict(X).tolist() == [0, 0, 1, 1]


def test_when_to_stop():
    assert stopped_at(np.array([0.5, 0.4, 0.3, 0.35, 0.36, 0.1]), patience=2) == 2
    assert stopped_at(np.array([0.5, 0.4, 0.3, 0.35, 0.36, 0.1]), patience=5) == 5
    assert stopped_at(np.array([0.2, 0.2, 0.2]), patience=5) == 0


def test_squared_loss_by_hand():
    answers = np.array([[1.0, 2.0], [3.0, 2.0]])
    d = squared_loss(answers, np.array([1.0, 5.0]), 0.5, np.zeros((2, 1)))
    assert d.frame()[["bias²", "variance", "error"]].values.tolist() == [[1.0, 1.0, 2.25], [9.0, 0.0, 9.25]]
    assert d.error == (2.25 + 9.25) / 2


def test_zero_one_loss_by_hand_and_for_several_classes():
    # at one point: posterior .7/.3; answers 0, 0, 1: unbiased, V = 1/3, N = .3
    d = zero_one_loss(np.array([[0], [0], [1]]), np.array([[0.7, 0.3]]), np.zeros((1, 1)))
    row = d.frame().iloc[0]
    assert (row["bias"], row["c2"]) == (0, 1)
    assert np.isclose(row["c1"], 2 * 2 / 3 - 1)
    assert np.isclose(row["error"], 2 / 3 * 0.3 + 1 / 3 * 0.7)
    # mostly wrong: variance helps
    d = zero_one_loss(np.array([[0], [1], [1]]), np.array([[0.7, 0.3]]), np.zeros((1, 1)))
    assert np.allclose(d.frame().iloc[0][["bias", "c2"]].astype(float), [1, -1])
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 5):
        posterior = rng.dirichlet(np.ones(n_classes), size=30)
        answers = rng.integers(0, n_classes, size=(7, 30))
        d = zero_one_loss(answers, posterior, np.zeros((30, 2)))
        p = d.frame()
        assert np.allclose(p["error"], p["c1"] * p["noise"] + p["bias"] + p["c2"] * p["variance"])
        expected = np.mean([1 - posterior[np.arange(30), a] for a in answers])
        assert np.isclose(d.error, expected)


def test_bias_variance_of_a_known_case():
    # a constant answer has no variance, and Bayes' rule no bias
    class Always:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.ones(len(X), dtype=int)

    population = studies.two_gaussians(1, 2.0)
    d = trueness.studies.bias_variance(Always(), population, (5, 5), training_sets=3, points=4000, rng=0)
    assert d.variance == 0
    assert abs(d.bias - 0.5) < 0.04
    assert abs(d.error - 0.5) < 0.02
    assert "zero-one loss, 3 training sets" in str(d)
    assert json.loads(d.to_json())["error"] == d.error
    k = trueness.studies.bias_variance(KNeighborsClassifier(1), population, 40, training_sets=10, rng=0)
    assert np.isclose(k.error, k.bias + k.variance + k.noise)
    assert (
        k.frame()["error"]
        == trueness.studies.bias_variance(KNeighborsClassifier(1), population, 40, training_sets=10, rng=0).frame()[
            "error"
        ]
    ).all()
    with pytest.raises(InputError, match="population"):
        trueness.studies.bias_variance(Always(), "people", 5)


def test_the_probability_of_exercise_8_by_enumeration():
    halves = list(combinations(range(10), 5))
    both = [
        set(np.flatnonzero(LABELS == 1)) <= set(half) or not set(np.flatnonzero(LABELS == 1)) & set(half)
        for half in halves
    ]
    assert np.isclose(np.mean(both), EXACT)
    assert np.isclose(EXACT, 4 / 9)


SETTINGS = {
    "overfitting": {},
    "bias-variance": {},
    "zero-one-bias-variance": {"trials": 20, "points": 200},
    "early-stopping": {"trials": 40, "rounds": 100, "test_size": 300},
    "least-squares": {"trials": 300},
    "ridge": {"trials": 200},
    "stratified-folds": {"trials": 300},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_claims_hold(name):
    result = studies.run(name, n_jobs=1, rng=0, **SETTINGS[name])
    result.check()
    assert result.pictures[0].panels
