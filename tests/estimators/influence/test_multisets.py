"""Bootstrap(ordered=False): its influence functions against finite differences over ALL multisets, and simulation."""

from dataclasses import replace

import numpy as np
import pytest
from enumeration import all_counts, all_multisets, derivative, urn
from scipy.special import digamma
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from test_influence_by_enumeration import fits_of, loob_statistic, lpob_statistic

import trueness
from trueness.errors import UndefinedError
from trueness.estimators.influence.draws import MultisetDraws

PLAN = trueness.Bootstrap(10, ordered=False)


def multisets(y, strata, groups=None, seed=0):
    counts = all_multisets(strata)
    fits = fits_of(y, counts, groups=groups, stratified=len(np.unique(strata)) > 1, seed=seed)
    return replace(fits, design=replace(fits.design, plan=PLAN)), counts


def check(fits, statistic, strata, counts, influence):
    for u in range(len(strata)):
        expected = derivative(statistic, strata, counts, u, law=urn) / (strata == strata[u]).sum()
        assert fits.design.unit_sums(influence)[u] == pytest.approx(expected, abs=1e-8)


def test_the_urn_gives_equal_probabilities_and_adds_up_cases_that_are_alike():
    strata = np.zeros(4, dtype=int)
    counts = all_multisets(strata)
    assert len(counts) == 35  # C(2n − 1, n)
    equal = urn(np.full(4, 1 / 4), counts, strata)
    np.testing.assert_allclose(equal, equal[0])
    # two of four cases are alike: their sum over multisets has the law of one case of mass ½
    sums = np.array([equal[counts[:, 0] + counts[:, 1] == k].sum() for k in range(5)]) / equal.sum()
    three = np.unique(np.column_stack([counts[:, 0] + counts[:, 1], counts[:, 2:]]), axis=0)
    alpha = np.array([2.0, 1, 1])
    heavy = urn(alpha / 3, three, np.zeros(3, dtype=int))
    np.testing.assert_allclose([heavy[three[:, 0] == k].sum() / heavy.sum() for k in range(5)], sums)


@pytest.mark.parametrize("y", [[0, 0, 1, 1], [0, 0, 0, 1, 1]])
def test_loob_unstratified(y):
    strata = np.zeros(len(y), dtype=int)
    fits, counts = multisets(np.array(y), strata)
    e = trueness.estimate(fits, "error", "loob", se="influence")
    check(fits, loob_statistic(fits, np.arange(len(y))), strata, counts, e.influence)
    assert e.influence.sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (2, 4), (4, 3)])
def test_loob_and_lpob_stratified(n1, n2):
    y = np.repeat([0, 1], [n2, n1])
    fits, counts = multisets(y, y, seed=3)
    losses, out = (fits.held_predictions != y).astype(float), fits.counts == 0

    def loob(f, g):
        e = (g[:, None] * out * losses).sum(axis=0) / (g[:, None] * out).sum(axis=0)
        return sum((y == c).mean() * (f * e)[y == c].sum() for c in (0, 1))

    check(fits, loob, y, counts, trueness.estimate(fits, "error", "loob", se="influence").influence)
    check(
        fits, lpob_statistic(fits, y == 1), y, counts, trueness.estimate(fits, "auc", "lpob", se="influence").influence
    )


def test_lpob_of_groups():
    groups, y, strata = np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 1, 0]), np.zeros(4, dtype=int)
    fits, counts = multisets(y, strata, groups=groups, seed=2)
    e = trueness.estimate(fits, "auc", "lpob", se="influence")
    check(fits, lpob_statistic(fits, y == 1, mass_of=lambda f: f[groups], apart=groups), strata, counts, e.influence)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_expected_weights_where_units_were_left_out(gone):
    strata = np.zeros(5, dtype=int)
    fits, counts = multisets(np.array([0, 0, 0, 1, 1]), strata)
    weights = MultisetDraws().weights(fits.design, counts)
    some = (counts[:, :gone] == 0).all(axis=1)
    expected = MultisetDraws().expected(fits.design, counts, gone)
    np.testing.assert_allclose(weights[some][:, gone:].mean(axis=0), expected[gone:], atol=1e-12)
    assert weights.mean() == pytest.approx(0, abs=1e-12)
    assert np.isclose(digamma(10) - digamma(5), sum(1 / np.arange(5, 10)))


def test_a_linear_statistic_has_the_influence_of_its_coefficients_either_way():
    """f(N) = Σ g_j N_j has Cov(weight_u, f) = g_u − mean g for both kinds of draws; the count itself would give about
    twice as much for multisets."""
    strata, g = np.zeros(5, dtype=int), np.array([0.3, -1, 2, 0.1, 0.4])
    fits, counts = multisets(np.array([0, 0, 0, 1, 1]), strata)
    weights = MultisetDraws().weights(fits.design, counts)
    f = counts @ g
    np.testing.assert_allclose((weights * (f - f.mean())[:, None]).mean(axis=0), g - g.mean(), atol=1e-12)
    ordered = all_counts(strata)
    f = ordered @ g
    np.testing.assert_allclose((ordered * (f - f.mean())[:, None]).mean(axis=0), g - g.mean(), atol=1e-12)


def test_estimand_weights_and_orders_say_what_they_are_for():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + y[:, None]
    design = trueness.Bootstrap(200, ordered=False).draw(y, rng=0)
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(LDA(), X[:, :1], y, design)
    assert "multisets" in trueness.estimate(a, "error", "loob").estimand
    for method in ("632", "632+"):
        with pytest.raises(UndefinedError) as caught:
            trueness.estimate(a, "error", method)
        assert caught.value.param == "plan"
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        d = trueness.difference(a, b, metric, method)
        assert d.noted("first-order-se")
        assert d.se_method == "influence-corrected"
    assert ("error", "632") in trueness.assess(LDA(), X, y, plan=design, metrics="error").skipped


def test_the_standard_error_is_the_spread_over_samples():
    """300 samples of 30 + 30: √(mean se²) over the SD of the estimates; 1.30 with the weights of ordered draws."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    shift = np.array([0.8, 0.4, 0, 0, 0, 0])
    found = []
    for _ in range(300):
        X = rng.normal(size=(60, 6)) + y[:, None] * shift
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(200, ordered=False), rng=rng)
        e = trueness.estimate(fits, "auc", "lpob", undefined="skip")
        found.append((e.value, e.se))
    values, errors = np.array(found).T
    assert 0.9 < np.sqrt((errors**2).mean()) / values.std(ddof=1) < 1.12
