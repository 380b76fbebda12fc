"""Least squares and nearest neighbours of numbers on all training sets at once: scikit-learn's predictions to 1e-10."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting.engines import tabulated
from trueness.fitting.engines.linear import ridge_cv
from trueness.sample.sample import Sample

MODELS = {
    "ols": LinearRegression(),
    "ridge": Ridge(2.0),
    "chosen ridge": RidgeCV(),
    "chosen ridge through 0": RidgeCV(np.logspace(-3, 5, 9), fit_intercept=False),
    "k-nn": KNeighborsRegressor(4),
    "scaled ols": make_pipeline(StandardScaler(), LinearRegression()),
    "scaled ridge": make_pipeline(StandardScaler(), Ridge(0.3)),
    "scaled k-nn": make_pipeline(StandardScaler(), KNeighborsRegressor(3)),
}
PLANS = {
    "bootstrap": trueness.Bootstrap(30),
    "folds": trueness.KFold(5, repeats=2),
    "leave-one-out": trueness.plans.LeaveOneOut(),
    "default": trueness.CvBootstrap(5, repeats=2, n_resamples=20),
}


def data(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.logspace(0, 2, p) + 7
    return X, X @ rng.normal(size=p) + rng.standard_t(4, size=n) - 1e4


def both(model, X, y, plan):
    design = plan.draw(y, rng=1, kind="regression")
    return trueness.fit(model, X, y, design), trueness.fit(model, X, y, design, engine="generic")


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_same_predictions_as_one_by_one(model, plan):
    X, y = data()
    fast, slow = both(model, X, y, plan)
    assert fast.engine.startswith("closed-form")
    assert slow.engine == "generic"
    for a, b in zip(fast.parts or (fast,), slow.parts or (slow,), strict=True):
        np.testing.assert_allclose(a.scores, b.scores, rtol=1e-10)
        np.testing.assert_allclose(a.full_scores, b.full_scores, rtol=1e-10)


@pytest.mark.filterwarnings("ignore:Some training sets have")
def test_training_sets_without_a_unique_solution_are_left_to_the_model():
    X, y = data(12, 8)
    fast, slow = both(LinearRegression(), X, y, trueness.Bootstrap(40))
    assert fast.one_by_one
    np.testing.assert_allclose(fast.scores, slow.scores, rtol=1e-7)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(fit_intercept=False),
        LinearRegression(positive=True),
        Ridge(0.0),
        RidgeCV(cv=3),
        RidgeCV(scoring="neg_mean_absolute_error"),
        RidgeCV(store_cv_results=True),
        make_pipeline(RidgeCV()),
        make_pipeline(StandardScaler(), RidgeCV()),
        KNeighborsRegressor(3, weights="distance"),
    ],
)
def test_other_settings_are_fitted_one_by_one(model):
    X, y = data(20)
    assert trueness.fit(model, X, y, trueness.KFold(4), rng=0).engine == "generic"


def test_leverage_of_one_is_left_to_the_model():
    X, y = data(20)
    X[:, 0] = 0
    X[0, 0] = 1.0  # without this case the column is constant
    fast, slow = both(LinearRegression(), X, y, trueness.plans.LeaveOneOut())
    np.testing.assert_allclose(fast.scores, slow.scores, rtol=1e-8)


def test_groups_and_equal_cases():
    X, y = data(30)
    X[1::2] = X[::2]  # equal features, other targets
    groups = np.arange(30) // 2
    design = trueness.Bootstrap(20).draw(y, rng=0, groups=groups, kind="regression")
    fast, slow = (trueness.fit(LinearRegression(), X, y, design, engine=e) for e in ("auto", "generic"))
    np.testing.assert_allclose(fast.scores, slow.scores, rtol=1e-10)
    assert (fast.scores[:, 1::2] == fast.scores[:, ::2]).all()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "p"), [(24, 4), (24, 15), (24, 22), (24, 30)])
def test_the_penalty_that_scikit_learn_chooses(n, p, intercept):
    rng = np.random.default_rng(p)
    X = rng.normal(size=(n, p)) + 1
    X[:, 0] = np.arange(n) < 2  # constant in some training sets
    y = X[:, 1] + 3 * rng.normal(size=n) + 5
    counts = np.concatenate([rng.multinomial(n, np.ones(n) / n, size=8), 1 - np.eye(n, dtype=int)[:4]]).astype(np.uint8)
    alphas = np.array([1e-9, 30.0, 0.1, 1.0, 0.1, 1e4, 1e8])
    table = tabulated(Sample.of(y, X=X, kind="regression"), scaled=False)
    sure = 0
    for some in (alphas, alphas[1:], alphas[[0]], np.array([1e14, 1e17])):
        found = ridge_cv(RidgeCV(some, fit_intercept=intercept), table).rules(counts)
        sure += found.trusted.sum()
        for row, values in zip(counts[found.trusted], found.values[found.trusted], strict=True):
            rows = np.flatnonzero(row)
            rule = RidgeCV(some, fit_intercept=intercept).fit(X[rows], y[rows], sample_weight=row[rows])
            np.testing.assert_allclose(values, rule.predict(X), rtol=1e-8, atol=1e-8)
    assert sure >= 12


def test_the_penalty_is_chosen_with_all_copies_left_out():
    """Leave-one-out by a loop over the distinct cases of a bootstrap sample."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 6))
    y = X[:, 0] + 2 * rng.normal(size=20)
    design = trueness.Bootstrap(6).draw(y, rng=1, kind="regression")
    alphas = (0.01, 1.0, 10.0, 100.0)
    fits = trueness.fit(RidgeCV(alphas), X, y, design)
    assert fits.engine.startswith("closed-form ridge")
    for row, scores in zip(design.counts, fits.scores, strict=True):
        errors = []
        for alpha in alphas:
            total = 0.0
            for case in np.flatnonzero(row):
                rows = np.repeat(np.arange(20), row * (np.arange(20) != case))
                total += row[case] * (y[case] - Ridge(alpha).fit(X[rows], y[rows]).predict(X[[case]])[0]) ** 2
            errors.append(total)
        rows = np.repeat(np.arange(20), row)
        rule = Ridge(alphas[int(np.argmin(errors))]).fit(X[rows], y[rows])
        np.testing.assert_allclose(scores, rule.predict(X), rtol=1e-8)


def test_penalties_that_tie_are_left_to_the_model():
    X, y = data(20)
    fast, slow = both(RidgeCV((1e-13, 1e-12)), X, y, trueness.Bootstrap(4))
    assert fast.engine == "generic"
    assert trueness.fit(RidgeCV((1.0, 1.0)), X, y, trueness.Bootstrap(4), rng=0).engine.startswith("closed-form")
    np.testing.assert_array_equal(fast.scores, slow.scores)
