"""trueness size: the library's numbers, and refusal of options that would not matter."""

import numpy as np
import pandas as pd
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


def test_size_from_a_pilot(capsys, tmp_path):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    frame = pd.DataFrame({"y": y, "s": rng.normal(size=80) + y, "t": rng.normal(size=80)})
    path = tmp_path / "pilot.csv"
    frame.to_csv(path, index=False)
    args = ["--pilot", str(path), "--label", "y", "--score", "s", "--score", "t"]
    assert run(["size", "auc-difference", *args]) == 0
    wanted = C.size_for_auc_difference(pilot=(y, frame["s"], frame["t"]))
    first = capsys.readouterr().out
    assert f"{wanted.n} cases" in first
    frame.to_json(tmp_path / "pilot.jsonl", orient="records", lines=True, double_precision=15)
    assert run(["size", "auc-difference", "--pilot", str(tmp_path / "pilot.jsonl"), *args[2:]]) == 0
    assert capsys.readouterr().out == first


TWO = ["--value", ".9", "--value", ".8"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["auc"], "trueness: --value: 1 value is needed. Got 0."),
        (["auc-difference", "--value", "0.8"], "trueness: --value: 2 values are needed. Got 1."),
        (
            ["auc-difference"],
            "trueness: --value: 2 values are needed. Use --value twice, or a pilot study: --pilot FILE",
        ),
        (["error-difference"], "trueness: --value: 2 values are needed."),
        (["auc", "--value", ".8", "--level", "95"], "trueness: --level: level must lie between 0 and 1. Got 95."),
        (["auc-difference", "--label", "y"], "trueness: --label y: This option belongs to a pilot study."),
        (["auc-difference", "--pilot", "nothing.csv"], "trueness: --pilot: A pilot study needs a label column"),
        (["auc-difference", "--pilot", "nothing.csv", "--label", "y", "--score", "a", "--score", "b"], "No such file"),
        (["weight"], "weight"),
        (["error-difference", *TWO, "--correlation", ".5"], "trueness: --correlation: The size for error-difference"),
        (["auc-difference", *TWO, "--discordant", ".2"], "trueness: --discordant: The size for auc-difference"),
        (["auc-difference", *TWO, "--half-width", ".1"], "trueness: --half-width: "),
        (["proportion", "--value", ".1", "--pilot", "p.csv", "--ratio", "2"], "trueness: --ratio: "),
        (
            ["auc", "--value", ".8", "--power", ".9"],
            "does not depend on this option. Use --value, --level, --half-width",
        ),
        (["error-difference", "--positive", "1"], "trueness: --positive: "),
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


def test_a_pilot_of_right_and_wrong_answers_needs_no_labels(tmp_path, capsys):
    path = tmp_path / "pilot.csv"
    rows = ["1,0"] * 50 + ["0,1"] * 36 + ["1,1"] * 214
    path.write_text("a,b\n" + "\n".join(rows))
    assert run(["size", "error-difference", "--pilot", str(path), "--score", "a", "--score", "b"]) == 0
    assert "1069 cases" in capsys.readouterr().out
    assert run(["size", "auc-difference", "--pilot", str(path), "--score", "a", "--score", "b"]) == 2
