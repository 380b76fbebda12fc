"""How many times as many cases are needed for a difference, and by McNemar's own count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from trueness import Estimate
from trueness import comparisons as C
from trueness.api.judged import judge
from trueness.result.verdict import Question, detectable, for_a_difference, verdict


def errors(b, c, n):
    """The difference of two error rates with b and c discordant cases among n, as compare makes it."""
    d = C.mcnemar_counts(b, c, n=n).difference
    return d, judge(d)


def said_of(b, c, n, **more):
    d, test = errors(b, c, n)
    return verdict(Question("a", "b", "error", False, d, test.p_value, **more))


@pytest.mark.parametrize("pairs", [1, 6])
@pytest.mark.parametrize("value", [0.002, 0.02])
def test_the_factor_has_a_power_of_80_percent(value, pairs):
    """Simulated: differences drawn about the true one, with se/√times, and the test that the verdict makes."""
    d, alpha = Estimate(value, 0.03, metric="auc difference", bounds=(-1, 1)), 0.05 / pairs
    drawn = np.random.default_rng(1).normal(size=20_000)
    se = d.se / math.sqrt(for_a_difference(d, alpha))
    found = np.abs(value + se * drawn) > stats.norm.isf(alpha / 2) * se
    assert found.mean() == pytest.approx(0.8, abs=0.01)


def test_without_a_difference_no_number_of_cases_is_named():
    d = Estimate(0.0, 0.05, metric="auc difference", bounds=(-1, 1))
    assert "as many cases" not in verdict(Question("LDA", "QDA", "auc", True, d, judge(d).p_value))


def test_discordant_cases_are_counted_as_mcnemar_counts_them():
    for b, c, n in ((3, 0, 18), (7, 3, 100), (50, 36, 300)):
        size = C.size_for_error_difference(0.4, 0.4 - (b - c) / n, discordant=(b + c) / n)
        times = for_a_difference(errors(b, c, n)[0], 0.05)
        assert times == pytest.approx(size.n / n)
        assert f"about {times:.1f} times as many cases" in said_of(b, c, n)
        assert "with a power of 80 %" in said_of(b, c, n)
    many = errors(260, 240, 2000)[0]  # beyond the counted: the normal law, which is good there
    by_normal = ((1.959964 + 0.841621) * many.se / many.value) ** 2
    assert for_a_difference(many, 0.05) == pytest.approx(by_normal, rel=0.01)


@pytest.mark.parametrize(("b", "c", "n"), [(3, 0, 50), (10, 5, 100), (36, 50, 300), (1, 1, 40), (0, 0, 30)])
def test_the_detectable_difference_is_that_of_the_test_that_is_used(b, c, n):
    found = detectable(errors(b, c, n)[0], 0.95)
    psi = max((b + c) / n, found)
    reached = [
        C.power_for_error_difference(n, 0.5 + d / 2, 0.5 - d / 2, discordant=max(psi, d))
        for d in (found + 1e-5, found - 1e-3)
    ]
    assert reached[0] >= 0.8 > reached[1]


def test_with_five_cases_nothing_is_detectable():
    assert detectable(errors(3, 0, 5)[0], 0.95) is None
    assert detectable(errors(3, 0, 6)[0], 0.95) == pytest.approx(0.8 ** (1 / 6), abs=1e-5)  # all six must be found
