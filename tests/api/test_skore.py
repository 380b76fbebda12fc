"""Reports of skore become Fits; with stand-ins that have its attributes, and with skore itself where it is there."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

X, Y = load_breast_cancer(return_X_y=True)
SPLITS = list(StratifiedKFold(5).split(X, Y))


def cross_validation():
    parts = [SimpleNamespace(estimator_=GaussianNB().fit(X[train], Y[train])) for train, _ in SPLITS]
    return SimpleNamespace(split_indices=tuple(SPLITS), reports_=parts, X=X, y=Y, pos_label=None)


def test_a_cross_validation_has_the_numbers_of_its_folds():
    fits = trueness.api.from_skore(cross_validation())
    each = [accuracy_score(Y[test], GaussianNB().fit(X[train], Y[train]).predict(X[test])) for train, test in SPLITS]
    assert trueness.estimate(fits, "error", "cv").value == pytest.approx(1 - np.mean(each))


def test_a_fitted_estimator_with_its_test_set_is_a_holdout():
    model = GaussianNB().fit(X[:300], Y[:300])
    report = SimpleNamespace(estimator_=model, X_test=X[300:], y_test=Y[300:], pos_label=0)
    e = trueness.estimate(trueness.api.from_skore(report), "error", "holdout")
    assert e.value == pytest.approx(1 - model.score(X[300:], Y[300:]))
    assert e.se is not None
    report.X_test = None
    with pytest.raises(InputError) as caught:
        trueness.api.from_skore(report)
    assert caught.value.param == "report"


def test_anything_else_is_an_error():
    with pytest.raises(InputError) as caught:
        trueness.api.from_skore({"estimator": 3})
    assert caught.value.param == "report"


def test_reports_of_skore_itself():
    skore = pytest.importorskip("skore")
    model = LogisticRegression(max_iter=5000)
    report = skore.CrossValidationReport(model, X=X, y=Y, splitter=5)
    e = trueness.estimate(trueness.api.from_skore(report), "error", "cv")
    each = [part.metrics.accuracy() for part in report.reports_]
    assert e.value == pytest.approx(1 - np.mean(each))
    one = skore.EstimatorReport(model, X_train=X[:300], y_train=Y[:300], X_test=X[300:], y_test=Y[300:], pos_label=1)
    auc = trueness.estimate(trueness.api.from_skore(one), "auc", "holdout")
    assert auc.value == pytest.approx(one.metrics.roc_auc())
