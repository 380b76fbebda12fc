"""Fits.from_cv_results: the same bits as trueness's own fits on the same splits."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import InputError, UndefinedError

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


@pytest.fixture
def cases():
    rng = np.random.default_rng(2)
    y = np.array(["ill", "well", "well"] * 20)
    X = rng.normal(size=(60, 3))
    X[y == "ill"] += 1
    return X, y


class InOrder(ShuffleSplit):
    """Random splits that list their cases in order, as trueness trains on them."""

    def split(self, X, y=None, groups=None):
        for train, test in super().split(X, y, groups):
            yield np.sort(train), np.sort(test)


def both(model, X, y, cv, positive=None, groups=None):
    results = cross_validate(model, X, y, cv=cv, groups=groups, return_estimator=True, return_indices=True)
    own = trueness.fit(model, X, y, trueness.plans.Splits(cv), engine="generic", positive=positive, groups=groups)
    return trueness.Fits.from_cv_results(results, X, y, positive=positive, groups=groups), own


@pytest.mark.parametrize("model", [LDA(), GaussianNB(), LogisticRegression(), LinearSVC(random_state=0)], ids=str)
@pytest.mark.parametrize(
    "cv",
    [
        StratifiedKFold(5),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        InOrder(6, test_size=0.3, random_state=0),
        TimeSeriesSplit(4),
        LeaveOneOut(),
        InOrder(1, test_size=0.3, random_state=0),
    ],
    ids=str,
)
def test_bit_equal_to_its_own_run(cases, model, cv):
    given, own = both(model, *cases, cv, positive="ill")
    assert given.design.fingerprint == own.design.fingerprint
    assert np.array_equal(given.held[0:], own.held[0:], equal_nan=True)
    assert np.array_equal(given.held_predictions[0:], own.held_predictions[0:])
    method = own.design.kind
    for metric in ("error", "auc"):
        if metric == "auc" and isinstance(cv, LeaveOneOut):
            continue
        one, two = trueness.estimate(given, metric, method), trueness.estimate(own, metric, method)
        assert (one.value, one.se) == (two.value, two.se)


def test_shuffled_training_sets_agree_up_to_rounding(cases):
    given, own = both(GaussianNB(), *cases, ShuffleSplit(6, random_state=0), positive="ill")
    assert given.design.fingerprint == own.design.fingerprint
    np.testing.assert_allclose(given.held[0:], own.held[0:], rtol=0, atol=1e-12)


def test_several_classes_and_groups():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) % 30
    given, own = both(LDA(), X, y, GroupKFold(5), groups=groups)
    assert np.array_equal(given.held[0:], own.held[0:])
    assert trueness.estimate(given, "error", "cv").se == trueness.estimate(own, "error", "cv").se


@pytest.mark.parametrize(
    "cv", [StratifiedGroupKFold(4), LeaveOneGroupOut(), PredefinedSplit(np.arange(60) // 5 % 4 - 1)], ids=str
)
def test_every_estimate_of_assess_has_the_same_bits(cases, cv):
    X, y = cases
    groups = np.arange(60) // 5
    results = cross_validate(
        LogisticRegression(), X, y, cv=cv, groups=groups, return_estimator=True, return_indices=True
    )
    fits = trueness.Fits.from_cv_results(results, X, y, positive="ill", groups=groups)
    options = {"plan": cv, "groups": groups, "positive": "ill", "metrics": ["error", "auc", "f1", "mcc"]}
    a = trueness.assess(LogisticRegression(), X, y, engine="generic", **options)
    compared = [(metric, method) for metric, method in a if method not in ("apparent", "majority")]
    assert {metric for metric, _ in compared} == {"error", "auc", "f1", "mcc"}
    for key in compared:
        e = trueness.estimate(fits, *key, undefined="skip")
        assert (e.value, e.se) == (a[key].value, a[key].se), key


def test_fits_are_assessed_without_fitting(cases):
    X, y = cases
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    given, _ = both(LogisticRegression(), X, y, cv, positive="ill")
    metrics = ["error", "auc", "f1"]
    a = trueness.assess(given, metrics=metrics)
    b = trueness.assess(LogisticRegression(), X, y, plan=cv, engine="generic", metrics=metrics, positive="ill")
    assert {key for key in b if key[1] != "apparent"} == set(a)
    for key in a:
        assert (a[key].value, a[key].se) == (b[key].value, b[key].se)
    assert a.fits is given
    assert "<html" in a.report()
    for more in ({"X": X, "y": y}, {"rng": 0}, {"plan": 5}, {"positive": "ill"}):
        with pytest.raises(InputError) as e:
            trueness.assess(given, **more)
        assert e.value.param in more
    with pytest.raises(InputError):
        a.continue_()


def test_what_is_no_model_names_the_way_in(cases):
    X, y = cases
    results = cross_validate(LDA(), X, y, return_estimator=True, return_indices=True)
    with pytest.raises(InputError) as e:
        trueness.assess(results, X, y, plan=3, positive="ill")
    assert e.value.param == "model"
    with pytest.raises(InputError) as e:
        trueness.assess(LDA())
    assert e.value.param == "X"
    with pytest.raises(InputError) as e:
        trueness.assess(LDA(), X, y, groups="patient", positive="ill")
    assert (e.value.param, e.value.got) == ("groups", "an array of shape ()")


def test_models_are_compared_without_fitting(cases):
    X, y = cases
    cv = StratifiedKFold(4)
    results = {
        name: cross_validate(m, X, y, cv=cv, return_estimator=True, return_indices=True)
        for name, m in {"lda": LDA(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}.items()
    }
    fits = {name: trueness.Fits.from_cv_results(r, X, y, positive="ill") for name, r in results.items()}
    k = trueness.compare(fits, metric="error")
    expected = np.mean(results["tree"]["test_score"] - results["lda"]["test_score"])
    assert k.difference.value == pytest.approx(expected, abs=1e-14)
    with pytest.raises(UndefinedError):
        trueness.estimate(fits["lda"], "error", "apparent")


def test_probabilities_on_demand(cases):
    X, y = cases
    r = cross_validate(LDA(), X, y, cv=4, return_estimator=True, return_indices=True)
    fits = trueness.Fits.from_cv_results(r, X, y, positive="ill", scores="predict_proba")
    assert fits.probabilities
    assert 0 < trueness.estimate(fits, "brier", "cv").value < 1


def test_estimators_that_failed_are_failures(cases):
    X, y = cases
    r = cross_validate(LDA(), X, y, cv=4, return_estimator=True, return_indices=True)
    r["estimator"][2] = LDA()  # as with error_score=nan
    fits = trueness.Fits.from_cv_results(r, X, y, positive="ill")
    assert [f.fit for f in fits.failed] == [2]
    r["estimator"] = [LDA()] * 4
    with pytest.raises(InputError):
        trueness.Fits.from_cv_results(r, X, y, positive="ill")


def test_what_is_missing_is_named(cases):
    X, y = cases
    plain = cross_validate(LDA(), X, y, cv=3)
    whole = cross_validate(LDA(), X, y, cv=3, return_estimator=True, return_indices=True)
    fewer = {**whole, "estimator": whole["estimator"][:2]}
    for wrong in (plain, {k: v for k, v in whole.items() if k != "indices"}, fewer, [1, 2]):
        with pytest.raises(InputError) as e:
            trueness.Fits.from_cv_results(wrong, X, y, positive="ill")
        assert e.value.param == "cv_results"
    with pytest.raises(InputError) as e:  # indices of more cases
        trueness.Fits.from_cv_results(whole, X[:50], y[:50], positive="ill")
    assert e.value.param == "cv_results"


def test_more_cases_than_cross_validate_had_are_an_error(cases):
    X, y = cases
    for cv in (StratifiedKFold(3), ShuffleSplit(5, random_state=0)):
        part = cross_validate(LDA(), X[:50], y[:50], cv=cv, return_estimator=True, return_indices=True)
        with pytest.raises(InputError) as e:
            trueness.Fits.from_cv_results(part, X, y, positive="ill")
        assert (e.value.param, e.value.got) == ("X", "60 cases")
