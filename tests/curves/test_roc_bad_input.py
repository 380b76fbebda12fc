"""Scores and labels that go wrong, one by one."""

import math

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError, UndefinedError

Y = np.array([0, 0, 0, 1, 1, 1])


def test_constant_scores():
    c = trueness.roc(Y, np.ones(6))
    assert c.auc.value == 0.5
    assert c.auc.se is None
    assert [note.code for note in c.auc.notes] == ["constant-scores"]
    assert c.partial_auc(fpf=(0, 0.5)).value == 0.125
    assert c.partial_auc(fpf=(0, 0.5)).se is None
    assert (c.fpf.tolist(), c.tpf.tolist()) == ([0, 1], [0, 1])
    assert c.frame().shape == (2, 4)
    for method in ("binormal", "semiparametric", "normal"):
        with pytest.raises(UndefinedError, match="empirical"):
            trueness.roc(Y, np.ones(6), method)


def test_all_ties_within_a_score_of_two_values():
    c = trueness.roc(Y, [0, 1, 1, 0, 1, 1])
    assert c.auc.value == 0.5
    assert c.auc.se > 0
    with pytest.raises(UndefinedError, match="fewer than three categories"):
        trueness.roc(Y, [0, 1, 1, 0, 1, 1], "binormal")


def test_one_positive():
    c = trueness.roc([0, 0, 0, 0, 1], [1, 2, 3, 4, 3.5])
    assert c.auc.value == 0.75
    assert c.auc.se is None
    assert c.auc.noted("no-se-one-case")
    assert c.auc_with("hanley-mcneil").se > 0
    assert c.auc_with("q1q2").se is None
    assert c.partial_auc(fpf=(0, 0.5)).se is None
    assert c.tpf_at(0.5).value == 1
    assert c.at(3.2).tpf.value == 1
    assert c.best(rng=0).threshold == 3.5


def test_perfect_separation():
    y, s = np.repeat([0, 1], 20), np.arange(40.0)
    c = trueness.roc(y, s)
    assert c.auc.value == 1
    low, high = c.auc.ci()
    assert high == 1
    assert low == pytest.approx(0.025 ** (1 / 20))  # AUC^m bounds P[AUC = 1]
    for method in ("wald", "logit"):
        assert c.auc.ci(method=method) == (low, high)
    low, high = c.partial_auc(fpf=(0, 0.2)).ci()
    assert 0 < low < high == 0.2
    assert c.tpf_at(0.1).ci().low < 1
    with pytest.raises(UndefinedError, match="perfectly separated"):
        trueness.roc(y, s, "binormal")
    assert trueness.roc(y, s, "normal").auc.value < 1


def test_infinite_scores_are_legal():
    c = trueness.roc(Y, [-np.inf, 0, 1, 0.5, np.inf, np.inf])
    assert c.auc.value == pytest.approx((3 + 3 + 2) / 9)
    assert math.isnan(c.thresholds[0])
    assert c.thresholds[1] == np.inf
    assert (c.fpf[1], c.tpf[1]) == (0, 2 / 3)
    assert [note.code for note in c.notes] == ["infinite-top-score"]
    lower = trueness.roc(Y, [-np.inf, -np.inf, 1, 0.5, 2, 3])
    assert lower.thresholds[0] == np.inf
    assert lower.thresholds[-1] == -np.inf
    assert lower.best(rng=0).tpf > 0
    for method in ("normal", "semiparametric"):
        with pytest.raises(UndefinedError, match="infinite"):
            trueness.roc(Y, [-np.inf, 0, 1, 0.5, 2, np.inf], method)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    s = rng.standard_normal(100) + y
    capped = np.where(s > 2, np.inf, s)
    assert trueness.roc(y, capped, "binormal").auc.value == pytest.approx(
        trueness.roc(y, s, "binormal").auc.value, abs=0.05
    )


def test_nan_is_an_error():
    with pytest.raises(InputError, match="scores holds NaN. Got 1 rows with NaN, the first is row 2 .counting from 0."):
        trueness.roc(Y, [0, 1, np.nan, 2, 3, 4])


def test_swapped_labels_get_a_note_and_no_flip():
    c = trueness.roc(Y, [4, 5, 6, 1, 2, 3])
    assert c.auc.value == 0
    assert c.auc.noted("below-chance")
    assert c.auc.ci().high < 1
    assert c.tpf_at(0.5).value == 0
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    for method in ("empirical", "binormal", "semiparametric", "normal"):
        turned = trueness.roc(y, rng.standard_normal(100) - y, method)
        assert turned.auc.value < 0.5
        assert turned.auc.noted("below-chance").data["auc"] == pytest.approx(turned.auc.value)


def test_positive_must_be_named_where_labels_do_not_tell():
    y = np.array(["sick", "well"])[Y]
    with pytest.raises(InputError, match="positive='sick' or positive='well'"):
        trueness.roc(y, np.arange(6))
    assert trueness.roc(y, np.arange(6), positive="sick").auc.value == 0
    assert trueness.roc(y, np.arange(6), positive="well").auc.value == 1
    assert trueness.roc(Y == 1, np.arange(6)).auc.value == 1
    assert trueness.roc(2 * Y - 1, np.arange(6)).auc.value == 1


@pytest.mark.parametrize(
    ("y", "scores", "words"),
    [
        ([0, 1, 2], [1, 2, 3], "two classes"),
        ([1, 1, 1], [1, 2, 3], "one class"),
        ([0, 1], [1, 2, 3], "different lengths"),
        ([0, 1, 1], ["a", "b", "c"], "scores must be numbers"),
        ([0, 1, 1], pd.Series([1, 2, "c"], name="crp"), "score crp must be numbers"),
        ([0, 1, 1], [{}, 1, 2], "scores must be numbers"),
        ([0, 1, 1], [[0.1, 0.9]] * 3, "that of the positive class"),
        ([0.1, 0.7, 0.9], [0, 1, 1], "swapped"),
        ([0, None, 1], [1, 2, 3], "missing"),
    ],
)
def test_wrong_input(y, scores, words):
    with pytest.raises(InputError, match=words):
        trueness.roc(y, scores)


def test_pandas_rows_that_do_not_belong_together():
    with pytest.raises(InputError, match="different indexes"):
        trueness.roc(pd.Series(Y), pd.Series(np.arange(6.0), index=range(1, 7)))


def test_wrong_questions():
    c = trueness.roc(Y, [1, 3, 2, 4, 6, 2.5])
    with pytest.raises(InputError, match="empirical, binormal, semiparametric, normal"):
        trueness.roc(Y, np.arange(6), "smooth")
    with pytest.raises(InputError, match="range of either FPF or TPF"):
        c.partial_auc()
    with pytest.raises(InputError, match="low, high"):
        c.partial_auc(fpf=(0.5, 0.1))
    with pytest.raises(InputError, match="from 0 to 1"):
        c.partial_auc(fpf=(0, 10))
    with pytest.raises(InputError, match="from 0 to 1"):
        c.tpf_at(-0.1)
    with pytest.raises(InputError, match="delong, q1q2, hanley-mcneil"):
        c.auc_with("obuchowski")
    with pytest.raises(InputError, match="either an FPF or a TPF"):
        c.threshold_at()
    with pytest.raises(InputError, match="one criterion"):
        c.best("youden", tpf=0.9)
    with pytest.raises(InputError, match="closest, error"):
        c.best("beauty")
    with pytest.raises(InputError, match="2 × 2"):
        c.best(costs=[1, 2])
    with pytest.raises(InputError, match="no working-hotelling band for the empirical"):
        c.band(method="working-hotelling")
    with pytest.raises(InputError, match="level"):
        c.band(95)


def test_an_empty_class_or_no_cases():
    with pytest.raises(InputError, match="no cases"):
        trueness.roc([], [])
