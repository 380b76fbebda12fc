"""karat diagnose: four numbers or a file; text, JSON, LaTeX, Markdown."""

import io
import json

import pandas as pd
import pytest

import karat
from karat.cli.main import run

FOUR = ["diagnose", "--tp", "10", "--fn", "5", "--fp", "24", "--tn", "61"]


@pytest.fixture
def file(tmp_path):
    rows = [("sick", "sick")] * 10 + [("sick", "well")] * 5 + [("well", "sick")] * 24 + [("well", "well")] * 61
    path = tmp_path / "decisions.csv"
    pd.DataFrame(rows, columns=["truth", "test"]).to_csv(path, index=False)
    return path


def shown(capsys, *arguments):
    assert run([*arguments]) == 0
    return capsys.readouterr().out


def test_text(capsys):
    out = shown(capsys, *FOUR)
    assert out.strip() == str(karat.diagnose(tp=10, fn=5, fp=24, tn=61)).strip()
    assert "0.42 – 0.85" in out


@pytest.mark.parametrize("fmt", ["latex", "markdown"])
def test_other_formats(capsys, fmt):
    d = karat.diagnose(tp=10, fn=5, fp=24, tn=61)
    assert shown(capsys, *FOUR, "--format", fmt).strip() == getattr(d, f"to_{fmt}")().strip()


def test_json_and_options(capsys, tmp_path):
    out = tmp_path / "d.json"
    arguments = ["--format", "json", "--json", str(out), "--interval", "exact", "--level", "0.9"]
    text = shown(capsys, *FOUR, *arguments)
    stored = json.loads(text)
    assert json.loads(out.read_text()) == stored
    d = karat.diagnose(tp=10, fn=5, fp=24, tn=61, interval="exact")
    assert [stored["measures"]["tpf"][k] for k in ("low", "high")] == pytest.approx(list(d.tpf.ci(0.9)))
    assert stored["level"] == 0.9


def test_undefined_is_null(capsys):
    text = shown(capsys, "diagnose", "--tp", "0", "--fn", "0", "--fp", "4", "--tn", "61", "--format", "json")
    stored = json.loads(text)
    assert stored["measures"]["tpf"]["value"] is None
    assert stored["measures"]["tpf"]["notes"][0]["code"] == "empty-margin"


def test_a_file_says_the_same(capsys, file):
    out = shown(capsys, "diagnose", str(file), "--label", "truth", "--prediction", "test", "--positive", "sick")
    first, said, *rest = out.strip().split("\n")
    assert [first, *rest] == str(karat.diagnose(tp=10, fn=5, fp=24, tn=61)).strip().split("\n")
    assert said == "Positive: sick, negative: well"


def test_standard_input_and_several_classes(capsys, monkeypatch):
    text = "y,prediction\n" + "".join(f"{a},{b}\n" for a, b in ["aa", "ab", "bb", "bb", "cc", "ca", "cc"])
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    out = shown(capsys, "diagnose", "-")
    assert "7 cases of 3 classes" in out
    assert "f1 macro" in out


def test_designs(capsys):
    out = shown(capsys, *FOUR, "--design", "case-control", "--prevalence", "0.05,0.2", "--format", "json")
    d = karat.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=(0.05, 0.2))
    assert json.loads(out)["measures"]["ppv"]["se"] == pytest.approx(d.ppv.se)
    liver = ["diagnose", "--tp", "231", "--fn", "27", "--fp", "32", "--tn", "54", "--design", "selected"]
    out = shown(capsys, *liver, "--unverified-positive", "166", "--unverified-negative", "140", "--format", "json")
    assert json.loads(out)["measures"]["tpf"]["value"] == pytest.approx(0.8359, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tp", "1", "--fn", "2"], "missing: fp, tn. Pass all four, or --label and --prediction."),
        (["--tp", "-1", "--fn", "5", "--fp", "2", "--tn", "6"], "must not be negative"),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--interval", "score"], "There is no interval"),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--level", "95"], "between 0 and 1"),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--format", "yaml"], "there is no format"),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--design", "survey"], "design must be"),
        (
            ["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--unverified-positive", "6"],
            "Pass --design selected if",
        ),
        (
            ["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--unverified-positive", "-1"],
            "unverified_positive must",
        ),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--prevalence", "0.1"], "Pass --design case-control to"),
        (["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--positive", "1"], "positive is used with labels only"),
        (
            ["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6", "--design", "case-control", "--prevalence", "much"],
            "prevalence",
        ),
        (["nowhere.csv"], "no such file"),
    ],
)
def test_mistakes_are_one_message_and_exit_code_2(capsys, arguments, message):
    assert run(["diagnose", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


def test_counts_beside_a_file_and_columns_that_are_not_there(capsys, file):
    assert run(["diagnose", str(file), "--label", "truth", "--prediction", "test", "--tp", "3"]) == 2
    assert "not both" in capsys.readouterr().err
    assert run(["diagnose", str(file)]) == 2
    assert "'truth', 'test'" in capsys.readouterr().err


def test_columns_in_the_words_of_the_command_line(capsys, file, tmp_path):
    assert run(["diagnose", str(file), "--label", "truth", "--prediction", "truth", "--positive", "sick"]) == 2
    assert "one column, which always agrees with itself" in capsys.readouterr().err
    partly = tmp_path / "partly.csv"
    partly.write_text("truth,test\nsick,sick\nwell,well\n,well\nsick,well\n")
    columns = [str(partly), "--label", "truth", "--prediction", "test", "--positive", "sick"]
    assert run(["diagnose", *columns]) == 2
    said = capsys.readouterr().err
    assert "the column 'truth' has 1 missing label." in said
    assert "--design selected" in said
    assert "Not verified: 0 decided positive, 1 decided negative" in shown(
        capsys, "diagnose", *columns, "--design", "selected"
    )
    three = tmp_path / "three.csv"
    three.write_text("truth,test\na,a\nb,b\nc,c\n")
    assert run(["diagnose", str(three), "--label", "truth", "--prediction", "test", "--positive", "a"]) == 2
    said = capsys.readouterr().err
    assert "positive is used with two classes only" in said
    assert "positive=" not in said


def test_a_place_that_cannot_be_written(capsys, tmp_path):
    assert run([*FOUR, "--json", str(tmp_path / "no" / "d.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
