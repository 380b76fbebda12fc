"""Cases with the same features get the same scores: an AUC counts ties."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.sample.sample import first_alike

MODELS = [LDA(), QDA(), GaussianNB(), RidgeClassifier(), LogisticRegression()]
pytestmark = pytest.mark.filterwarnings("ignore:.*copies of another row:trueness.errors.TruenessWarning")


def whole_numbers(n, classes=2):
    rng = np.random.default_rng(n)
    return rng.integers(0, 3, size=(n, 3)).astype(float), np.sort(np.arange(n) % classes)


@pytest.mark.parametrize("plan", [trueness.Bootstrap(40), trueness.KFold(5), trueness.plans.LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("n", [203, 401])
def test_equal_cases_tie(model, plan, n):
    X, y = whole_numbers(n)
    fits = trueness.fit(model, X, y, plan, rng=0)
    assert fits.engine.startswith("closed-form")
    _, kind = np.unique(X, axis=0, return_inverse=True)
    rows = [fits.full_scores, *fits.held] if isinstance(plan, trueness.Bootstrap) else [fits.full_scores]
    for row in rows:
        assert all(len(set(row[kind == k])) == 1 for k in range(kind.max() + 1))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_copies_of_another_class_are_left_out_one_by_one(model, classes):
    # the rule that leaves a case out is not the rule that leaves out its copy in another class
    X, y = np.random.default_rng(0).normal(size=(36, 2)), np.arange(36) % classes
    X[1], X[5], X[7], X[8] = X[0], X[2], X[3], X[2]
    ours, generic = (
        trueness.fit(model, X, y, trueness.plans.LeaveOneOut(), engine=engine) for engine in ("auto", "generic")
    )
    tolerance = 1e-2 if isinstance(model, LogisticRegression) else 1e-10
    np.testing.assert_allclose(ours.held, generic.held, atol=tolerance)
    assert (ours.held_predictions == generic.held_predictions).all()


def test_the_auc_is_that_of_scikit_learns_scores():
    X, y = whole_numbers(1003)
    design = trueness.Bootstrap(100).draw(y, rng=0)
    ours, generic = (
        trueness.estimate(trueness.fit(QDA(), X, y, design, engine=engine), "auc", "star").value
        for engine in ("auto", "generic")
    )
    assert ours == generic


def test_which_cases_are_alike():
    table = np.array([[0.0, 1], [2, 3], [-0.0, 1], [2, 4], [2, 3]])
    assert first_alike(table).tolist() == [0, 1, 0, 3, 1]
    for kind in (int, np.float16, ">f8", ">i4"):
        assert first_alike(table.astype(kind)).tolist() == [0, 1, 0, 3, 1]
    named = pd.DataFrame(table, columns=["a", "a"])  # two columns of one name
    named[2] = pd.Categorical(list("xyxyz"), categories=list("xyzw"))
    assert first_alike(named).tolist() == [0, 1, 0, 3, 4]
    assert first_alike(pd.DataFrame({"a": [np.nan, 1, np.nan]})).tolist() == [0, 1, 0]
    assert first_alike(pd.DataFrame({"a": [[1], [1]]})) is None  # lists cannot be hashed
    assert first_alike(pd.DataFrame(table.astype(np.float16))) is None  # pandas does not group these


def test_fits_say_how_many_were_made_one_by_one():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    design = trueness.Bootstrap(80).draw(y, rng=0)
    assert trueness.fit(LDA(), X, y, design).engine == "closed-form lda"
    X[:, 1] = np.arange(60) == 7  # one case alone: about a third of the training sets lack it
    lacking = int((design.rows(slice(None))[:, 7] == 0).sum())
    assert trueness.fit(LDA(), X, y, design).engine == f"closed-form lda ({lacking} of 80 fits one by one)"


@pytest.mark.parametrize("plan", [trueness.Bootstrap(20), trueness.KFold(5), trueness.Holdout(0.5)], ids=repr)
@pytest.mark.parametrize("model", [LDA(), LogisticRegression()], ids=repr)
def test_equal_cases_tie_in_the_generic_engine(model, plan):
    # the last bits of a matrix product depend on the place of a row in it
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 68, 203)
    X, y = rng.normal(size=(68, 40))[kind], rng.integers(0, 2, 203)
    fits = trueness.fit(model, X, y, plan, rng=0, engine="generic")
    for row in [fits.full_scores, *fits.scores]:
        of_kinds = [row[(kind == k) & ~np.isnan(row)] for k in range(68)]
        assert all(len(set(of)) <= 1 for of in of_kinds)
    fitted = clone(model).fit(X, y)
    test = trueness.assess(fitted, X, y, plan="prefit", metrics="auc").fits
    assert all(len(set(test.held[0, kind == k])) <= 1 for k in range(68))
