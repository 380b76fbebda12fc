"""Laws that were broken once: each with the number that is right."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import karat
from karat.errors import InputError
from karat.sample.fits import Failure


@pytest.mark.parametrize(
    ("plan", "metric", "method"),
    [
        (karat.NestedKFold(5, repeats=3), "error", "nested_cv"),
        (karat.KFold(5), "error", "cv_pooled"),
        (karat.KFold(5, repeats=4), "error", "cv"),
        (karat.Holdout(0.5), "auc", "holdout"),
        (karat.Holdout(0.5), "error", "holdout"),
        (karat.Bootstrap(100), "error", "loob"),
    ],
    ids=lambda v: str(v),
)
def test_copies_of_a_case_in_one_group_are_no_new_information(two_gaussians, plan, metric, method):
    X, y = two_gaussians
    found = []
    for k in (1, 6):
        rows = np.repeat(np.arange(40), k)
        # the model must not change with copies either
        fits = karat.fit(LDA(), X[rows], y[rows], plan, rng=0, groups=rows)
        found.append(karat.estimate(fits, metric, method))
    assert found[0].value == pytest.approx(found[1].value, abs=1e-9)
    assert found[0].se == pytest.approx(found[1].se, rel=0.02)


def arrays(n1, n2, wrong, B=200, groups=None, **more):
    y = np.repeat([0, 1], [n2, n1])
    design = karat.Bootstrap(B).draw(y, groups=groups, rng=0)
    scores = np.random.default_rng(0).normal(size=(B, n1 + n2)) * 0.01 + y
    predictions = np.where(np.isin(np.arange(n1 + n2), wrong), 1 - y, y)
    return karat.Fits.from_arrays(
        y,
        design.counts,
        scores,
        predictions=np.tile(predictions, (B, 1)),
        groups=groups,
        stratified=design.stratified,
        **more,
    )


def test_at_the_limit_only_independent_cases_of_the_class_speak():
    fits = arrays(5, 95, [])
    assert karat.estimate(fits, "fnf", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 5))
    assert karat.estimate(fits, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert karat.estimate(fits, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))
    grouped = arrays(50, 50, [], groups=np.arange(100) // 10)
    assert karat.estimate(grouped, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert karat.estimate(grouped, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))


@pytest.mark.parametrize(("n0", "n1"), [(4, 11), (7, 13), (9, 14)])
def test_rounding_does_not_hide_the_end_of_the_range(n0, n1):
    fits = arrays(n1, n0, np.arange(n0, n0 + n1))
    e = karat.estimate(fits, "fnf", "loob")
    assert e.value == 1
    assert e.ci().low < 0.99


def test_many_perfectly_separated_classes():
    y = np.repeat(np.arange(7), 4)
    counts = karat.Bootstrap(300).draw(y, rng=0).counts
    fits = karat.Fits.from_arrays(y, counts, np.tile(np.eye(7)[y] + 0.1 * np.arange(28)[:, None] % 0.5, (300, 1, 1)))
    e = karat.estimate(fits, "auc", "lpob")
    assert e.value == 1
    assert e.ci().low == pytest.approx(0.025 ** (1 / 4))


def test_scorers_need_every_prediction_they_use():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    counts = karat.Bootstrap(50).draw(y, rng=0).counts
    predictions = rng.integers(0, 2, size=counts.shape).astype(object)
    predictions[counts > 0] = None
    fits = karat.Fits.from_arrays(y, counts, None, predictions=predictions)
    assert 0 <= karat.estimate(fits, "accuracy", "star").value <= 1
    with pytest.raises(InputError, match="prediction that is not there"):
        karat.estimate(fits, "accuracy", "sb")


def test_a_corrected_variance_of_next_to_nothing_is_not_believed():
    rng = np.random.default_rng(35)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 2)) + 2.5 * y[:, None]
    for seed in range(30):
        fits = karat.fit(LDA(), X, y, karat.Bootstrap(300), rng=seed)
        for metric, method in (("error", "loob"), ("auc", "lpob")):
            default, exact = (karat.estimate(fits, metric, method, se=s) for s in (None, "influence"))
            assert default.se >= 0.05**0.5 * exact.se


def test_constant_scores_are_judged_from_all_rules():
    y = np.repeat([0, 1], 8)
    loo = karat.LeaveOneOut().draw(y)
    scores = np.random.default_rng(1).normal(size=(16, 16)) + y
    fits = karat.Fits.from_arrays(y, loo.counts, scores)
    assert karat.estimate(fits, "auc", "cv_pooled").value != 0.5
    counts = karat.Bootstrap(80).draw(y, rng=0).counts
    scores = np.random.default_rng(2).normal(size=(80, 16)) + y
    scores[0] = 0.0  # one rule that says the same of everyone
    assert karat.estimate(karat.Fits.from_arrays(y, counts, scores, full_scores=np.zeros(16)), "auc", "lpob").se > 0


def test_differences_are_of_the_training_sets_that_worked_for_both(two_gaussians):
    from dataclasses import replace

    X, y = two_gaussians
    for plan, method in (
        (karat.Bootstrap(200), "star"),
        (karat.Bootstrap(200), "632"),
        (karat.KFold(5, repeats=4), "cv"),
    ):
        fits = karat.fit(LDA(), X, y, plan, rng=0)
        a, b = (replace(fits, failed=(Failure(f, "singular"),)) for f in (3, 15))
        d = karat.difference(a, b, "error", method, undefined="skip")
        assert d.value == 0
        assert not d.mc_se


def test_a_difference_checks_its_options(two_gaussians):
    X, y = two_gaussians
    fits = karat.fit(LDA(), X, y, karat.Bootstrap(150), rng=0)
    with pytest.raises(InputError, match="no standard error 'delong'"):
        karat.difference(fits, fits, "auc", "lpob", se="delong")
    with pytest.raises(InputError, match="undefined must be"):
        karat.difference(fits, fits, "auc", "lpob", undefined="foo")


def test_strata_are_seen_in_units():
    y = np.repeat([0, 1], 10)
    scores = np.random.default_rng(0).normal(size=(20, 20)) + y
    loo = karat.Fits.from_arrays(y, karat.LeaveOneOut().draw(y).counts, scores)
    assert not loo.design.stratified
    groups = np.array([0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 9, 9, 9])
    drawn = karat.Bootstrap(40).draw(y, groups=groups, rng=0)
    assert drawn.stratified
    seen = karat.Fits.from_arrays(y, drawn.counts, np.tile(scores[:1], (40, 1)), groups=groups, plan="bootstrap")
    assert seen.design.stratified
    with pytest.raises(InputError, match="True, False or None"):
        karat.Fits.from_arrays(y, drawn.counts, np.tile(scores[:1], (40, 1)), plan="bootstrap", stratified="no")


def test_priors_follow_the_positive_class():
    """Every case called positive: the FPF is 1, the FNF 0, so the weighted error is the prior of the negatives."""
    labels = np.repeat(["zz well", "aa sick"], [6, 4])
    counts = karat.Bootstrap(60).draw(labels, rng=0).counts
    predictions = np.full(counts.shape, "aa sick")
    fits = karat.Fits.from_arrays(labels, counts, None, predictions=predictions, positive="aa sick")
    for metric in (
        karat.metrics.Error(priors=[0.9, 0.1]),
        karat.metrics.Cost(matrix=[[0, 1], [1, 0]], priors=[0.9, 0.1]),
    ):
        assert karat.estimate(fits, metric, "loob").value == pytest.approx(0.9)
    with pytest.raises(InputError, match="priors"):
        karat.estimate(fits, karat.metrics.Error(priors=np.array([9, 1])), "loob")


def test_a_class_without_cases():
    y = np.array(["a", "b"] * 10)
    counts = karat.Bootstrap(60).draw(y, rng=0).counts
    scores = np.random.default_rng(0).random(size=(60, 20, 3))
    fits = karat.Fits.from_arrays(y, counts, scores, predictions=np.tile(y, (60, 1)), classes=["a", "b", "c"])
    assert 0 < karat.estimate(fits, "auc", "lpob").value < 1
    with pytest.raises(InputError, match="without cases has a prior"):
        karat.estimate(fits, karat.metrics.Error(priors=[0.5, 0.25, 0.25]), "loob")


def test_influence_of_cross_validation_sums_to_nothing_with_unequal_folds():
    y = np.repeat([0, 1], [8, 7])
    X = np.random.default_rng(0).normal(size=(15, 2)) + y[:, None]
    fits = karat.fit(LDA(), X, y, karat.KFold(4, repeats=10, stratified=False), rng=0)
    e = karat.estimate(fits, "error", "cv_pooled", se="influence")
    assert e.influence.sum() == pytest.approx(0, abs=1e-12)


def test_an_unseeded_splitter_inside_a_search_has_the_fits_own_seed(two_gaussians):
    X, y = two_gaussians
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=StratifiedKFold(3, shuffle=True))
    design = karat.Bootstrap(6).draw(y, rng=0)
    one, two = (karat.fit(search, X, y, design).scores for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert search.cv.random_state is None
    forest = RandomForestClassifier(3, random_state=None)
    np.testing.assert_array_equal(*(karat.fit(forest, X, y, design).scores for _ in range(2)))


def test_a_single_pass_has_no_standard_error_of_a_difference_of_pairs(two_gaussians):
    X, y = two_gaussians
    once = karat.fit(LDA(), X, y, karat.KFold(4), rng=0)
    assert karat.difference(once, once, "auc", "cv_pairs", undefined="skip").se is None
