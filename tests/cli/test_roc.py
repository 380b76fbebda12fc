"""trueness roc: AUCs, tests and a picture from a file of scores; wrong input is one message and exit code 2."""

import io
import json
import re
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.cli.main import run
from trueness.errors import InputError, TruenessWarning

REFERENCE = Path(__file__).parents[1] / "reference"
ROUNDED = str(files("trueness.studies") / "data" / "roc_rounded.csv")


def test_areas_and_delong(capsys):
    assert run(["roc", ROUNDED, "--label", "y", "--score", "a", "--score", "b"]) == 0
    out = capsys.readouterr().out
    proc = json.loads((REFERENCE / "roc.json").read_text())["roc_rounded"]
    assert "60 of class 1 (positive) and 90 of class 0" in out
    assert "95 % interval" in out
    assert f"{proc['z'][0]:.3f}" in out
    assert f"{proc['p'][0]:.2g}" in out


def test_json_holds_the_numbers(tmp_path, capsys):
    path = tmp_path / "roc.json"
    assert run(["roc", ROUNDED, "--label", "y", "--score", "a", "--score", "b", "--json", str(path)]) == 0
    found = json.loads(path.read_text())
    data = pd.read_csv(ROUNDED)
    area = trueness.roc(data["y"], data["a"]).auc
    assert found["auc"][0]["value"] == area.value
    assert (found["auc"][0]["low"], found["auc"][0]["high"]) == tuple(area.ci())
    assert found["delong"][0]["scores"] == "a − b"


@pytest.mark.parametrize(("name", "begins"), [("roc.png", b"\x89PNG"), ("roc.svg", b"<?xml")])
def test_picture(tmp_path, name, begins):
    path = tmp_path / name
    assert run(["roc", ROUNDED, "--label", "y", "--score", "a", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(begins)


def test_a_name_that_is_too_long_for_a_file_is_a_mistake(capsys):
    assert run(["roc", "a" * 5000, "--label", "y", "--score", "s"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_hundred_thousand_columns(tmp_path, capsys):
    names, path = [f"c{k}" for k in range(100_000)], tmp_path / "a.csv"
    rows = [f"{k % 2},{k}" + ",1" * len(names) for k in range(6)]
    path.write_text("\n".join([",".join(["y", "s", *names]), *rows]))
    assert run(["roc", str(path), "--label", "y", "--score", "s"]) == 0


def test_a_parquet_file_without_pyarrow(tmp_path, capsys, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert run(["roc", str(tmp_path / "a.parquet"), "--label", "y", "--score", "s"]) == 2
    assert "pip install pyarrow" in capsys.readouterr().err


def test_three_scores_are_adjusted(tmp_path, capsys):
    data = pd.read_csv(ROUNDED).assign(c=np.arange(150) % 7)
    path = tmp_path / "s.csv"
    data.to_csv(path, index=False)
    assert run(["roc", str(path), "--label", "y", "--score", "a", "--score", "b", "--score", "c"]) == 0
    out = capsys.readouterr().out
    assert "p (all pairs)" in out
    table = out.partition("DeLong's test")[2]
    assert table.count(" − ") == 3
    answer = next(line for line in out.splitlines() if line.startswith("AUC of a"))
    assert answer.index("a − c") < answer.index("a − b") < answer.index("b − c")  # by their p-values


def test_standard_input_named_positive_and_infinite_scores(capsys, monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"truth,s\nsick,3\nsick,inf\nsick,1.5\nwell,2\nwell,0\nwell,-inf\n"))
    )
    assert run(["roc", "-", "--label", "truth", "--score", "s", "--positive", "sick"]) == 0
    out = capsys.readouterr().out
    assert "3 of class sick (positive) and 3 of class well" in out
    assert "+inf" in out


def test_notes_are_shown(tmp_path, capsys):
    path = tmp_path / "s.csv"
    pd.DataFrame({"y": [0, 0, 0, 1, 1, 1], "low": [4, 5, 6, 1, 2, 5.5], "same": [1] * 6}).to_csv(path, index=False)
    assert run(["roc", str(path), "--label", "y", "--score", "low", "--score", "same"]) == 0
    out = capsys.readouterr().out
    assert ": low: " in out
    assert ": same: " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--label", "truth", "--score", "a"], "trueness: --label: There is no column 'truth'."),
        (["--label", "y", "--score", "z"], "trueness: --score: There is no column 'z'."),
        (["--label", "y", "--score", "a", "--score", "a"], "trueness: --score: The same column is named twice."),
        (["--label", "a", "--score", "y"], "trueness: "),
        (["--label", "y", "--score", "a", "--level", "95"], "trueness: --level: level must lie above 0 and below 1."),
        (["--label", "y", "--score", "a", "--plot", "roc.docx"], ".png or .svg"),
        (["--label", "y", "--score", "a", "--plot", "no/such/folder/roc.png"], "cannot be written"),
        (["--label", "y", "--score", "a", "--json", "no/such/folder/roc.json"], "cannot be written"),
        (["--label", "y", "--score", "a", "--positive", "sick"], "trueness: "),
    ],
)
def test_wrong_input_is_one_message(capsys, arguments, words):
    assert run(["roc", ROUNDED, *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert "Traceback" not in said.err


def test_missing_scores_and_missing_file(tmp_path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("y,s\n0,1\n1,\n1,3\n0,2\n")
    assert run(["roc", str(path), "--label", "y", "--score", "s"]) == 2
    assert capsys.readouterr().err.startswith("trueness: ")
    assert run(["roc", str(tmp_path / "none.csv"), "--label", "y", "--score", "s"]) == 2


@pytest.mark.parametrize(
    ("y", "columns", "areas"),
    [
        ([0, 0, 0, 0, 1], {"a": [1, 2, 3, 4, 3.5], "b": [1, 2, 3, 4, 5]}, [0.75, 1]),  # one positive
        ([0, 0, 0, 1, 1, 1], {"a": [1] * 6, "b": [1, 2, 3, 4, 5, 6]}, [0.5, 1]),  # constant, perfect
        ([0, 0, 0, 1, 1, 1], {"a": [1, 2, 3, 4, 5, 6], "b": [6, 5, 4, 3, 2, 1]}, [1, 0]),  # perfect, inverted
    ],
)
def test_a_pair_without_a_test_keeps_the_areas(tmp_path, capsys, y, columns, areas):
    path, found = tmp_path / "s.csv", tmp_path / "s.json"
    pd.DataFrame({"y": y, **columns}).to_csv(path, index=False)
    assert run(["roc", str(path), "--label", "y", "--score", "a", "--score", "b", "--json", str(found)]) == 0
    out = capsys.readouterr().out
    assert "a − b: No standard error: " in out or "two rules answer these cases differently" in out
    table = json.loads(found.read_text())
    assert [a["value"] for a in table["auc"]] == areas
    (test,) = table["delong"]
    assert (test["p_value"], test["statistic"], test["difference_se"]) == (None, None, None)
    assert test["difference"] == areas[0] - areas[1]


def test_pairs_with_a_test_are_adjusted_beside_one_without(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    path = tmp_path / "s.csv"
    pd.DataFrame({"y": y, "a": y, "b": 1 - y, "c": rng.standard_normal(60) + y}).to_csv(path, index=False)
    found = tmp_path / "s.json"
    asked = ["--label", "y", "--score", "a", "--score", "b", "--score", "c", "--json", str(found)]
    assert run(["roc", str(path), *asked]) == 0
    assert "p (all pairs)" in capsys.readouterr().out
    tests = json.loads(found.read_text())["delong"]
    assert [t["p_adjusted"] is None for t in tests] == [True, False, False]


def written(tmp_path, text):
    path = tmp_path / "s.csv"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("y,a,b\n1,1,2\n0,2,3\n1,3,5\n0,4,\n", "row 4"),
        ("y,a,b\n1,1,2\n0,2,x\n1,3,5\n0,4,?\n", "row 4"),
        ("y,a,b\n1,1,2\n,2,1\n1,3,5\n0,4,3\n", "row 2"),
    ],
)
def test_errors_name_the_row(tmp_path, capsys, text, row):
    assert run(["roc", written(tmp_path, text), "--label", "y", "--score", "a", "--score", "b"]) == 2
    assert row in capsys.readouterr().err


def test_an_error_in_one_score_names_its_column(monkeypatch, capsys):
    def refuse(y, scores, method, positive=None, groups=None):
        raise InputError("1 score is missing", param="scores" if scores.name == "b" else "y")

    monkeypatch.setattr("trueness.cli.answers.curve_of", refuse)
    for score, prefix in (("b", "--score b"), ("a", "--label")):
        assert run(["roc", ROUNDED, "--label", "y", "--score", score]) == 2
        assert capsys.readouterr().err == f"trueness: {prefix}: 1 score is missing.\n"


@pytest.fixture
def grouped(tmp_path):
    rng = np.random.default_rng(0)
    g, y = np.repeat(np.arange(35), 4), rng.integers(0, 2, 140)
    a, b = ((y + rng.normal(size=35)[g] + rng.normal(size=140)).round(2) for _ in range(2))
    path = tmp_path / "grouped.csv"
    pd.DataFrame({"patient": g, "y": y, "a": a, "b": b}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--groups nobody", "--groups"),
        ("--groups y", "--groups"),
        ("--groups one", "--groups"),
        ("--best largest", "--best"),
        ("--best sensitivity=2", "--best"),
        ("--best auc=0.9", "--best"),
        ("--costs 5", "--costs"),
        ("--costs 5,1 --best youden", "--costs"),
        ("--guarantee sensitivity=1", "--guarantee"),
        ("--guarantee auc=0.9", "--guarantee"),
        ("--prevalence 0.2", "--prevalence"),
        ("--prevalence 0.2 --best youden", "--prevalence"),
    ],
)
def test_wrong_questions_are_one_message(grouped, capsys, options, says, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    pd.read_csv(grouped).assign(one=1).to_csv(grouped, index=False)
    assert run(["roc", str(grouped), "--label", "y", "--score", "a", *options.split()]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"trueness: {says}")
    assert "Traceback" not in err


def test_a_turned_score_is_its_negative(tmp_path, capsys):
    data = pd.read_csv(ROUNDED)
    found = tmp_path / "r.json"
    line = ["roc", ROUNDED, "--label", "y", "--score", "a", "--json", str(found)]
    for more in (["--score=-b"], ["--score", "-b"]):
        assert run([*line, *more]) == 0
        area = next(row for row in json.loads(found.read_text())["auc"] if row["score"] == "-b")
        assert area["value"] == trueness.roc(data["y"], -data["b"]).auc.value
    capsys.readouterr()
    assert run(["roc", ROUNDED, "--label", "y", "--score=-b"]) == 0
    path = tmp_path / "t.csv"
    data.assign(**{"-b": data["a"]}).to_csv(path, index=False)
    assert run(["roc", str(path), "--label", "y", "--score=-b", "--json", str(found)]) == 0  # a column of this name
    assert json.loads(found.read_text())["auc"][0]["value"] == trueness.roc(data["y"], data["a"]).auc.value


@pytest.mark.parametrize("command", ["roc", "calibration", "benefit", "subgroups", "diagnose"])
def test_repeated_patients_without_groups_are_noticed(command, grouped, tmp_path, capsys):
    data = pd.read_csv(grouped).assign(p=lambda d: 1 / (1 + np.exp(-d["a"])), d=lambda d: (d["a"] > 0) * 1, g=1)
    data["g"] = np.arange(len(data)) % 2
    data.to_csv(grouped, index=False)
    more = {"subgroups": ["--score", "a", "--by", "g"], "diagnose": ["--prediction", "d"]}
    line = [command, str(grouped), "--label", "y", *more.get(command, ["--score", "p"])]
    assert run(line) == 0
    assert "Column 'patient' has several rows per value" in capsys.readouterr().out
    assert run([*line, "--groups", "patient"]) == 0
    assert "Column 'patient'" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["roc", "calibration", "benefit"])
def test_several_classes_need_the_positive_one(command, tmp_path, capsys):
    table = pd.DataFrame({"y": np.arange(60) % 3, "s": (np.arange(60) % 7 + 1) / 9})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run([command, str(tmp_path / "t.csv"), "--label", "y", "--score", "s"]) == 2
    said = capsys.readouterr().err
    assert "3 values: 0, 1, 2" in said
    assert "trueness." not in said


def test_a_file_of_many_rows_is_read_in_blocks(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trueness.files.score_file.LARGE_BYTES", 10)
    found, report = tmp_path / "s.json", tmp_path / "r.html"
    two = ["roc", ROUNDED, "--label", "y", "--score", "a", "--score", "b"]
    assert run([*two, "--json", str(found), "--report", str(report)]) == 0
    out = capsys.readouterr().out
    assert "a: 150 cases, 60 of class 1 (positive) and 90 of class 0" in out
    assert "average precision" in out
    data, table = pd.read_csv(ROUNDED), json.loads(found.read_text())
    assert list(table) == ["a", "b"]
    for s in table:
        assert repr(trueness.roc(data["y"], data[s]).auc.value) in json.dumps(table[s])
    assert (tmp_path / "r-a.html").exists()


def test_a_folder_of_parquet_files_is_read_in_blocks(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    data = pd.read_csv(ROUNDED)
    for k in (0, 1):
        data.iloc[k::2].to_parquet(tmp_path / f"part{k}.parquet")
    assert run(["roc", str(tmp_path), "--label", "y", "--score", "a", "--positive", "1"]) == 0
    assert "60 of class 1 (positive)" in capsys.readouterr().out


@pytest.mark.parametrize("more", [["--groups", "a"], ["--best", "youden"], ["--plot", "roc.png"]])
def test_what_needs_all_scores_is_refused_for_a_file_of_many_rows(capsys, monkeypatch, more):
    monkeypatch.setattr("trueness.files.score_file.LARGE_BYTES", 10)
    assert run(["roc", ROUNDED, "--label", "y", "--score", "b", *more]) == 2
    assert more[0] in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--label", "--score"])
def test_a_wrong_column_of_a_file_of_many_rows_is_one_message(capsys, monkeypatch, option):
    monkeypatch.setattr("trueness.files.score_file.LARGE_BYTES", 10)
    columns = {"--label": "y", "--score": "a", option: "z"}
    assert run(["roc", ROUNDED, *(part for pair in columns.items() for part in pair)]) == 2
    assert option in capsys.readouterr().err


def test_one_class_against_the_rest(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"y": np.repeat(["a", "b", "c"], 20), "p": rng.choice(["a", "b", "c"], 60)})
    table["s"] = rng.normal(size=60) + (table["y"] == "b")
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run(["roc", str(tmp_path / "t.csv"), "--label", "y", "--score", "s", "--positive", "b"]) == 0
    out = capsys.readouterr().out
    assert "b against all other classes (a, c)" in out
    area = trueness.roc((table["y"] == "b").astype(int), table["s"]).auc
    assert f"AUC of s {area.value:.3f}" in out
    arguments = ["diagnose", str(tmp_path / "t.csv"), "--label", "y", "--prediction", "p", "--positive", "b"]
    assert run([*arguments, "--json", str(tmp_path / "d.json")]) == 0
    d = trueness.diagnose(table["y"] == "b", table["p"] == "b")
    assert f'"value": {d.tpf.value!r}' in (tmp_path / "d.json").read_text()


def test_how_a_file_was_read_is_said(tmp_path, capsys):
    path = tmp_path / "g.csv"
    path.write_text("y;s;p\n1;1.900;0,5\n1;2.100;0,4\n1;1.200;0,9\n1;-;0,1\n0;950;0,1\n0;870;0,2\n0;1.010;0,2\n")
    assert run(["roc", str(path), "--label", "y", "--score", "s", "--drop-missing"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "g.csv: semicolons, decimal commas, '1.900' read as 1900 in s." in said
    assert "AUC of s 1.00" in said
    assert run(["roc", str(path), "--label", "y", "--score", "p", "--missing", "0,1", "--drop-missing"]) == 0
    assert "3 of class 1 (positive) and 2 of class 0" in capsys.readouterr().out


def spelled(tmp_path, spellings):
    """Scores of 90 cases; labels of two classes, each in the spellings given, the second class higher."""
    rng = np.random.default_rng(4)
    y = np.arange(90) % 3 == 0
    labels = [spellings[int(positive)][k // 3 % len(spellings[0])] for k, positive in enumerate(y)]
    path = tmp_path / "labels.csv"
    frame = pd.DataFrame(
        {"y": labels, "s": (1 / (1 + np.exp(-rng.normal(size=90) - y))).round(3), "g": np.arange(90) % 2}
    )
    frame.assign(d=np.where(y, "YES", "No")).to_csv(path, index=False)
    return str(path)


COMMANDS = {
    "roc": ["--score", "s"],
    "calibration": ["--score", "s"],
    "benefit": ["--score", "s"],
    "subgroups": ["--score", "s", "--by", "g"],
    "diagnose": ["--prediction", "d"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("positive", ["Yes", "Yes ", None])
def test_labels_of_a_file_have_one_spelling_in_every_command(command, positive, tmp_path, capsys):
    path = spelled(tmp_path, (["No", "No", "no"], ["Yes", "Yes", "Yes "]))
    options = [] if positive is None else ["--positive", positive]
    said = []
    for y in (None, np.where(np.arange(90) % 3 == 0, "Yes", "No")):
        if y is not None:
            pd.read_csv(path).assign(y=y).to_csv(path, index=False)
            options = [] if positive is None else ["--positive", "Yes"]
        assert run([command, path, "--label", "y", *COMMANDS[command], *options]) == 0
        said.append(capsys.readouterr().out.splitlines())
    assert said[0][0].startswith("Labels ")
    assert "'no'" in said[0][0]
    assert said[0][1:] == said[1][1 if command == "diagnose" else 0 :]  # whose decisions are YES


def test_other_words_for_the_positive_answer_are_no_negatives(tmp_path, capsys):
    path = spelled(tmp_path, (["No", "N"], ["Yes", "Y"]))
    for options, words in (([], "N, No, Y, Yes"), (["--positive", "Yes"], "'Yes', 'Y'")):
        assert run(["roc", path, "--label", "y", "--score", "s", *options]) == 2
        assert words in capsys.readouterr().err
    assert run(["check", path, "--target", "y"]) == 0
    assert "[L020]" in capsys.readouterr().out
    assert run(["assess", path, "--target", "y", "--positive", "Yes"]) == 2
    assert "'Y'. Write them in one way" in capsys.readouterr().err
    other = spelled(tmp_path, (["No", "N"], ["Yes", "Yes"]))  # all others are the rest
    assert run(["roc", other, "--label", "y", "--score", "s", "--positive", "Yes"]) == 0


def test_labels_of_large_files_have_one_spelling(tmp_path):
    path = spelled(tmp_path, (["No", "No", "no"], ["Yes", "Yes", "Yes "]))
    with pytest.warns(TruenessWarning, match="Labels that count as another one"):
        counts = trueness.curves.ScoreCounts.read(path, "y", "s", positive="Yes ")
    assert (counts.n1, counts.n0, counts.classes) == (30, 60, ("No", "Yes"))


def test_the_label_is_no_score(capsys):
    assert run(["roc", ROUNDED, "--label", "y", "--score", "y"]) == 2
    assert "trueness: --score: The same column is named twice. Got y." in capsys.readouterr().err


def test_questions_are_those_of_python(grouped, tmp_path, capsys):
    path, data = tmp_path / "r.json", pd.read_csv(grouped)
    line = ["roc", str(grouped), "--label", "y", "--score", "a", "--groups", "patient", "--json", str(path)]
    asked = ["--threshold", "0.3", "--costs", "5,1", "--prevalence", "0.2", "--guarantee", "specificity=0.6"]
    assert run([*line, *asked, "--seed", "1"]) == 0
    found = json.loads(path.read_text())
    c = trueness.roc(data["y"], data["a"], groups=data["patient"])
    assert found["curves"]["auc"][0]["se"] == c.auc.se
    assert found["a: best"]["threshold"] == c.best(costs=[[0, 1], [5, 0]], prevalence=0.2, rng=1).threshold
    d = trueness.diagnose(data["y"], (data["a"] >= 0.3).astype(int), groups=data["patient"], prevalence=0.2)
    assert repr(d.ppv.value) in json.dumps(found["a: threshold 0.3"])
    g = trueness.curves.guarantee(data["y"], data["a"], fpf=1 - 0.6, groups=data["patient"])
    assert found["a: guarantee"]["threshold"] == g.threshold
    shown = capsys.readouterr().out
    assert "140 cases in 35 groups" in shown
    assert g.promise in shown
    assert run([*line, "--best", "sensitivity=0.9"]) == 0
    assert json.loads(path.read_text())["a: best"]["threshold"] == c.best(tpf=0.9, rng=0).threshold


def test_a_guarantee_that_needs_more_cases(grouped, capsys):
    assert run(["roc", str(grouped), "--label", "y", "--score", "a", "--guarantee", "sensitivity=0.99"]) == 2
    assert "at least 299 are needed" in capsys.readouterr().err


def test_one_report_has_all_scores(tmp_path):
    path = tmp_path / "r.html"
    assert run(["roc", ROUNDED, "--label", "y", "--score", "a", "--score", "b", "--report", str(path)]) == 0
    page = path.read_text(encoding="utf-8")
    for words in ("DeLong", "sha256:", "ROC curve and threshold of a", "ROC curve and threshold of b"):
        assert words in page, words
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
