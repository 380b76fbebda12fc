"""Groups: copies of a case within a group add no information."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.formulas.groups import degrees_of_freedom


@pytest.mark.parametrize(
    ("plan", "metric", "method"),
    [
        (trueness.plans.NestedKFold(5, repeats=3), "error", "nested_cv"),
        (trueness.KFold(5), "error", "cv_pooled"),
        (trueness.KFold(5, repeats=4), "error", "cv"),
        (trueness.Holdout(0.5), "auc", "holdout"),
        (trueness.Holdout(0.5), "error", "holdout"),
        (trueness.Bootstrap(100), "error", "loob"),
    ],
    ids=lambda v: str(v),
)
def test_copies_of_a_case_in_one_group_are_no_new_information(two_gaussians, plan, metric, method):
    X, y = two_gaussians
    found = []
    for k in (1, 6):
        rows = np.repeat(np.arange(40), k)
        # the model must not change with copies either
        fits = trueness.fit(LDA(), X[rows], y[rows], plan, rng=0, groups=rows)
        found.append(trueness.estimate(fits, metric, method))
    assert found[0].value == pytest.approx(found[1].value, abs=1e-9)
    assert found[0].se == pytest.approx(found[1].se, rel=0.02)


@pytest.mark.parametrize(
    ("plan", "metric", "method"),
    [
        (trueness.Bootstrap(200), "error", "loob"),
        (trueness.Bootstrap(200), "auc", "lpob"),
        (trueness.KFold(3, repeats=10), "error", "cv"),
        (trueness.Holdout(0.5), "error", "holdout"),
        (trueness.Holdout(0.5), "auc", "holdout"),
    ],
    ids=lambda v: str(v),
)
def test_few_groups_have_student_quantiles_and_a_warning(plan, metric, method):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(6), 20)
    y = np.tile([0, 1], 60)
    X = rng.normal(size=(120, 2)) + y[:, None] + rng.normal(size=6)[groups][:, None]
    design = plan.draw(y, groups=groups, rng=0)
    a, b = (trueness.fit(m, X, y, design) for m in (LDA(), KNeighborsClassifier(3)))
    n = 3 if plan.kind == "holdout" else 6
    for e in (
        trueness.estimate(a, metric, method, undefined="skip"),
        trueness.difference(a, b, metric, method, undefined="skip"),
    ):
        assert e.df == n - 1
        note = e.noted("very-few-groups")
        assert note.data == {"groups": n, "needed": 30}
    assert trueness.estimate(a, "error", "apparent").noted("very-few-groups") is None


def test_groups_of_the_smallest_class_count_for_an_auc():
    rng = np.random.default_rng(1)
    groups = np.r_[np.repeat(np.arange(4), 10), np.repeat(np.arange(4, 24), 5)]
    y = np.r_[np.ones(40, int), np.zeros(100, int)]
    X = rng.normal(size=(140, 2)) + y[:, None]
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(300), rng=0, groups=groups)
    assert trueness.estimate(fits, "auc", "lpob").df == 3
    sizes = np.repeat([10, 5], [4, 20])
    df = trueness.estimate(fits, "error", "loob").df
    assert degrees_of_freedom(sizes, 1.0) <= df <= degrees_of_freedom(sizes, 0.0) < 23
    assert trueness.estimate(fits, "error", "loob").noted("few-groups")


def test_the_header_names_the_groups():
    rng = np.random.default_rng(2)
    groups, y = np.repeat(np.arange(12), 5), np.tile([0, 1], 30)
    X = rng.normal(size=(60, 2)) + y[:, None]
    a = trueness.assess(LDA(), X, y, groups=groups, plan=trueness.KFold(3, repeats=2), rng=0)
    assert a.provenance["design"].startswith("60 cases in 12 groups")
    k = trueness.compare([LDA(), GaussianNB()], X, y, groups=groups, plan=trueness.KFold(3, repeats=2), rng=0)
    assert k.provenance["design"].startswith("60 cases in 12 groups")


@pytest.mark.slow
def test_the_interval_of_few_groups_covers():
    """Seven groups with correlated errors on a test set; normal quantiles cover 90 %."""
    rng = np.random.default_rng(3)
    groups, hits = np.repeat(np.arange(7), 20), []
    for _ in range(400):
        y = rng.integers(0, 2, 140)
        p = rng.beta(4, 12, size=7)[groups]  # mean 0.25
        predictions = np.where(rng.random(140) < p, 1 - y, y)
        fits = trueness.Fits.from_arrays(y, np.zeros((1, 140), int), None, predictions=[predictions], groups=groups)
        hits.append(trueness.estimate(fits, "error", "holdout").ci().covers(0.25))
    assert np.mean(hits) > 0.92


def test_one_group_with_both_classes_makes_groups_the_units_of_the_auc(two_gaussians):
    """Cases of different groups are compared then; the others are as they were, so the value hardly moves."""
    X, y = two_gaussians
    groups = np.arange(len(y))
    alone = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_resamples=50), rng=0, groups=groups)
    groups[np.flatnonzero(y == 1)[-1]] = groups[np.flatnonzero(y == 0)[0]]
    mixed = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_resamples=50), rng=0, groups=groups)
    one, other = (trueness.estimate(fits, "auc", "cv+training") for fits in (alone, mixed))
    assert other.interval.name == "logit"
    assert other.value == pytest.approx(one.value, abs=0.03)
    assert other.se == pytest.approx(one.se, rel=0.3)


def one_fold_per_group(y, p, groups):
    """A cross-validation that leaves out one group at a time, of rules that say the same."""
    trained = (groups != np.arange(groups.max() + 1)[:, None]).astype(int)
    scores = np.tile(p, (len(trained), 1))
    return trueness.Fits.from_arrays(y, trained, scores, threshold=0.5, groups=groups)


@pytest.mark.parametrize("n_groups", [8, 10, 12])
@pytest.mark.parametrize(
    ("metric", "most"), [("brier", 0.03), ("mcc", 0.2), ("f1", 0.15), ("error", 0.12), ("kappa", 0.2)]
)
def test_few_groups_that_agree_have_a_short_interval_inside_the_range(n_groups, metric, most):
    """The limit of no error in any of G groups belongs to values near the end of the range."""
    rng = np.random.default_rng(4)
    y, groups = rng.integers(0, 2, 600), rng.permutation(600) % n_groups
    p = 1 / (1 + np.exp(-2 * (y - 0.5) - rng.normal(size=600)))
    e = trueness.estimate(one_fold_per_group(y, p, groups), metric, "cv_pooled")
    low, high = e.ci()
    assert low < e.value < high
    assert 2 * 1.96 * e.se * 0.9 < high - low < min(most, 2 * 2.6 * e.se)


def test_no_error_in_any_group_has_the_limit_of_as_many_cases():
    y, groups = np.tile([0, 1], 60), np.repeat(np.arange(12), 10)
    few = np.where(np.arange(120) < 2, 1 - y, y)
    none, two = (
        trueness.estimate(one_fold_per_group(y, 0.1 + 0.8 * s + np.arange(120) / 1e4, groups), "error", "cv_pooled")
        for s in (y, few)
    )
    assert none.ci().high == pytest.approx(1 - 0.025 ** (1 / 12))
    assert two.ci().high > none.ci().high  # two errors in one group


def test_the_default_interval_has_the_degrees_of_freedom_of_unequal_groups():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), [40, 40, *[4] * 10])
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 2)) + y[:, None] + rng.normal(size=12)[groups][:, None]
    fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(3, repeats=4, n_resamples=40), rng=0, groups=groups)
    assert trueness.estimate(fits, "error", "cv+training").df < 6
