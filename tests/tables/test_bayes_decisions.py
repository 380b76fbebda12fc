"""Decisions of least expected cost, and the Bayes risk of known populations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import trueness
from trueness.errors import InputError
from trueness.studies.populations import Discrete, Gaussians, Mixture, highleyman, two_gaussians
from trueness.tables import cost_threshold

approx = pytest.approx
cost = st.floats(0, 100)


def line(means, variances, priors=None):
    """Normal classes of one feature."""
    return Gaussians(np.reshape(means, (-1, 1)), np.reshape(variances, (-1, 1, 1)), priors)


# -- decisions --------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), cost, cost, cost, cost)
def test_no_other_decision_costs_less(p, c00, c01, c10, c11):
    if c00 == c01 == c10 == c11:
        return
    costs = np.array([[c00, c01], [c10, c11]])
    chosen = trueness.tables.bayes_decision([p], costs)[0]
    expected = np.array([1 - p, p]) @ costs
    assert expected[chosen] <= expected.min() + 1e-9


def test_threshold_and_decision_agree():
    costs = [[0, 3], [17, 1]]
    low, high = cost_threshold(costs)
    assert low == high == approx(3 / (3 + 16))
    p = np.linspace(0, 1, 1001)
    assert trueness.tables.bayes_decision(p, costs).tolist() == (p >= high).astype(int).tolist()


def test_a_tie_goes_to_the_positive_class_as_at_any_threshold():
    assert trueness.tables.bayes_decision([0.5], [[0, 1], [1, 0]]).tolist() == [1]


def test_several_classes_and_costs():
    posterior = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.45, 0.1, 0.45]])
    assert trueness.tables.bayes_decision(posterior, 1 - np.eye(3)).tolist() == [0, 1, 2, 2]
    costly = np.array([[0, 1, 1], [1, 0, 1], [9, 9, 0]])  # missing class 2 is expensive
    assert trueness.tables.bayes_decision(posterior, costly).tolist() == [2, 2, 2, 2]


def test_abstaining():
    """Chow (1970): with 0–1 costs, decide only where max P ≥ 1 − a."""
    p = np.linspace(0, 1, 1001)
    found = trueness.tables.bayes_decision(p, [[0, 1], [1, 0]], abstain=0.2)
    sure = np.maximum(p, 1 - p) >= 0.8 - 1e-12
    assert (found == -1).tolist() == (~sure).tolist()
    low, high = cost_threshold([[0, 1], [1, 0]], abstain=0.2)
    assert (low, high) == approx((0.2, 0.8))
    assert not (
        trueness.tables.bayes_decision(p, [[0, 1], [1, 0]], abstain=0.6) == -1
    ).any()  # more expensive than any decision
    assert cost_threshold([[0, 1], [1, 0]], abstain=0.6) == (0.5, 0.5)
    # costs of all kinds: the thresholds are where the decision changes
    costs = [[1, 7], [20, 3]]
    low, high = cost_threshold(costs, abstain=4)
    found = trueness.tables.bayes_decision(p, costs, abstain=4)
    assert (found == 0).tolist() == (p <= low + 1e-12).tolist()
    assert (found == 1).tolist() == (p >= high - 1e-12).tolist()


@pytest.mark.parametrize(
    ("posterior", "costs", "param"),
    [
        ([[0.5, 0.6]], [[0, 1], [1, 0]], "posterior"),
        ([1.2], [[0, 1], [1, 0]], "posterior"),
        ([[0.5, 0.5]], np.eye(3), "posterior"),
        ([0.5], np.eye(3), "posterior"),
        ([math.nan], [[0, 1], [1, 0]], "posterior"),
        ([0.5], [[0, 1]], "costs"),
        (["a"], [[0, 1], [1, 0]], "posterior"),
    ],
)
def test_bad_decisions(posterior, costs, param):
    with pytest.raises(InputError) as error:
        trueness.tables.bayes_decision(posterior, costs)
    assert error.value.param == param


def test_bad_thresholds():
    for costs in ([[1, 0], [0, 1]], np.eye(3)):
        with pytest.raises(InputError) as error:
            cost_threshold(costs)
        assert error.value.param == "costs"
    with pytest.raises(InputError) as error:
        trueness.tables.bayes_decision([0.5], [[0, 1], [1, 0]], abstain=math.inf)
    assert error.value.param == "abstain"


# -- the Bayes risk --------------------------------------------------------------------------------


def test_error_of_population_lda_with_unequal_priors():
    """Popovici, Classification: π1 = .9, δ = 1 gives .0987; with the signs as printed, .860."""
    found = trueness.tables.bayes_error(line([0, 1], [1, 1], [0.9, 0.1]))
    assert found.method == "exact"
    lean = math.log(0.9 / 0.1)
    phi = stats.norm.cdf
    assert found.value == approx(0.9 * phi(-0.5 - lean) + 0.1 * phi(-0.5 + lean))
    assert found.value == approx(0.0987, abs=5e-5)
    printed = 0.9 * phi(-0.5 + lean) + 0.1 * phi(-0.5 - lean)
    assert printed == approx(0.860, abs=5e-4)


def test_two_gaussians_in_many_dimensions():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T + np.eye(4)
    means = rng.normal(size=(2, 4))
    difference = means[1] - means[0]
    delta = math.sqrt(difference @ np.linalg.solve(covariance, difference))
    found = trueness.tables.bayes_error(Gaussians(means, covariance))
    assert found.value == approx(stats.norm.cdf(-delta / 2))
    assert trueness.tables.bayes_error(two_gaussians(4, 1.2)).value == approx(stats.norm.cdf(-0.6))


@pytest.mark.parametrize(
    "costs", [[[0, 10], [1, 0]], [[0, 1], [5, 2]], [[3, 0], [0, 1]], [[0, 1], [0, 1]], [[-1, 2], [4, 0.5]]]
)
@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.9, 0.1]])
def test_exact_risk_equals_a_plain_sum_over_a_fine_grid(costs, priors):
    population = line([0, 1.5], [1, 1], priors)
    x = np.linspace(-10, 12, 400_001)
    joint = np.exp(population.log_densities(x[:, None])) * priors
    by_sum = (joint @ np.array(costs)).min(axis=1).sum() * (x[1] - x[0])
    assert trueness.tables.bayes_error(population, costs).value == approx(by_sum, abs=1e-7)


def test_unequal_variances_by_quadrature():
    """N(0, 1) and N(1, 4), equally frequent: the quadratic rule has two boundaries, and Φ gives the rest."""
    a, b = sorted(np.roots([1 / 2 - 1 / 8, 1 / 4, -1 / 8 - math.log(2)]).real)  # ln p0 = ln p1
    exact = 0.5 * (stats.norm.cdf(a) + stats.norm.sf(b)) + 0.5 * (stats.norm.cdf(b, 1, 2) - stats.norm.cdf(a, 1, 2))
    found = trueness.tables.bayes_error(line([0, 1], [1, 4]))
    assert found.method == "quadrature"
    assert found.value == approx(exact, abs=1e-12)
    assert found.noted("quadrature-error").data["error"] < 1e-6


def test_scales_that_differ_a_millionfold():
    found = trueness.tables.bayes_error(line([0, 0], [1e-6, 1e6]))  # sd .001 and 1000
    b = math.sqrt(2 * math.log(1e6) / (1e6 - 1e-6))
    exact = stats.norm.sf(b, 0, 1e-3) + 0.5 * (2 * stats.norm.cdf(b, 0, 1e3) - 1)
    assert found.value == approx(exact, rel=1e-9)


def test_means_on_a_line_need_one_dimension_only():
    spread = trueness.tables.bayes_error(Gaussians([[0, 0], [1, 1], [2, 2]], np.eye(2)))
    flat = trueness.tables.bayes_error(line([0, math.sqrt(2), 2 * math.sqrt(2)], [1, 1, 1]))
    assert spread.method == "quadrature"
    # boundaries half-way: 2/3 of twice Φ(−√2/2)
    assert spread.value == approx(flat.value, abs=1e-12)
    assert flat.value == approx(4 / 3 * stats.norm.cdf(-math.sqrt(2) / 2), abs=1e-12)


def test_monte_carlo_knows_its_error():
    population = Gaussians([[0, 0], [1.2, 0]], [np.eye(2), np.eye(2) * (1 + 1e-9)])  # not quite one covariance
    truth = stats.norm.cdf(-0.6)
    found = trueness.tables.bayes_error(population, n=40_000, rng=1)
    assert found.method == "monte-carlo"
    assert found.mc_se < 0.002
    assert found.value == approx(truth, abs=4 * found.mc_se)
    assert found.value == trueness.tables.bayes_error(population, n=40_000, rng=1).value
    z = [
        (trueness.tables.bayes_error(population, n=500, rng=k).value - truth)
        / trueness.tables.bayes_error(population, n=500, rng=k).mc_se
        for k in range(200)
    ]
    assert np.std(z) == approx(1, abs=0.15)


def test_other_populations():
    assert trueness.tables.bayes_error(Discrete([0, 1, 2], [[0.5, 0.5, 0], [0, 0.5, 0.5]])).value == approx(0.25)
    mixture = Mixture(line([-2, 0, 2], [1, 1, 1]), [[0.5, 0, 0.5], [0, 1, 0]])
    x = np.linspace(-14, 14, 400_001)
    by_sum = (np.exp(mixture.log_densities(x[:, None])) / 2).min(axis=1).sum() * (x[1] - x[0])
    assert trueness.tables.bayes_error(mixture).value == approx(by_sum, abs=1e-7)
    h = trueness.tables.bayes_error(highleyman(), rng=0)
    X, y = highleyman().draw(100_000, 3)
    assert h.value == approx((highleyman().bayes_rule(X) != y).mean(), abs=0.003)


def test_a_population_of_one_s_own():
    class Coin:
        priors = (0.5, 0.5)

        def log_densities(self, X):
            return np.log(np.where(np.asarray(X) > 0, [0.2, 0.9], [0.8, 0.1]))

        def draw(self, size, rng=None):
            generator = np.random.default_rng(rng)
            y = generator.integers(0, 2, size)
            return (generator.random(size) < np.where(y == 1, 0.9, 0.2))[:, None].astype(float), y

    found = trueness.tables.bayes_error(Coin(), n=100_000, rng=0)
    assert found.value == approx(0.5 * 0.2 + 0.5 * 0.1, abs=4 * found.mc_se)


def test_classes_that_nothing_tells_apart():
    assert trueness.tables.bayes_error(line([1, 1], [2, 2], [0.7, 0.3])).value == approx(0.3)
    assert trueness.tables.bayes_error(line([1, 1], [2, 2], [0.7, 0.3]), [[0, 1], [10, 0]]).value == approx(0.7)


def test_the_cost_matrix_must_fit():
    with pytest.raises(InputError, match="2 × 2"):
        trueness.tables.bayes_error(line([0, 1], [1, 1]), np.eye(3))
    with pytest.raises(
        InputError,
        match=r"The right decision costs more than the wrong one",
    ):
        trueness.roc([0, 0, 1, 1], [1, 2, 3, 4]).best(costs=[[1, 0], [0, 5]])


@pytest.mark.parametrize("costs", [[[0, 1], [1000, 10]], [[5, 10], [3, 0]], [[0, 10], [1000, 10]]])
def test_abstaining_without_two_thresholds_is_refused(costs):
    """A decision that costs more the likelier it is right: the best rule abstains on both sides."""
    with pytest.raises(InputError, match="bayes_decision"):
        cost_threshold(costs, abstain=4)


@pytest.mark.parametrize("abstain", [float("nan"), float("inf"), "x"])
def test_the_cost_of_abstaining_is_a_number(abstain):
    with pytest.raises(InputError, match="finite number"):
        cost_threshold([[0, 1], [1, 0]], abstain=abstain)


def test_thresholds_with_abstention_are_those_of_the_decisions():
    rng = np.random.default_rng(0)
    p = np.linspace(0.005, 0.995, 199)
    for _ in range(200):
        c00, c11 = rng.random(2)
        costs = [[c00, max(c00, c11) + rng.random() + 0.1], [max(c00, c11) + rng.random() + 0.1, c11]]
        abstain = max(c00, c11) + rng.random()
        low, high = cost_threshold(costs, abstain=abstain)
        decided = np.asarray(trueness.tables.bayes_decision(p, costs, abstain=abstain))
        clear = (np.abs(p - low) > 1e-6) & (np.abs(p - high) > 1e-6)
        expected = np.where(p < low, 0, np.where(p >= high, 1, -1))
        np.testing.assert_array_equal(decided[clear], expected[clear])


def test_bayes_error_of_what_is_no_population():
    with pytest.raises(InputError, match="priors and densities"):
        trueness.tables.bayes_error(3)
