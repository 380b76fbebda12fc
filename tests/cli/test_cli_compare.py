"""karat compare and karat size: what they print, what they write, and how they fail."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from karat import comparisons as C
from karat.cli.main import run

pytestmark = pytest.mark.filterwarnings("ignore::karat.errors.KaratWarning")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "sick"], 25)
    frame = pd.DataFrame({"a": rng.normal(size=50) + 2 * (y == "sick"), "b": rng.normal(size=50), "y": y})
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


COMMON = ["--target", "y", "--positive", "sick", "--seed", "1", "--plan", "bootstrap:80"]
TWO = ["--model", "lda", "--model", "tree"]


def test_compare_prints_and_writes(table, tmp_path, capsys):
    page, numbers, rows = (tmp_path / name for name in ("k.html", "k.json", "k.csv"))
    files = ["--report", str(page), "--json", str(numbers), "--csv", str(rows)]
    assert run(["compare", str(table), *COMMON, *TWO, *files]) == 0
    shown = capsys.readouterr().out
    k = json.loads(numbers.read_text())
    assert shown.startswith(k["verdict"])
    assert "AUC is higher than tree's" in k["verdict"]
    assert k["method"] == "lpob"
    assert k["pairs"][0]["other_se"]
    assert "AUC is higher than tree&#x27;s" in page.read_text(encoding="utf-8")
    assert pd.read_csv(rows)["se_method"].tolist() == ["second-order"]
    assert run(["compare", str(table), *COMMON, *TWO]) == 0
    assert capsys.readouterr().out.splitlines()[0] == shown.splitlines()[0]  # the same seed, the same answer


def test_compare_by_cross_validation_with_a_margin(table, capsys):
    args = ["--target", "y", "--plan", "kfold:5x3", "--metric", "error", "--margin", "0.5", "--seed", "2"]
    assert run(["compare", str(table), *args, "--model", "lda", "--model", "qda", "--model", "knn:3"]) == 0
    shown = capsys.readouterr().out
    assert "Of 3 models" in shown
    assert "p (Holm)" in shown
    assert "0.5 that matters" in shown


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--model", "lda"], "at least two different models"),
        (["--model", "lda", "--model", "lda"], "at least two different models"),
        ([*TWO, "--method", "cv"], "needs fits of a"),
        ([*TWO, "--metric", "acc"], "There is no metric"),
        ([*TWO, "--margin", "-1"], "margin"),
        (["--model", "lda", "--model", "magic"], "there is no model"),
        ([*TWO, "--se", "best"], "best"),
        ([*TWO, "--level", "95"], "--level must lie between 0 and 1. Got 95. Use e.g. --level 0.95"),
        (
            [*TWO, "--plan", "nested:4"],
            "the plan nested:K serves losses of cases, and auc is none. Use another plan, e.g.",
        ),
        (["--model", "lda", "--model", "svm", "--metric", "brier"], "karat: svm: brier needs probabilities"),
    ],
)
def test_compare_fails_in_words(table, args, says, capsys):
    assert run(["compare", str(table), *COMMON, *args]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "Traceback" not in error


def test_size(capsys, tmp_path):
    assert run(["size", "auc", "--value", "0.8", "--half-width", "0.05"]) == 0
    assert f"{C.size_for_auc(0.8, 0.05).n} cases" in capsys.readouterr().out
    assert run(["size", "proportion", "--value", "0.1"]) == 0
    assert "141 cases" in capsys.readouterr().out
    two = ["--value", "0.85", "--value", "0.8", "--power", "0.9"]
    assert run(["size", "auc-difference", *two, "--correlation", "0.5"]) == 0
    assert f"{C.size_for_auc_difference(0.85, 0.8, 0.9, 0.5).n} cases" in capsys.readouterr().out
    assert run(["size", "error-difference", "--value", "0.15", "--value", "0.25", "--discordant", "0.2"]) == 0
    assert "paired" in capsys.readouterr().out


def test_size_from_a_pilot(capsys, tmp_path):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    frame = pd.DataFrame({"y": y, "s": rng.normal(size=80) + y, "t": rng.normal(size=80)})
    path = tmp_path / "pilot.csv"
    frame.to_csv(path, index=False)
    args = ["--pilot", str(path), "--label", "y", "--score", "s", "--score", "t"]
    assert run(["size", "auc-difference", *args]) == 0
    wanted = C.size_for_auc_difference(pilot=(y, frame["s"], frame["t"]))
    assert f"{wanted.n} cases" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["auc"], "1 --value is needed"),
        (["auc-difference", "--value", "0.8"], "2 --value are needed"),
        (["auc-difference"], "two --value are needed. Give --value twice, or --pilot with --label"),
        (["error-difference"], "two --value are needed. Give --value twice, or --pilot with --label"),
        (["auc", "--value", "8"], "--value must lie between 0 and 1"),
        (["proportion", "--value", "8"], "--value must lie between 0 and 1"),
        (["auc", "--value", ".8", "--half-width", "0"], "--half-width must lie"),
        (["auc", "--value", ".8", "--level", "95"], "--level must lie between 0 and 1. Got 95. Use e.g. --level 0.95"),
        (["auc-difference", "--label", "y"], "belong to a --pilot"),
        (["auc-difference", "--pilot", "nothing.csv"], "needs --label"),
        (["auc-difference", "--pilot", "nothing.csv", "--label", "y", "--score", "a", "--score", "b"], "no such file"),
        (["weight"], "weight"),
        (["error-difference", "--value", ".2", "--value", ".1", "--correlation", ".5"], "depend on --correlation"),
        (["auc-difference", "--value", ".9", "--value", ".8", "--discordant", ".2"], "depend on --discordant"),
        (["auc-difference", "--value", ".9", "--value", ".8", "--half-width", ".1"], "depend on --half-width"),
        (["proportion", "--value", ".1", "--pilot", "p.csv", "--ratio", "2"], "depend on --ratio and --pilot"),
        (
            ["auc", "--value", ".8", "--power", ".9"],
            "depend on --power. Its options are --value",
        ),
        (["error-difference", "--positive", "1"], "depend on --positive"),
    ],
)
def test_size_fails_in_words(args, says, capsys):
    assert run(["size", *args]) == 2
    assert says in capsys.readouterr().err


def test_examples_of_the_help_have_lines_of_their_own(capsys):
    assert run(["size", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "\n  karat size auc-difference --value" in shown
    assert "\n  karat size error-difference --pilot" in shown
    assert run(["diagnose", "--help"]) == 0
    assert (
        "\n  karat diagnose --tp 10 --fn 5 --fp 24 --tn 61\n  karat diagnose decisions.csv" in capsys.readouterr().out
    )
