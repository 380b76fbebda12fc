"""Few cases, few data sets, no spread: no test may claim more than such data show."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness import Estimate
from trueness import comparisons as C
from trueness.comparisons.auc_tests import hotelling_p
from trueness.comparisons.rank_tests import permutation_p
from trueness.errors import InputError

y = np.repeat([0, 1], 25)
rng = np.random.default_rng(4)
first, second = rng.normal(size=50) + y, rng.normal(size=50) + y


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_wins_only_give_no_less_than_their_signs(n):
    t = C.bayes_signed_rank(np.arange(n) + 1.0, np.zeros(n), rng=0, n_draws=2000)
    assert t.p_value == pytest.approx(2.0 ** (1 - n))
    assert t.noted("few-pairs").data["pairs"] == n


def test_a_part_of_the_curve_with_few_negatives_is_exchanged():
    few = C.partial_auc(y, first, second, n_resamples=100, rng=0)
    assert few.test.startswith("Exchange")
    assert few.noted("exchange-p-value").data == {"cases": pytest.approx(2.5), "exchanges": 100}
    assert few.difference.se is None
    assert few.difference.noted("no-se-few-cases").data["needed"] == 5
    more = C.partial_auc(y, first, second, fpf=(0, 0.5), n_resamples=100, rng=0)
    assert more.test.startswith("Exchange")
    assert more.difference.se > 0
    enough = C.partial_auc(y, first, second, fpf=(0, 0.9), n_resamples=100, rng=0)
    assert enough.test.startswith("Bootstrap")
    assert not enough.notes
    assert enough.statistic == pytest.approx(enough.difference.value / enough.difference.se)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_exchanges_of_a_part_by_all_of_them(alternative):
    """6 cases, all 2^6 exchanges with all orders of ranks that meet, against the sampled law."""
    labels = np.array([False, False, False, True, True, True])
    a, b = np.array([1.0, 4, 2, 3, 5, 6]), np.array([3.0, 1, 5, 2, 6, 4])

    def area(ranks):  # with 3 negatives the area up to FPF 1/3 is the share of positives above the highest negative / 3
        order = np.argsort(-ranks)
        return np.mean([i < np.flatnonzero(~labels[order])[0] for i in np.flatnonzero(labels[order])]) / 3

    observed, hits, total = area(a) - area(b), 0.0, 0
    for swap in itertools.product((False, True), repeat=6):
        parts = []
        for r in (np.where(swap, b, a), np.where(swap, a, b)):
            orders = [p for p in itertools.permutations(range(6)) if (np.diff(r[list(p)]) >= 0).all()]
            parts.append([area(np.argsort(p).astype(float)) for p in orders])
        gaps = np.subtract.outer(*parts).ravel()
        if alternative == "two-sided":
            hits += np.mean(np.abs(gaps) >= abs(observed) - 1e-12)
        else:
            hits += np.mean(gaps <= observed + 1e-12 if alternative == "less" else gaps >= observed - 1e-12)
        total += 1
    t = C.partial_auc(labels, a, b, fpf=(0, 1 / 3), alternative=alternative, n_resamples=20_000, rng=1, positive=True)
    assert t.difference.value == pytest.approx(observed)
    assert t.p_value == pytest.approx(hits / total, abs=0.015)


def test_several_curves_say_what_few_cases_leave_open():
    few = np.r_[0:8, 25:33]
    t = C.delong_many(y[few], np.stack([first, second], 1)[few], method="chi2")
    note = t.noted("covariance-estimated")
    assert note.data == {"cases": 8, "p_value": hotelling_p(t.statistic, 1, 8)}
    # T² of one difference is t² with m − 1 degrees of freedom
    assert note.data["p_value"] == pytest.approx(2 * stats.t.sf(np.sqrt(t.statistic), 7))
    assert hotelling_p(5.0, 4, 4) == 1
    many = np.tile(np.stack([first, second], 1), (4, 1)) + 0.01 * rng.normal(size=(200, 2))
    assert len(C.delong_many(np.tile(y, 4), many).notes) == 1


def test_five_by_two_says_where_it_holds():
    d = rng.normal(size=(5, 2))
    for t in (C.five_by_two_t(d), C.five_by_two_f(d)):
        assert t.noted("cases-not-checked").data["needed"] == 200


def test_two_sets_that_are_one():
    t = C.delong_unpaired(y, first, y, first)
    assert t.p_value == 1
    assert t.difference.se > 0
    assert [n.code for n in t.notes] == ["same-test-set"]
    assert not C.delong_unpaired(y, first, y, second).notes
    perfect = C.delong_unpaired([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 1, 1], [1, 2, 3, 5])
    assert perfect.difference.se is None
    assert perfect.difference.noted("no-se-zero-variance")


def test_no_spread_is_no_proof_of_equivalence():
    t = C.delong([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], [1, 2, 3, 5, 4, 6])
    assert t.p_value == 1
    assert t.difference.se is None
    for ask in (C.equivalence, C.non_inferiority):
        with pytest.raises(InputError, match="has no standard error"):
            ask(t.difference, 0.001)
        with pytest.raises(InputError, match="has no standard error above 0"):
            ask(Estimate(0.0, 0.0), 0.001)
    same = C.delong(y, first, first).difference
    assert C.equivalence(same, 0.001).p_value < 1e-6


@pytest.mark.parametrize(
    ("row", "p"), [([0.8, 0.8, 0.7], 1 / 9), ([0.9, 0.8, 0.8, 0.8, 0.8], 0.04), ([0.9, 0.8, 0.7], 1 / 36)]
)
def test_data_sets_that_all_rank_alike(row, p):
    assert C.friedman(np.tile(row, (3, 1))).f_p_value == pytest.approx(p)


def test_unanimous_with_many_data_sets():
    assert C.friedman(np.tile([0.8, 0.8, 0.7], (30, 1))).f_p_value == pytest.approx(3.0**-29, rel=1e-9, abs=0)


def test_pairs_of_data_sets_that_all_rank_alike():
    p = C.conover(np.tile([0.9, 0.8, 0.7], (4, 1))).p_values
    assert p.to_numpy()[0, 1] == pytest.approx(min(1, 3 * 2 / 2**4))
    tied = C.conover(np.tile([0.9, 0.8, 0.8], (4, 1))).p_values
    assert tied.to_numpy()[1, 2] == 1


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (2, 4), (6, 2)])
def test_friedman_by_all_permutations(shape):
    r = stats.rankdata(np.random.default_rng(sum(shape)).integers(0, 4, size=shape), axis=1)
    every = [
        (np.sum(rows, axis=0) ** 2).sum() for rows in itertools.product(*(list(itertools.permutations(x)) for x in r))
    ]
    p = (np.array(every) >= (r.sum(axis=0) ** 2).sum() - 1e-9).mean()
    assert permutation_p(r) == pytest.approx(p)
    assert C.friedman(-r).f_p_value == pytest.approx(p)


def test_friedman_of_few_data_sets_holds_its_level():
    tables = np.random.default_rng(8).random((300, 4, 3))
    assert np.mean([C.friedman(t).f_p_value < 0.05 for t in tables]) <= 0.05 + 3 * 0.0126


def test_several_curves_use_one_rank():
    """Two rules that differ in one of a million pairs, a third that is far off: two components, two degrees."""
    n = 2000
    labels = np.repeat([0, 1], n // 2)
    a = np.random.default_rng(0).normal(size=n) + labels
    b = a.copy()
    top = np.argmax(np.where(labels == 0, a, -np.inf))
    b[top] = np.nextafter(b[labels == 1][b[labels == 1] < b[top]].max(), -np.inf)
    far = np.random.default_rng(1).normal(size=n) + labels
    t = C.delong_many(labels, np.stack([a, b, far], axis=1))
    assert t.df == 2
    assert t.p_value == pytest.approx(stats.chi2.sf(t.statistic, 2))
    pair = C.delong_many(labels, np.stack([a, b], axis=1))
    assert pair.statistic == pytest.approx(C.delong(labels, a, b).statistic ** 2)
    assert C.delong_many(labels, np.stack([a, a, far], axis=1)).df == 1


def test_wilcoxon_knows_decimal_ties():
    a, b = [0.8, 0.3, 0.9, 0.75, 0.6, 0.55], [0.7, 0.2, 0.8, 0.85, 0.5, 0.35]
    assert C.wilcoxon(a, b).p_value == pytest.approx(0.1875)
    assert C.wilcoxon(np.multiply(a, 100).round(), np.multiply(b, 100).round()).p_value == pytest.approx(0.1875)


def test_mcnemar_refuses_other_codes():
    with pytest.raises(InputError, match="not among the classes"):
        C.mcnemar([0, 1, 0, 1], [1, 2, 1, 2], [0, 1, 0, 0])


def _two_devices():
    """8 points fewer false positives, and 4 points less sensitivity."""
    y = np.repeat([0, 1], [200, 100])
    a = np.r_[np.repeat([0, 1], [184, 16]), np.repeat([1, 0], [86, 14])]
    b = np.r_[np.repeat([0, 1], [168, 32]), np.repeat([1, 0], [90, 10])]
    return trueness.diagnose(y, a), trueness.diagnose(y, b)


def test_non_inferiority_takes_the_direction_from_the_metric():
    first, second = _two_devices()
    fewer, more = (a.versus(b).difference("fpf") for a, b in ((first, second), (second, first)))
    assert C.non_inferiority(fewer, 0.05).p_value < 1e-6
    assert C.non_inferiority(more, 0.05).p_value > 0.9
    tnf = first.versus(second).difference("specificity")
    assert C.non_inferiority(tnf, 0.05).p_value == pytest.approx(C.non_inferiority(fewer, 0.05).p_value)
    assert "Non-inferior: the margin is 0.05 (p " in C.non_inferiority(fewer, 0.05).answer()
    assert "Non-inferiority is not shown: the margin is 0.05 (p " in str(C.non_inferiority(more, 0.05))
    with pytest.raises(InputError, match="Whether a higher fpf is better must be known. Got True"):
        C.non_inferiority(fewer, 0.05, higher_is_better=True)
    with pytest.raises(InputError, match="Whether a higher score is better must be known"):
        C.non_inferiority(Estimate(0.1, 0.02, metric="score difference"), 0.05)


@pytest.mark.parametrize("measure", ["tpf", "fpf", "accuracy", "ppv", "npv", "youden"])
def test_non_inferiority_agrees_with_the_interval(measure):
    """p = .025 at a margin that is the limit of the 95 % interval: Tango's, and MOVER's."""
    first, second = _two_devices()
    for a, b in ((first, second), (second, first)):
        d = a.versus(b).difference(measure)
        margin = d.ci().high if measure == "fpf" else -d.ci().low
        if margin > 0:
            assert C.non_inferiority(d, margin).p_value == pytest.approx(0.025, abs=1e-6)


def test_equivalence_of_shares_is_tangos():
    """The law of which Tango (1998) made his interval: both limits of the 90 % interval within the margin."""
    first, second = _two_devices()
    d = first.versus(second).difference("tpf")
    widest = max(abs(limit) for limit in d.ci(0.9))
    assert C.equivalence(d, widest).p_value == pytest.approx(0.05, abs=1e-6)
    same = first.versus(first).difference("tpf")  # no discordant case: Tango's score is defined
    assert C.non_inferiority(same, 0.05).p_value == pytest.approx(stats.norm.sf(np.sqrt(100 * 0.05 / 0.95)), rel=1e-6)
