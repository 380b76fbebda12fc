"""Variance components of two independent sets: enumeration of whole populations, plain loops, laws."""

from itertools import product

import numpy as np
import pytest

from trueness.errors import UndefinedError
from trueness.estimators.two_sets import case_moments, pair_moments

X = np.array([0.0, 1.0, 2.0])
P1, P0 = np.array([0.2, 0.3, 0.5]), np.array([0.5, 0.4, 0.1])  # of x among positives and negatives


def rules():
    """Every training set of one case per class, with its probability: scores of x by two models, with ties."""
    out = []
    for (x1, p1), (x0, p0) in product(zip(X, P1, strict=True), zip(X, P0, strict=True)):
        out.append((p1 * p0, (x1 - x0) * X, -np.abs(X - x1)))
    return out


RULES = rules()


def mean_and_variance(values, weights):
    mean = np.sum(values * weights, axis=0)
    return mean, np.sum(weights * values**2, axis=0) - mean**2


def stratified_sets(n1, n0):
    """Every test set with n1 positives and n0 negatives: places of x and probability."""
    for places in product(range(3), repeat=n1 + n0):
        yield np.array(places), P1[list(places[:n1])].prod() * P0[list(places[n1:])].prod()


def iid_sets(n, prevalence):
    """Every test set of n cases: places of x, classes, probability."""
    joint = np.stack([(1 - prevalence) * P0, prevalence * P1])
    atoms = list(product(range(2), range(3)))
    for drawn in product(atoms, repeat=n):
        y, places = (np.array(v) for v in zip(*drawn, strict=True))
        yield places, y, joint[y, places].prod()


def enumerated(metric, estimate, sets, pick):
    """True variances, and expectations of the estimates over all pairs of rules and all test sets.

    metric(scores, set) is A(t, s), estimate(two rows of scores, set) the Components, pick(rule) its scores of x.
    """
    sets = list(sets)
    probability = np.array([s[-1] for s in sets])
    weights = np.array([r[0] for r in RULES])
    values = np.array([[metric(pick(r), s) for s in sets] for r in RULES])  # (T, S)
    of_rule, within = mean_and_variance(values.T, probability[:, None])
    training = mean_and_variance(of_rule, weights)[1]
    mean_of_two, expected = [], np.zeros(4)
    for (a, wa), (b, wb) in product(zip(RULES, weights, strict=True), repeat=2):
        for s, p in zip(sets, probability, strict=True):
            c = estimate(pick(a), pick(b), s)
            expected += wa * wb * p * np.array([c.training, c.testing, c.total, c.of_mean(2)])
            mean_of_two.append((wa * wb * p, (metric(pick(a), s) + metric(pick(b), s)) / 2))
    two = np.array(mean_of_two)
    true = [training, within @ weights, training + within @ weights, mean_and_variance(two[:, 1], two[:, 0])[1]]
    whole = mean_and_variance(values.ravel(), np.outer(weights, probability).ravel())[1]
    assert true[2] == pytest.approx(whole, abs=1e-15)
    return expected, np.array(true)


def psi(up, down):
    return (up[:, None] > down) + 0.5 * (up[:, None] == down)


@pytest.mark.parametrize("paired", [False, True])
def test_auc_components_have_no_bias(paired):
    """All test sets of 2 + 2 cases, all pairs of training sets; also for the difference of two models."""
    n1 = 2
    positive = np.array([True, True, False, False])

    def of_kernel(table, s):
        first = psi(table[0][s[0][:n1]], table[0][s[0][n1:]]).mean()
        return first - psi(table[1][s[0][:n1]], table[1][s[0][n1:]]).mean() if paired else first

    def estimate(a, b, s):
        first, second = (np.stack([a[k][s[0]], b[k][s[0]]]) for k in (0, 1))
        return pair_moments(first, positive, second if paired else None).components((2, 2))

    found, true = enumerated(of_kernel, estimate, stratified_sets(2, 2), lambda r: r[1:])
    assert true[0] > 1e-3
    np.testing.assert_allclose(found, true, rtol=0, atol=1e-12)


def test_error_components_of_an_iid_test_set_have_no_bias():
    def wrong(scores, s):
        return ((scores[s[0]] > 0.5) != s[1]).astype(float)

    def estimate(a, b, s):
        return case_moments(np.stack([wrong(a, s), wrong(b, s)]), [np.arange(3)], np.ones(1)).components([3])

    found, true = enumerated(lambda r, s: wrong(r, s).mean(), estimate, iid_sets(3, 0.3), lambda r: r[1])
    assert true[0] > 1e-3
    np.testing.assert_allclose(found, true, rtol=0, atol=1e-12)


def test_error_components_of_a_stratified_test_set_have_no_bias():
    y, weights = np.array([1, 1, 0, 0]), np.array([0.3, 0.7])
    strata = [np.array([0, 1]), np.array([2, 3])]

    def wrong(scores, s):
        return ((scores[s[0]] > 0.5) != y).astype(float)

    def estimate(a, b, s):
        return case_moments(np.stack([wrong(a, s), wrong(b, s)]), strata, weights).components((2, 2))

    def error(scores, s):
        return weights @ [wrong(scores, s)[c].mean() for c in strata]

    found, true = enumerated(error, estimate, stratified_sets(2, 2), lambda r: r[1])
    assert true[0] > 1e-3
    np.testing.assert_allclose(found, true, rtol=0, atol=1e-12)


@pytest.fixture
def scores():
    """3 rules, 4 positives, 3 negatives, many ties."""
    return np.random.default_rng(3).integers(0, 4, size=(2, 3, 7)).astype(float)


POSITIVE = np.array([True, False, True, True, False, True, False])


@pytest.mark.parametrize("paired", [False, True])
def test_eight_moments_by_plain_loops(scores, paired):
    up, down = (scores[:, :, of].transpose(1, 0, 2) for of in (POSITIVE, ~POSITIVE))
    kernel = np.array(
        [psi(u[0], d[0]) - paired * psi(u[1], d[1]) for u, d in zip(up, down, strict=True)]
    )  # (B, n1, n0)
    found: dict[tuple[bool, bool, bool], list[float]] = {}
    for (t, i, j), (u, k, m) in product(np.ndindex(kernel.shape), repeat=2):
        found.setdefault((t == u, i == k, j == m), []).append(kernel[t, i, j] * kernel[u, k, m])
    moments = pair_moments(scores[0], POSITIVE, scores[1] if paired else None)
    order = [(True, True), (False, True), (True, False), (False, False)]
    for same_rule, values in ((True, moments.one), (False, moments.two)):
        np.testing.assert_allclose(values, [np.mean(found[same_rule, i, j]) for i, j in order], atol=1e-14)


def test_four_moments_by_plain_loops(scores):
    losses = scores[0]
    found: dict[tuple[bool, bool], list[float]] = {}
    for (t, i), (u, k) in product(np.ndindex(losses.shape), repeat=2):
        found.setdefault((t == u, i == k), []).append(losses[t, i] * losses[u, k])
    moments = case_moments(losses, [np.arange(7)], np.ones(1))
    order = [(True, True), (True, False), (False, True), (False, False)]
    np.testing.assert_allclose(moments.of[:, 0], [np.mean(found[key]) for key in order], atol=1e-13)


def parts(c):
    return [c.training, c.testing, c.shared, c.total]


def test_order_of_cases_and_of_rules_does_not_matter(scores):
    rng = np.random.default_rng(0)
    cases, rows = rng.permutation(7), rng.permutation(3)
    first = pair_moments(scores[0], POSITIVE).components((4, 3))
    second = pair_moments(scores[0][rows][:, cases], POSITIVE[cases]).components((4, 3))
    np.testing.assert_allclose(parts(first), parts(second), atol=1e-15)


def test_swapped_classes_and_swapped_models_have_the_same_variance(scores):
    first = pair_moments(scores[0], POSITIVE, scores[1]).components((4, 3))
    np.testing.assert_allclose(parts(pair_moments(scores[0], ~POSITIVE, scores[1]).components((3, 4))), parts(first))
    np.testing.assert_allclose(parts(pair_moments(scores[1], POSITIVE, scores[0]).components((4, 3))), parts(first))
    alone = pair_moments(scores[0], POSITIVE).components((4, 3))
    np.testing.assert_allclose(parts(pair_moments(scores[0], ~POSITIVE).components((3, 4))), parts(alone))
    np.testing.assert_allclose(parts(pair_moments(-scores[0], POSITIVE).components((4, 3))), parts(alone))


def test_a_monotone_function_of_the_scores_changes_nothing(scores):
    first = pair_moments(scores[0], POSITIVE)
    second = pair_moments(np.exp(scores[0]), POSITIVE)
    np.testing.assert_array_equal(first.one, second.one)
    np.testing.assert_array_equal(first.two, second.two)


def test_equal_rules_have_no_training_variance(scores):
    same = np.repeat(scores[0][:1], 5, axis=0)
    c = pair_moments(same, POSITIVE).components((4, 3))
    assert c.training == 0
    assert c.testing == c.shared
    assert pair_moments(same, POSITIVE, same).components((4, 3)).total == 0


def test_losses_may_be_shifted_and_scaled(scores):
    strata, weights = [np.flatnonzero(POSITIVE), np.flatnonzero(~POSITIVE)], np.array([0.4, 0.6])
    first = parts(case_moments(scores[0], strata, weights).components((4, 3)))
    second = parts(case_moments(2 * scores[0] + 3, strata, weights).components((4, 3)))
    np.testing.assert_allclose(second, 4 * np.array(first), atol=1e-13)


def test_more_test_cases_leave_the_training_variance(scores):
    m = pair_moments(scores[0], POSITIVE)
    few, many = m.components((4, 3)), m.components((4_000_000, 3_000_000))
    assert many.training == few.training
    assert abs(many.testing) < 1e-6


def test_one_rule_or_one_case_of_a_class_is_undefined(scores):
    with pytest.raises(UndefinedError) as error:
        pair_moments(scores[0][:1], POSITIVE)
    assert error.value.param == "plan"
    with pytest.raises(UndefinedError):
        case_moments(scores[0][:1], [np.arange(7)], np.ones(1))
    with pytest.raises(UndefinedError) as error:
        pair_moments(scores[0][:, :2], POSITIVE[:2])
    assert error.value.param == "y_test"
