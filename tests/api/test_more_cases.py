"""How many times as many cases are needed: for a difference, for equivalence, and by McNemar's own count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness import Estimate
from trueness import comparisons as C
from trueness.api.verdict import Question, for_a_difference, for_equivalence, judge, judge_pair, verdict


def ask(d, margin=None, pairs=1):
    return verdict(Question("LDA", "QDA", "auc", True, d, judge(d).p_value, margin=margin, pairs=pairs))


def errors(b, c, n):
    """The difference of two error rates with b and c discordant cases among n, as compare makes it."""
    return judge_pair(None, None, C.mcnemar_counts(b, c, n=n).difference, trueness.metrics.Error(), 0.95)


def said_of(b, c, n, **more):
    d, test = errors(b, c, n)
    return verdict(Question("a", "b", "error", False, d, test.p_value, **more))


def test_equivalence_is_named_where_it_takes_fewer_cases():
    """AUC higher by .0078 ± .032, margin .05: 69 times for a difference, 1.6 for equivalence."""
    d = Estimate(0.0078, 0.032, df=40, metric="auc difference", bounds=(-1, 1))
    assert "about 69 times as many cases would be needed to show a difference" in ask(d)
    assert "about 1.6 times as many cases would be needed to show equivalence" in ask(d, 0.05)
    assert "slightly more cases would be needed to show equivalence" in ask(d, 0.0616)
    wide = Estimate(0.049, 0.032, df=40, metric="auc difference", bounds=(-1, 1))
    assert "times as many cases would be needed to show a difference" in ask(wide, 0.05)
    assert "more than 100 times as many cases would be needed to show either" in ask(
        Estimate(0.0005, 0.05, bounds=(-1, 1)), 0.003
    )


@pytest.mark.parametrize("pairs", [1, 6])
def test_the_factor_is_where_the_test_becomes_significant(pairs):
    """With se/√times the equivalence that was promised is shown, and with a little less it is not."""
    d, margin = Estimate(0.01, 0.03, df=50, metric="auc difference", bounds=(-1, 1)), 0.05
    times = for_equivalence(d, margin, 0.05 / pairs)
    for factor, shown in ((1.001, True), (0.999, False)):
        p = C.equivalence(d.with_(se=d.se / math.sqrt(times * factor)), margin).p_value
        assert (p < 0.05 / pairs) == shown
    times = for_a_difference(d, 0.05 / pairs)
    t = d.value / (d.se / math.sqrt(times))
    assert 2 * stats.t.sf(t, 50) == pytest.approx(0.05 / pairs)


def test_equality_itself_can_be_shown():
    d = Estimate(0.0, 0.05, metric="auc difference", bounds=(-1, 1))
    assert "times as many cases would be needed to show equivalence" in ask(d, 0.06)
    assert "as many cases" not in ask(d)
    assert for_equivalence(Estimate(0.06, 0.01), 0.05, 0.05) == math.inf


def test_discordant_cases_are_counted_as_mcnemar_counts_them():
    d, test = errors(3, 0, 18)
    assert test.p_value == pytest.approx(0.25)
    assert for_a_difference(d, 0.05) == pytest.approx(2)  # 6:0 is the first below 5 %
    assert "about 2.0 times as many cases" in said_of(3, 0, 18)
    for b, c in ((4, 0), (7, 3), (12, 6), (30, 20)):
        m = b + c
        needed = for_a_difference(errors(b, c, 100)[0], 0.05) * m
        assert needed == pytest.approx(round(needed))
        less = math.ceil(min(b, c) * round(needed) / m - 1e-9)
        assert C.mcnemar_counts(round(needed) - less, less).p_value < 0.05
    many = errors(260, 240, 2000)[0]  # beyond the counted: the normal law, which is good there
    assert for_a_difference(many, 0.05) == pytest.approx((1.959964 * many.se / many.value) ** 2, rel=1e-6)


def test_equivalence_of_error_rates_goes_by_tango():
    d, _ = errors(2, 1, 60)
    times = for_equivalence(d, 0.06, 0.05)
    low, high = C.tango(1 * times, 2 * times, 60 * times, level=0.9)
    assert max(-low, high) == pytest.approx(0.06, rel=1e-3)
    assert f"about {times:.1f} times as many cases would be needed to show equivalence" in said_of(
        2, 1, 60, margin=0.06
    )
    assert for_equivalence(errors(0, 0, 20)[0], 0.05, 0.05) > 1


def test_interval_and_p_value_that_disagree_are_explained():
    d, test = errors(4, 0, 18)
    assert test.p_value > 0.05
    assert d.ci().high < 0
    assert "which excludes 0; with so few cases, rely on the p-value" in said_of(4, 0, 18)
    note = d.noted("interval-and-test-disagree")
    assert note.data == {"p_value": test.p_value, "discordant": 4}
    for b, c in ((8, 0), (2, 1)):
        assert errors(b, c, 30)[0].noted("interval-and-test-disagree") is None
        assert "rely on" not in said_of(b, c, 30)


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
