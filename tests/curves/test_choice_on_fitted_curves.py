"""best() of a fitted curve agrees with the curve, and its intervals have length."""

import numpy as np
import pytest
from scipy import special

import trueness


def scores(n1=60, n0=80, shift=1.3, rng=0):
    generator = np.random.default_rng(rng)
    return np.repeat([1, 0], [n1, n0]), np.r_[shift + generator.standard_normal(n1), generator.standard_normal(n0)]


@pytest.fixture(scope="module")
def normal():
    return trueness.roc(*scores(), "normal")


@pytest.mark.parametrize("wanted", [0.05, 0.5, 0.9, 0.999])
def test_rates_of_a_normal_curve_are_had_exactly(normal, wanted):
    (m1, s1), (m0, s0) = normal.moments
    at_least = normal.best(tpf=wanted, n_resamples=0)
    assert at_least.threshold == pytest.approx(m1 - s1 * special.ndtri(wanted), abs=1e-6)
    assert at_least.fpf == pytest.approx(normal.fpf_at(wanted).value, abs=1e-9)
    assert at_least.tpf == pytest.approx(wanted, abs=1e-9)
    at_most = normal.best(fpf=wanted, n_resamples=0)
    assert at_most.threshold == pytest.approx(m0 - s0 * special.ndtri(wanted), abs=1e-6)
    assert at_most.tpf == pytest.approx(normal.tpf_at(wanted).value, abs=1e-9)


def test_the_slope_at_the_best_point_is_the_ratio_of_costs(normal):
    def slope(t):
        return (normal(t + 1e-6) - normal(t - 1e-6)) / 2e-6

    assert slope(normal.best(n_resamples=0).fpf) == pytest.approx(1, abs=1e-4)
    cheap = normal.best(costs=[[0, 1], [5, 0]], prevalence=0.1, n_resamples=0)
    assert slope(cheap.fpf) == pytest.approx(0.9 / (5 * 0.1), abs=1e-4)


def test_the_nearest_point_is_nearer_than_any_other(normal):
    best = normal.best("closest", n_resamples=0)
    t = np.linspace(0, 1, 10001)[1:]
    assert best.merit <= np.hypot(t, 1 - normal(t)).min() + 1e-9


def test_costs_may_ask_for_all_cases_on_one_side(normal):
    all_positive = normal.best(costs=[[0, 0], [1, 0]], prevalence=1, n_resamples=0)
    assert (all_positive.tpf, all_positive.fpf) == pytest.approx((1, 1), abs=1e-5)
    all_negative = normal.best(costs=[[0, 1], [1, 0]], prevalence=0, n_resamples=0)
    assert (all_negative.tpf, all_negative.fpf) == pytest.approx((0, 0), abs=1e-5)


def test_a_normal_curve_knows_thresholds_outside_the_scores():
    """Skewed positives: a TPF of .9 is had below the lowest score, and the choice says what the curve says."""
    y = np.repeat([1, 0], [40, 70])
    generator = np.random.default_rng(2)
    s = np.exp(np.r_[generator.normal(0.6, 0.9, 40), generator.normal(0, 0.5, 70)])
    c = trueness.roc(y, s, "normal")
    chosen = c.best(tpf=0.9, n_resamples=200, rng=0)
    assert chosen.threshold < s.min()
    assert chosen.fpf == pytest.approx(c.fpf_at(0.9).value)
    assert chosen.fpf < 1
    for what in ("threshold", "tpf", "fpf", "merit"):
        low, high = chosen.ci(what)
        assert low < high


@pytest.mark.parametrize("method", ["empirical", "binormal", "semiparametric", "normal"])
def test_labelling_every_case_positive_is_noted_and_has_intervals_with_length(method):
    y, s = scores(20, 30, 0.3, 1)
    c = trueness.roc(y, np.r_[s[0] - 9, s[1:]], method)  # a positive below all others
    chosen = c.best(costs=[[0, 1], [1e6, 0]], prevalence=0.5, n_resamples=50, rng=0)
    assert (chosen.tpf, chosen.fpf) == pytest.approx((1, 1), abs=1e-6)
    assert "all-positive" in [note.code for note in chosen.notes]
    for what in ("tpf", "fpf"):
        low, high = chosen.ci(what)
        assert low < high <= 1
