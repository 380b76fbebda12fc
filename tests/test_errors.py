"""One family of errors: what is wrong, what was given, what to do."""

import pickle

import pytest

import trueness
from trueness.errors import FitError, InputError, TruenessError, UndefinedError
from trueness.result.words import counted


def test_one_family():
    assert issubclass(InputError, TruenessError)
    assert issubclass(InputError, ValueError)
    assert str(InputError("a is wrong", got=3, fix="Use b")) == "a is wrong. Got 3. Use b."


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("what.", None, ""), "what."),
        (("what", "no parquet file.", "Do it."), "what. Got no parquet file. Do it."),
        (("what", "saw 4\n", "Is it so?"), "what. Got saw 4. Is it so?"),
        (("two\n lines", 3, ""), "two lines. Got 3."),
    ],
)
def test_a_message_is_one_line_with_one_stop_per_sentence(parts, text):
    problem, got, fix = parts
    assert str(InputError(problem, got=got, fix=fix)) == text


def test_errors_survive_a_trip_between_processes():
    error = pickle.loads(pickle.dumps(InputError("wrong", param="y", got=3, fix="Pass y=")))
    assert (error.problem, error.param, error.got, str(error)) == ("wrong", "y", 3, "wrong. Got 3. Pass y=.")


def test_one_is_not_many():
    found = [counted(n, "case was", "cases were") for n in (0, 1, 2)] + [counted(n, "fold") for n in (1, 2)]
    assert found == ["0 cases were", "1 case was", "2 cases were", "1 fold", "2 folds"]


def test_what_another_library_said_is_quoted_as_the_reason():
    error = FitError("The model cannot be fitted", reason="ValueError: no\n  such thing.", fix="Use another model")
    assert str(error) == "The model cannot be fitted. Reason: ValueError: no such thing. Use another model."


def test_an_error_can_be_about_one_of_several_models():
    with pytest.raises(UndefinedError, match=r"^svm: no pairs\.$") as raised:
        raise UndefinedError("no pairs").of("svm")
    assert (raised.value.about, raised.value.problem) == ("svm", "no pairs")


@pytest.mark.parametrize("kind", [InputError, UndefinedError, FitError])
def test_every_field_of_every_error_survives_pickling(kind):
    error = kind("wrong", param="y", got=3, reason="x", fix="Use y=").of("lda")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (vars(again), str(again)) == (vars(error), str(error))


@pytest.mark.parametrize(("level", "fix"), [(95, "Got 95. Use e.g. level=0.95."), (1, "level=0.95.")])
def test_a_level_lies_between_0_and_1(level, fix):
    with pytest.raises(InputError) as refused:
        trueness.diagnose(tp=10, fn=5, fp=24, tn=61).tpf.ci(level)
    assert str(refused.value).endswith(fix)
