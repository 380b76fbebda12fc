"""Errors begin with the option of the running command that is at fault."""

import inspect

import pytest

from trueness.cli import main
from trueness.cli.spelling import DECLARED, PLAN, Running, _flags, message, running
from trueness.errors import InputError

COMMANDS = {function.__name__: function for group in main.COMMANDS.values() for function in group}


def command(name):
    return COMMANDS[name]


def test_every_command_is_there_and_every_option_exists():
    assert set(DECLARED) == set(COMMANDS)
    for name, declared in DECLARED.items():
        options = set(inspect.signature(command(name)).parameters)
        assert set(declared.renamed.values()) <= options | {"seed"}, name


def test_flags_come_from_the_signature():
    flags = _flags(command("assess"))
    assert flags["data"] == "FILE"  # as the help shows it
    assert flags["json_file"] == "--json"
    assert _flags(command("size"))["half_width"] == "--half-width"


@pytest.mark.parametrize(
    ("name", "given", "param", "prefix"),
    [
        ("assess", {}, "positive", "--positive: "),
        ("assess", {}, "n_jobs", "--jobs: "),
        ("assess", {"target": "the outcome"}, "y", "--target 'the outcome': "),
        ("compare", {"target": "y"}, "n_folds", "--plan: "),
        ("diagnose", {"label": "truth"}, "y", "--label truth: "),
        ("diagnose", {}, "unverified_positive", "--unverified-positive: "),
        ("size", {}, "auc1", "--value: "),
        ("study", {}, "name", "NAME: "),
        ("study", {}, "undefined", ""),
        ("study", {}, None, ""),
    ],
)
def test_an_error_starts_with_the_option_at_fault(name, given, param, prefix):
    with running(command(name), given):
        assert message(InputError("it is wrong", param=param, got=3)) == f"{prefix}it is wrong. Got 3."


def test_an_error_of_one_model_starts_with_its_name():
    with running(command("compare"), {}):
        assert message(InputError("no probabilities", param="metric").of("svm")) == "svm: no probabilities."


def test_an_option_without_a_column_is_shown_alone():
    state = Running({"target": "--target"}, {"target": None}, {"y": "target"})
    assert state.flag("y") == "--target"
    assert state.flag("rng") is None
    assert set(PLAN.values()) == {"plan"}
