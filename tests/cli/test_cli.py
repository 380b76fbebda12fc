"""The command line: exit codes, one clear message, no traceback."""

import io
import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from karat.cli.main import run
from karat.cli.plans import plan_by_name

# what the command line warns of on standard error is not what these tests are about
pytestmark = pytest.mark.filterwarnings("ignore::karat.errors.KaratWarning")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    n = 60
    y = np.repeat(["well", "sick"], n // 2)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n) + 8 * (y == "sick"),
            "dose": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(3)),
            "site": rng.choice(["north", "south", "east"], n),
            "patient": np.arange(n) // 2,
            "y": y,
        }
    )
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


COMMON = ["--target", "y", "--plan", "bootstrap:60", "--seed", "1", "--positive", "sick"]


def test_assess_writes_what_it_shows(table, tmp_path, capsys):
    out = tmp_path / "r.json"
    args = [
        "assess",
        str(table),
        *COMMON,
        "--model",
        "lda",
        "--model",
        "knn:3",
        "--json",
        str(out),
        "--csv",
        str(tmp_path / "r.csv"),
    ]
    assert run(args) == 0
    shown = capsys.readouterr().out
    assert "loob" in shown
    assert "The final model" in shown
    assert f"Wrote {out}" in shown
    read = json.loads(out.read_text(encoding="utf-8"))
    assert set(read) == {"lda", "knn:3"}
    fingerprints = {r["provenance"]["fingerprint"] for r in read.values()}
    assert len(fingerprints) == 1
    assert set(pd.read_csv(tmp_path / "r.csv")["model"]) == {"lda", "knn:3"}


@pytest.mark.parametrize(
    "model", ["lda", "qda", "logistic", "naive-bayes", "knn:5", "ridge", "svm", "forest", "boosting", "tree"]
)
def test_every_model_copes_with_missing_values_and_text(table, model, capsys):
    args = [
        "assess",
        str(table),
        "--target",
        "y",
        "--plan",
        "kfold:3",
        "--positive",
        "sick",
        "--model",
        model,
        "--seed",
        "0",
    ]
    assert run(args) == 0
    assert "cv" in capsys.readouterr().out


def test_groups_standard_input_tsv_and_parquet(table, tmp_path, capsys, monkeypatch):
    frame = pd.read_csv(table)
    frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
    frame.to_parquet(tmp_path / "d.parquet")
    answers = []
    for source in (str(table), str(tmp_path / "d.tsv"), str(tmp_path / "d.parquet"), "-"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(table.read_text(encoding="utf-8")))
        assert run(["assess", source, *COMMON, "--groups", "patient"]) == 0
        answers.append(capsys.readouterr().out)
    assert len(set(answers)) == 1


def test_the_same_seed_gives_the_same_text_for_any_jobs(table, capsys):
    texts = []
    for jobs in ("1", "2"):
        assert run(["assess", str(table), *COMMON, "--jobs", jobs, "--model", "forest", "--plan", "bootstrap:20"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def bad(tmp_path, text, name="bad.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


ROWS = "".join(f"{i},{i % 2}\n" for i in range(20))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "the table is empty"),
        ("a,y\n", [], "no rows"),
        ("a,a,y\n1,2,0\n", [], "two columns have the same name"),
        ("a,y\n1,2\n3,4,5,6\n", [], "cannot be read"),
        ("a,y\n" + ROWS, ["--target", "z"], "no target column 'z'.*Columns: 'a', 'y'"),
        ("a,b,y\n" + "".join(f"{i % 2},{i},{i % 2}\n" for i in range(20)), [], "target is also a feature"),
        ("y\n0\n1\n", [], "no feature left"),
        ("a,y\n1,0\n2,0\n3,0\n", [], "one class only"),
        ("a,y\n" + ROWS, ["--positive", "5"], "positive label is not among"),
        ("a,y\n" + ROWS, ["--model", "deep"], "no model 'deep'"),
        ("a,y\n" + ROWS, ["--model", "lda:3"], "Only knn takes a number"),
        ("a,y\n" + ROWS, ["--plan", "jackknife"], "no plan 'jackknife'"),
        ("a,y\n" + ROWS, ["--plan", "bootstrap:many"], "not understood"),
        ("a,y\n" + ROWS, ["--plan", "kfold:40"], "more folds than cases"),
        ("a,y\n" + ROWS, ["--metric", "acc"], "no metric 'acc'"),
        ("a,y\n" + ROWS, ["--groups", "g"], "no groups column"),
        ("a,y\n" + ROWS, ["--level", "95"], "level"),
        ("a,y\n" + "".join(f"{i},{'sick' if i % 2 else 'well'}\n" for i in range(20)), [], "Use --positive"),
        ("a,y\n" + ROWS, ["--json", "/nowhere/at/all.json"], "cannot be written"),
        ("a,y\n1,0\n2,\n3,1\n4,1\n5,0\n", [], "the column 'y' has 1 missing label. Got the first at row 1"),
    ],
)
def test_a_users_mistake_is_one_message_and_exit_code_2(tmp_path, capsys, text, options, message):
    args = ["assess", bad(tmp_path, text), "--target", "y", "--plan", "bootstrap:60", "--seed", "0", *options]
    assert run(args) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert re.search(message, err), err


def test_missing_files_folders_and_bytes(tmp_path, capsys):
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "b.parquet").write_bytes(b"nonsense")
    for name, message in (
        ("no.csv", "no such file"),
        (".", "folder"),
        ("b.csv", "not text"),
        ("b.parquet", "cannot be read"),
    ):
        assert run(["assess", str(tmp_path / name), "--target", "y"]) == 2
        assert message in capsys.readouterr().err


def test_usage_errors_are_exit_code_2(capsys):
    assert run(["assess"]) == 2
    assert run(["asses"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_interrupt_is_exit_code_130(monkeypatch, table, capsys):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("karat.cli.data.read_table", interrupted)
    assert run(["assess", str(table), *COMMON]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_demo_says_where_it_wrote(tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path / "d"), "--resamples", "150"]) == 0
    shown = capsys.readouterr().out
    assert "Wrote demo.json" in shown
    assert "auc difference" in shown
    assert (tmp_path / "d" / "demo.json").exists()


def test_plans_by_name():
    assert str(plan_by_name("kfold:5x3")) == "KFold(n_folds=5, repeats=3, stratified=True)"
    assert str(plan_by_name("holdout:0.25")).startswith("Holdout(test_size=0.25")
    assert str(plan_by_name("loo")) == "LeaveOneOut()"
    assert plan_by_name("nested:5").repeats == 20


def test_help_and_version_do_not_import_scikit_learn():
    code = (
        "import sys; from karat.cli.main import run\n"
        "assert run(['--help']) == 0 and run(['--version']) == 0 and run(['assess', '--help']) == 0\n"
        "heavy = {'sklearn', 'numba', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_karat_does_no_work():
    code = "import sys, karat; assert not {'numpy', 'sklearn', 'pandas'} & set(sys.modules); karat.Bootstrap(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_one_models_mistake_does_not_throw_the_others_away(table, tmp_path, capsys):
    out = tmp_path / "r.json"
    args = [
        "assess",
        str(table),
        *COMMON,
        "--model",
        "naive-bayes",
        "--model",
        "svm",
        "--metric",
        "brier",
        "--json",
        str(out),
    ]
    assert run(args) == 2
    assert "svm: brier needs probabilities" in capsys.readouterr().err
    assert set(json.loads(out.read_text(encoding="utf-8"))) == {"naive-bayes"}


def test_columns_that_look_like_names_or_misread_numbers(table, tmp_path, capsys):
    frame = pd.read_csv(table).assign(id=[f"P{i:04d}" for i in range(60)])
    frame["age"] = frame["age"].astype(str)
    frame.loc[3, "age"] = "?"
    frame.drop(columns="patient").to_csv(tmp_path / "odd.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["assess", str(tmp_path / "odd.csv"), *COMMON, "--plan", "kfold:3"]) == 0
    shown, said = capsys.readouterr()
    assert "'id' is text with 60 different values in 60 rows" in said
    assert "'age' is text because of values such as '?'" in said
    assert "Features: 1 numeric (dose); 3 text" in shown


def test_other_separators_labels_called_none_and_a_recoded_target(tmp_path, capsys):
    rows = "".join(f"{i};{'None' if i % 2 else 'Some'}\n" for i in range(40))
    semicolon = bad(tmp_path, "a;y\n" + rows, "s.csv")
    assert run(["assess", semicolon, "--target", "y", "--positive", "None", "--plan", "kfold:4"]) == 0
    recoded = bad(
        tmp_path, "a,b,y\n" + "".join(f"{i},{i % 2},{'yes' if i % 2 else 'no'}\n" for i in range(20)), "r.csv"
    )
    assert run(["assess", recoded, "--target", "y", "--positive", "yes"]) == 2
    assert "column 'b' tells the target in every row" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--jobs", "0"], "karat: --jobs must be a whole number other than 0. Got 0. Use 1 for one worker"),
        (["--seed", "-1"], "--seed must be a whole number ≥ 0. Got -1."),
        (["--level", "95"], "karat: --level must lie between 0 and 1. Got 95. Use e.g. --level 0.95."),
        (["--model", "knn:0"], "knn takes the number of neighbours, a whole number from 1. Got --model knn:0."),
        (["--plan", "kfold:1"], "--plan: the number of folds must be a whole number of at least 2"),
        (
            ["--plan", "holdout:2"],
            "the share of test cases must lie between 0 and 1. Got 2.0. Use e.g. --plan holdout:0.3",
        ),
        (["--metric", "mcc", "--model", "lda", "--model", "qda"], "karat: There is no metric 'mcc'"),
        (["--target", "age"], "the column 'age' holds numbers that are not labels"),
        (["--model", "lda", "--model", "lda"], "named twice"),
        (["--plan", "kfold:5x"], "not understood"),
    ],
)
def test_messages_speak_the_language_of_the_command_line(table, capsys, options, message):
    assert run(["assess", str(table), "--target", "y", "--positive", "sick", "--plan", "kfold:3", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_terminal_without_dashes(table):
    command = [
        sys.executable,
        "-m",
        "karat",
        "assess",
        str(table),
        "--target",
        "y",
        "--positive",
        "sick",
        "--plan",
        "kfold:3",
    ]
    env = {"PYTHONIOENCODING": "cp1252", "PATH": ""}
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr


def test_notes_and_warnings_speak_the_language_of_the_command_line(table, tmp_path, capsys):
    frame = pd.read_csv(table)
    twins = tmp_path / "twins.csv"
    pd.concat([frame, frame]).to_csv(twins, index=False)
    assert run(["assess", str(twins), *COMMON, "--plan", "bootstrap:5"]) == 0
    shown = capsys.readouterr().out
    assert "lpob is not defined here" in shown
    assert "or use --groups so that they stay together" in shown
    for word in ("estimate(", "undefined=", "groups=", " of X "):
        assert word not in shown


def test_a_model_that_does_not_fit_is_named_and_its_librarys_words_are_quoted(tmp_path, capsys):
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    path = tmp_path / "collinear.csv"
    pd.DataFrame({"a": a, "b": 2 * a, "y": np.repeat([0, 1], 20)}).to_csv(path, index=False)
    options = [str(path), "--target", "y", "--plan", "kfold:3", "--seed", "0"]
    for command in (["assess", *options, "--model", "qda"], ["compare", *options, "--model", "lda", "--model", "qda"]):
        assert run(command) == 2
        said = capsys.readouterr().err
        assert said.startswith('karat: qda: The model does not fit on all 40 cases: "LinAlgError: ')
        assert said.endswith('" Models have no settings on the command line: use another --model.\n')


def test_a_model_that_fails_in_many_training_sets_is_quoted_too(table, capsys):
    assert run(["assess", str(table), *COMMON, "--plan", "holdout:0.98", "--model", "knn:40"]) == 2
    said = capsys.readouterr().err
    assert 'The first reason: "ValueError: ' in said
    assert ".." not in said
    assert said.endswith('". Models have no settings on the command line: use another --model, or another --plan.\n')
