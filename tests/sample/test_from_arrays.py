"""Fits from arrays of another system: what they mean, and what is not accepted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import trueness
from trueness.errors import InputError, TruenessWarning

Y = np.repeat([0, 1], 6)


def arrays(**changes):
    rng = np.random.default_rng(1)
    given = {
        "y": Y,
        "counts": trueness.Bootstrap(50).draw(Y, rng=0).counts,
        "scores": rng.normal(size=(50, 12)),
        "threshold": 0.0,
    }
    return given | changes


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"counts": np.zeros((3, 11))}, "counts"),
        ({"counts": -np.ones((50, 12))}, "counts"),
        ({"counts": np.full((50, 12), 0.5)}, "counts"),
        ({"counts": np.full((50, 12), np.nan)}, "counts"),
        ({"counts": np.full((50, 12), "x")}, "counts"),
        ({"counts": np.zeros((50, 12)), "plan": "bootstrap"}, "counts"),
        ({"scores": np.zeros((50, 11))}, "scores"),
        ({"scores": np.full((50, 12), np.inf)}, "scores"),
        ({"scores": [["a"] * 12] * 50}, "scores"),
        ({"scores": None, "threshold": None}, "scores"),
        ({"predictions": np.full((50, 12), 7)}, "predictions"),
        ({"predictions": np.zeros((50, 11))}, "predictions"),
        ({"full_predictions": np.zeros(11)}, "full_predictions"),
        ({"full_scores": np.full(12, np.nan)}, "full_scores"),
        ({"threshold": np.nan}, "threshold"),
        ({"repeat": [1, 2]}, "repeat"),
        ({"plan": "jackknife"}, "plan"),
        ({"classes": [0, 2]}, "y"),
        ({"classes": [0, 1, 1]}, "classes"),
        ({"groups": np.arange(12) // 2}, "groups"),
        ({"counts": np.ones((50, 12), dtype=int) * 2}, "plan"),
        ({"stratified": "no"}, "stratified"),
        ({"groups": [0, 1] * 6, "stratified": True}, "stratified"),
    ],
)
def test_errors_name_the_parameter(changes, param):
    with pytest.raises(InputError) as e:
        trueness.Fits.from_arrays(**arrays(**changes))
    assert e.value.param == param


def test_the_shape_of_counts():
    with pytest.raises(InputError) as e:
        trueness.Fits.from_arrays(**arrays(counts=np.zeros((3, 11))))
    assert str(e.value) == "counts must have shape (n_fits, n_cases). Got shape (3, 11) for 12 cases."


def test_the_plan_is_inferred_where_that_is_safe():
    fits = trueness.Fits.from_arrays(**arrays())
    assert fits.design.kind == "bootstrap"
    assert fits.design.stratified
    few = arrays()
    few["counts"], few["scores"] = few["counts"][:5], few["scores"][:5]
    with pytest.raises(InputError, match="stratified=True or stratified=False"):
        trueness.Fits.from_arrays(**few)
    folds = trueness.KFold(3).draw(Y, rng=0).counts
    cv = trueness.Fits.from_arrays(Y, folds, np.random.default_rng(0).normal(size=(3, 12)), threshold=0.0)
    assert cv.design.kind == "cv"
    assert 0 <= trueness.estimate(cv, "auc", "cv_pooled").value <= 1


def test_strata_are_seen_in_units():
    y = np.repeat([0, 1], 10)
    scores = np.random.default_rng(0).normal(size=(20, 20)) + y
    loo = trueness.Fits.from_arrays(y, trueness.plans.LeaveOneOut().draw(y).counts, scores)
    assert not loo.design.stratified
    groups = np.array([0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 9, 9, 9])
    drawn = trueness.Bootstrap(40).draw(y, groups=groups, rng=0)
    assert drawn.stratified
    seen = trueness.Fits.from_arrays(y, drawn.counts, np.tile(scores[:1], (40, 1)), groups=groups, plan="bootstrap")
    assert seen.design.stratified


def test_nan_means_not_scored_and_methods_that_need_it_say_so():
    given = arrays(threshold=0.0)
    in_bag = given["counts"] > 0
    given["scores"] = np.where(in_bag, np.nan, given["scores"])
    fits = trueness.Fits.from_arrays(**given, full_scores=np.arange(12.0))
    for metric, methods in {"error": ("loob", "star", "632", "632+"), "auc": ("lpob", "star", "632", "632+")}.items():
        for method in methods:
            assert np.isfinite(trueness.estimate(fits, metric, method).value)
        for method in ("sb", "rb"):
            with pytest.raises(InputError, match="missing") as e:
                trueness.estimate(fits, metric, method)
            assert e.value.param == "scores"


def test_estimates_of_the_rule_trained_on_all_cases_need_its_scores():
    fits = trueness.Fits.from_arrays(**arrays())
    for method in ("apparent", "rb", "632", "632+"):
        with pytest.raises(InputError, match="trained on all cases") as e:
            trueness.estimate(fits, "auc", method)
        assert e.value.param == "full_scores"


def test_an_error_rate_needs_predictions_or_a_threshold():
    fits = trueness.Fits.from_arrays(**arrays(threshold=None))
    with pytest.raises(InputError, match="Give predictions or a threshold") as e:
        trueness.estimate(fits, "error", "loob")
    assert e.value.param == "predictions"


def test_hard_labels_as_scores_are_warned_of():
    with pytest.warns(TruenessWarning) as caught:
        fits = trueness.Fits.from_arrays(**arrays(scores=np.random.default_rng(0).integers(0, 2, size=(50, 12))))
    assert [w.message.args[0].code for w in caught] == ["scores-look-like-labels"]
    assert [n.code for n in fits.notes] == ["scores-look-like-labels"]


def test_a_test_set_may_have_one_positive_and_then_has_no_standard_error():
    test = trueness.Fits.from_arrays([0, 0, 0, 1], [[0] * 4], [[0.1, 0.4, 0.3, 0.35]])
    e = trueness.estimate(test, "auc", "holdout")
    assert e.value == pytest.approx(2 / 3)
    assert e.se is None
    assert e.noted("no-se-one-case")


def test_a_class_without_cases():
    y = np.array(["a", "b"] * 10)
    counts = trueness.Bootstrap(60).draw(y, rng=0).counts
    scores = np.random.default_rng(0).random(size=(60, 20, 3))
    fits = trueness.Fits.from_arrays(y, counts, scores, predictions=np.tile(y, (60, 1)), classes=["a", "b", "c"])
    assert 0 < trueness.estimate(fits, "auc", "lpob").value < 1
    with pytest.raises(InputError, match="without cases") as e:
        trueness.estimate(fits, trueness.metrics.Error(priors=[0.5, 0.25, 0.25]), "loob")
    assert e.value.param == "priors"


def test_scores_of_several_classes_decide_for_the_largest_on_a_test_set_without_counts():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], 90)
    p = rng.dirichlet(np.ones(3), 90) + 0.3 * (y[:, None] == ["a", "b", "c"])
    fits = trueness.Fits.from_arrays(y, None, p, classes=["a", "b", "c"])
    said = np.array(["a", "b", "c"])[p.argmax(axis=1)]
    a = trueness.assess(fits, metrics=["error", "auc"])
    assert a["error"].value == pytest.approx((said != y).mean())
    assert a["error"].ci() == pytest.approx(trueness.diagnose(y, said).error.ci())
    each = [roc_auc_score(y == c, p[:, k]) for k, c in enumerate("abc")]
    assert a["auc"].value == pytest.approx(np.mean(each), abs=1e-12)
    before = trueness.Fits.from_arrays(y, np.zeros((1, 90)), p[None], predictions=said[None])
    assert trueness.estimate(before, "error", "holdout").value == a["error"].value
    frame = pd.DataFrame({"i": range(90), "y": y, **{f"p_{c}": p[:, k] for k, c in enumerate("abc")}})
    table = trueness.Fits.from_frame(frame, case="i", truth="y", score={c: f"p_{c}" for c in "abc"})
    assert trueness.estimate(table, "error", "holdout").value == a["error"].value
