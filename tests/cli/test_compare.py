"""trueness compare: what it prints and writes, and how it fails."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from trueness.cli.main import run

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

COMMON = ["--target", "y", "--positive", "sick", "--seed", "1", "--plan", "bootstrap:80"]
TWO = ["--model", "lda", "--model", "tree"]
CLOSED = ["--drop", "site", "--drop", "dose"]  # LDA of what is left is fitted in closed form


def test_it_prints_the_verdict_first_and_writes_three_files(table, tmp_path, capsys):
    options = [*COMMON, *TWO, *CLOSED, "--drop", "patient"]
    page, numbers, rows = (tmp_path / name for name in ("k.html", "k.json", "k.csv"))
    files = ["--report", str(page), "--json", str(numbers), "--csv", str(rows)]
    assert run(["compare", str(table), *options, *files]) == 0
    shown = capsys.readouterr().out
    k = json.loads(numbers.read_text(encoding="utf-8"))
    described, answer = shown.split("\n\n", 1)
    assert described.startswith(f"{table}: 60 rows, 5 columns.")
    assert answer.startswith(k["verdict"])
    assert k["method"] == "lpob"
    assert k["pairs"][0]["first"] == "lda"
    assert "lda&#39;s AUC is " in page.read_text(encoding="utf-8")
    assert pd.read_csv(rows)["first"].tolist() == ["lda"]
    assert run(["compare", str(table), *options]) == 0
    assert capsys.readouterr().out.splitlines()[0] == shown.splitlines()[0]  # the same seed, the same answer


def test_three_models_with_a_margin(table, capsys):
    args = ["--target", "y", "--plan", "kfold:5x3", "--metric", "error", "--margin", "0.5", "--seed", "2"]
    assert run(["compare", str(table), *args, *TWO, "--model", "knn:3", "--drop", "patient"]) == 0
    shown = capsys.readouterr().out
    assert shown.split("\n\n", 1)[1].startswith("Of 3 models, ")
    assert "p for all pairs" in shown
    assert "the margin of 0.5" in shown


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--model", "lda"],
            "trueness: --model: A comparison needs at least two models. Got lda.",
        ),
        (["--model", "lda", "--model", "lda"], "trueness: --model: The same model is given twice."),
        ([*TWO, "--margin", "-1"], "trueness: --margin: margin must be a number"),
        (
            [*TWO, "--level", "95"],
            "trueness: --level: level must lie above 0 and below 1. Got 95.",
        ),
        ([*TWO, "--plan", "nested:4"], "trueness: "),
        (["--model", "lda", "--model", "svm", "--metric", "brier"], "trueness: svm: "),
        ([*TWO, "--method", "cv"], "trueness: "),
        ([*TWO, "--metric", "acu"], "trueness: "),
        ([*TWO, "--se", "best"], "trueness: --se: Method 'lpob' has no standard error 'best'."),
        (["--model", "lda", "--model", "magic"], "trueness: "),
    ],
)
def test_mistakes_are_one_message(table, args, message, capsys):
    assert run(["compare", str(table), *COMMON, *CLOSED, *args]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_costs_compare_the_models_at_their_cheapest_thresholds(table, tmp_path, capsys):
    numbers, rows, page, scores = (tmp_path / name for name in ("k.json", "k.csv", "k.html", "s.csv"))
    files = ["--json", str(numbers), "--csv", str(rows), "--report", str(page), "--scores", str(scores)]
    assert run(["compare", str(table), *COMMON, *TWO, *CLOSED, "--costs", "5,1", *files]) == 0
    shown = capsys.readouterr().out
    assert "sick decided as well costs 5" in shown
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["costs"]["verdict"] in shown
    assert pd.read_csv(rows)["model"].tolist() == ["auc", "costs"]
    assert "each model at its cheapest threshold" in page.read_text(encoding="utf-8")
    assert pd.read_csv(scores).columns.tolist() == ["row", "label", "lda", "tree", "left_out"]


def test_a_model_of_the_users_own_is_called_by_its_object(table, tmp_path, monkeypatch, capsys):
    (tmp_path / "own_models.py").write_text(
        "from sklearn.naive_bayes import GaussianNB as bayes, BernoulliNB as tree\n"
    )
    monkeypatch.chdir(tmp_path)
    args = ["--target", "y", "--positive", "sick", "--seed", "1", "--plan", "kfold:5x2", *CLOSED, "--metric", "error"]
    two = ["--model", "own_models:bayes", "--model", "lda"]
    for baseline in ("bayes", "own_models:bayes"):
        assert run(["compare", str(table), *args, *two, "--baseline", baseline]) == 0
    assert "own_models:bayes" not in capsys.readouterr().out
    assert run(["compare", str(table), *args, "--model", "own_models:tree", "--model", "tree"]) == 0
    assert "own_models:tree" in capsys.readouterr().out  # another model has the name
