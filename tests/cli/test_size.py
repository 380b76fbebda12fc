"""trueness size: the library's numbers, and refusal of options that would not matter."""

import pytest

from trueness import comparisons as C
from trueness.cli.main import run


def test_sizes_are_those_of_the_library(capsys):
    assert run(["size", "auc", "--value", "0.8", "--half-width", "0.05"]) == 0
    assert f"{C.size_for_auc(0.8, 0.05).n} cases" in capsys.readouterr().out
    assert run(["size", "proportion", "--value", "0.1"]) == 0
    assert "141 cases" in capsys.readouterr().out
    two = ["--value", "0.85", "--value", "0.8", "--power", "0.9"]
    assert run(["size", "auc-difference", *two, "--correlation", "0.5"]) == 0
    assert f"{C.size_for_auc_difference(0.85, 0.8, power=0.9, correlation=0.5).n} cases" in capsys.readouterr().out
    assert run(["size", "error-difference", "--value", "0.15", "--value", "0.25", "--discordant", "0.2"]) == 0
    assert f"{C.size_for_error_difference(0.15, 0.25, power=0.8, discordant=0.2).n} cases" in capsys.readouterr().out


TWO = ["--value", ".9", "--value", ".8"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["auc"], "trueness: --value: This is required. Got 0 values."),
        (["auc-difference", "--value", "0.8"], "trueness: --value: This is required. Got 1 values."),
        (["auc", "--value", "0.8", "--value", "0.7"], "trueness: --value: These are too many values."),
        (["development"], "trueness: --parameters: This is required."),
        (["auc", "--value", ".8", "--level", "95"], "trueness: --level: level must lie above 0 and below 1. Got 95."),
        (["weight"], "weight"),
        (["error-difference", *TWO, "--correlation", ".5"], "trueness: --correlation: The size for error-difference"),
        (["auc-difference", *TWO, "--discordant", ".2"], "trueness: --discordant: The size for auc-difference"),
        (["auc-difference", *TWO, "--half-width", ".1"], "trueness: --half-width: "),
        (["proportion", "--value", ".1", "--ratio", "2"], "trueness: --ratio: "),
        (["auc", "--value", ".8", "--power", ".9"], "trueness: --power: The size for auc does not depend"),
    ],
)
def test_mistakes_that_the_command_line_finds(args, message, capsys):
    assert run(["size", *args]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        ["auc", "--value", "8"],
        ["proportion", "--value", "8"],
        ["auc", "--value", ".8", "--half-width", "0"],
        ["auc-difference", "--value", ".8", "--value", ".8"],
    ],
)
def test_mistakes_that_the_library_finds(args, capsys):
    assert run(["size", *args]) == 2
    assert capsys.readouterr().err.startswith("trueness: ")
