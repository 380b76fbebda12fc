"""Wrong input: an error that says what, got, do; or a defined answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from karat import Estimate
from karat import comparisons as C
from karat.errors import InputError

y = np.repeat([0, 1], 10)
s = np.linspace(0, 1, 20)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: C.delong(y, s, s[:-1]), "different lengths"),
        (lambda: C.delong(y, s, np.where(s > 0.9, np.nan, s)), "s2: 2 values are NaN"),
        (lambda: C.delong(["a", "b"] * 10, s, s), "Cannot infer the positive class"),
        (lambda: C.delong(np.repeat([0, 1, 2], [5, 5, 10]), s, s), "two classes"),
        (lambda: C.delong(np.zeros(20, int), s, s), "one class only"),
        (lambda: C.delong([0, 1], [0.1, 0.2], [0.3, 0.1]), "2 classes .0, 1. have only 1 case"),
        (lambda: C.venkatraman([0, 0, 1], [1, 2, 3], [3, 1, 2]), "Class 1 has only 1 case"),
        (lambda: C.delong(y, s, -s), "variance is 0"),
        (lambda: C.delong(y, s, s, alternative="bigger"), "alternative"),
        (lambda: C.delong(y, s, ["x"] * 20), "s2: 20 values are not a number"),
        (lambda: C.delong_many(y, s), "a column a rule"),
        (lambda: C.delong_many(y, np.stack([s, s], 1), contrasts=[[1, 1]]), "sum 0"),
        (lambda: C.delong_many(y, np.stack([s, -s], 1)), "variance is 0"),
        (lambda: C.at_fpf(y, s, -s, 1.5), "between 0 and 1"),
        (lambda: C.partial_auc(y, s, -s, (0.3, 0.1)), "low < high"),
        (lambda: C.bootstrap(y, s, -s, n_resamples=5), "n_resamples"),
        (lambda: C.venkatraman(y, s, -s, n_permutations=0), "n_permutations"),
        (lambda: C.mcnemar(y, y[:-1], y), "different lengths"),
        (lambda: C.mcnemar(y, s, y), "not labels"),
        (lambda: C.mcnemar(y, y.astype(str), y), "different types"),
        (lambda: C.mcnemar_counts(-1, 2), "whole number"),
        (lambda: C.mcnemar_counts(3.5, 2), "whole number"),
        (lambda: C.mcnemar_counts(3, 2, n=4), "smaller"),
        (lambda: C.mcnemar_counts(3, 2, method="yates"), "method must be"),
        (lambda: C.mcnemar_counts(3, 2).difference_ci(), "Pass n="),
        (lambda: C.paired_t([1, 2, 3], [1, 2]), "paired"),
        (lambda: C.paired_t([1], [2]), "At least 2"),
        (lambda: C.paired_t([1, 2, 3], [2, 3, 4]), "all differences are the same"),
        (lambda: C.paired_t([0.3, 0.5, 0.9], [0.2, 0.4, 0.8]), "all differences are the same"),
        (lambda: C.paired_t([1, np.nan], [1, 2]), "missing"),
        (lambda: C.paired_t(pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"])), "indexes"),
        (lambda: C.paired_t([1, 2, 3], [2, 3, 4]), "Use sign or permutation"),
        (lambda: C.corrected_t([0.01] * 30, 90, 10), "are not independent, so that counting their signs is no way out"),
        (lambda: C.corrected_t([0.1], 9, 1), "at least 2"),
        (lambda: C.corrected_t([0.1, 0.2], 0, 1), "positive"),
        (lambda: C.five_by_two_t(np.zeros((2, 5))), "5 repeats of 2 folds"),
        (lambda: C.five_by_two_f(np.ones((5, 2))), "no spread"),
        (lambda: C.friedman(np.ones((1, 3))), "one data set"),
        (lambda: C.friedman(np.ones((3, 1))), "at least 2 models"),
        (lambda: C.friedman([1, 2, 3]), "table"),
        *((lambda ask=ask: ask([[]]), "table is empty") for ask in (C.friedman, C.nemenyi, C.conover, C.holm_ranks)),
        (lambda: C.friedman([[1, 2], [3]]), "data sets × models"),
        (lambda: C.results_table(pd.DataFrame({"m": ["a"], "d": [1], "v": [2.0]}), model="x"), "no column 'x'"),
        (lambda: C.results_table(pd.DataFrame({"model": ["a"], "d": [1], "value": [2.0]})), "name yours by model="),
        (lambda: C.results_table([[1, 2], [3, 4]], value="v"), "no column"),
        (lambda: C.nemenyi([[1, np.nan], [1, 2]]), "missing"),
        (lambda: C.nemenyi([[1, 2], [1, 2]], level=95), "level"),
        (lambda: C.holm_ranks([[1, 2], [1, 2]], control="x"), "control"),
        (lambda: C.results_table(pd.DataFrame([[1, 2]], columns=["a", "a"])), "same name"),
        (
            lambda: C.results_table(pd.DataFrame({"model": ["a", "a"], "data_set": [1, 1], "value": [1, 2]})),
            "two results",
        ),
        (lambda: C.cochran_q([[1, 2], [0, 1]]), "0 and 1"),
        (lambda: C.cochran_q([[1], [0]]), "at least 2"),
        (lambda: C.bayes_correlated_t([0.1, 0.1], 9, 1), "a point"),
        (lambda: C.bayes_correlated_t([0.1, 0.2], 9, 1, rope=-1), "half-width"),
        (lambda: C.equivalence(Estimate(0.1), 0.05), "no standard error"),
        (lambda: C.equivalence(0.1, 0.05), "Estimate"),
        (lambda: C.equivalence(Estimate(0.1, 0.1), 0), "margin"),
        (lambda: C.overlap(0.1, -1, 0.2, 1), "not negative"),
        (lambda: C.overlap(0.1, 0, 0.2, 0), "nothing to judge"),
        (lambda: C.split_mean([0.1]), "at least 2"),
        (lambda: C.split_mean(["a", "b"]), "not a number"),
        (lambda: C.split_mean([[0.1, 0.2], [0.3]]), "numbers"),
        (lambda: C.split_mean([0.1, 0.2], sigma=float("nan")), "positive"),
        (lambda: C.split_mean([0.1, 0.2], sigma="x"), "positive"),
        (lambda: C.partial_auc([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], fpf=0.1), "low < high"),
        (lambda: C.partial_auc([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], fpf=(0.1,)), "low < high"),
        (lambda: C.at_fpf([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], "a"), "between 0 and 1"),
        (lambda: C.delong_many([0, 0, 1, 1], [[1, 2], [2, 1], [3, 3], [4, 4]], contrasts="ab"), "rows of numbers"),
        (lambda: C.delong_many([0, 1, 0, 1], [[1, 2], [1, 2, 3]]), "table of numbers"),
        (lambda: C.delong_many([0, 0, 1, 1], [["a", "b"]] * 4), "table of numbers"),
        (lambda: C.delong([0, 0, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1]), "scores all cases alike"),
        (lambda: C.delong_unpaired([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1, 1]), "venkatraman_unpaired"),
        (lambda: C.split_mean([0.1, 0.2], sigma=0), "sigma"),
        (lambda: C.holm([0.1, 1.2]), "between 0 and 1"),
        (lambda: C.critical_value(95, 6), "level"),
    ],
)
def test_errors(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_positive_class_may_be_named():
    labels = np.where(y == 1, "sick", "well")
    z = np.random.default_rng(0).normal(size=20)
    assert C.delong(labels, s, z, positive="sick").statistic == pytest.approx(C.delong(y, s, z).statistic)
    assert C.delong(labels, s, z, positive="well").statistic == pytest.approx(-C.delong(y, s, z).statistic)


def test_ties_everywhere():
    flat = np.zeros(20)
    assert C.delong(y, flat, flat).p_value == 1
    assert C.venkatraman(y, flat, flat, rng=0).p_value == 1
    assert C.friedman(np.ones((5, 3))).p_value == 1
    assert C.friedman(np.ones((5, 3))).f_p_value == 1
    assert C.nemenyi(np.ones((5, 3))).p_value == 1
    assert C.conover(np.ones((5, 3))).p_value == 1
    assert C.wilcoxon(np.ones(5), np.ones(5)).p_value == 1
    assert C.cochran_q(np.ones((6, 3))).p_value == 1
    t = C.wilcoxon([2, 2, 2, 2], [1, 1, 1, 1])
    assert t.p_value == pytest.approx(2 / 16)


def test_one_data_set_where_it_can_be_answered():
    assert C.sign([0.1], [0.2]).p_value == 1
    assert C.wilcoxon([0.1], [0.2]).p_value == 1
    assert C.permutation([0.1], [0.2]).p_value == 1


def test_results_that_differ_in_the_last_bit_are_ties():
    assert C.friedman([[0.1 + 0.2, 0.3], [0.5, 0.5]]).p_value == 1
    assert C.sign([0.1 + 0.2], [0.3]).notes[0].startswith("0 higher, 0 lower")
