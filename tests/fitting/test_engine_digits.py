"""Training sets where a closed form would lose its digits are fitted one by one, as scikit-learn does."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import trueness

PLANS = [
    trueness.Bootstrap(60),
    trueness.KFold(5, repeats=4),
    trueness.plans.MonteCarlo(30),
    trueness.plans.LeaveOneOut(),
]
EXACT = {"solver": "newton-cholesky", "tol": 1e-10}


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def both(model, X, y, plan, **options):
    design = plan.draw(y, rng=1)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine, **options) for engine in ("auto", "generic"))
    assert generic.engine == "generic"
    assert ours.failed == generic.failed
    return ours, generic


def two_classes(n=100, p=4, seed=1):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, p)) + 0.5 * y[:, None], y, rng


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("model", [LDA(), RidgeClassifier(), scaled(RidgeClassifier()), scaled(LDA())], ids=repr)
@pytest.mark.parametrize("ones", [1, 2])
def test_a_rare_column_that_a_training_set_lacks(model, plan, ones):
    X, y, rng = two_classes()
    X[:, 3] = 0
    X[rng.choice(len(y), ones, replace=False), 3] = 1
    ours, generic = both(model, X, y, plan)
    assert ours.engine != "generic"
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)


def test_a_rare_column_in_three_classes():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 4)) + y[:, None]
    X[:, 3] = np.arange(120) < 2
    ours, generic = both(LDA(), X, y, trueness.Bootstrap(60))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)


def test_a_rare_column_and_one_curvature_for_all():
    rng = np.random.default_rng(0)
    n, p = 2700, 25
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 0.2 * y[:, None]
    X[:, 0] = np.isin(np.arange(n), (5, 700))
    ours, generic = both(scaled(LogisticRegression(**EXACT)), X, y, trueness.Bootstrap(10))
    assert ours.engine.startswith("closed-form logistic")
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", [LDA(), QDA(), GaussianNB(), RidgeClassifier(), scaled(RidgeClassifier())], ids=repr)
@pytest.mark.parametrize("sentinel", [1e4, 1e6, 1e8])
def test_one_gross_outlier(model, sentinel):
    X, y, _ = two_classes()
    X[70, 0] = sentinel
    ours, generic = both(model, X, y, trueness.Bootstrap(40))
    np.testing.assert_allclose(ours.held, generic.held, rtol=3e-8, atol=3e-8)
    np.testing.assert_allclose(ours.full_scores, generic.full_scores, rtol=3e-8, atol=3e-8)


@pytest.mark.parametrize("model", [QDA(), GaussianNB(var_smoothing=0), LDA(), RidgeClassifier()], ids=repr)
@pytest.mark.parametrize("far", [1e3, 1e5, 1e6])
def test_a_class_far_away(model, far):
    rng = np.random.default_rng(3)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 3)) + np.array([0, 1, far])[y][:, None]
    ours, generic = both(model, X, y, trueness.Bootstrap(30))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("model", [QDA(), QDA(tol=1e-14), LDA(tol=1e-10)], ids=repr)
@pytest.mark.parametrize("plan", [trueness.plans.LeaveOneOut(), trueness.Bootstrap(40)], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("apart", [1e-4, 1e-6])
def test_features_that_are_nearly_collinear(model, plan, apart):
    """These rules do not depend on the units, so the well-conditioned twin of the data says what is right."""
    Z, y, _ = two_classes()
    X = Z.copy()
    X[:, 1] = Z[:, 0] + apart * Z[:, 1]
    ours, generic = both(model, X * 1e6, y, plan)
    truth = trueness.fit(clone(model), Z, y, ours.design)
    ours_off, generic_off = (np.abs(f.held - truth.held).max() for f in (ours, generic))
    assert ours_off < max(2e-8, 2 * generic_off)


@pytest.mark.parametrize(("n", "p", "seed"), [(200, 110, 0), (300, 170, 0), (400, 235, 1)])
def test_nearly_as_many_features_as_cases(n, p, seed):
    X, y, _ = two_classes(n, p, seed)
    ours, generic = both(LDA(), X, y, trueness.Bootstrap(20))
    scale = np.abs(generic.held).max(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.held / scale, generic.held / scale, atol=1e-8)


def test_heavy_tails_and_one_curvature_for_all():
    rng = np.random.default_rng(0)
    n, p = 2700, 25
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 0.2 * y[:, None]
    X[:, :5] = rng.standard_cauchy(size=(n, 5))
    model = scaled(LogisticRegression(C=10, **EXACT))
    ours, generic = both(model, X, y, trueness.Bootstrap(8))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("model", [RidgeClassifier(), GaussianNB(), LogisticRegression(**EXACT)], ids=repr)
def test_what_a_scaler_takes_for_a_constant(model):
    X, y, _ = two_classes()
    X[:, 0] = 1e9 + 1e-5 * X[:, 0]
    ours, generic = both(scaled(model), X, y, trueness.Bootstrap(20))
    np.testing.assert_array_equal(ours.held, generic.held)


@pytest.mark.parametrize("plan", [trueness.Bootstrap(10), trueness.KFold(5)], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("scaler", [MinMaxScaler, StandardScaler])
def test_steps_that_would_write_into_the_table(scaler, plan):
    X, y, _ = two_classes()
    before, design = X.copy(), plan.draw(y, rng=1)
    in_place, copied = (
        trueness.fit(make_pipeline(scaler(copy=copy), LogisticRegression()), X, y, design, engine="generic")
        for copy in (False, True)
    )
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(in_place.held, copied.held)


@pytest.mark.parametrize("model", [LDA(), QDA(), GaussianNB()], ids=repr)
def test_a_large_offset_changes_nothing(model):
    """Features are centred before anything is squared; scikit-learn's own scores lose digits here."""
    X, y, _ = two_classes(n=400)
    X = np.rint(1000 * X)
    plan = trueness.Bootstrap(70)
    near, far = (trueness.fit(model, X + offset, y, plan, rng=0) for offset in (0.0, 2.0**40))
    assert far.engine.startswith("closed-form")
    np.testing.assert_allclose(far.held, near.held, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("p", "far"), [(1, 1e6), (1, 1e9), (2, 1e7), (5, 1e7)])
def test_outliers_of_every_feature(plan, classes, p, far):
    """A training set without them lies in a corner of all axes at once, of which none is the others' sum."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % classes
    X = rng.normal(size=(90, p)) + 2 * y[:, None]
    X[np.arange(p), np.arange(p)] = far
    ours, generic = both(LDA(), X, y, plan)
    assert ours.engine != "generic"
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    if classes == 2:  # with more of them and an outlier in the training set probabilities differ in the last bit alone
        np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("model", [LDA(), scaled(LDA())], ids=repr)
@pytest.mark.parametrize("p", [1, 2])
def test_a_training_set_where_nothing_varies_fails_as_in_scikit_learn(plan, model, p):
    y = np.arange(60) % 2
    X = np.full((60, p), 5.0)
    X[[1, 3], 0] = 5.7
    X[[7, 10], -1] += 0.2
    both(model, X, y, plan)  # the same failures


@pytest.mark.parametrize("plan", [trueness.Bootstrap(40), trueness.plans.LeaveOneOut()], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("noise", [1e-9, 1e-8, 1e-7, 1e-6])
def test_a_feature_that_hardly_varies_within_classes(plan, noise):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 2))
    X[:, 0] = y * np.pi + noise * X[:, 0]
    ours, generic = both(LDA(), X, y, plan)
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("plan", [trueness.Bootstrap(40), trueness.plans.LeaveOneOut()], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("model", [LDA(), GaussianNB()], ids=repr)
def test_features_of_hardly_any_size(plan, model):
    X, y, _ = two_classes(60, 3)
    X[:, 1] *= 1e-157
    ours, generic = both(model, X, y, plan)
    assert ours.engine == "generic"
    np.testing.assert_array_equal(ours.held, generic.held)


def test_the_order_of_memory_changes_no_bit():
    X, y, _ = two_classes()
    design = trueness.Bootstrap(40).draw(y, rng=1)
    first, second = (trueness.fit(LDA(), table, y, design).held for table in (X, np.asfortranarray(X)))
    np.testing.assert_array_equal(first, second)
