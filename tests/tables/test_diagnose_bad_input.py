"""Wrong input to diagnose: the parameter at fault, and a few messages in full."""

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError

GOOD = {"tp": 10, "fn": 5, "fp": 24, "tn": 61}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("value", "message"),
    [(-1, "must be a whole number"), (1.5, "whole number"), (float("nan"), "whole number"), ("7", "whole number")],
)
def test_counts(name, value, message):
    with pytest.raises(InputError, match=f"{name} .*{message}"):
        trueness.diagnose(**{**GOOD, name: value})


def test_missing_counts_are_named():
    with pytest.raises(InputError) as error:
        trueness.diagnose(tp=3, fn=4)
    assert str(error.value) == (
        "A table of two classes has four counts; missing: fp, tn. Pass all four counts, or y= and predictions=."
    )
    assert error.value.param == "fp"
    with pytest.raises(InputError, match="four counts"):
        trueness.diagnose()
    with pytest.raises(InputError, match="empty"):
        trueness.diagnose(tp=0, fn=0, fp=0, tn=0)


def test_both_or_half():
    with pytest.raises(InputError, match="Pass either y and predictions or counts") as error:
        trueness.diagnose([0, 1], [0, 1], tp=3)
    assert error.value.param == "tp"
    with pytest.raises(InputError) as error:
        trueness.diagnose([0, 1])
    assert error.value.param == "predictions"


def test_lengths_that_differ():
    with pytest.raises(InputError, match="different lengths"):
        trueness.diagnose([0, 1, 1], [0, 1])
    with pytest.raises(InputError, match="different lengths"):
        trueness.tables.confusion(["a", "b"], ["a"])


def test_labels_never_seen():
    with pytest.raises(InputError, match="predictions holds a label.*2"):
        trueness.diagnose([0, 1, 1], [0, 1, 2])
    with pytest.raises(InputError, match="'maybe'"):
        trueness.diagnose(["yes", "no"], ["yes", "maybe"], positive="yes")
    with pytest.raises(InputError, match="classes"):
        trueness.diagnose(["yes", "yes"], ["yes", "no"], positive="yes")
    assert trueness.diagnose(["yes", "yes"], ["yes", "no"], positive="yes", classes=["no", "yes"]).tpf.value == 0.5
    with pytest.raises(InputError, match="y holds a label"):
        trueness.diagnose(["a", "b"], ["a", "a"], classes=["a", "c"], positive="a")


def test_one_class_only():
    with pytest.raises(InputError, match="one class only"):
        trueness.diagnose(["a", "a"], ["a", "a"], positive="a")


def test_the_positive_class_must_be_known():
    with pytest.raises(InputError, match="positive='sick' or positive='well'"):
        trueness.diagnose(["sick", "well"], ["sick", "sick"])
    with pytest.raises(InputError, match="not among the classes"):
        trueness.diagnose(["sick", "well"], ["sick", "sick"], positive="ill")


def test_scores_are_no_decisions():
    with pytest.raises(InputError, match="predictions holds numbers that are not labels"):
        trueness.diagnose([0, 1, 1], [0.2, 0.9, 0.4])
    with pytest.raises(InputError, match="predictions has missing labels"):
        trueness.diagnose([0, 1, 1], [0, 1, None])
    with pytest.raises(InputError, match="one label per case"):
        trueness.diagnose([0, 1], np.zeros((2, 2)))


def test_indexes_that_do_not_match():
    with pytest.raises(InputError, match="different indexes"):
        trueness.diagnose(pd.Series([0, 1], index=[3, 4]), pd.Series([0, 1]))


def test_names_that_do_not_exist():
    d = trueness.diagnose(**GOOD)
    for ask, param in (
        (lambda: trueness.diagnose(**GOOD, interval="score"), "interval"),
        (lambda: trueness.diagnose(**GOOD, level=95), "level"),
        (lambda: d["sensibility"], "metric"),
        (lambda: d.joint_region(95), "level"),
        (lambda: d.four_regions((0.2, 0.8), level=1), "level"),
        (lambda: d.f_beta(-1), "beta"),
        (lambda: d.f_beta(float("nan")), "beta"),
    ):
        with pytest.raises(InputError) as error:
            ask()
        assert error.value.param == param


@pytest.mark.parametrize(
    "matrix", [[[0, 1]], [0, 1], np.eye(3), [[0, "x"], [1, 0]], [[0, np.inf], [1, 0]], [[1, 1], [1, 1]]]
)
def test_cost_matrices_of_the_wrong_shape(matrix):
    with pytest.raises(InputError) as error:
        trueness.diagnose(**GOOD).cost(matrix)
    assert error.value.param == "matrix"


def test_scores_and_booleans_in_place_of_labels_say_what_to_pass():
    y = ["ill", "well", "ill", "well"]
    with pytest.raises(InputError, match="numbers that are not labels"):
        trueness.diagnose(y, [0.3, 0.1, 0.9, 0.2], positive="ill")
    with pytest.raises(InputError, match="predicted labels"):
        trueness.diagnose(y, [True, False, True, False], positive="ill")


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**5000, 2**31], ids=["400", "-400", "5000", "32 bits"])
def test_counts_of_any_size_are_refused(value):
    with pytest.raises(InputError, match=r"tp must be a whole number from 0 to 2147483647\. Got -?(1e\+\d+|2\.15e\+9)"):
        trueness.diagnose(**{**GOOD, "tp": value})
    with pytest.raises(InputError, match="n_resamples"):
        trueness.Bootstrap(value)
