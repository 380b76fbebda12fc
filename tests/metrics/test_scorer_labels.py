"""Scorers by name, under names of the user's own, and the labels that functions and scorers get."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    get_scorer_names,
    make_scorer,
    precision_score,
    roc_auc_score,
)

import trueness
from trueness.errors import InputError
from trueness.metrics import aliases, names, resolve

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0, "sick", "well")  # alphabetically the positive class comes first
PLAN = trueness.KFold(3)


def assess(metrics, plan=PLAN):
    return trueness.assess(LogisticRegression(), X, Y, plan=plan, metrics=metrics, positive="sick", rng=0)


def test_a_scorer_that_trueness_has_takes_its_path():
    a, own = (assess(metric, plan=trueness.Bootstrap(50)) for metric in ("roc_auc", "auc"))
    assert a["roc_auc"].value == own["auc"].value
    assert a["roc_auc"].se == own["auc"].se > 0
    assert {method for _, method in a.estimates} == {method for _, method in own.estimates}
    k = trueness.compare(
        [LogisticRegression(), LogisticRegression(C=0.01)], X, Y, "roc_auc", plan=PLAN, positive="sick"
    )
    assert k.difference.metric == "roc_auc difference"


def test_losses_of_the_opposite_sign_have_its_name():
    assert assess("neg_brier_score")["brier"].value == assess("brier")["brier"].value > 0


def test_every_alias_is_its_metric_and_scorers_of_the_same_quantity_are_found():
    assert not set(aliases()) & set(names())
    for alias, own in aliases().items():
        assert type(resolve(alias)) is type(resolve(own))
    same = {
        "roc_auc": "auc",
        "recall": "tpf",
        "precision": "ppv",
        "matthews_corrcoef": "mcc",
        "neg_log_loss": "log_loss",
    }
    same |= {"positive_likelihood_ratio": "dlr_positive", "neg_negative_likelihood_ratio": "dlr_negative"}
    assert set(same) <= set(get_scorer_names())
    assert same.items() <= aliases().items()


@pytest.mark.parametrize("scorer", ["nope", "", 5, None, ["f1"]])
def test_what_is_no_scorer(scorer):
    with pytest.raises(InputError) as caught:
        trueness.metrics.Scorer(scorer)
    assert caught.value.param == "metric"


def test_names_of_the_users_own():
    a = assess({"area": "roc_auc", "wrong": "error", "first": lambda y, s: s[0]})
    assert list(dict.fromkeys(metric for metric, _ in a.estimates)) == ["area", "wrong", "first"]
    assert a["area"].value == assess("auc")["auc"].value
    assert a["wrong"].se == assess("error")["error"].se
    assert a["area"].metric == "area"
    one, other = resolve("roc_auc").bind(a.fits.sample), resolve("auc").bind(a.fits.sample)
    assert one.key == other.key


@pytest.mark.parametrize("labels", [("sick", "well"), (1, 2), (True, False), (-1, 1)], ids=str)
def test_a_function_gets_the_labels_of_y(labels):
    y = np.array(labels)[(Y == "well").astype(int)]
    seen = []

    def auc(y, score):
        seen.extend(np.unique(y).tolist())
        return roc_auc_score(y == labels[0], score)

    a = trueness.assess(
        LogisticRegression(), X, y, plan=PLAN, metrics={"own": auc, "auc": "auc"}, positive=labels[0], rng=0
    )
    assert set(seen) == set(labels)
    assert a["own", "cv"].value == pytest.approx(a["auc", "cv_pooled"].value)


def test_a_function_that_fails_on_these_labels_is_told_them():
    with pytest.raises(InputError, match="'sick'") as e:
        assess(lambda y, score: average_precision_score(y, score))
    assert e.value.param == "metric"


@pytest.mark.parametrize("function", [roc_auc_score, brier_score_loss, average_precision_score])
def test_functions_of_scikit_learn_take_the_positive_class_of_trueness(function):
    a = assess(function)
    direct = assess(lambda y, score: function((y == "sick").astype(int), score))
    assert a.frame()["value"].tolist() == direct.frame()["value"].tolist()
    if function is roc_auc_score:
        assert a["roc_auc_score", "cv"].value == pytest.approx(assess("auc")["auc", "cv_pooled"].value)


def test_a_positive_label_of_their_own():
    told = assess({"ap": partial(average_precision_score, pos_label="sick")})["ap", "cv"].value
    assert told == assess({"ap": average_precision_score})["ap", "cv"].value


@pytest.mark.parametrize("positive", ["sick", "well"])
def test_a_scorer_with_a_positive_label_measures_that_class(positive):
    for scorer in (
        make_scorer(f1_score, pos_label="well"),
        make_scorer(average_precision_score, response_method="predict_proba", pos_label="well"),
    ):
        a = trueness.assess(LogisticRegression(), X, Y, plan=PLAN, metrics={"m": scorer}, positive=positive, rng=0)
        b = trueness.assess(LogisticRegression(), X, Y, plan=PLAN, metrics={"m": scorer}, positive="well", rng=0)
        assert a["m", "cv"].value == pytest.approx(b["m", "cv"].value)


def test_a_scorer_without_a_positive_label_takes_that_of_trueness():
    a = assess({"precision": make_scorer(precision_score), "told": make_scorer(precision_score, pos_label="sick")})
    assert a["precision", "cv"].value == a["told", "cv"].value


def test_a_warning_of_a_scorer_comes_once_and_names_the_metric():
    """Not once per training set."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assess("top_k_accuracy")
    (warning,) = (w for w in caught if "'k' (2)" in str(w.message))
    assert str(warning.message).startswith("top_k_accuracy: ")
    assert warning.category.__name__ == "UndefinedMetricWarning"
