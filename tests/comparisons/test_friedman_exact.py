"""Ranks of few data sets: no test that is offered rejects true nulls too often, by counting all of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import trueness
from trueness import comparisons as C
from trueness.comparisons.rank_tests import exact_p, largest_not_rejected, least_p, orders, permutation_p, sign_p

TESTS = {
    "friedman, χ²": lambda table: C.friedman(table).p_value,
    "friedman, F": lambda table: C.friedman(table).f_p_value,
    "nemenyi": lambda table: C.nemenyi(table).p_value,
    "conover": lambda table: C.conover(table).p_value,
    "holm_ranks": lambda table: C.holm_ranks(table).p_value,
    "holm_ranks, control": lambda table: C.holm_ranks(table, control="model 1").p_value,
}


def every_table(ranks, n):
    """[(probability, a table)]: of n rows that are permutations of `ranks`, one table for each vector of rank sums.

    All these tests go by the sums of the columns, so one table represents all that share them.
    """
    ways, law = sorted(set(itertools.permutations(ranks))), {(0.0,) * len(ranks): (1.0, ())}
    for _ in range(n):
        longer = {}
        for sums, (p, rows) in law.items():
            for way in ways:
                key = tuple(a + b for a, b in zip(sums, way, strict=True))
                before = longer.get(key, (0.0, (*rows, way)))
                longer[key] = (before[0] + p / len(ways), before[1])
        law = longer
    return [(p, -np.array(rows)) for p, rows in law.values()]


def level(name, law):
    """How often a test rejects; of tables that are the same but for the order of the models one is asked."""
    found, rejected = {}, 0.0
    for p, table in law:
        sums = table.sum(axis=0).tolist()
        key = (sums[0], *sorted(sums[1:])) if name.endswith("control") else tuple(sorted(sums))
        if key not in found:
            found[key] = TESTS[name](table) < 0.05
        rejected += p * found[key]
    return rejected


@pytest.mark.parametrize("n", range(4, 13))
def test_two_models_hold_their_level(n):
    law = every_table((1, 2), n)
    assert sum(p for p, _ in law) == pytest.approx(1)
    for name in TESTS:
        assert level(name, law) <= 0.05, name


@pytest.mark.parametrize("n", [4, 5, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in range(7, 13))])
def test_three_models_hold_their_level(n):
    law = every_table((1, 2, 3), n)
    for name in TESTS:
        assert level(name, law) <= (0.05 if name in ("friedman, χ²", "friedman, F", "conover") else 0.07), name


@pytest.mark.parametrize(("ranks", "n"), [((1, 2.5, 2.5), 3), ((1, 2.5, 2.5), 12), ((1, 2.5, 2.5, 4), 3)])
def test_ties_hold_their_level(ranks, n):
    law = every_table(ranks, n)
    for name in TESTS:
        assert level(name, law) <= 0.05, name


def test_two_models_have_the_sign_test():
    four, seven = [[1, 2]] * 4, [[1, 2]] * 6 + [[2, 1]]
    for ask in (C.friedman, C.nemenyi, C.conover, C.holm_ranks):
        assert ask(four).p_value == pytest.approx(2 / 2**4)
        assert ask(seven).p_value == pytest.approx(C.sign(*np.transpose(seven)).p_value)
        assert ask(four).noted("exact-p-value")
    tied = [[1, 2]] * 6 + [[3, 3]] * 3
    assert C.nemenyi(tied).p_value == pytest.approx(2 / 2**6)
    assert C.friedman(tied).f_p_value == pytest.approx(2 / 2**6)


@pytest.mark.parametrize("n", [3, 5, 6, 9, 20, 30])
def test_critical_difference_of_two_models(n):
    for wins in range(n // 2, n + 1):
        t = C.nemenyi([[2, 1]] * wins + [[1, 2]] * (n - wins))
        assert (t.p_value < 0.05) == (t.groups() == [])
        assert t.critical_difference == largest_not_rejected(n, n, 0.05)
    assert largest_not_rejected(5, 5, 0.05) == 1  # no result of five data sets is found


def test_exact_law_of_larger_tables():
    """12 × 3: beyond the reach of an enumeration of tables, within that of sums; against a simulation."""
    table = np.random.default_rng(2).random((12, 3)) + np.array([0, 0.3, 0.5])
    r = stats.rankdata(table, axis=1)
    drawn = np.random.default_rng(3).permuted(np.broadcast_to(r, (20_000, 12, 3)), axis=2).sum(axis=1)
    simulated = ((drawn**2).sum(axis=1) >= (r.sum(axis=0) ** 2).sum() - 1e-9).mean()
    assert exact_p(r) == pytest.approx(simulated, abs=4 * math.sqrt(simulated / 20_000))
    assert exact_p(stats.rankdata(np.random.default_rng(2).random((30, 4)), axis=1)) is None


def test_arrangements_of_ties():
    assert len(orders((1, 2, 2, 3))) == 12
    assert sorted(map(tuple, orders((1, 2, 3)).tolist())) == sorted(itertools.permutations((1, 2, 3)))
    r = np.tile([1.0] + [11.0] * 19, (5, 1))  # twenty models, one of them ahead: 20 ways a row, not 20!
    assert permutation_p(r) == pytest.approx(20.0**-4)


def test_no_p_value_of_zero_and_none_below_the_least():
    clear = np.random.default_rng(0).random((1000, 3)) + np.array([0, 0.6, 1.2])
    for table in (np.tile([1.0, 2, 3, 4, 5], (200, 1)), clear):
        f = C.friedman(table)
        assert f.f_p_value > 0
        assert f.p_value > 0
    alike = np.tile([1.0, 2, 3, 4, 5], (50, 1))
    swapped = alike.copy()
    swapped[0] = swapped[0][[1, 0, 2, 3, 4]]
    least = least_p(stats.rankdata(alike, axis=1))
    assert C.friedman(alike).f_p_value == least == pytest.approx(math.factorial(5) ** -49.0, rel=1e-9)
    assert C.friedman(swapped).f_p_value >= least
    assert 0 < sign_p(0, 3000) < 1e-300


def test_what_is_printed_and_written():
    table = pd.DataFrame(np.random.default_rng(1).random((9, 3)), columns=["a", "b", "c"])
    f, n = C.friedman(table), C.nemenyi(table)
    assert "Iman–Davenport F" in str(f)
    assert f"{f.f_statistic:.4g}" in str(f)
    assert "2 and 16" in str(f)
    read = trueness.load(n.to_json())
    assert read.critical_difference == n.critical_difference
    pd.testing.assert_series_equal(read.ranks, n.ranks)
    pd.testing.assert_frame_equal(read.frame(), n.frame())
    assert "Critical difference at level 0.95" in str(n)
    control = C.holm_ranks(table, control="b")
    assert control.frame()["p_value"].isna().tolist() == [False, True, False]
    assert "a − c" not in str(control)


def test_the_statistic_of_models_that_all_rank_alike():
    t = C.conover(np.tile([0.9, 0.8, 0.7], (30, 1)))
    assert math.isinf(t.statistic)
    assert trueness.load(t.to_json()).statistic == t.statistic
    assert C.conover(np.ones((5, 3))).statistic == 0


def test_nine_models_on_two_data_sets_are_counted():
    one = np.arange(1.0, 10)
    other = one.copy()
    other[[3, 4]] = other[[4, 3]]
    table = [one, other]
    # by hand: of the 9! orders of the second, the same one and the 8 with one neighbouring pair exchanged
    assert C.friedman(table).f_p_value == pytest.approx(9 / math.factorial(9), rel=1e-12)
    assert C.conover(table).p_value >= 9 / math.factorial(9) * (1 - 1e-12)


def test_conover_is_never_below_the_least_p_of_permutations():
    table = np.tile(np.arange(1.0, 7), (7, 1))
    table[0, [2, 3]] = table[0, [3, 2]]
    assert C.conover(table).p_value >= math.factorial(6) ** -6.0 * (1 - 1e-9)


def test_friedman_of_two_models_is_the_sign_test():
    f = C.friedman(np.column_stack([np.arange(20) + 1.0, np.arange(20)]))
    assert f.p_value == f.f_p_value == pytest.approx(2 * 0.5**20, rel=1e-12)
