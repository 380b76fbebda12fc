"""How many times as many cases are needed: for a difference, for equivalence, and by McNemar's own count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness import Estimate
from trueness import comparisons as C
from trueness.api.judged import judge
from trueness.result.verdict import (
    Question,
    detectable,
    disagreement,
    for_a_difference,
    for_equivalence,
    verdict,
)


def ask(d, margin=None, pairs=1):
    return verdict(Question("LDA", "QDA", "auc", True, d, judge(d).p_value, margin=margin, pairs=pairs))


def errors(b, c, n):
    """The difference of two error rates with b and c discordant cases among n, as compare makes it."""
    d = C.mcnemar_counts(b, c, n=n).difference
    return d, judge(d)


def said_of(b, c, n, **more):
    d, test = errors(b, c, n)
    return verdict(Question("a", "b", "error", False, d, test.p_value, **more))


def test_equivalence_is_named_where_it_takes_fewer_cases():
    """AUC higher by .0156 ± .032, margin .05: 35 times for a difference, 5.6 for equivalence."""
    d = Estimate(0.0156, 0.032, df=40, metric="auc difference", bounds=(-1, 1))
    assert "about 35 times as many cases would be needed to show a difference" in ask(d)
    assert "about 5.6 times as many cases would be needed to show equivalence with a power of 80 %" in ask(d, 0.05)
    wide = Estimate(0.049, 0.032, df=40, metric="auc difference", bounds=(-1, 1))
    assert "times as many cases would be needed to show a difference" in ask(wide, 0.05)
    assert "more than 100 times as many cases would be needed to show equivalence" in ask(
        Estimate(0.0005, 0.05, bounds=(-1, 1)), 0.003
    )


@pytest.mark.parametrize("pairs", [1, 6])
@pytest.mark.parametrize("value", [0.0, 0.002, 0.02])
def test_the_factors_have_a_power_of_80_percent(value, pairs):
    """Simulated: differences drawn about the true one, with se/√times, and the tests that the verdict makes."""
    d, margin, alpha = Estimate(value, 0.03, metric="auc difference", bounds=(-1, 1)), 0.05, 0.05 / pairs
    drawn = np.random.default_rng(1).normal(size=20_000)
    se = d.se / math.sqrt(for_equivalence(d, margin, alpha))
    within = np.abs(value + se * drawn) + stats.norm.isf(alpha) * se < margin
    assert within.mean() == pytest.approx(0.8, abs=0.01)
    shown = value + se * drawn[0]
    assert (C.equivalence(d.with_(value=shown, se=se), margin).p_value < alpha) == within[0]
    if value:
        se = d.se / math.sqrt(for_a_difference(d, alpha))
        found = np.abs(value + se * drawn) > stats.norm.isf(alpha / 2) * se
        assert found.mean() == pytest.approx(0.8, abs=0.01)


def test_equality_itself_can_be_shown():
    d = Estimate(0.0, 0.05, metric="auc difference", bounds=(-1, 1))
    assert "times as many cases would be needed to show equivalence" in ask(d, 0.06)
    assert "as many cases" not in ask(d)
    assert for_equivalence(Estimate(0.06, 0.01), 0.05, 0.05) == math.inf


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


def test_equivalence_of_error_rates_goes_by_tango():
    """Simulated for a difference of 1 in 60 with 3 discordant cases: Tango's interval lies within the margin."""
    d, _ = errors(2, 1, 60)
    times = for_equivalence(d, 0.06, 0.05)
    assert f"about {times:.1f} times as many cases would be needed to show equivalence" in said_of(
        2, 1, 60, margin=0.06
    )
    n = round(60 * times)
    drawn = np.random.default_rng(2).multinomial(n, [1 / 60, 2 / 60, 57 / 60], 1000)
    limits = [C.tango(int(x), int(y), n, level=0.9) for x, y, _ in drawn]
    assert 0.78 < np.mean([low > -0.06 and high < 0.06 for low, high in limits]) < 0.9  # scores are nearly normal
    assert for_equivalence(errors(0, 0, 20)[0], 0.05, 0.05) > 1


def test_interval_and_p_value_that_disagree_are_explained():
    d, test = errors(4, 0, 18)
    assert test.p_value > 0.05
    assert d.ci().high < 0
    note = disagreement(d, test.p_value, 0.95, 0.95)
    assert note.data == {"excludes": True}
    for b, c in ((8, 0), (2, 1)):
        d, test = errors(b, c, 30)
        assert disagreement(d, test.p_value, 0.95, 0.95) is None


def test_compare_notes_the_disagreement():
    labels = np.tile([0, 1], 18)
    design = trueness.Holdout(0.5).draw(labels, rng=0)
    test = design.tested(0)
    fits = {}
    for name, wrong, far in (("a", [], 0.4), ("b", [0, 1, 2, 3], 0.3)):
        scores = np.where(labels == 1, 0.5 + far, 0.5 - far) + np.arange(36) / 1e4
        scores[test[wrong]] = 1 - scores[test[wrong]]
        held = np.full((1, 36), np.nan)
        held[0, test] = scores[test]
        fits[name] = trueness.Fits.from_arrays(labels, design.counts, held, threshold=0.5, plan="holdout")
    k = trueness.compare(fits, metric="error")
    assert k.difference.interval.discordant == 4
    assert [n.code for n in k.notes] == ["mcnemar-exact", "interval-and-test-disagree"]
