"""Exercises of Wu (2018) that have a number or a limit as their answer."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import trueness
from trueness.studies.populations import Gaussians
from trueness.tables import cost_threshold

approx = pytest.approx


def test_exercise_1():
    """P = N = 100, FPR = .3, TPR = .2: TP = 20, FN = 80, FP = 30, TN = 70.

    precision 20/50 = .4, recall .2, F1 = 2·.4·.2/.6 = .2667, accuracy 90/200 = .45, error .55.
    """
    d = trueness.diagnose(tp=20, fn=80, fp=30, tn=70)
    assert (d.tpf.value, d.fpf.value) == approx((0.2, 0.3))
    assert d.ppv.value == approx(0.4)
    assert d.f1.value == approx(4 / 15)
    assert (d.accuracy.value, d.error.value) == approx((0.45, 0.55))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 500), st.integers(0, 500), st.integers(0, 500), st.floats(0, 1e6))
def test_exercise_4a(tp, fn, fp, beta):
    """0 ≤ F_β ≤ 1: a weighted harmonic mean of two shares lies between them."""
    d = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=10)
    value = d.f_beta(beta).value
    between = sorted([d.ppv.value, d.tpf.value])
    assert between[0] - 1e-12 <= value <= between[1] + 1e-12
    low, high = d.f_beta(beta).ci()
    assert 0 <= low <= value <= high <= 1


def test_exercise_4_limits():
    """F_β = (1 + β²) PR/(β² P + R): β → 0 gives the precision P, β → ∞ the recall R, with their standard errors."""
    d = trueness.diagnose(tp=30, fn=10, fp=50, tn=110)
    p, r = 30 / 80, 30 / 40
    for beta in (0.5, 1, 2, 7):
        assert d.f_beta(beta).value == approx((1 + beta**2) * p * r / (beta**2 * p + r))
    assert (d.f_beta(0).value, d.f_beta(0).se) == approx((d.ppv.value, d.ppv.se))
    assert (d.f_beta(math.inf).value, d.f_beta(math.inf).se) == approx((d.tpf.value, d.tpf.se))
    assert d.f_beta(1e-6).value == approx(p)
    assert d.f_beta(1e6).value == approx(r)
    assert d.f_beta(1).value == d.f1.value


def test_exercise_4b():
    """At P = R the slopes are 1/(1 + β²) in P and β²/(1 + β²) in R: recall counts more for β > 1, precision below."""

    def f(p, r, beta):
        return (1 + beta**2) * p * r / (beta**2 * p + r)

    for beta in (0.25, 0.5, 2, 4):
        by_p = (f(0.6 + 1e-6, 0.6, beta) - f(0.6 - 1e-6, 0.6, beta)) / 2e-6
        by_r = (f(0.6, 0.6 + 1e-6, beta) - f(0.6, 0.6 - 1e-6, beta)) / 2e-6
        assert (by_p, by_r) == approx((1 / (1 + beta**2), beta**2 / (1 + beta**2)), abs=1e-6)
        assert (by_r > by_p) == (beta > 1)
    # and so in tables: ten more false alarms hurt less than ten more misses where β > 1
    start = {"tp": 60, "fn": 40, "fp": 40, "tn": 100}
    alarms, misses = {**start, "fp": 50, "tn": 90}, {**start, "tp": 50, "fn": 50}
    assert trueness.diagnose(**alarms).f_beta(2).value > trueness.diagnose(**misses).f_beta(2).value


LABELS = [1, 2, 1, 1, 2, 1, 2, 2, 1, 2]
SCORES = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def test_exercise_5a_and_b():
    """Table 3, class 1 positive.

    precision 1, 1/2, 2/3, 3/4, 3/5, 2/3, 4/7, 1/2, 5/9, 1/2; recall .2, .2, .4, .6, .6, .8, .8, .8, 1, 1.
    AUC-PR = .2·1 + .2(1/2 + 2/3)/2 + .2(2/3 + 3/4)/2 + .2(3/5 + 2/3)/2 + .2(1/2 + 5/9)/2 = .6906;
    AP = .2(1 + 2/3 + 3/4 + 2/3 + 5/9) = .7278. They are similar, not equal.
    """
    p = trueness.pr(LABELS, SCORES, positive=1)
    assert p.precision == approx([1, 1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 2 / 3, 4 / 7, 1 / 2, 5 / 9, 1 / 2])
    assert p.recall == approx([0, 0.2, 0.2, 0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 1, 1])
    assert p.thresholds == approx([math.inf, *SCORES])
    by_hand = 0.2 + 0.1 * (1 / 2 + 2 / 3) + 0.1 * (2 / 3 + 3 / 4) + 0.1 * (3 / 5 + 2 / 3) + 0.1 * (1 / 2 + 5 / 9)
    assert p.auc.value == approx(by_hand)
    assert p.auc.value == approx(0.6906, abs=5e-5)
    assert p.average_precision.value == approx(0.2 * (1 + 2 / 3 + 3 / 4 + 2 / 3 + 5 / 9))
    assert p.average_precision.value == approx(0.7278, abs=5e-5)


def test_exercise_5c():
    """Labels 9 and 10 exchanged: the last positive comes at rank 10, precision 4/9 before and 1/2 at it.

    AUC-PR = .6906 − .1(1/2 + 5/9) + .1(4/9 + 1/2) = .6794; AP = .7278 − .2·5/9 + .2·1/2 = .7167.
    """
    turned = [*LABELS[:8], 2, 1]
    p = trueness.pr(turned, SCORES, positive=1)
    assert p.auc.value == approx(0.6794, abs=5e-5)
    assert p.average_precision.value == approx(0.7167, abs=5e-5)


def exercise_7():
    return Gaussians([[-1], [1]], [[0.25]])


def test_exercise_7c():
    """N(−1, ¼), N(1, ¼), equal priors, 0–1 costs: decide 2 where x ≥ 0. Risk Φ(−1/.5) = Φ(−2) = .02275."""
    population = exercise_7()
    found = trueness.tables.bayes_error(population)
    assert found.method == "exact"
    assert found.value == approx(stats.norm.cdf(-2))
    x = np.array([-1, -1e-6, 1e-6, 1])[:, None]
    assert trueness.tables.bayes_decision(population.posterior(x), [[0, 1], [1, 0]]).tolist() == [0, 0, 1, 1]


def test_exercise_7d():
    """Costs [[0, 10], [1, 0]]: decide 2 where p(x|2) ≥ 10 p(x|1), i.e. exp(8x) ≥ 10, x ≥ ln 10/8 = .2878.

    As a posterior: P(2|x) ≥ 10/11. Risk ½[10 Φ(−(1 + .2878)/.5) + Φ(−(1 − .2878)/.5)] = .0636.
    """
    population, costs = exercise_7(), [[0, 10], [1, 0]]
    at = math.log(10) / 8
    assert cost_threshold(costs) == approx((10 / 11, 10 / 11))
    assert population.posterior([[at]])[0, 1] == approx(10 / 11)
    x = np.array([at - 1e-6, at + 1e-6])[:, None]
    assert trueness.tables.bayes_decision(population.posterior(x), costs).tolist() == [0, 1]
    risk = 0.5 * (10 * stats.norm.cdf(-(1 + at) / 0.5) + stats.norm.cdf(-(1 - at) / 0.5))
    assert trueness.tables.bayes_error(population, costs).value == approx(risk)
    assert risk == approx(0.0636, abs=5e-5)


def test_exercise_8b():
    """Two of ten cases are of class 1. Both in one half: 2·C(8, 3)/C(10, 5) = 112/252 = 4/9."""
    halves = [set(half) for half in combinations(range(10), 5)]
    both = sum({0, 1} <= half or not {0, 1} & half for half in halves)
    assert both / len(halves) == approx(4 / 9)


def test_exercise_8d():
    """Stratified halves always have one case of class 1 each; unstratified ones miss it about 4 times in 9."""
    y = np.array([1, 1, 2, 2, 2, 2, 2, 2, 2, 2])
    apart = 0
    for seed in range(300):
        held = trueness.KFold(2, stratified=True).draw(y, rng=seed).counts == 0
        assert (held[:, y == 1].sum(axis=1) == 1).all()
        loose = trueness.KFold(2, stratified=False).draw(y, rng=seed).counts == 0
        apart += (loose[:, y == 1].sum(axis=1) != 1).any()
    assert apart / 300 == approx(4 / 9, abs=4 * math.sqrt(4 / 9 * 5 / 9 / 300))


def test_exercise_9a():
    """The total cost is Σ_ij c_ij a_ij = tr(CᵀA) with the counts A, not with the normalised Â."""
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], size=200, p=[0.7, 0.2, 0.1])
    p = np.where(rng.random(200) < 0.7, y, rng.choice(["a", "b", "c"], size=200))
    c = np.array([[0, 2, 7], [1, 0, 3], [12, 5, 0]])
    a = trueness.tables.confusion(y, p).to_numpy()
    total = sum(c["abc".index(i), "abc".index(j)] for i, j in zip(y, p, strict=True))
    assert np.trace(c.T @ a) == total
    assert 200 * trueness.diagnose(y, p).cost(c).value == approx(total)
    normalised = a / a.sum(axis=1, keepdims=True)
    assert normalised.sum(axis=1) == approx(np.ones(3))
    assert np.trace(c.T @ normalised) != approx(total, rel=0.5)
