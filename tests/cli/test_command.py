"""Options of commands come from functions of the library, and errors begin with the option at fault."""

import inspect
from typing import Literal

import pytest

from trueness.api.assess import assess
from trueness.cli.command import COMMANDS, NAMES, helps, type_of
from trueness.cli.main import application
from trueness.errors import InputError
from trueness.typing import Rng

application()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_sentence_and_exists_in_the_library(name):
    command = COMMANDS[name]
    assert [option.name for option in command.options.values() if not option.help.endswith(".")] == []
    for _, function, names in command.shared:
        assert set(names.split()) <= set(inspect.signature(function).parameters)
    flags = {command.flag(each) for each in command.options}
    assert len(flags) == len(command.options)


def test_types_defaults_and_help_are_those_of_the_function():
    options = COMMANDS["assess"].options
    assert options["level"].default == inspect.signature(assess).parameters["level"].default
    assert options["level"].help == helps(assess)["level"]
    assert [word.value for word in options["engine"].type] == ["auto", "generic"]
    assert (options["metrics"].type, options["fits"].type, options["checks"].type) == (list[str], int, bool)
    assert type_of(Rng) is int
    assert [word.name for word in type_of(Literal["a", "b"])] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "param", "prefix"),
    [
        ("assess", "positive", "--positive: "),
        ("assess", "n_jobs", "--jobs: "),
        ("assess", "y", "--target: "),
        ("compare", "n_folds", "--plan: "),
        ("diagnose", "y", "--label: "),
        ("diagnose", "unverified_positive", "--unverified-positive: "),
        ("size", "auc1", "--value: "),
        ("study", "name", "NAME: "),
        ("study", "undefined", ""),
        ("study", None, ""),
    ],
)
def test_an_error_starts_with_the_option_at_fault(name, param, prefix):
    assert COMMANDS[name].message(InputError("it is wrong", param=param, got=3)) == f"{prefix}it is wrong. Got 3."


def test_an_error_of_one_model_starts_with_its_name():
    error = InputError("no probabilities", param="metric").of("svm")
    assert COMMANDS["compare"].message(error) == "svm: no probabilities."


def test_names_of_options_are_no_names_of_other_parameters():
    assert not set(NAMES) & set(NAMES.values()) - {"metric"}
