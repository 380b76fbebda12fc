"""trueness diagnose: four numbers or a file; text, JSON, LaTeX, Markdown."""

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import trueness
from trueness.cli.main import run

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


def test_text_is_that_of_the_library(capsys):
    out = shown(capsys, *FOUR)
    assert out.strip() == str(trueness.diagnose(tp=10, fn=5, fp=24, tn=61)).strip()
    assert "0.42 to 0.85" in out


@pytest.mark.parametrize("fmt", ["latex", "markdown"])
def test_other_formats(capsys, fmt):
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    assert shown(capsys, *FOUR, "--format", fmt).strip() == getattr(d, f"to_{fmt}")().strip()


def test_json_and_options(capsys, tmp_path):
    out = tmp_path / "d.json"
    arguments = ["--format", "json", "--json", str(out), "--interval", "exact", "--level", "0.9"]
    text = shown(capsys, *FOUR, *arguments)
    stored = json.loads(text)
    assert json.loads(out.read_text()) == stored
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61, interval="exact")
    assert [stored["measures"]["tpf"][k] for k in ("low", "high")] == pytest.approx(list(d.tpf.ci(0.9)))
    assert stored["level"] == 0.9


def test_undefined_numbers_are_null(capsys):
    text = shown(capsys, "diagnose", "--tp", "0", "--fn", "0", "--fp", "4", "--tn", "61", "--format", "json")
    stored = json.loads(text)
    assert stored["measures"]["tpf"]["value"] is None
    assert "empty-margin" in [note["code"] for note in stored["notes"]]


def test_a_file_gives_the_same_as_its_counts(capsys, file):
    out = shown(capsys, "diagnose", str(file), "--label", "truth", "--prediction", "test", "--positive", "sick")
    first, said, *rest = out.strip().split("\n")
    assert [first, *rest] == str(trueness.diagnose(tp=10, fn=5, fp=24, tn=61)).strip().split("\n")
    assert said == "Positive: sick, negative: well"


def test_standard_input_and_several_classes(capsys, monkeypatch):
    text = "y,prediction\n" + "".join(f"{a},{b}\n" for a, b in ["aa", "ab", "bb", "bb", "cc", "ca", "cc"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    out = shown(capsys, "diagnose", "-")
    assert "7 cases of 3 classes" in out
    assert "f1 macro" in out


def test_case_control_and_selected_designs(capsys):
    out = shown(capsys, *FOUR, "--design", "case-control", "--prevalence", "0.05,0.2", "--format", "json")
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=(0.05, 0.2))
    assert json.loads(out)["measures"]["ppv"]["se"] == pytest.approx(d.ppv.se)
    liver = ["diagnose", "--tp", "231", "--fn", "27", "--fp", "32", "--tn", "54", "--design", "selected"]
    out = shown(capsys, *liver, "--unverified-positive", "166", "--unverified-negative", "140", "--format", "json")
    assert json.loads(out)["measures"]["tpf"]["value"] == pytest.approx(0.8359, abs=1e-3)


COUNTS = ["--tp", "1", "--fn", "5", "--fp", "2", "--tn", "6"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "trueness: Give four counts or a file."),
        (["--tp", "1", "--fn", "2"], "trueness: --fp: "),
        (["--tp", "-1", *COUNTS[2:]], "trueness: --tp: "),
        ([*COUNTS, "--level", "95"], "trueness: --level: level must lie above 0 and below 1. Got 95."),
        ([*COUNTS, "--unverified-positive", "6"], "trueness: --design: "),
        ([*COUNTS, "--unverified-positive", "-1"], "trueness: --unverified-positive: "),
        ([*COUNTS, "--design", "selected", "--prevalence", "0.1"], "trueness: --prevalence: "),
        ([*COUNTS, "--positive", "1"], "trueness: --positive: "),
        ([*COUNTS, "--design", "case-control", "--prevalence", "much"], "trueness: --prevalence: "),
        (["nowhere.csv"], "No such file"),
    ],
)
def test_mistakes_are_one_message_that_names_the_option(capsys, arguments, message):
    assert run(["diagnose", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_counts_beside_a_file_and_columns_that_are_not_there(capsys, file):
    assert run(["diagnose", str(file), "--label", "truth", "--prediction", "test", "--tp", "3"]) == 2
    assert "trueness: --tp: Give either a file or counts, not both." in capsys.readouterr().err
    assert run(["diagnose", str(file)]) == 2
    assert "trueness: --label: There is no column 'y'. Columns: truth, test." in capsys.readouterr().err
    assert run(["diagnose", str(file), "--label", "truth", "--prediction", "truth", "--positive", "sick"]) == 2
    assert "trueness: --prediction: The same column is named twice." in capsys.readouterr().err


def test_missing_labels_name_the_column_and_the_design_for_them(capsys, tmp_path):
    partly = tmp_path / "partly.csv"
    partly.write_text("truth,test\nsick,sick\nwell,well\n,well\nsick,well\n")
    columns = [str(partly), "--label", "truth", "--prediction", "test", "--positive", "sick"]
    assert run(["diagnose", *columns]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: --label: ")
    assert run(["diagnose", *columns, "--design", "selected"]) == 0


def test_a_positive_class_of_three(capsys, tmp_path):
    three = tmp_path / "three.csv"
    three.write_text("truth,test\na,a\nb,b\nc,c\n")
    line = ["diagnose", str(three), "--label", "truth", "--prediction", "test", "--positive"]
    assert run([*line, "a"]) == 0
    assert "a against all other classes (b, c)" in capsys.readouterr().out
    assert run([*line, "d"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: --positive: ")
    assert "positive=" not in said


def test_groups_of_a_file(tmp_path, capsys):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"patient": np.repeat(np.arange(40), 3), "y": rng.integers(0, 2, 120)})
    frame["prediction"] = np.where(rng.random(120) < 0.2, 1 - frame["y"], frame["y"])
    frame.to_csv(tmp_path / "d.csv", index=False)
    assert run(["diagnose", str(tmp_path / "d.csv"), "--groups", "patient", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    d = trueness.diagnose(frame["y"], frame["prediction"], groups=frame["patient"])
    assert len(set(found["groups"]["values"])) == 40
    assert found["measures"]["tpf"]["se"] == pytest.approx(d.tpf.se)
    for wrong in (["--groups", "nobody"], ["--groups", "y"]):
        assert run(["diagnose", str(tmp_path / "d.csv"), *wrong]) == 2
        assert capsys.readouterr().err.startswith("trueness: --groups")
    assert run(["diagnose", "--tp", "1", "--fn", "2", "--fp", "3", "--tn", "4", "--groups", "patient"]) == 2
    assert "four counts or a file" in capsys.readouterr().err


def test_an_unknown_format_is_refused_with_the_known_ones(capsys):
    assert run(["diagnose", *COUNTS, "--format", "yaml"]) == 2
    assert "markdown" in capsys.readouterr().err


def test_a_prevalence_is_in_the_headline_with_the_predictive_values(tmp_path, capsys):
    counts = ["diagnose", "--tp", "40", "--fn", "10", "--fp", "20", "--tn", "130"]
    assert run([*counts, "--prevalence", "0.1", "--csv", str(tmp_path / "d.csv")]) == 0
    shown = capsys.readouterr().out
    assert "At a prevalence of 0.1: PPV" in shown
    assert "At a prevalence of 0.1: PPV 0.400" in shown  # 0.8 · 0.1 / (0.8 · 0.1 + 0.9 · 20/150)
    assert (tmp_path / "d.csv").exists()
    assert run(counts) == 0
    assert "(cohort study)" in capsys.readouterr().out


def test_a_size_is_written_to_files(tmp_path, capsys):
    files = ["--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv"), "--report", str(tmp_path / "s.html")]
    assert run(["size", "auc", "--value", "0.8", *files]) == 0
    assert all(Path(path).stat().st_size for path in files[1::2])
