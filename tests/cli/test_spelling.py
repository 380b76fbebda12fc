"""Parameters of the library are spelled as options of the running command."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

from trueness.cli import main
from trueness.cli.spelling import DECLARED, PLAN, Running, _flags, message, running
from trueness.errors import InputError, render
from trueness.result.shown import Page, as_html, as_latex, as_markdown, as_text
from trueness.result.words import Note

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
    ("template", "shown"),
    [
        ("{positive='sick'}", "--positive sick"),
        ("{positive='not sick'}", "--positive 'not sick'"),
        ("{metric=['auc', 'f1']}", "--metric auc --metric f1"),
        ("{rng=3}", "--seed 3"),
        ("{groups=}", "--groups"),
        ("{plan=KFold(10, repeats=5)}", "--plan kfold:10x5"),
        ("{plan=Other(1)}", "--plan 'Other(1)'"),
        ("{positive=<object>}", "--positive '<object>'"),
        ("{test_size=0.3}", "test_size=0.3 in --plan"),
        ("{undefined='skip'}", "--undefined skip"),
        ("{ordered=True}", "ordered=True (in Python)"),
    ],
)
def test_settings(template, shown):
    with running(command("assess"), {"target": "y"}):
        assert render(template) == shown


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


def test_outside_a_command_parameters_are_shown_as_in_python():
    assert render("{level=0.9}") == "level=0.9"
    assert message(InputError("wrong", param="level")) == "wrong."


def test_an_option_without_a_column_is_shown_alone():
    state = Running({"target": "--target"}, {"target": None}, {"y": "target"})
    assert state.flag("y") == "--target"
    assert state.flag("rng") is None
    assert set(PLAN.values()) == {"plan"}


def test_notes_name_options_in_every_format():
    note = Note("x", "Use {plan=KFold(10, repeats=10)}.")
    page = Page(notes=(note,))
    forms = (as_text, as_markdown, as_latex, as_html)
    with running(command("assess"), {"target": "y"}):
        for said in (*(form(page) for form in forms), note.to_dict()["message"]):
            assert "Use --plan kfold:10x10." in said
    assert all("Use plan=KFold(" in form(page).replace("\\", "") for form in forms)


def test_every_plan_in_a_note_is_spelled(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "y": np.arange(40) % 2})
    table.to_csv(tmp_path / "d.csv", index=False)
    asked = ["assess", str(tmp_path / "d.csv"), "--target", "y", "--seed", "0"]
    for more in (["--plan", "kfold:5", "--metric", "average_precision", "--all"], ["--plan", "kfold:5", "--all"]):
        for form in ("text", "markdown", "latex", "json"):
            assert main.run([*asked, *more, "--format", form]) == 0
            said = capsys.readouterr().out
            assert "--plan " in said
            assert not re.search(r"[ (](plan|drop|groups|metric)=", said.replace("\\", "")), said
