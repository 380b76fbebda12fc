"""How many cases: against R where its formula is the same, against simulation where it is not, and against itself."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from trueness import comparisons as C
from trueness.errors import InputError
from trueness.formulas.auc import auc_covariance, auc_variance, delong_influence
from trueness.formulas.intervals import wilson

R = json.loads((Path(__file__).parent.parent / "reference" / "comparisons.json").read_text())
A1, A2 = (float(stats.norm.cdf(a / math.sqrt(2))) for a in (1.12, 0.81))


def draws(n1, n2, shifts, r, trials, seed):
    """(trials, 2, n1 + n2) scores, normal in each class, correlation r."""
    g = np.random.default_rng(seed)
    z = g.normal(size=(trials, 2, n1 + n2))
    z[:, 1] = r * z[:, 0] + math.sqrt(1 - r * r) * z[:, 1]
    z[:, :, :n1] += np.array(shifts)[:, None]
    return z


def test_moments_of_the_auc_by_simulation():
    """Variance and covariance of two empirical AUCs, 12 + 17 cases: no large-sample formula."""
    n1, n2 = 12, 17
    up = np.arange(n1 + n2) < n1
    z = draws(n1, n2, (1.12, 0.81), 0.6, 20_000, 1)
    below = (z[:, :, :n1, None] > z[:, :, None, n1:]).mean(axis=(2, 3))
    got = np.cov(below.T)
    wanted = [
        [auc_variance(A1, n1, n2), auc_covariance(A1, A2, n1, n2, 0.6, 0.6)],
        [auc_covariance(A1, A2, n1, n2, 0.6, 0.6), auc_variance(A2, n1, n2)],
    ]
    assert below.mean(axis=0) == pytest.approx([A1, A2], abs=0.003)
    assert got == pytest.approx(np.array(wanted), rel=0.04)
    # two perfectly correlated rules have the variance of their difference at equal AUCs: none
    assert auc_variance(A1, 30, 30) == pytest.approx(auc_covariance(A1, A1, 30, 30, 1 - 1e-14, 1 - 1e-14), rel=1e-6)
    assert delong_influence(z[0, 0], up)[0] == pytest.approx(below[0, 0])


def test_known_value_at_one_half():
    """AUC = ½: (n1 + n2 + 1)/(12 n1 n2), as of Wilcoxon's rank sum."""
    assert auc_variance(0.5, 13, 21) == pytest.approx(35 / (12 * 13 * 21), rel=1e-6)


def test_power_of_delong_by_simulation():
    """pROC's formula is of the rating method: it asks for 211 + 211 cases where 168 + 168 already have the power."""
    s = C.size_for_auc_difference(A1, A2, power=0.8, correlation=0.6)
    assert s.n_positive == s.n_negative == 168
    assert s.n_positive < R["power_two"]["ncases"] < 1.3 * s.n_positive
    up = np.arange(336) < 168
    z = draws(168, 168, (1.12, 0.81), 0.6, 1200, 2)
    found = sum(C.delong(up.astype(int), a, b).p_value < 0.05 for a, b in z)
    assert found / 1200 == pytest.approx(s.power, abs=4 * math.sqrt(0.16 / 1200))
    assert C.power_for_auc_difference(168, 168, auc1=A1, auc2=A2, correlation=0.6) == pytest.approx(s.power)
    assert C.power_for_auc_difference(167, 167, auc1=A1, auc2=A2, correlation=0.6) < 0.8


def test_pairing_saves_cases():
    sizes = [C.size_for_auc_difference(0.85, 0.8, correlation=r).n for r in (0.0, 0.3, 0.6, 0.9)]
    assert sizes == sorted(sizes, reverse=True)
    assert C.size_for_auc_difference(0.85, 0.8).n == sizes[0]  # unpaired: of each set
    assert C.power_for_auc_difference(50, 50, auc1=0.8, auc2=0.8, correlation=0.5) == pytest.approx(0.05)


def test_pilot_gives_spread_and_correlation():
    up = np.arange(4000) < 2000
    (z,) = draws(2000, 2000, (1.12, 0.81), 0.6, 1, 3)
    pilot = (up.astype(int), z[0], z[1])
    from_pilot = C.size_for_auc_difference(A1, A2, pilot=pilot)
    assert from_pilot.n == pytest.approx(C.size_for_auc_difference(A1, A2, correlation=0.6).n, rel=0.08)
    power = C.power_for_auc_difference(60, 60, pilot=pilot)
    g, found = np.random.default_rng(1), 0
    for _ in range(600):  # cases of the pilot, drawn anew
        cases = np.concatenate([g.choice(np.flatnonzero(of), 60) for of in (up, ~up)])
        found += C.delong(*(part[cases] for part in pilot)).p_value < 0.05
    assert found / 600 == pytest.approx(power, abs=4 * math.sqrt(0.25 / 600) + 0.02)


def test_auc_interval():
    s = C.size_for_auc(0.8, 0.05, ratio=2)
    assert s.n_negative == 2 * s.n_positive
    assert s.half_width <= 0.05
    assert C.size_for_auc(0.8, 0.025, ratio=2).n == pytest.approx(4 * s.n, rel=0.03)
    assert C.size_for_auc(0.95, 0.05).n < C.size_for_auc(0.8, 0.05).n


def test_proportion_interval():
    for p in (0.0, 0.03, 0.2, 0.5):
        s = C.size_for_proportion(p, 0.04)
        z = stats.norm.ppf(0.975)
        for n, good in ((s.n, True), (s.n - 1, False)):
            low, high = wilson(p, n, z)
            assert ((high - low) / 2 <= 0.04) == good


@pytest.mark.parametrize(
    ("errors", "psi", "power"),
    [((0.1, 0.2), 0.12, 0.5), ((0.3, 0.5), 0.75, 0.8), ((0.2, 0.25), 0.1, 0.9), ((0.2, 0.25), 0.05, 0.8)],
)
def test_the_number_of_cases_is_the_smallest_with_the_power(errors, psi, power):
    """In the first two Connor's formula falls short: .457 and .7999; in the last one it asks for 155, not 134."""
    s = C.size_for_error_difference(*errors, power=power, discordant=psi)
    assert s.power == C.power_for_error_difference(s.n, *errors, discordant=psi)
    assert C.power_for_error_difference(s.n - 1, *errors, discordant=psi) < power <= s.power < power + 0.03


def test_one_auc_beside_a_pilot_counts():
    g = np.random.default_rng(2)
    labels = np.repeat([0, 1], 40)
    pilot = (labels, g.normal(size=80) + 1.5 * labels, g.normal(size=80) + labels)
    b = C.delong(*pilot).difference.value
    aucs = [C.delong(labels, s, np.zeros(80)).difference.value + 0.5 for s in pilot[1:]]
    assert aucs[0] - aucs[1] == pytest.approx(b)
    one = C.size_for_auc_difference(0.95, pilot=pilot)
    assert one.n == C.size_for_auc_difference(0.95, aucs[1], pilot=pilot).n
    assert one.n != C.size_for_auc_difference(pilot=pilot).n


def test_two_sets_are_said():
    assert "in each set" in str(C.size_for_auc_difference(0.8, 0.7))
    assert "in each set" not in str(C.size_for_auc_difference(0.8, 0.7, correlation=0.5))


def test_unpaired_errors_as_in_r():
    s = C.size_for_error_difference(0.15, 0.25, power=0.9)
    assert s.n == math.ceil(R["power_prop"]["n"])
    assert C.power_for_error_difference(150, 0.15, 0.25) == pytest.approx(R["power_prop"]["at150"], rel=1e-6)


def test_paired_errors_by_enumeration():
    """Exact power against drawing tables."""
    n, psi = 120, 0.2
    exact = C.power_for_error_difference(n, 0.15, 0.25, discordant=psi)
    g = np.random.default_rng(5)
    tables = g.multinomial(n, [0.05, 0.15, 0.8], size=3000)
    kinds, times = np.unique(tables[:, :2], axis=0, return_counts=True)
    found = [C.mcnemar_counts(int(b), int(a)).p_value < 0.05 for a, b in kinds]
    assert np.average(found, weights=times) == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 3000))
    s = C.size_for_error_difference(0.15, 0.25, discordant=psi)
    assert 0.8 <= s.power < 0.83


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: C.size_for_auc(1.0, 0.05), "auc"),
        (lambda: C.size_for_auc(0.8, 0), "half_width"),
        (lambda: C.size_for_auc(0.8, 0.05, ratio=-1), "ratio"),
        (lambda: C.size_for_auc(0.8, 0.05, level=95), "level"),
        (lambda: C.size_for_proportion(1.2, 0.05), "p"),
        (lambda: C.size_for_auc_difference(0.8, 0.8), "auc1"),
        (lambda: C.size_for_auc_difference(0.8), "auc2"),
        (lambda: C.size_for_auc_difference(0.8, 0.7, correlation=1.0), "correlation"),
        (lambda: C.size_for_auc_difference(0.8, 0.7, power=80), "power"),
        (lambda: C.size_for_auc_difference(0.8, 0.7, correlation=0.5, pilot=([0, 1], [0, 1], [0, 1])), "pilot"),
        (lambda: C.size_for_auc_difference(pilot=([0, 0, 1, 1], [1, 2, 3, 4], [1, 2, 3, 4])), "pilot"),
        (lambda: C.size_for_error_difference(0.2, 0.2), "error1"),
        (lambda: C.size_for_error_difference(0.2, 0.3, discordant=0.05), "discordant"),
        (lambda: C.size_for_error_difference(0.2, 0.3, level=95), "level"),
        (lambda: C.size_for_error_difference(0.2, 0.3, power=1), "power"),
        (lambda: C.size_for_error_difference(0.2, 0.3, power="0.8"), "power"),
        (lambda: C.power_for_error_difference(100, 0.2, 0.3, level=1.5), "level"),
        (lambda: C.power_for_error_difference(100, 0.2, 0.3, discordant=0.2, level=0), "level"),
        (lambda: C.size_for_auc_difference(1.2, pilot=([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4])), "auc1"),
        (lambda: C.power_for_auc_difference(1, 5, auc1=0.8, auc2=0.7), None),
    ],
)  # fmt: skip
def test_errors_name_the_parameter(call, param):
    with pytest.raises(InputError) as error:
        call()
    assert param is None or error.value.param == param  # None: the shared checks of labels and scores name it


def test_a_tiny_difference_of_errors_is_answered_by_the_normal_law():
    n = C.size_for_error_difference(0.1, 0.099, discordant=0.1).n
    # Connor's formula, with which the exact power agrees where there are so many cases
    root = 1.959963984540054 * math.sqrt(0.1) + 0.8416212335729143 * math.sqrt(0.1 - 0.001**2)
    assert n == pytest.approx((root / 0.001) ** 2, rel=0.01)
