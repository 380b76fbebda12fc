"""trueness check, and the findings that assess and compare print once, before the numbers."""

import json

import numpy as np
import pandas as pd
import pytest

from trueness.cli.main import run


@pytest.fixture
def leaky(tmp_path):
    """80 cases: a good column, a copy of the target, names, numbers with a word, batches."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(80) % 2)
    frame = pd.DataFrame({"a": rng.normal(size=80) + y, "b": rng.normal(size=80).round(4), "copy": y * 7, "y": y})
    frame["name"] = [f"case {i}" for i in range(80)]
    frame["age"] = [*map(str, rng.integers(20, 90, 78)), "old", "old"]
    frame["plate"] = y
    path = tmp_path / "leaky.csv"
    frame.to_csv(path, index=False)
    return path


def test_findings_and_their_file(leaky, tmp_path, capsys):
    out = tmp_path / "f.json"
    assert run(["check", str(leaky), "--target", "y", "--drop", "plate", "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    found = json.loads(out.read_text(encoding="utf-8"))["notes"]
    assert [(f["code"], f["columns"]) for f in found] == [("L001", ["copy"]), ("L004", ["name"]), ("L012", ["age"])]
    assert all(f"[{f['code']}]" in shown for f in found)
    ignored = ["--ignore", "L001", "--ignore", "L004", "--ignore", "L012"]
    assert run(["check", str(leaky), "--target", "y", "--drop", "plate", *ignored]) == 0
    assert "Findings: 0." in capsys.readouterr().out


def test_batches_and_a_test_set(leaky, tmp_path, capsys):
    out = tmp_path / "f.json"
    clean = ["--drop", "copy", "--drop", "name", "--drop", "age", "--json", str(out)]
    assert run(["check", str(leaky), "--target", "y", "--batch", "plate", *clean]) == 0
    assert [f["code"] for f in json.loads(out.read_text(encoding="utf-8"))["notes"]] == ["L010"]
    test = tmp_path / "test.csv"
    pd.read_csv(leaky)[:5].to_csv(test, index=False)
    assert run(["check", str(leaky), "--target", "y", "--test", str(test), "--drop", "plate", *clean]) == 0
    (finding,) = json.loads(out.read_text(encoding="utf-8"))["notes"]
    assert (finding["code"], finding["shared"]) == ("L008", 5)
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "option"),
    [
        (["--ignore", "K99"], "--ignore"),
        (["--batch", "z"], "--batch"),
        (["--drop", "z"], "--drop"),
        (["--test", "other.csv"], "--test"),
    ],
)
def test_mistakes_name_the_option(leaky, tmp_path, monkeypatch, capsys, options, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("z\n1\n", encoding="utf-8")
    assert run(["check", str(leaky), "--target", "y", *options]) == 2
    assert capsys.readouterr().err.startswith(f"trueness: {option}: ")


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # of models that see the target
@pytest.mark.parametrize("command", ["assess", "compare"])
def test_findings_are_printed_once_before_the_numbers(leaky, tmp_path, capsys, command):
    out = tmp_path / "r.json"
    models = ["--model", "lda", "--model", "naive-bayes", "--plan", "kfold:3", "--metric", "error", "--json", str(out)]
    assert run([command, str(leaky), "--target", "y", "--seed", "1", *models]) == 0
    shown = capsys.readouterr().out
    assert all(shown.count(f"[{code}]") == 1 for code in ("L001", "L012"))
    assert "dropped name: " in shown  # L004 is about a column that is gone
    assert shown.index("[L012]") < shown.index("naive")
    kept = json.loads(out.read_text(encoding="utf-8"))
    for notes in [kept["notes"]] if command == "compare" else [a["notes"] for a in kept.values()]:
        assert [note["code"] for note in notes][:3] == ["columns-dropped", "L001", "L012"]
    assert run([command, str(leaky), "--target", "y", "--seed", "1", *models, "--no-checks"]) == 0
    assert "L001" not in capsys.readouterr().out


def test_rows_without_a_label_are_left_out_as_by_assess(tmp_path, capsys):
    rows = [f"{i * i % 7},{i % 5},{'yes' if i % 2 else 'no'},b{i % 3}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,y,batch", *rows[:9], "1,2,,b1", *rows[9:]]))
    assert run(["check", str(path), "--target", "y", "--batch", "batch"]) == 0
    out, err = capsys.readouterr()
    assert "Rows without a label, left out: 1." in out
    assert not err
    path.write_text("a,y\n1,\n2,\n")
    assert run(["check", str(path), "--target", "y"]) == 2
    assert "missing" in capsys.readouterr().err
