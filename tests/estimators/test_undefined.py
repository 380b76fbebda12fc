"""What cannot be evaluated: an error that says what would help, or a mean over the rest with a note."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, TruenessWarning, UndefinedError

Y = np.repeat([0, 1], 6)
COUNTS = trueness.Bootstrap(50).draw(Y, rng=0).counts
SCORES = np.random.default_rng(1).normal(size=(50, 12))


def test_a_case_or_pair_never_left_out():
    fits = trueness.Fits.from_arrays(Y, COUNTS[:4], SCORES[:4], threshold=0.0, stratified=True)
    for metric, method, code in (("error", "loob", "cases-skipped"), ("auc", "lpob", "pairs-skipped")):
        with pytest.raises(UndefinedError, match="never left out"):
            trueness.estimate(fits, metric, method)
        skipped = trueness.estimate(fits, metric, method, undefined="skip")
        assert skipped.noted(code).data["skipped"] > 0


def test_constant_scores_are_a_half_without_a_standard_error():
    fits = trueness.Fits.from_arrays(Y, COUNTS, np.ones((50, 12)))
    with pytest.warns(TruenessWarning) as caught:
        e = trueness.estimate(fits, "auc", "lpob")
    assert [w.message.args[0].code for w in caught] == ["constant-scores"]
    assert e.value == 0.5
    assert e.se is None
    assert e.noted("constant-scores")
    with pytest.raises(InputError, match="no standard error"):
        e.ci()


def test_constant_scores_are_judged_from_all_rules():
    y = np.repeat([0, 1], 8)
    loo = trueness.plans.LeaveOneOut().draw(y)
    scores = np.random.default_rng(1).normal(size=(16, 16)) + y
    fits = trueness.Fits.from_arrays(y, loo.counts, scores)
    assert trueness.estimate(fits, "auc", "cv_pooled").value != 0.5
    counts = trueness.Bootstrap(80).draw(y, rng=0).counts
    scores = np.random.default_rng(2).normal(size=(80, 16)) + y
    scores[0] = 0.0  # one rule with equal scores
    assert (
        trueness.estimate(trueness.Fits.from_arrays(y, counts, scores, full_scores=np.zeros(16)), "auc", "lpob").se > 0
    )


def test_scorers_need_every_prediction_they_use():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    counts = trueness.Bootstrap(50).draw(y, rng=0).counts
    predictions = rng.integers(0, 2, size=counts.shape).astype(object)
    predictions[counts > 0] = None
    fits = trueness.Fits.from_arrays(y, counts, None, predictions=predictions)
    assert 0 <= trueness.estimate(fits, "jaccard_weighted", "star").value <= 1
    with pytest.raises(InputError, match="missing") as e:
        trueness.estimate(fits, "jaccard_weighted", "sb")
    assert e.value.param == "predictions"


def test_replicates_without_a_value_are_dropped_and_counted():
    y = np.repeat([0, 1], 3)
    fits = trueness.fit(LDA(), np.arange(6.0)[:, None], y, trueness.Bootstrap(60), rng=0)
    e = trueness.estimate(fits, "auc", "star")
    lost = int(sum((row[y == 0] > 0).all() or (row[y == 1] > 0).all() for row in fits.counts))
    assert lost
    assert e.noted("replicates-dropped").data == {"dropped": lost, "of": 60}


@pytest.mark.parametrize("plan", [trueness.KFold(5, repeats=2), trueness.plans.CvHalves(), trueness.Holdout(0.5)])
def test_a_metric_that_never_varies_has_no_standard_error(plan):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)

    def always(y, scores):
        return 0.7

    a = trueness.assess(GaussianNB(), rng.normal(size=(60, 2)), y, plan=plan, metrics=[always], rng=0, checks=False)
    assert all(e.se is None for e in a.estimates.values())
    assert not a["always"].has_interval
    assert a["always"].notes


@pytest.mark.parametrize("metric", ["ppv", "npv", "tpf", "fpf", "tnf", "fnf", "youden"])
def test_a_metric_of_two_classes_says_so_of_three(metric):
    y = np.tile([0, 1, 2], 20)
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(InputError) as error:
        trueness.assess(GaussianNB(), X, y, metrics=[metric])
    assert error.value.param == "metric"
    assert metric in error.value.problem
