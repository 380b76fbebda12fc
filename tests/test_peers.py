"""Where other packages answer wrongly: the same input, and the right answer.

tests/reference/wrong_answers.py made the peers' numbers.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score, recall_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError

PEERS = json.loads((Path(__file__).parent / "reference" / "wrong_answers.json").read_text())


def nearest_neighbour(X, y, counts, stratified=False):
    """Fits of 1-NN: (B, n) the label of the nearest case that each replicate drew; a drawn case finds itself."""
    X, y = np.asarray(X), np.asarray(y)
    order = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1, kind="stable")  # (n, n) neighbours, nearest first
    first = (counts[:, order] > 0).argmax(axis=2)  # (B, n) the first of them that was drawn
    predictions = y[order[np.arange(len(y)), first]]
    return trueness.Fits.from_arrays(
        y, counts, None, predictions=predictions, full_predictions=y, plan="bootstrap", stratified=stratified
    )


def noise(seed, n=40, replicates=100):
    """1-NN on labels that have nothing to do with the features: the true error rate is ½."""
    y = np.arange(n) % 2
    X = np.random.default_rng(seed).normal(size=(n, 5))
    return nearest_neighbour(X, y, trueness.Bootstrap(replicates, stratified=False).draw(y, rng=seed).counts)


@pytest.fixture(scope="module")
def noises():
    return [noise(seed) for seed in range(100)]


def value(fits, method, **options):
    return trueness.estimate(fits, "error", method, **options).value


# -- mlxtend: .632 and .632+ -------------------------------------------------------------------------


def test_632plus_of_1nn_on_noise_is_a_half(noises):
    plus = np.array([value(f, "632+") for f in noises])
    assert plus.mean() == pytest.approx(0.5, abs=0.02)
    assert ((plus >= 0) & (plus <= 1)).all()
    # the printed rule jumps back to .632 beyond γ, and .632 itself trusts the apparent error
    assert np.mean([value(f, "632+", rule="printed") for f in noises]) < 0.42
    assert np.mean([value(f, "632") for f in noises]) < 0.35


def test_632_takes_the_apparent_error_of_the_rule_trained_on_all_cases(noises):
    for f in noises[:10]:
        assert value(f, "apparent") == 0  # 1-NN remembers
        assert value(f, "632") == pytest.approx(0.632 * value(f, "loob"), abs=1e-15)


def test_632_where_mlxtend_takes_the_error_of_each_replicate_for_the_apparent_one():
    s = PEERS["noise"]
    counts = np.array([np.bincount(rows, minlength=20) for rows in s["rows"]])
    f = nearest_neighbour(s["X"], s["y"], counts)
    star, sb = value(f, "star"), value(f, "sb")
    assert 0.632 * star + 0.368 * sb == pytest.approx(s["mlxtend_632_error"], abs=1e-12)  # what mlxtend does
    right = value(f, "632")
    assert right == pytest.approx(0.632 * value(f, "loob"), abs=1e-15)
    # 1-NN errs only on the .368 that a replicate left out: theirs is (.632 + .368²)/.632 = 1.21 times too large
    assert s["mlxtend_632_error"] / right == pytest.approx(0.450 / 0.371, abs=0.03)


def test_632plus_is_an_error_rate_where_mlxtend_leaves_the_range():
    s = PEERS["noise"]
    counts = np.array([np.bincount(rows, minlength=20) for rows in s["rows"]])
    low, high = s["mlxtend_632plus_accuracies"]
    assert low < 0
    assert high > 1
    f = nearest_neighbour(s["X"], s["y"], counts)
    e = trueness.estimate(f, "error", "632+", se="quantile")
    assert value(f, "apparent") < value(f, "632") < e.value < 1
    assert e.replicates.min() >= 0
    assert e.replicates.max() <= 1


# -- skore: leave-one-out averaged over folds of one case ------------------------------------------------


@pytest.fixture(scope="module")
def left_one_out():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [40, 25])
    X = rng.normal(size=(65, 3)) + y[:, None]
    held = np.array([GaussianNB().fit(np.delete(X, i, 0), np.delete(y, i)).predict_proba(X[[i]])[0] for i in range(65)])
    return trueness.fit(GaussianNB(), X, y, trueness.plans.LeaveOneOut(), rng=0), y, held[:, 1]


def test_leave_one_out_pools_the_cases(left_one_out):
    fits, y, scores = left_one_out
    decided = (scores > 0.5).astype(int)
    for metric, right in {
        "auc": roc_auc_score(y, scores),
        "recall": recall_score(y, decided),
        "f1": f1_score(y, decided),
        "fnf": 1 - recall_score(y, decided),
        "error": np.mean(y != decided),
    }.items():
        assert trueness.estimate(fits, metric, "cv_pooled").value == pytest.approx(right, abs=1e-12)


def test_leave_one_out_averages_the_table_of_f1_not_f1(left_one_out):
    fits = left_one_out[0]
    assert trueness.estimate(fits, "f1", "cv").value == pytest.approx(trueness.estimate(fits, "f1", "cv_pooled").value)


@pytest.mark.parametrize("metric", ["auc", "recall", "fnf"])
def test_leave_one_out_refuses_to_average_what_one_case_cannot_have(left_one_out, metric):
    with pytest.raises(UndefinedError, match="cv_pooled"):
        trueness.estimate(left_one_out[0], metric, "cv")


# -- confidenceinterval: one positive, limits above 1, no length at 1 ---------------------------------------


def holdout(y, scores, **options):
    return trueness.Fits.from_arrays(y, [[0] * len(y)], [scores], **options)


def test_delong_with_one_positive_says_that_there_is_no_standard_error():
    trained = [0, 0, 0, 0, 1, 1]  # the other positive trains
    fits = trueness.Fits.from_arrays([0, 0, 0, 1, 1, 0], [trained], [[0.1, 0.2, 0.4, 0.3, 0.9, 0.1]])
    e = trueness.estimate(fits, "auc", "holdout")
    assert e.value == pytest.approx(2 / 3)
    assert e.se is None
    assert e.noted("no-se-one-case")
    assert e.row()["low"] is None
    with pytest.raises(InputError, match="no standard error"):
        e.ci()


@pytest.mark.parametrize("method", [None, "logit", "wald", "wilson"])
def test_an_auc_of_1_has_an_interval_with_length(method):
    s = PEERS["separated"]
    assert s["ci"] == [1.0, 1.0]  # theirs has none
    interval = trueness.estimate(holdout(s["y"], s["scores"]), "auc", "holdout").ci(0.95, method)
    assert interval.high == 1
    assert interval.low == pytest.approx(0.025 ** (1 / 6), abs=1e-12)  # exact for the 6 pairs that share no case
    assert interval.note.code == "at-limit"
    swapped = trueness.estimate(holdout(s["y"], -np.array(s["scores"])), "auc", "holdout").ci(0.95, method)
    assert list(swapped) == pytest.approx([0, 1 - interval.low], abs=1e-12)


@pytest.mark.parametrize("method", [None, "logit", "wald", "wilson"])
def test_no_interval_leaves_the_range(method):
    s = PEERS["nearly"]
    assert s["ci"][1] > 1  # theirs does
    e = trueness.estimate(holdout(s["y"], s["scores"]), "auc", "holdout")
    assert e.value == pytest.approx(35 / 36, abs=1e-15)
    assert abs(s["auc"] - 35 / 36) > 1e-8  # theirs ranks in single precision
    low, high = e.ci(0.95, method)
    assert 0 <= low < e.value < high <= 1


def test_intervals_hold_their_estimate_and_stay_inside_whatever_the_scores():
    rng = np.random.default_rng(0)
    for trial in range(200):
        y = np.repeat([0, 1], [7, 5])
        scores = np.round(rng.normal(3 * rng.random() * y), trial % 3)
        e = trueness.estimate(holdout(y, scores, threshold=0.5), "auc", "holdout")
        error = trueness.estimate(holdout(y, scores, threshold=0.5), "error", "holdout")
        for estimate in (e, error):
            assert estimate.se is not None or estimate.noted("no-se-zero-variance")
            low, high = estimate.ci()
            assert 0 <= low <= estimate.value <= high <= 1
            assert high - low > 0.05


def test_scores_that_differ_in_the_last_digits_are_no_ties():
    scores = 1 + 1e-14 * np.arange(8)
    assert trueness.estimate(holdout([0] * 4 + [1] * 4, scores), "auc", "holdout").value == 1


# -- pauc: a direction chosen after the data were seen -----------------------------------------------------


def test_a_null_auc_is_a_half_on_average_and_may_lie_below():
    y = np.repeat([0, 1], 15)
    rng = np.random.default_rng(1)
    values = [trueness.estimate(holdout(y, rng.normal(size=30)), "auc", "holdout").value for _ in range(400)]
    assert np.mean(values) == pytest.approx(0.5, abs=3 * np.std(values) / math.sqrt(400))
    assert np.mean(np.abs(np.array(values) - 0.5)) + 0.5 > 0.55  # what turning each one upwards would give
    assert min(values) < 0.4


# -- scikit-learn: the spread over folds shown as if it were an error ----------------------------------------


@pytest.mark.parametrize("metric", ["auc", "error"])
@pytest.mark.parametrize("repeats", [1, 5])
def test_the_spread_over_folds_is_never_the_standard_error(two_gaussians, metric, repeats):
    X, y = two_gaussians
    fits = trueness.fit(GaussianNB(), X, y, trueness.KFold(5, repeats=repeats), rng=0)
    e = trueness.estimate(fits, metric, "cv")
    folds = [
        float(np.mean(y[t] != p)) if metric == "error" else roc_auc_score(y[t], s) for t, s, p in each_fold(fits, X, y)
    ]
    assert e.value == pytest.approx(np.mean(folds), abs=1e-12)
    assert e.fold_sd == pytest.approx(np.std(folds, ddof=1), abs=1e-12)
    row = e.to_dict()
    assert row["fold_sd"] == e.fold_sd
    if metric == "auc" and repeats == 1:
        assert e.se is None
        assert row["se"] is None
        assert e.noted("no-se-one-pass")
        with pytest.raises(InputError, match="no standard error"):
            e.ci()
    else:
        assert e.se_method == (
            "naive" if repeats == 1 else "nadeau-bengio" if metric == "auc" else "nadeau-bengio, class sizes"
        )
        assert e.se != pytest.approx(e.fold_sd, rel=0.05)
        assert e.se != pytest.approx(e.fold_sd / math.sqrt(len(folds)), rel=1e-3)


def each_fold(fits, X, y):
    for f in range(fits.n_fits):
        test = fits.design.tested(f)
        train = np.setdiff1d(np.arange(len(y)), test)
        model = GaussianNB().fit(X[train], y[train])
        yield test, model.predict_proba(X[test])[:, 1], model.predict(X[test])


def test_the_spread_over_replicates_is_never_the_standard_error():
    f = noise(0)
    for method in ("star", "sb"):
        e = trueness.estimate(f, "error", method)
        assert e.fold_sd > 0
        assert e.se is None
        assert e.mc_se == pytest.approx(e.fold_sd / 10)  # SD/√B: of the resampling, not of the sample
