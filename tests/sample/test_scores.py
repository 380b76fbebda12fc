"""Scores: what is accepted, and the parameter that an error names."""

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness import comparisons
from trueness.curves.multiclass import hand_till
from trueness.errors import InputError, TruenessWarning
from trueness.sample.scores import notes_of_scores, numbers, score_array

Y = np.repeat([0, 1], 6)
S = np.arange(12.0)

DOORS = {
    "roc": ("scores", lambda s: trueness.roc(Y, s)),
    "pr": ("scores", lambda s: trueness.pr(Y, s)),
    "delong": ("s2", lambda s: comparisons.delong(Y, S, s)),
    "venkatraman": ("s1", lambda s: comparisons.venkatraman(Y, s, S)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("scores", "problem"),
    [
        (S[:-1], "y and {} have different lengths"),
        (np.where(S > 9, np.nan, S), "{} holds NaN"),
        ([*S[:-1], "x"], "{} must be numbers"),
        (np.stack([S, S, S], axis=1), "{} must have one score per case"),
    ],
)
def test_the_same_mistake_has_the_same_message_at_every_door(door, scores, problem):
    param, call = DOORS[door]
    with pytest.raises(InputError) as e:
        call(scores)
    assert (e.value.param, e.value.problem) == (param, problem.format(param))


def test_a_column_is_called_by_its_name():
    with pytest.raises(InputError, match="^score crp holds NaN. .*row 3") as e:
        trueness.roc(Y, pd.Series(np.where(S == 3, np.nan, S), name="crp"))
    assert e.value.param == "scores"


def test_two_columns_of_probabilities_need_a_choice():
    with pytest.raises(InputError, match="that of the positive class"):
        trueness.roc(Y, np.stack([1 - S, S], axis=1))


def test_scores_of_several_classes():
    for scores, problem in (
        (np.zeros((12, 3)), "scores must have shape (12, 2)"),
        (np.full((12, 2), np.nan), "scores holds NaN"),
    ):
        with pytest.raises(InputError) as e:
            hand_till(Y, scores)
        assert (e.value.param, e.value.problem) == ("scores", problem)


def test_infinite_scores_are_allowed_and_the_callers_array_is_copied():
    given = np.array([-np.inf, 0.0, np.inf])
    scores = score_array(given, 3)
    given[:] = 7
    assert scores.tolist() == [-np.inf, 0.0, np.inf]


def test_two_values_look_like_labels():
    hard = np.random.default_rng(0).integers(0, 2, size=(50, 12)).astype(float)
    with pytest.warns(TruenessWarning, match="look like"):
        (note,) = notes_of_scores(hard, probabilities=False, given=True)
    assert (note.code, note.severity) == ("scores-look-like-labels", "warning")
    assert not notes_of_scores(hard, True)  # of a model, such as a full tree
    for scores in (None, hard + S, np.ones((5, 12)), np.full((5, 12), np.nan)):
        assert not notes_of_scores(scores, probabilities=False, given=True)


def test_a_table_that_holds_no_numbers_is_an_error_of_trueness():
    with pytest.raises(InputError):
        numbers(memoryview(np.array([["x", 1.0]], dtype=object)), "d")


def test_a_view_that_holds_no_numbers_is_an_error_of_trueness():
    with pytest.raises(InputError, match="d must be numbers"):
        numbers(memoryview(np.array(["x", 1.0], dtype=object)), "d")


def test_whether_an_auc_has_a_standard_error_does_not_depend_on_the_order():
    """What equal ranks may hide is exactly what the other class shows here."""
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1])
    scores = np.where(np.arange(19) == 3, 0.0625, 0.125)
    orders = [np.random.default_rng(seed).permutation(19) for seed in range(10)]
    assert [trueness.roc(y[o], scores[o]).auc.se for o in orders] == pytest.approx([1 / 18] * 10)
