"""Wrong input: an error that names the parameter, or a defined answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from trueness import Estimate
from trueness import comparisons as C
from trueness.errors import InputError

y = np.repeat([0, 1], 10)
s = np.linspace(0, 1, 20)


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: C.delong(y, s, s[:-1]), None),
        (lambda: C.delong(y, s, np.where(s > 0.9, np.nan, s)), None),
        (lambda: C.delong(["a", "b"] * 10, s, s), None),
        (lambda: C.delong(np.repeat([0, 1, 2], [5, 5, 10]), s, s), None),
        (lambda: C.delong(np.zeros(20, int), s, s), None),
        (lambda: C.delong([0, 1], [0.1, 0.2], [0.3, 0.1]), None),
        (lambda: C.venkatraman([0, 0, 1], [1, 2, 3], [3, 1, 2]), None),
        (lambda: C.delong(y, s, -s), "s1"),
        (lambda: C.delong(y, s, s, alternative="bigger"), "alternative"),
        (lambda: C.delong(y, s, ["x"] * 20), None),
        (lambda: C.delong_many(y, s), "scores"),
        (lambda: C.delong_many(y, np.stack([s, -s], 1)), "scores"),
        (lambda: C.delong_many(y, np.stack([s, s], 1), method="f"), "method"),
        (lambda: C.at_fpf(y, s, -s, 1.5), "fpf"),
        (lambda: C.partial_auc(y, s, -s, fpf=(0.3, 0.1)), "fpf"),
        (lambda: C.bootstrap(y, s, -s, n_resamples=5), None),
        (lambda: C.venkatraman(y, s, -s, n_permutations=0), None),
        (lambda: C.mcnemar(y, y[:-1], y), None),
        (lambda: C.mcnemar(y, s, y), None),
        (lambda: C.mcnemar(y, y.astype(str), y), None),
        (lambda: C.mcnemar_counts(-1, 2), None),
        (lambda: C.mcnemar_counts(3.5, 2), None),
        (lambda: C.mcnemar_counts(3, 2, n=4), "n"),
        (lambda: C.mcnemar_counts(3, 2, method="yates"), "method"),
        (lambda: C.paired_t([1, 2, 3], [1, 2]), None),
        (lambda: C.paired_t([1], [2]), None),
        (lambda: C.paired_t([1, 2, 3], [2, 3, 4]), "e1"),
        (lambda: C.paired_t([0.3, 0.5, 0.9], [0.2, 0.4, 0.8]), "e1"),
        (lambda: C.paired_t([1, np.nan], [1, 2]), None),
        (lambda: C.paired_t(pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"])), None),
        (lambda: C.corrected_t([0.01] * 30, 90, 10), "differences"),
        (lambda: C.corrected_t([0.1], 9, 1), "differences"),
        (lambda: C.corrected_t([0.1, 0.2], 0, 1), "n_train"),
        (lambda: C.five_by_two_t(np.zeros((2, 5))), "d"),
        (lambda: C.five_by_two_f(np.ones((5, 2))), "d"),
        (lambda: C.friedman(np.ones((1, 3))), "table"),
        (lambda: C.friedman(np.ones((3, 1))), "table"),
        (lambda: C.friedman([1, 2, 3]), "table"),
        *((lambda ask=ask: ask([[]]), "table") for ask in (C.friedman, C.nemenyi, C.conover, C.holm_ranks)),
        (lambda: C.friedman([[1, 2], [3]]), "table"),
        (lambda: C.results_table(pd.DataFrame({"model": ["a"], "d": [1], "value": [2.0]})), "table"),
        (lambda: C.nemenyi([[1, np.nan], [1, 2]]), "table"),
        (lambda: C.nemenyi([[1, 2], [1, 2]], level=95), "level"),
        (lambda: C.holm_ranks([[1, 2], [1, 2]], control="x"), "control"),
        (lambda: C.results_table(pd.DataFrame([[1, 2]], columns=["a", "a"])), "table"),
        (
            lambda: C.results_table(pd.DataFrame({"model": ["a", "a"], "data_set": [1, 1], "value": [1, 2]})),
            "table",
        ),
        (lambda: C.cochran_q([[1, 2], [0, 1]]), "correct"),
        (lambda: C.cochran_q([[1], [0]]), "correct"),
        (lambda: C.bayes_correlated_t([0.1, 0.1], 9, 1), "d"),
        (lambda: C.bayes_correlated_t([0.1, 0.2], 9, 1, rope=-1), "rope"),
        (lambda: C.equivalence(Estimate(0.1), 0.05), "difference"),
        (lambda: C.equivalence(0.1, 0.05), "difference"),
        (lambda: C.equivalence(Estimate(0.1, 0.1), 0), "margin"),
        (lambda: C.overlap(0.1, -1, 0.2, 1), "sd1"),
        (lambda: C.overlap(0.1, 0, 0.2, 0), "sd1"),
        (lambda: C.split_mean([0.1]), "values"),
        (lambda: C.split_mean(["a", "b"]), None),
        (lambda: C.split_mean([[0.1, 0.2], [0.3]]), None),
        (lambda: C.split_mean([0.1, 0.2], sigma=float("nan")), "sigma"),
        (lambda: C.split_mean([0.1, 0.2], sigma="x"), "sigma"),
        (lambda: C.partial_auc([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], fpf=0.1), "fpf"),
        (lambda: C.partial_auc([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], fpf=(0.1,)), "fpf"),
        (lambda: C.at_fpf([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], "a"), "fpf"),
        (lambda: C.delong_many([0, 1, 0, 1], [[1, 2], [1, 2, 3]]), "scores"),
        (lambda: C.delong_many([0, 0, 1, 1], [["a", "b"]] * 4), "scores"),
        (lambda: C.delong([0, 0, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1]), "s1"),
        (lambda: C.delong_unpaired([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1, 1]), "s1"),
        (lambda: C.split_mean([0.1, 0.2], sigma=0), "sigma"),
        (lambda: C.holm([0.1, 1.2]), "p_values"),
    ],
)
def test_errors_name_the_parameter(call, param):
    with pytest.raises(InputError) as error:
        call()
    assert param is None or error.value.param == param  # None: the shared checks of labels and scores name it


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
    assert C.sign([0.1 + 0.2], [0.3]).noted("win-counts").data == {"higher": 0, "lower": 0, "equal": 1}


def test_messages_say_what_is_wrong_what_was_given_and_what_to_do():
    with pytest.raises(InputError) as error:
        C.corrected_t([0.01] * 30, 90, 10)
    message = str(error.value)
    assert message == "All differences are equal. Got 0.01. Use larger test sets."
    with pytest.raises(InputError, match="Use venkatraman or venkatraman_unpaired"):
        C.delong_unpaired([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1, 1])
    with pytest.raises(InputError, match="No sample size can detect a difference of 0"):
        C.size_for_auc_difference(0.8, 0.8)
