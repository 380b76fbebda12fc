"""Bad input gives the same errors, the same failures and the same scores through the engines and the generic way."""

import warnings

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness

N = 24
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 3)) + Y[:, None]


def changed(value):
    out = X.copy()
    out[3, 1] = value
    return out


INPUTS = {
    "a NaN": (changed(np.nan), Y),
    "an infinity": (changed(np.inf), Y),
    "rows missing": (X[:-1], Y),
    "one class": (X, np.zeros(N, int)),
    "all constant": (np.ones((N, 3)), Y),
    "a constant feature": (np.c_[X[:, :2], np.ones(N)], Y),
    "a feature twice": (np.c_[X, X[:, 0]], Y),
    "one positive": (X, np.r_[1, np.zeros(N - 1, int)]),
    "two positives": (X, np.r_[1, 1, np.zeros(N - 2, int)]),
    "a vector": (X[:, 0], Y),
    "no feature": (X[:, :0], Y),
    "more features than cases": (np.random.default_rng(1).normal(size=(N, 60)), Y),
    "huge numbers": (X * 1e200, Y),
    "tiny numbers": (X * 1e-200, Y),
    "text": (X.astype(str).astype(object), Y),
    "booleans": (X > 0, Y),
}
EXACT = {"solver": "newton-cholesky", "tol": 1e-10}  # the default tolerance is too coarse to compare with
MODELS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    KNeighborsClassifier(),
    LogisticRegression(**EXACT),
    RidgeClassifier(),
    make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
]
WRONG = [
    LogisticRegression(C=-1),
    LogisticRegression(C="1"),
    GaussianNB(var_smoothing=-1),
    RidgeClassifier(alpha=-1),
    KNeighborsClassifier(n_neighbors=0),
    KNeighborsClassifier(n_neighbors=60),
    LinearDiscriminantAnalysis(tol=-1),
    QuadraticDiscriminantAnalysis(reg_param=2),
]


def answer(model, features, labels, plan, engine):
    """What went wrong in words, or the fits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fits = trueness.fit(model, features, labels, plan, rng=0, engine=engine)
        except trueness.errors.TruenessError as error:
            return f"{type(error).__name__}: {error}"
    return fits


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize(
    "plan",
    [trueness.Bootstrap(10), trueness.KFold(4), trueness.plans.LeaveOneOut(), trueness.plans.MonteCarlo(6)],
    ids=lambda p: p.kind,
)
def test_the_same_through_both(kind, plan):
    features, labels = INPUTS[kind]
    for model in MODELS:
        ours, generic = (answer(model, features, labels, plan, engine) for engine in ("auto", "generic"))
        if isinstance(ours, str) or isinstance(generic, str):
            assert ours == generic
            continue
        assert ours.failed == generic.failed
        np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
        np.testing.assert_allclose(ours.held, generic.held, rtol=1e-6, atol=1e-6, err_msg=f"{model}")


@pytest.mark.parametrize("model", WRONG, ids=repr)
def test_parameters_that_scikit_learn_refuses(model):
    ours, generic = (answer(model, X, Y, trueness.Bootstrap(20), engine) for engine in ("auto", "generic"))
    assert isinstance(generic, str)
    assert ours == generic
