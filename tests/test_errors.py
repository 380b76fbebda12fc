"""Errors are values: problem, parameter, what was given, what to do; each front end spells parameters its own way."""

import pickle

import pytest

from karat.errors import FitError, InputError, Setting, UndefinedError


def test_the_message_is_problem_got_and_fix():
    error = InputError(
        "level must lie between 0 and 1", param="level", got=95, fix=("Use e.g. ", Setting("level", 0.9))
    )
    assert str(error) == "level must lie between 0 and 1. Got 95. Use e.g. level=0.9."
    assert error.rendered(lambda s: f"--{s.param} {s.value}").endswith("Use e.g. --level 0.9.")


def test_a_sentence_of_another_library_gets_one_stop():
    error = FitError("The model cannot be fitted", reason="ValueError: no\n  such thing.", fix="Use another model")
    assert str(error) == "The model cannot be fitted. Reason: ValueError: no such thing. Use another model."


def test_an_error_can_be_about_one_of_several_models():
    with pytest.raises(UndefinedError, match="^svm: no pairs$|^svm: no pairs[.]$") as raised:
        raise UndefinedError("no pairs").of("svm")
    assert raised.value.problem == "no pairs"


@pytest.mark.parametrize("kind", [InputError, UndefinedError, FitError])
def test_errors_survive_pickling(kind):
    error = kind("wrong", param="y", got=3, reason="x", fix=("Use ", Setting("y"))).of("lda")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)
