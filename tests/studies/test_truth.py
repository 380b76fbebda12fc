"""True performance: formulas against a huge test set, and against enumeration."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness import studies
from trueness.studies.populations import Discrete, Gaussians, two_gaussians
from trueness.studies.truth import DrawnTestSet, ExactTruth, SobolTestSet, coefficients, linear_truth, test_set

NEAR = two_gaussians(2, 1.2)
SKEWED = Gaussians([[0, 0], [1, 1]], [[[1, 0.3], [0.3, 1]], [[2, -0.5], [-0.5, 0.7]]], priors=(0.8, 0.2))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(), RidgeClassifier(), LinearSVC()])
def test_linear_rules_have_a_formula(model):
    X, y = SKEWED.draw((30, 20), rng=0)
    rule = model.fit(X, y)
    exact = ExactTruth(SKEWED, DrawnTestSet(X[:0], y[:0]))
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
    exact = ExactTruth(population, DrawnTestSet(np.zeros((0, 1)), np.zeros(0)))
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
    truth = ExactTruth(population, DrawnTestSet(X[:0], y[:0])).of(rule, "auc")
    plain = [DrawnTestSet(*population.draw((300, 300), rng=s)).of(rule, "auc") - truth for s in range(30)]
    better = [test_set(population, 300, rng=s).of(rule, "auc") - truth for s in range(30)]
    assert np.std(better) < 0.4 * np.std(plain)
    assert abs(np.mean(better)) < 4 * np.std(better) / np.sqrt(30) + 1e-3


def test_the_test_set_follows_the_priors():
    assert np.bincount(test_set(SKEWED, 100, rng=0).y).tolist() == [160, 40]


def test_the_truth_counts_the_classes_as_the_samples_do():
    """Ten negatives to a positive: not the error at equal priors, which is four times as large."""
    found = studies.evaluate(
        NEAR, LinearDiscriminantAnalysis(), ["loob"], metric="error", sizes=((40, 400),), trials=30, n_jobs=1
    )
    table = found.frame().set_index("estimator")
    assert table.loc["true", "mean"] < 0.1
    assert abs(table.loc["loob", "mean"] - table.loc["true", "mean"]) < 0.02
    assert "class-shares-of-samples" in [note.code for note in found.notes]
    even = studies.evaluate(
        NEAR, LinearDiscriminantAnalysis(), ["loob"], metric="error", sizes=(20,), trials=2, n_jobs=1
    )
    assert "class-shares-of-samples" not in [note.code for note in even.notes]


def test_the_error_of_the_truth_itself_is_said():
    """Six test sets: the true means of a rule without a formula differ by more than their Monte Carlo errors."""
    corners = studies.Gaussians([[0, 0], [0, 2], [2, 0], [2, 2]], np.eye(2))
    either = studies.Mixture(corners, [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]])
    found = [
        studies.evaluate(
            either,
            QuadraticDiscriminantAnalysis(),
            ["apparent"],
            metric="error",
            sizes=(40,),
            trials=5,
            test_size=300,
            rng=k,
            n_jobs=1,
        )
        for k in range(6)
    ]
    true = [f.frame().set_index("estimator").loc["true", "mean"] for f in found]
    (note,) = found[0].notes
    assert (note.code, note.data["cases_per_class"]) == ("truth-on-test-set", 300)
    said = note.data["offset"]
    assert said == pytest.approx(np.sqrt(true[0] * (1 - true[0]) / 300), rel=1e-9)
    assert np.std(true) < 1.5 * said


def test_the_rest_of_a_data_set_counts_them_so_too():
    X, y = NEAR.draw((2000, 200), rng=0)
    _, _, rest = studies.DataSet(X, y).split((20, 20), np.random.default_rng(0))
    always = DecisionTreeClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [0, 0])
    always.classes_ = np.array([0, 1])
    assert rest.of(always, "error") == pytest.approx(0.5)  # all positives are missed, and they count half


def test_several_classes_on_points_are_seen_on_the_test_set():
    population = studies.Discrete([[0.0], [1.0], [2.0]], np.array([[6, 2, 2], [2, 6, 2], [2, 2, 6]]) / 10)
    found = studies.evaluate(
        population, DecisionTreeClassifier(), ["apparent"], metric="auc", sizes=(15,), trials=2, n_jobs=1
    )
    assert 0.5 < found.frame()["mean"].iloc[0] < 1


class Standardised(LogisticRegression):
    """Has coefficients, of features that it changes first."""

    def fit(self, X, y):
        self.scale_ = X.std(axis=0)
        return super().fit(X / self.scale_, y)

    def decision_function(self, X):
        return super().decision_function(np.asarray(X) / self.scale_)

    def predict(self, X):
        return super().predict(np.asarray(X) / self.scale_)


def test_coefficients_that_are_not_of_the_features_have_no_formula():
    population = studies.Gaussians([[0, 0], [3, 0.3]], np.diag([4.0, 0.04]))
    X, y = population.draw((50, 50), rng=0)
    rule = Standardised().fit(X, y)
    even = SobolTestSet.of_gaussians(population, 12, np.random.default_rng(0))
    assert coefficients(rule, even.X.reshape(-1, 2)) is None
    assert ExactTruth(population, even).of(rule, "error") == even.of(rule, "error")
    plain = LogisticRegression().fit(X, y)
    assert coefficients(plain, even.X.reshape(-1, 2)) is not None


@pytest.mark.parametrize("w0", [1.0, 0.0, -1.0])
def test_a_rule_without_weights_calls_all_the_same(w0):
    population = studies.two_gaussians(2, 1.0, priors=(0.9, 0.1))
    assert linear_truth(np.zeros(2), w0, population, "error") == pytest.approx(0.9 if w0 > 0 else 0.1)
    assert linear_truth(np.zeros(2), w0, population, "auc") == 0.5


def test_an_even_test_set_sees_a_quadratic_rule_to_a_thousandth():
    """Against the exact Bayes error of Highleyman's classes, whose Bayes rule is quadratic."""

    class Bayes(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def predict(self, X):
            return population.bayes_rule(X)

    for priors in (None, (0.9, 0.1)):
        population = studies.highleyman(priors)
        exact = trueness.tables.bayes_error(population).value
        seen = [SobolTestSet.of_gaussians(population, 12, np.random.default_rng(k)) for k in range(4)]
        assert max(abs(s.of(Bayes(), "error") - exact) for s in seen) < 0.003
