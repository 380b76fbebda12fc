"""DeLong on a test set with few cases of a class: Student's quantiles, and a note where there is no standard error."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness.errors import TruenessWarning
from trueness.kernels.auc import placements


def holdout(y, scores):
    """The AUC of a separate test set."""
    return trueness.estimate(on_test_set(y, scores), "auc", "holdout")


def on_test_set(y, scores):
    with warnings.catch_warnings():  # of hard labels, which are the point here
        warnings.simplefilter("ignore", TruenessWarning)
        return trueness.Fits.from_arrays(y, counts=np.zeros((1, len(y)), int), scores=[np.asarray(scores, float)])


def test_degrees_of_freedom_are_those_of_welch():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 4])
    scores = rng.normal(size=34) + y
    up, down = scores[y == 1], scores[y == 0]
    welch = stats.ttest_ind(placements(up, down), 1 - placements(down, up), equal_var=False)
    found = holdout(y, scores)
    assert found.df == pytest.approx(welch.df, rel=1e-10)
    assert found.ci(0.95, "t").high - found.value == pytest.approx(
        min(stats.t.ppf(0.975, welch.df) * found.se, 1 - found.value), rel=1e-10
    )


def test_twenty_of_each_class_have_normal_quantiles():
    """As pROC's."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    assert holdout(y, rng.normal(size=40) + y).df is None
    assert holdout(y[:-1], rng.normal(size=39) + y[:-1]).df > 19


def test_a_class_that_ranks_alike_has_no_standard_error():
    """Two positives that are both called right do not show how positives differ."""
    found = holdout([0] * 18 + [1, 1], [1, 1, 1] + [0] * 15 + [1, 1])
    assert 0.5 < found.value < 1
    assert found.se is None
    assert found.noted("no-se-zero-variance")
    assert found.ci().method == "logit, hanley-mcneil"
    assert found.ci().high - found.ci().low > 0.5
    turned = holdout([1] * 18 + [0, 0], [0, 0, 0] + [1] * 15 + [0, 0])  # the same with the classes changed
    assert turned.value == pytest.approx(found.value)
    assert turned.se is None
    assert turned.ci() == pytest.approx(tuple(found.ci()))


def test_many_that_rank_alike_have_one():
    """A hundred positives, all called right: their part is small beside that of the negatives."""
    found = holdout([0] * 30 + [1] * 100, [1] * 9 + [0] * 21 + [1] * 100)
    assert found.se == pytest.approx(0.5 * np.sqrt(0.3 * 0.7 / 29), rel=1e-10)


def test_a_perfect_test_keeps_its_exact_interval():
    found = holdout([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    assert found.value == 1
    assert found.ci().low == pytest.approx(0.025 ** (1 / 2))


def test_one_case_of_a_class():
    found = holdout([0, 0, 0, 1], [1, 2, 4, 3])
    assert found.se is None
    assert found.noted("no-se-one-case")


def test_a_difference_tells_why_it_has_no_standard_error():
    one, other = (on_test_set([0] * 18 + [1, 1], np.r_[np.ones(k), np.zeros(18 - k), 1, 1]) for k in (3, 5))
    found = trueness.difference(one, other, "auc", "holdout")
    assert found.se is None
    assert found.noted("no-se-zero-variance")


@pytest.mark.coverage
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("sizes", [(18, 2), (50, 5), (10, 10), (100, 10)])
def test_what_is_said_holds(sizes, hard):
    """It covers at least 92 %; with DeLong's standard error and normal quantiles hard labels had 72 %."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], sizes)
    true = stats.norm.cdf(1.5 / 2) if hard else stats.norm.cdf(1.5 / np.sqrt(2))
    inside = []
    for _ in range(600):
        scores = rng.normal(size=len(y)) + 1.5 * y
        found = holdout(y, scores > 0.75 if hard else scores)
        low, high = found.ci()
        inside.append(low <= true <= high)
    assert np.mean(inside) > 0.91


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_a_difference_of_rules_that_answer_alike_here_has_no_standard_error(metric):
    """Six test cases on which two different rules agree: the formula gives 0, which is not an error to report."""
    y, scores = [0, 0, 0, 1, 1, 1], np.array([1.0, 2.0, 4.0, 3.0, 5.0, 6.0])
    counts = np.zeros((1, 6), int)
    one, other = (
        trueness.Fits.from_arrays(y, counts=counts, scores=[s], threshold=3.5) for s in (scores, scores**1.01)
    )
    found = trueness.difference(one, other, metric, "holdout")
    assert found.value == 0
    assert found.se is None
    assert found.noted("no-se-zero-variance")
    same = trueness.difference(one, one, metric, "holdout")
    if metric == "auc":
        assert same.se == 0
        assert tuple(same.ci()) == (0.0, 0.0)
    else:  # rules that decide six cases alike may differ on others
        assert tuple(same.ci()) == pytest.approx(trueness.comparisons.tango(0, 0, 6))


@pytest.mark.parametrize(("method", "se", "noted"), [("lpob", None, True), ("lpob", "second-order", False)])
def test_an_auc_of_few_cases_has_a_note(method, se, noted):
    rng = np.random.default_rng(0)
    for sizes, few in (((30, 4), True), ((30, 10), False)):
        y = np.repeat([0, 1], sizes)
        fits = trueness.fit(LDA(), rng.normal(size=(len(y), 2)) + y[:, None], y, trueness.Bootstrap(200), rng=0)
        note = trueness.estimate(fits, "auc", method, se=se).noted("few-cases")
        assert (note is not None) == (few and noted)
        assert note is None or note.data["cases"] == 4
        assert not trueness.estimate(fits, "error", "loob").noted("few-cases")


def test_a_difference_of_few_positives_has_student_quantiles():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [60, 3])
    a, b = (on_test_set(y, rng.normal(size=63) + y) for _ in range(2))
    d = trueness.difference(a, b, "auc", "holdout")
    assert 2 <= d.df < 20
    up, down = d.influence[y == 1] @ d.influence[y == 1], d.influence[y == 0] @ d.influence[y == 0]
    assert d.df == pytest.approx((up + down) ** 2 / (up**2 / 2 + down**2 / 59), rel=1e-10)
    many = np.repeat([0, 1], 30)
    a, b = (on_test_set(many, rng.normal(size=60) + many) for _ in range(2))
    assert trueness.difference(a, b, "auc", "holdout").df is None


def test_differences_of_other_losses_count_their_own_cases():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [60, 5])
    zeros = np.zeros((1, 65), int)
    a, b = (
        trueness.Fits.from_arrays(y, counts=zeros, scores=[rng.uniform(size=65)], threshold=0.5, positive=1)
        for _ in range(2)
    )
    assert trueness.difference(a, b, "fnf", "holdout").interval.n == 5
    assert trueness.difference(a, b, "fpf", "holdout").interval.n == 60
    assert trueness.difference(a, b, "balanced_accuracy", "holdout").df < 20
    assert trueness.difference(a, b, "brier", "holdout").df == 64


def test_a_null_difference_with_three_positives_is_rejected_about_as_often_as_it_says():
    """Two equally good rules: normal quantiles reject 10 %."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [40, 3])
    rejected = []
    for _ in range(600):
        a, b = (on_test_set(y, rng.normal(size=43) + y) for _ in range(2))
        d = trueness.difference(a, b, "auc", "holdout")
        rejected.append(d.se is not None and not d.ci().covers(0.0))
    assert np.mean(rejected) < 0.07
