"""Advice in messages: functions, commands and options that it names exist."""

import ast
import re
from pathlib import Path

import pytest

import trueness
from trueness.cli.command import COMMANDS
from trueness.cli.main import application

SOURCES = Path(trueness.__file__).parent
application()  # all commands are made
OPTIONS = {each.function.__name__: {each.flag(name) for name in each.options} for each in COMMANDS.values()}
DOTTED = re.compile(r"\btrueness((?:\.[a-zA-Z_]\w*)+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
LINE = re.compile(r"(?:^|[ (`])trueness ([a-z][a-z-]+)(?= [A-Z]|[.,;:)`])")
SAYING = ("InputError", "UndefinedError", "FitError", "Note", "refuse", "say", "warn", "warn_of")


def said():
    """(where, enclosing function, text) of the texts in calls that make errors, notes and remarks, a line each."""
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for outer in tree.body:
            for call in ast.walk(outer):
                name = getattr(getattr(call, "func", None), "id", "")
                if isinstance(call, ast.Call) and name in SAYING:
                    parts = (node.value for node in ast.walk(call) if isinstance(node, ast.Constant))
                    text = "\n".join(part for part in parts if isinstance(part, str))
                    yield f"{path.relative_to(SOURCES)}:{call.lineno}", getattr(outer, "name", ""), text


SAID = list(said())


def test_the_messages_are_found():
    assert len(SAID) > 900
    assert sum(bool(DOTTED.search(text)) for _, _, text in SAID) > 8


@pytest.mark.parametrize(("where", "text"), [(w, t) for w, _, t in SAID if DOTTED.search(t)])
def test_named_functions_exist(where, text):
    for path in DOTTED.findall(text):
        found = trueness
        for name in path.strip(".").split("."):
            found = getattr(found, name)


@pytest.mark.parametrize(("where", "function", "text"), [each for each in SAID if OPTION.search(each[2])])
def test_named_options_exist_in_the_command(where, function, text):
    known = OPTIONS.get(function) or set().union(*OPTIONS.values())
    assert set(OPTION.findall(text)) <= known | {"--help"}


@pytest.mark.parametrize(("where", "text"), [(w, t) for w, _, t in SAID if LINE.search(t)])
def test_named_commands_exist(where, text):
    assert {name.replace("-", "_") for name in LINE.findall(text)} <= set(OPTIONS) | {"help", "help_"}
