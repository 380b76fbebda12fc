"""trueness readers, and trueness size readers."""

import json
from importlib.resources import files

import pytest

import trueness
from trueness.cli.main import run

VAN_DYKE = str(files("trueness.studies") / "data" / "VanDyke.csv")
STUDY = ["readers", VAN_DYKE, "--modality", "treatment", "--score", "rating"]


def test_the_answer_and_its_files(capsys, tmp_path):
    files = ["--report", tmp_path / "r.html", "--json", tmp_path / "r.json", "--csv", tmp_path / "r.csv"]
    assert run([*STUDY, *map(str, files)]) == 0
    assert "1 − 2: -0.044 (95 % CI -0.088 to 0.000)" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["equality"]["p_value"] == pytest.approx(0.0512330308)
    assert "Mean over readers" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.csv").read_text().startswith("modality,minus,value")


def test_margin_and_size(capsys):
    assert run([*STUDY, "--margin", "0.05", "--detect", "0.05", "--method", "u"]) == 0
    out = capsys.readouterr().out
    assert "Non-inferiority" in out
    assert "Readers and cases" in out
    assert run([*STUDY, "--margin", "0.05", "--first", "2"]) == 0
    assert "2 − 1: 0.044" in capsys.readouterr().out
    for wrong, said in ((["--margin", "0.05", "--first", "7"], "no pair ('7', 1)"),):
        assert run([*STUDY, *wrong]) == 2
        assert said in capsys.readouterr().err


def test_margin_and_size_are_kept(capsys, tmp_path):
    line = [*STUDY, "--margin", "0.05", "--first", "2", "--detect", "0.05", "--format", "json"]
    assert run([*line, "--report", str(tmp_path / "r.html")]) == 0
    test, sizes = json.loads(capsys.readouterr().out)["also"]
    assert (test["test"], test["names"]) == ("Non-inferiority, margin 0.05", ["2", "1"])
    assert test["p_value"] == pytest.approx(0.0002, abs=5e-5)
    assert sizes["designs"][1][0] == 4
    page = (tmp_path / "r.html").read_text()
    assert "Alternative: 2 not worse than 1 by the margin" in page
    assert "6 readers and 169 cases need the fewest readings" in page


def test_decisions_in_json(capsys):
    assert run([*STUDY, "--metric", "sensitivity", "--threshold", "3", "--format", "json"]) == 0
    assert trueness.load(capsys.readouterr().out).metric == "sensitivity"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--reader", "who"], "no column 'who'"),
        (["--metric", "tpf"], "--threshold"),
        (["--design", "latin"], "--design"),
        (["--case", "case2"], "read such names as text"),
        (["--random", "none"], "--random"),
        (["--model", "rating"], "--model"),
    ],
)
def test_wrong_lines(capsys, line, message):
    assert run([*STUDY, *line]) == 2
    assert message in capsys.readouterr().err


def test_published_components(capsys):
    parts = ["var_tr=.0002", "var=.0008", "r1=.43", "r2=.43", "r3=.3", "n_cases=114"]
    given = [word for part in parts for word in ("--component", part)]
    assert run(["size", "readers", "--value", ".05", "--reader", "6", *given]) == 0
    assert "6 readers and 169 cases" in capsys.readouterr().out
    assert run(["size", "readers", "--value", ".05", *given[:2]]) == 2
    assert "--component" in capsys.readouterr().err
    assert run(["size", "readers", "--value", ".05", "--component", "var"]) == 2
    assert "--component" in capsys.readouterr().err


def test_published_components_of_other_designs(capsys):
    parts = [f"--component={x}" for x in ("var_tr=2e-4", "var=8e-4", "r1=.43", "r2=.43", "r3=.3", "n_cases=114")]
    line = ["size", "readers", "--value", ".05", "--reader", "6", *parts]
    assert run([*line, "--design", "split-plot", "--groups", "3"]) == 0
    assert "cases of each reading" in capsys.readouterr().out
    assert run([*line, "--design", "latin"]) == 2
    assert "--design" in capsys.readouterr().err
    assert run(["size", "auc", "--value", ".8", "--design", "crossed"]) == 2
