"""True performance: formulas against a huge test set, and against enumeration."""

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from karat.sample.populations import Discrete, Gaussians, two_gaussians
from karat.studies.truth import Exact, TestSet, coefficients, linear_truth, test_set

SKEWED = Gaussians([[0, 0], [1, 1]], [[[1, 0.3], [0.3, 1]], [[2, -0.5], [-0.5, 0.7]]], priors=(0.8, 0.2))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(), RidgeClassifier(), LinearSVC()])
def test_linear_rules_have_a_formula(model):
    X, y = SKEWED.draw((30, 20), rng=0)
    rule = model.fit(X, y)
    exact = Exact(SKEWED, TestSet(X[:0], y[:0]))
    seen = test_set(SKEWED, 200_000, rng=1)
    assert abs(exact.of(rule, "error") - seen.of(rule, "error")) < 4 * np.sqrt(0.2 / 400_000)
    assert abs(exact.of(rule, "auc") - seen.of(rule, "auc")) < 0.005
    for rate in ("fnf", "fpf"):
        assert abs(exact.of(rule, rate) - seen.of(rule, rate)) < 4 * np.sqrt(0.25 / 80_000)


def test_the_best_rule_has_the_bayes_auc_and_error():
    population = two_gaussians(5, 1.2)
    w = population.means[1]
    w0 = -0.5 * w @ w
    assert np.isclose(linear_truth(w, w0, population, "auc"), stats.norm.cdf(1.2 / np.sqrt(2)))
    assert np.isclose(linear_truth(w, w0, population, "error"), stats.norm.cdf(-0.6))


@pytest.mark.parametrize("model", [QuadraticDiscriminantAnalysis(), KNeighborsClassifier(), DecisionTreeClassifier()])
def test_other_rules_have_none(model):
    X, y = SKEWED.draw((30, 20), rng=0)
    assert coefficients(model.fit(X, y)) is None


def test_finitely_many_points_are_summed():
    population = Discrete([[0.0], [1.0], [2.0]], [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], priors=(0.7, 0.3))
    rule = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    exact = Exact(population, TestSet(np.zeros((0, 1)), np.zeros(0)))
    assert np.isclose(exact.of(rule, "error"), 0.7 * 0.2 + 0.3 * 0.4)
    # scores 0, 0, 1: Pr[1 > 0] + ½ Pr[equal]
    assert np.isclose(exact.of(rule, "auc"), 0.6 * 0.8 + 0.5 * (0.6 * 0.2 + 0.4 * 0.8))


def test_a_normal_test_set_has_the_moments_of_its_population():
    seen = test_set(SKEWED, 100, rng=0)
    for c in (0, 1):
        assert np.allclose(seen.X[seen.y == c].mean(axis=0), SKEWED.means[c])
        assert np.allclose(np.cov(seen.X[seen.y == c].T, bias=True), SKEWED.covariances[c])


def test_matching_takes_most_of_the_offset_away():
    population = two_gaussians(5, 0.9)
    X, y = population.draw((40, 40), rng=0)
    rule = LinearDiscriminantAnalysis().fit(X, y)
    truth = Exact(population, TestSet(X[:0], y[:0])).of(rule, "auc")
    plain = [TestSet(*population.draw((300, 300), rng=s)).of(rule, "auc") - truth for s in range(30)]
    better = [test_set(population, 300, rng=s).of(rule, "auc") - truth for s in range(30)]
    assert np.std(better) < 0.4 * np.std(plain)
    assert abs(np.mean(better)) < 4 * np.std(better) / np.sqrt(30) + 1e-3


def test_the_test_set_follows_the_priors():
    assert np.bincount(test_set(SKEWED, 100, rng=0).y).tolist() == [160, 40]
