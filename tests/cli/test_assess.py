"""trueness assess: what it shows and writes; a mistake is one message that names the option, and exit code 2."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness.cli.main import run
from trueness.fitting.models import MODELS
from trueness.result.json import decoded

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

COMMON = ["--target", "y", "--plan", "bootstrap:20", "--seed", "1", "--positive", "sick"]
CLOSED = ["--drop", "site", "--drop", "dose"]  # what is left is fitted in closed form


def models(*names):
    return [word for name in names for word in ("--model", name)]


def test_it_writes_what_it_shows(table, tmp_path, capsys):
    numbers, rows = tmp_path / "r.json", tmp_path / "r.csv"
    files = ["--json", str(numbers), "--csv", str(rows)]
    assert run(["assess", str(table), *COMMON, *CLOSED, *models("lda", "knn:3"), *files]) == 0
    shown = capsys.readouterr().out
    assert "loob" in shown
    assert "Use the model refitted on all data." in shown
    assert f"Wrote {numbers}" in shown
    read = json.loads(numbers.read_text(encoding="utf-8"))
    assert set(read) == {"lda", "knn:3"}
    assert len({r["provenance"]["fingerprint"] for r in read.values()}) == 1
    assert set(pd.read_csv(rows)["model"]) == {"lda", "knn:3"}


def test_a_bootstrap_without_a_number_takes_as_many_replicates_as_needed(table, tmp_path):
    numbers = tmp_path / "r.json"
    args = ["--target", "y", "--positive", "sick", "--seed", "1", "--json", str(numbers), "--metric", "error", *CLOSED]
    found = {}
    for plan in ("bootstrap", "bootstrap:100"):
        assert run(["assess", str(table), *args, "--plan", plan, *models("lda")]) == 0
        found[plan] = trueness.load(numbers)
    assert "stopped" in found["bootstrap"].provenance
    assert "stopped" not in found["bootstrap:100"].provenance
    assert found["bootstrap:100"]["error"].provenance["fits"] == 100
    assert found["bootstrap"]["error"].provenance["fits"] >= 100
    assert any(n.code == "enough-replicates" for n in found["bootstrap"].notes)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "ols"])  # that predicts numbers
def test_every_model_takes_missing_values_and_text(table, model, capsys):
    args = ["--target", "y", "--plan", "kfold:3", "--positive", "sick", "--seed", "0", "--model", model]
    assert run(["assess", str(table), *args]) == 0
    assert "cv" in capsys.readouterr().out


def test_measures_of_the_table_have_the_default_interval(table, tmp_path, capsys):
    out = tmp_path / "r.json"
    args = [
        "--target",
        "y",
        "--positive",
        "sick",
        "--seed",
        "1",
        "--metric",
        "f1",
        "--metric",
        "ppv",
        "--json",
        str(out),
        *CLOSED,
    ]
    assert run(["assess", str(table), *args]) == 0
    assert "PPV" in capsys.readouterr().out
    first = trueness.load(out)
    assert first.recommended == {"f1": "cv+training", "ppv": "cv+training"}
    assert first["f1"].se > 0
    assert first["ppv"].se > 0


def test_csv_tsv_parquet_and_standard_input_give_the_same(table, tmp_path, capsys, monkeypatch):
    frame = pd.read_csv(table)
    frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
    frame.to_parquet(tmp_path / "d.parquet")
    answers = []
    for source in (str(table), str(tmp_path / "d.tsv"), str(tmp_path / "d.parquet"), "-"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
        assert run(["assess", source, *COMMON, "--plan", "kfold:3", "--groups", "patient"]) == 0
        answers.append(capsys.readouterr().out.split("\n", 1)[1])  # the first line names the file
    assert len(set(answers)) == 1


def test_the_same_seed_gives_the_same_text_for_any_jobs(table, capsys):
    texts = []
    for jobs in ("1", "2"):
        args = [*COMMON, "--jobs", jobs, "--model", "forest", "--plan", "kfold:5"]
        assert run(["assess", str(table), *args]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def bad(tmp_path, text):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


ROWS = "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(20))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "The table is empty."),
        ("a,y\n", [], "no rows"),
        ("a,y\n1,2\n3,4,5,6\n", [], "Expected 2 fields in line 3, saw 4"),
        (ROWS, ["--target", "z"], "trueness: --target: There is no column 'z'. Columns: a, y."),
        ("1,2,0\n3,4,1\n" * 9, ["--target", "2"], "There is no column '2'. Columns: x1, x2, x3."),
        (ROWS, ["--groups", "g"], "trueness: --groups: There is no column 'g'."),
        (ROWS, ["--groups", "y"], "trueness: --groups: This column is the target."),
        ("y\n0\n1\n", [], "no feature beside the target"),
        (ROWS, ["--plan", "jackknife"], "trueness: --plan: There is no such plan. Got 'jackknife'."),
        (ROWS, ["--plan", "bootstrap:many"], "trueness: --plan: There is no such plan. Got 'bootstrap:many'."),
        (ROWS, ["--level", "95"], "trueness: --level: level must lie above 0 and below 1. Got 95."),
        (
            "a,b,y\n" + "".join(f"{i / 7},{i * i % 5},{i % 2}\n" for i in range(20)),
            models("lda", "lda"),
            "trueness: --model: The same model is given twice. Got lda.",
        ),
        (ROWS, ["--json", "/nowhere/at/all.json"], "trueness: --json: /nowhere/at/all.json cannot be written"),
    ],
)
def test_mistakes_that_the_command_line_finds(tmp_path, capsys, text, options, message):
    args = [*(() if "--target" in options else ("--target", "y")), "--plan", "bootstrap:20", "--seed", "0", *options]
    assert run(["assess", bad(tmp_path, text), *args]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,y\n1,0\n2,0\n3,0\n", []),
        ("a,y\n1,0\n2,\n3,1\n4,1\n5,0\n", []),
        ("a,y\n" + "".join(f"{i},{'sick' if i % 2 else 'well'}\n" for i in range(20)), []),
        (ROWS, ["--target", "a"]),
        (ROWS, ["--positive", "5"]),
        (ROWS, ["--model", "deep"]),
        (ROWS, ["--model", "lda:3"]),
        (ROWS, ["--model", "knn:0"]),
        (ROWS, ["--plan", "kfold:40"]),
        (ROWS, ["--plan", "kfold:1"]),
        (ROWS, ["--plan", "holdout:2"]),
        (ROWS, ["--metric", "acc"]),
        (ROWS, ["--jobs", "0"]),
    ],
)
def test_mistakes_that_the_library_finds(tmp_path, capsys, text, options):
    args = [*(() if "--target" in options else ("--target", "y")), "--plan", "bootstrap:20", "--seed", "0", *options]
    assert run(["assess", bad(tmp_path, text), *args]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: ")
    assert said.count("\n") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("wrong", [["--seed", "-1"], ["--fit-seconds", "0"]])
def test_numbers_outside_the_range_of_their_option(tmp_path, capsys, wrong):
    rows = "a,b,y\n" + "".join(f"{i / 7},{i * i % 5},{i % 2}\n" for i in range(20))
    assert run(["assess", bad(tmp_path, rows), "--target", "y", *wrong]) == 2
    said = capsys.readouterr().err
    assert wrong[0] in said
    assert "Traceback" not in said


def test_an_error_of_one_model_leaves_the_others(table, tmp_path, capsys):
    out = tmp_path / "r.json"
    args = [*COMMON, *CLOSED, *models("naive-bayes", "svm"), "--metric", "brier", "--json", str(out)]
    assert run(["assess", str(table), *args]) == 2
    assert "trueness: svm: " in capsys.readouterr().err
    assert trueness.load(out).name == "naive-bayes"


def test_a_model_that_cannot_be_fitted_is_named(tmp_path, capsys):
    a = np.random.default_rng(0).normal(size=40)
    path = tmp_path / "collinear.csv"
    pd.DataFrame({"a": a, "b": 2 * a, "y": np.repeat([0, 1], 20)}).to_csv(path, index=False)
    options = [str(path), "--target", "y", "--plan", "kfold:3", "--seed", "0"]
    for command in (["assess", *options, *models("qda")], ["compare", *options, *models("lda", "qda")]):
        assert run(command) == 2
        said = capsys.readouterr().err
        assert said.startswith("trueness: qda: ")
        assert "LinAlgError" in said


def test_a_model_that_fails_in_many_training_sets_is_named(table, capsys):
    assert run(["assess", str(table), *COMMON, "--plan", "holdout:0.98", "--model", "knn:40"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: knn:40: ")
    assert "ValueError: " in said
    assert ".." not in said


def test_models_are_fitted_one_by_one_where_asked(table, tmp_path):
    options = ["--target", "y", "--positive", "sick", "--model", "lda", "--plan", "kfold:5", "--seed", "0"]
    values = {}
    for how in ("auto", "generic"):
        out = tmp_path / f"{how}.json"
        assert run(["assess", str(table), *options, *CLOSED, "--engine", how, "--json", str(out)]) == 0
        found = trueness.load(out)
        values[found.provenance["engine"]] = found.estimates["error", "apparent"].value
    assert len(values) == 2
    assert len({round(value, 9) for value in values.values()}) == 1


def test_a_report_per_model(table, tmp_path, capsys):
    path = tmp_path / "r.html"
    assert run(["assess", str(table), *COMMON, *CLOSED, *models("lda", "knn:3"), "--report", str(path)]) == 0
    assert {p.name for p in tmp_path.glob("*.html")} == {"r-lda.html", "r-knn-3.html"}
    assert run(["assess", str(table), *COMMON, *CLOSED, *models("lda"), "--report", str(path)]) == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_model_of_ones_own_is_imported_where_it_is_named(tmp_path, monkeypatch, capsys):
    rows = [f"{i % 2 + (i % 7) / 3},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "d.csv").write_text("x,y\n" + "\n".join(rows))
    (tmp_path / "mine_of_trueness.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nmodel = GaussianNB(var_smoothing=0.1)\nother = len\n"
    )
    monkeypatch.chdir(tmp_path)
    command = ["assess", "d.csv", "--target", "y", "--positive", "b", "--seed", "0", "--model"]
    assert run([*command, "mine_of_trueness:model", "--json", "own.json"]) == 0
    assert "var_smoothing=0.1" in (tmp_path / "own.json").read_text()
    for wrong in ("mine_of_trueness:other", "mine_of_trueness:missing", "no_such_module_of_trueness:model"):
        assert run([*command, wrong]) == 2
        assert "trueness: --model: " in capsys.readouterr().err


def test_costs_choose_a_threshold_inside_and_its_answer_is_printed_and_written(table, tmp_path, capsys):
    page, numbers, rows = (tmp_path / name for name in ("r.html", "r.json", "r.csv"))
    files = ["--report", str(page), "--json", str(numbers), "--csv", str(rows)]
    assert run(["assess", str(table), *COMMON, *CLOSED, "--costs", "5,1", *files]) == 0
    shown = capsys.readouterr().out
    assert "lda: threshold: " in shown
    assert "well decided as sick costs 1, sick decided as well costs 5" in shown
    found = decoded(json.loads(numbers.read_text(encoding="utf-8")))["lda: threshold"]
    assert found.costs.tolist() == [[0, 1], [5, 0]]
    frame = pd.read_csv(tmp_path / "data.csv")
    a = trueness.assess(
        LinearDiscriminantAnalysis(),
        frame[["age", "patient"]],
        frame["y"],
        positive="sick",
        plan=trueness.Bootstrap(20),
        rng=1,
    )
    h = a.threshold(costs=[[0, 1], [5, 0]])
    assert found.cost.value == pytest.approx(h.cost.value)
    assert pd.read_csv(rows).set_index("measure").loc["cost", "value"] == pytest.approx(h.cost.value)
    assert "Threshold for these costs" in page.read_text(encoding="utf-8")


def test_the_left_out_scores_are_read_by_the_commands_of_scores(table, tmp_path, capsys):
    scores = tmp_path / "scores.csv"
    args = ["--target", "y", "--positive", "sick", "--plan", "kfold:5", "--seed", "1", "--by", "site"]
    assert (
        run(["assess", str(table), *args, "--groups", "patient", "--model", "logistic", "--scores", str(scores)]) == 0
    )
    assert "from several rules" in capsys.readouterr().out
    written = pd.read_csv(scores)
    assert set(written["left_out"]) == {"cross-validation"}
    assert written.columns.tolist() == ["row", "label", "score", "left_out", "groups", "site"]
    data = pd.read_csv(table)
    assert written["label"].tolist() == data["y"].tolist()
    assert written["groups"].tolist() == data["patient"].tolist()
    assert written["row"].tolist() == list(range(60))
    assert written["score"].between(0, 1).all()  # log-odds are written as probabilities
    capsys.readouterr()
    asked = [str(scores), "--label", "label", "--positive", "sick", "--score", "score"]
    for command in ("roc", "calibration", "benefit"):
        assert run([command, *asked]) == 0
    assert run(["subgroups", *asked, "--by", "site", "--quiet"]) == 0
    assert capsys.readouterr().out.count("Warning: ") >= 4
    assert run(["assess", str(table), *COMMON, *models("lda", "tree"), "--scores", str(scores)]) == 0
    assert pd.read_csv(scores).columns.tolist() == ["row", "label", "lda", "tree", "left_out"]


@pytest.mark.parametrize(
    "args", [["roc", "--threshold", "0.5"], ["calibration"], ["benefit"], ["subgroups", "--by", "site"]]
)
def test_left_out_scores_of_several_rules_are_not_one_fitted_rule(args, tmp_path, capsys):
    rng = np.random.default_rng(5)
    y, site = rng.integers(0, 2, 80), rng.choice(["north", "south"], 80)
    scores = pd.DataFrame({"label": y, "score": 1 / (1 + np.exp(-y - rng.normal(size=80))), "site": site})
    command, *more = args
    path, page = tmp_path / "s.csv", tmp_path / "r.html"
    read = [command, str(path), "--label", "label", "--score", "score", *more, "--report", str(page)]
    said = "One left-out score per case, from several rules"
    shown = {}
    for rules in ("", "cross-validation", "bootstrap"):
        scores.assign(left_out=rules).to_csv(path, index=False)
        assert run(read) == 0
        shown[rules] = capsys.readouterr().out
        methods = page.read_text(encoding="utf-8").partition("Methods, for a paper")[2]
        assert (said in shown[rules]) == (said in methods) == bool(rules)
        assert ("these left-out scores of several rules" in methods) == bool(rules)
        assert not rules or "as it was fitted" not in shown[rules] + methods
        assert run([*read, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        kept = json.dumps(found)
        assert ("left-out-scores" in kept or '"several_rules": true' in kept) == bool(rules)
    assert shown["bootstrap"] == shown["cross-validation"]
    numbers = [line for line in shown[""].splitlines() if line[:5] in ("score", "north", "Calib")]
    assert [line for line in numbers if line in shown["bootstrap"]][1:] == numbers[1:]  # the numbers are the same


def test_scores_of_one_rule_are_not_marked(table, tmp_path):
    path = tmp_path / "s.csv"
    args = ["--target", "y", "--positive", "sick", "--plan", "holdout:0.4", "--scores", str(path)]
    assert run(["assess", str(table), *args, "--model", "logistic", "--metric", "auc"]) == 0
    assert "left_out" not in pd.read_csv(path).columns


def test_rows_without_a_label_keep_their_numbers_in_the_file_of_scores(tmp_path):
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"x": rng.normal(size=41), "y": ["a", "b"] * 20 + ["a"]})
    data.loc[0, "y"] = None
    data.to_csv(tmp_path / "d.csv", index=False)
    args = ["--target", "y", "--positive", "a", "--plan", "kfold:5", "--scores", str(tmp_path / "s.csv")]
    assert run(["assess", str(tmp_path / "d.csv"), *args]) == 0
    assert pd.read_csv(tmp_path / "s.csv")["row"].tolist() == list(range(1, 41))


def test_costs_and_scores_are_of_two_classes(table, tmp_path, capsys):
    args = ["assess", str(table), "--target", "site", "--drop", "patient"]
    assert run([*args, "--costs", "5,1"]) == 2
    assert run([*args, "--scores", str(tmp_path / "s.csv")]) == 2
    shown = capsys.readouterr().err
    assert "--costs: This option needs two classes. Got 3 values of the target." in shown
    assert "--scores: This option needs two classes." in shown


def test_one_class_of_several_against_the_others(table, capsys):
    args = ["--plan", "kfold:5", "--seed", "1"]
    assert run(["assess", str(table), "--target", "site", "--positive", "north", *args]) == 0
    shown = capsys.readouterr().out
    assert "north against all other classes (east, south)." in shown
    assert "of class not north, positive north" in shown


def test_numbers_to_predict_have_no_positive_label(table, capsys):
    assert run(["assess", str(table), "--target", "age", "--positive", "1"]) == 2
    assert "which have no positive label" in capsys.readouterr().err


def test_the_last_line_has_the_seed_by_which_it_can_be_repeated(table, capsys):
    args = ["assess", str(table), "--target", "y", "--positive", "sick", "--plan", "bootstrap:20", *CLOSED]
    assert run(args) == 0
    first = capsys.readouterr().out
    seed = first.rstrip().splitlines()[-1].rpartition("Seed: ")[2].rstrip(".")
    assert run([*args, "--seed", seed]) == 0
    assert capsys.readouterr().out == first


TEXT_MODELS = """
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

words = make_pipeline(CountVectorizer(), MultinomialNB())
both = make_pipeline(make_column_transformer((CountVectorizer(), "text"), remainder="passthrough"), MultinomialNB())
"""


def test_a_model_of_the_users_own_reads_sentences(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    lines = ["device,text,n"]
    for k in range(60):
        said = " ".join(rng.choice(["sun", "rain", "day", "news", "vote"], 7))
        lines.append(f"{'ab'[k % 2]},{said} {'apple' if k % 2 else 'robot'} {k},{rng.integers(1, 99)}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    (tmp_path / "text_models.py").write_text(TEXT_MODELS)
    monkeypatch.chdir(tmp_path)
    line = ["assess", "t.csv", "--target", "device", "--positive", "b", "--plan", "kfold:5x2", "--seed", "1"]
    assert run([*line, "--drop", "n", "--model", "text_models:words", "--metric", "error"]) == 0
    shown = capsys.readouterr().out
    assert "Features: 1 text (text); dropped n: as asked." in shown
    assert "L004" not in shown
    assert "Error 0.0" in shown  # the last word gives it away
    assert run([*line, "--model", "text_models:both", "--metric", "error"]) == 0
    assert "Features: 1 numeric (n); 1 text (text)." in capsys.readouterr().out
    assert run([*line, "--model", "text_models:words"]) == 2  # a table, of which a vectorizer reads the names
    assert "ValueError" in capsys.readouterr().err
    assert run([*line, "--drop", "n", "--model", "lda"]) == 2
    assert "only a model of your own reads" in capsys.readouterr().err
