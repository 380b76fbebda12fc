"""What an adversary found wrong in the studies, each with the number that shows it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import karat
from karat import studies
from karat.errors import InputError
from karat.studies import summary
from karat.studies.calibration_tables import rows_of
from karat.studies.identity import identity
from karat.studies.published.bootstrap_jackknife import _claims as jackknife_claims
from karat.studies.published.bootstrap_support import ENOUGH
from karat.studies.published.bootstrap_support import _claims as support_claims
from karat.studies.published.no_information import distinct, nearest_on_noise
from karat.studies.runner import Cell
from karat.studies.truth import EvenTestSet, Exact, TestSet, coefficients, linear_truth

NEAR = studies.two_gaussians(2, 1.2)
EMPTY = TestSet(np.zeros((0, 2)), np.zeros(0))


# -- a store tells one study from another ------------------------------------------------------------------------


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
        {"plan": karat.Bootstrap(30)},
        {"rng": 1},
        {"rng": np.random.SeedSequence(0).spawn(1)[0]},
    ],
)
def test_a_store_of_another_study_is_refused(tmp_path, other):
    store = tmp_path / "s.db"
    first = evaluated(store)
    assert evaluated(store).table().equals(first.table())
    with pytest.raises(InputError, match="another study"):
        evaluated(store, **other)


def test_identity_is_of_what_a_thing_is():
    assert identity(LDA()) == identity(LDA())
    assert identity(LDA()) != identity(LDA(tol=1e-3))
    assert identity(studies.two_gaussians(2, 1.0)) != identity(studies.two_gaussians(2, 1.0, priors=(0.1, 0.9)))
    assert identity(evaluated)["is"] == f"{__name__}.evaluated"


# -- the truth -----------------------------------------------------------------------------------------------------


def test_the_truth_counts_the_classes_as_the_samples_do():
    """Ten negatives to a positive: not the error at equal priors, which is four times as large."""
    found = studies.evaluate(NEAR, LDA(), ["loob"], metric="error", sizes=((40, 400),), trials=30, n_jobs=1)
    table = found.table().set_index("estimator")
    assert table.loc["true", "mean"] < 0.1
    assert abs(table.loc["loob", "mean"] - table.loc["true", "mean"]) < 0.02
    assert "counts the classes as the samples do" in " ".join(found.notes)
    even = studies.evaluate(NEAR, LDA(), ["loob"], metric="error", sizes=(20,), trials=2, n_jobs=1)
    assert "counts the classes" not in " ".join(even.notes)


def test_the_error_of_the_truth_itself_is_said():
    """Six test sets: the true means of a rule without a formula differ by more than their Monte-Carlo errors."""
    corners = studies.Gaussians([[0, 0], [0, 2], [2, 0], [2, 2]], np.eye(2))
    either = studies.Mixture(corners, [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]])
    found = [
        studies.evaluate(
            either, QDA(), ["apparent"], metric="error", sizes=(40,), trials=5, test_size=300, rng=k, n_jobs=1
        )
        for k in range(6)
    ]
    true = [f.table().set_index("estimator").loc["true", "mean"] for f in found]
    note = " ".join(found[0].notes)
    assert "seen on one test set of 300 cases a class" in note
    said = float(note.split("by about ")[1].split(" ")[0])
    assert said == pytest.approx(np.sqrt(true[0] * (1 - true[0]) / 300), rel=0.05)
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
    assert 0.5 < found.table()["mean"].iloc[0] < 1


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
    even = EvenTestSet.of_gaussians(population, 12, np.random.default_rng(0))
    assert coefficients(rule, even.X.reshape(-1, 2)) is None
    assert Exact(population, even).of(rule, "error") == even.of(rule, "error")
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
        exact = karat.bayes_error(population).value
        seen = [EvenTestSet.of_gaussians(population, 12, np.random.default_rng(k)) for k in range(4)]
        assert max(abs(s.of(Bayes(), "error") - exact) for s in seen) < 0.003


# -- Monte-Carlo errors --------------------------------------------------------------------------------------------


def test_a_constant_estimator_has_no_correlation():
    truth = np.random.default_rng(0).normal(size=50)
    row = summary.accuracy(np.full(50, 0.1), truth)  # its computed SD is 2.8e-17
    assert row["sd"] == 0 == row["sd_mc"]
    assert np.isnan(row["correlation"])
    found = studies.evaluate(NEAR, LDA(), {"tenth": lambda trial: 0.1}, sizes=(8,), trials=3, n_jobs=1)
    assert found.table("decomposition").empty


def test_one_trial_has_no_monte_carlo_error():
    assert np.isnan(summary.mean(np.array([0.3]))[1])
    with pytest.raises(InputError, match="at least 2"):
        studies.run("stratified-folds", trials=1)


def test_a_share_of_all_trials_has_an_error():
    p, error = summary.share(np.ones(100, dtype=bool))
    assert p == 1
    assert 0.004 < error < 0.01


def test_two_trials_can_judge_the_splits():
    for seed in range(5):
        studies.run("stratified-folds", trials=2, rng=seed, n_jobs=1).check()


def test_the_error_of_a_decomposition_knows_its_points():
    """25 seeds: the spread of the error is what error_mc says; the training sets alone are a third of it."""
    found = [
        karat.bias_variance(LDA(), studies.two_gaussians(2, 1.5), (25, 25), training_sets=50, points=300, rng=seed)
        for seed in range(25)
    ]
    for part in ("error", "bias", "variance", "noise"):
        spread = np.std([getattr(f, part) for f in found], ddof=1)
        # leaving out groups of training sets is on the safe side where answers are nearly even
        assert 0.65 < np.mean([getattr(f, f"{part}_mc") for f in found]) / spread < (1.5 if part == "error" else 2.2)
    exact = found[0].error - 5 * found[0].error_mc, found[0].error + 5 * found[0].error_mc
    assert exact[0] < stats.norm.cdf(-0.75) + 0.01 < exact[1]


# -- calibration ---------------------------------------------------------------------------------------------------


def test_the_se_of_a_holdout_is_compared_with_its_spread_around_its_own_rule():
    rng = np.random.default_rng(0)
    target = 0.7 + 0.2 * rng.normal(size=4000)  # rules differ by more than a test set does
    value = target + 0.1 * rng.normal(size=4000)
    columns = {"value": value, "se": 0.1, "low": value - 0.196, "high": value + 0.196, "target": target}
    for plan, ratio in (("holdout", 1.0), ("K-fold", 0.1 / np.hypot(0.1, 0.2))):
        frame = pd.DataFrame({f"auc|holdout|delong|{plan}|{name}": v for name, v in columns.items()})
        for kind in ("wald", "logit", "wilson", "t"):
            for end in ("low", "high"):
                frame[f"auc|holdout|delong|{plan}|{kind} {end}"] = np.nan
        (row,) = rows_of(Cell({"model": "LDA", "balance": "1:1", "n": "10+10"}, ()), frame.assign(**{"true|auc": 0.7}))
        assert row["ratio"] == pytest.approx(ratio, rel=0.05)
    # coverage is of the rule either way
    assert row["coverage"] == pytest.approx(0.95, abs=0.02)


# -- claims that can fail ------------------------------------------------------------------------------------------


def test_star_at_the_wrong_sizes_is_found():
    table = pd.DataFrame({"size": [20, 50], "true": [0.62, 0.67], "star at n/.632": [0.61, 0.66]})
    table["star at n/.5"] = [0.63, 0.68]
    for name in ("true", "star at n/.632", "star at n/.5"):
        table[f"{name}_mc"] = 0.002
    shares = pd.DataFrame({f"{kind}{end}": [0.6] for kind in ("ordered", "unordered") for end in ("", ", exact")})
    shares = shares.assign(n=20)
    assert support_claims(table, shares, ENOUGH)[0].holds
    swapped = table.rename(columns=lambda c: c.replace("/.632", "/x").replace("/.5", "/.632").replace("/x", "/.5"))
    assert not support_claims(swapped, shares, ENOUGH)[0].holds
    same = table.assign(**{"star at n/.632": table["true"] - 1e-4, "star at n/.5": table["true"] + 1e-4})
    assert not support_claims(same, shares, ENOUGH)[0].holds


def test_a_wrong_bias_of_the_bootstrap_is_found():
    table = studies.run("bootstrap-jackknife", trials=600, sizes=(10,), resamples=500, n_jobs=1).table()
    assert jackknife_claims(table)[1].holds
    n = table["size"]
    wrong = table.assign(**{"bias gap": table["bias gap"] + table["bootstrap bias"] / (n - 1)})  # times n/(n − 1)
    assert not jackknife_claims(wrong)[1].holds


def test_no_model_beats_bayes():
    result = studies.run("decision-surfaces", trials=5, n_jobs=1)
    assert result.table()["above Bayes"].min() > -0.002
    assert result.checks().claims[2].holds


# -- the nearest neighbour on noise --------------------------------------------------------------------------------


def test_different_cases_by_simulation():
    rng = np.random.default_rng(0)
    seen = [len(np.unique(rng.integers(0, 6, size=7))) for _ in range(20_000)]
    expected = distinct(7, 6)
    assert np.allclose(np.bincount(seen, minlength=8) / 20_000, expected, atol=0.015)
    assert expected.sum() == pytest.approx(1)


def test_nearest_neighbour_on_noise():
    assert round(nearest_on_noise(20), 5) == 0.50538
    assert nearest_on_noise(2) == pytest.approx(  # own: one case; other: 1 or 2 different ones of 2
        0.5 * 1 / 2 + 0.5 * 2 / 3
    )


# -- sizes that no model can be fitted on --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size"), [("early-stopping", 10), ("decision-surfaces", 3), ("ridge", 10), ("adaboost", 4)]
)
def test_too_small_a_size_is_refused_in_words(name, size):
    with pytest.raises(InputError, match=f"a size of {name} must be a whole number of at least"):
        studies.run(name, trials=2, sizes=(size,), n_jobs=1)


def test_the_least_size_works():
    studies.run("early-stopping", trials=2, sizes=(30,), rounds=5, n_jobs=1)
    studies.run("adaboost", trials=3, sizes=(5,), n_jobs=1).table()
    assert studies.run("ridge", trials=20, sizes=(16,), n_jobs=1).checks().claims[0].holds
