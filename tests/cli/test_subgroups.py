"""trueness subgroups."""

import json

import numpy as np
import pandas as pd
import pytest

from trueness.cli.main import run


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = pd.DataFrame({"y": y, "s": y + rng.normal(size=200), "p": rng.integers(0, 2, 200)})
    table["site"] = rng.choice(["north", "south", "west"], 200)
    table["patient"] = np.arange(200) // 2
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False)
    return str(path)


def test_by_group_with_all_outputs(scores, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    files = {"--plot": "f.png", "--report": "r.html", "--json": "r.json", "--csv": "r.csv"}
    line = ["subgroups", scores, "--label", "y", "--score", "s", "--by", "site"]
    assert run([*line, *(word for k, v in files.items() for word in (k, str(tmp_path / v)))]) == 0
    out = capsys.readouterr().out
    assert "AUC in 3 subgroups" in out
    assert "south" in out
    assert len(json.loads((tmp_path / "r.json").read_text())["sizes"]) == 3
    assert "low_simultaneous" in (tmp_path / "r.csv").read_text()
    assert "north" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "f.png").stat().st_size > 1000


def test_sites_groups_and_other_metrics(scores, capsys):
    line = ["subgroups", scores, "--label", "y", "--by", "site"]
    assert run([*line, "--score", "s", "--sites"]) == 0
    assert "A new site has" in capsys.readouterr().out
    assert run([*line, "--prediction", "p", "--metric", "sensitivity", "--groups", "patient"]) == 0
    assert "in 3 subgroups" in capsys.readouterr().out
    assert run([*line, "--score", "s", "--metric", "error", "--threshold", "0.5", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["metric"] == "error"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "scores are required"),
        (["--score", "nothing"], "nothing"),
        (["--score", "s", "--metric", "error"], "error needs predictions"),
        (["--score", "s", "--level", "95"], "level must lie above 0"),
    ],
)
def test_wrong_lines(scores, more, words, capsys):
    assert run(["subgroups", scores, "--label", "y", "--by", "site", *more]) == 2
    assert words in capsys.readouterr().err


def test_a_column_of_groups_that_cannot_be_used(scores, capsys):
    table = pd.read_csv(scores)
    table.assign(patient="p" + table["patient"].astype(str)).to_csv(scores, index=False)
    assert run(["subgroups", scores, "--label", "y", "--score", "s", "--by", "patient"]) == 2
    shown = capsys.readouterr().err
    assert "No subgroup has enough cases" in shown


def test_many_numbers_are_four_groups_but_not_of_sites(scores, capsys):
    line = ["subgroups", scores, "--label", "y", "--score", "s", "--by", "patient"]
    assert run(line) == 0
    shown = capsys.readouterr().out
    assert "0 to 24" in shown
    assert run([*line, "--sites"]) == 2


def test_a_metric_of_decisions_names_the_options(scores, capsys):
    line = ["subgroups", scores, "--label", "y", "--score", "s", "--by", "site", "--metric", "sensitivity"]
    assert run(line) == 2
    assert "threshold" in capsys.readouterr().err
    assert run([*line, "--threshold", "0.5"]) == 0


def test_numbers_are_put_into_quarters_and_groups_that_are_too_small_take_nothing_away(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    table = pd.DataFrame({"y": y, "x": y + rng.normal(size=120), "age": rng.integers(20, 80, 120)})
    table["row"] = [f"case {i}" for i in range(120)]
    table.to_csv(tmp_path / "t.csv", index=False)
    line = ["assess", str(tmp_path / "t.csv"), "--target", "y", "--plan", "kfold:5x2", "--drop", "row"]
    line += ["--report", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]
    assert run([*line, "--by", "age"]) == 0
    ages = table["age"].sort_values()
    assert f"{ages.iloc[0]} to " in capsys.readouterr().out
    assert run([*line, "--by", "row", "--by", "age"]) == 2
    shown = capsys.readouterr()
    assert "No subgroup has enough cases" in shown.err
    assert "Wrote" in shown.out
    assert "by age" in shown.out
