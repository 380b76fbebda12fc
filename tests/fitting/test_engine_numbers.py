"""Least squares and nearest neighbours of numbers on all training sets at once: scikit-learn's predictions to 1e-10."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness

MODELS = {
    "ols": LinearRegression(),
    "ridge": Ridge(2.0),
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


def test_the_penalty_is_chosen_with_all_copies_left_out():
    """Leave-one-out by a loop over the distinct cases of a bootstrap sample."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 6))
    y = X[:, 0] + 2 * rng.normal(size=20)
    design = trueness.Bootstrap(6).draw(y, rng=1, kind="regression")
    alphas = (0.01, 1.0, 10.0, 100.0)
    fits = trueness.fit(RidgeCV(alphas), X, y, design)
    assert fits.engine == "generic"
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
