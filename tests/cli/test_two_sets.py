"""trueness two-sets on files."""

import json

import numpy as np
import pandas as pd
import pytest

from trueness.cli.main import run


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    names = []
    for name, n in (("train", 40), ("test", 50)):
        y = np.arange(n) % 2
        table = pd.DataFrame(rng.normal(size=(n, 2)) + y[:, None], columns=["a", "b"])
        table.assign(y=np.where(y == 1, "sick", "well")).to_csv(tmp_path / f"{name}.csv", index=False)
        names.append(str(tmp_path / f"{name}.csv"))
    return names


OPTIONS = ["--target", "y", "--positive", "sick", "--plan", "bootstrap:20", "--seed", "1"]


def test_one_model(files, tmp_path, capsys):
    out, picture = tmp_path / "t.json", tmp_path / "t.svg"
    assert run(["two-sets", *files, *OPTIONS, "--json", str(out), "--plot", str(picture)]) == 0
    assert "mean over training sets of this size" in capsys.readouterr().out
    found = json.loads(out.read_text())
    v = found["variance"]
    assert v["total"] == pytest.approx(v["training"] + v["testing"])
    assert picture.read_text().startswith("<?xml")


def test_two_models_and_missing_values_in_the_test_set_only(files, tmp_path, capsys):
    table = pd.read_csv(files[1])
    table.loc[3, "a"] = np.nan
    table.to_csv(files[1], index=False)
    options = ["--model", "lda", "--model", "naive-bayes", "--metric", "error"]
    assert run(["two-sets", *files, *OPTIONS, *options]) == 0
    assert "lda − naive-bayes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--plan", "kfold:5"], "--plan"),
        (["--plan", "bootstrap:1"], "--plan"),
        (["--positive", "x"], "positive"),
        (["--metric", "f1"], "--metric"),
        (["--model", "lda", "--model", "qda", "--model", "tree"], "--model"),
    ],
)
def test_a_mistake_is_one_message(files, capsys, more, said):
    assert run(["two-sets", *files, *OPTIONS, *more]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_the_training_set_is_no_test_set(files, capsys):
    assert run(["two-sets", files[0], files[0], *OPTIONS]) == 2
    assert "The test set is the training set" in capsys.readouterr().err


def test_other_columns_or_labels_are_refused(files, capsys):
    table = pd.read_csv(files[1])
    table.rename(columns={"a": "c"}).to_csv(files[1], index=False)
    assert run(["two-sets", *files, *OPTIONS]) == 2
    assert "a, c" in capsys.readouterr().err
    table.replace({"well": "fine"}).to_csv(files[1], index=False)
    assert run(["two-sets", *files, *OPTIONS]) == 2
    assert "fine" in capsys.readouterr().err


def test_groups_of_both_tables(files, capsys):
    for k, name in enumerate(files):
        table = pd.read_csv(name)
        table.assign(patient=100 * k + np.arange(len(table)) // 2).to_csv(name, index=False)
    assert run(["two-sets", *files, *OPTIONS, "--groups", "patient", "--metric", "error"]) == 0
    assert "25 groups" in capsys.readouterr().out
    table.assign(patient=np.arange(len(table)) // 2).to_csv(files[1], index=False)
    assert run(["two-sets", *files, *OPTIONS, "--groups", "patient"]) == 2
    assert capsys.readouterr().err.startswith("trueness: --groups: ")


def test_leaks_several_classes_and_a_missing_target(tmp_path, capsys):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=90), "z": rng.normal(size=90), "y": rng.choice(list("abc"), 90)})
    frame["copy"] = frame["y"].map({"a": 3, "b": 1, "c": 2})
    train, test, without = (str(tmp_path / f"{name}.csv") for name in ("train", "test", "without"))
    frame[:60].to_csv(train, index=False)
    frame[60:].to_csv(test, index=False)
    frame[60:].drop(columns="y").to_csv(without, index=False)
    assert run(["two-sets", train, test, "--target", "y", "--plan", "bootstrap:20"]) == 0
    shown = capsys.readouterr().out
    assert "[L001]" in shown
    assert "60 training cases, 30 test cases" in shown
    assert "This rule: Error" in shown
    assert run(["two-sets", train, without, "--target", "y"]) == 2
    assert "test set" in (said := capsys.readouterr().err)
    assert "without.csv: There is no column 'y'" in said
