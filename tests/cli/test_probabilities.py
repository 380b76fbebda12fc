"""trueness calibration and trueness benefit."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.cli.main import run


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = rng.random(200) < expit(2 * x)
    rows = [f"{int(a)},{b:.5f},{c:.5f},{3 * d:.4f}" for a, b, c, d in zip(y, expit(2 * x), expit(x), x, strict=True)]
    path = tmp_path / "p.csv"
    path.write_text("y,p,q,s\n" + "\n".join(rows))
    return str(path)


def test_calibration(table, tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("c.png", "c.html", "c.json")]
    more = ["--plot", files[0], "--report", files[1], "--json", files[2]]
    assert run(["calibration", table, "--label", "y", "--score", "p", "--score", "q", *more]) == 0
    shown = capsys.readouterr().out
    assert "Calibration slope" in shown
    assert "Paired differences" in shown
    found = json.loads((tmp_path / "c.json").read_text())
    assert {e["metric"] for e in found["scores"]["p"]["estimates"]} >= {"calibration_slope", "ici", "brier"}
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_benefit(table, tmp_path, capsys):
    assert run(["benefit", table, "--label", "y", "--score", "p", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["useful"]["p"]
    assert run(["benefit", table, "--label", "y", "--score", "p", "--score", "q", "--prevalence", "0.3"]) == 0
    shown = capsys.readouterr().out
    assert "p is worth using at thresholds: at" in shown
    assert "Net benefit: p − q" in shown
    for given, wanted in (("0.1:0.3:0.1", [0.1, 0.2, 0.3]), ("0.25,0.1", [0.1, 0.25])):
        line = ["benefit", table, "--label", "y", "--score", "p", "--thresholds", given, "--format", "json"]
        assert run(line) == 0
        rows = json.loads(capsys.readouterr().out)["curve"]
        assert [row["threshold"] for row in rows if row["model"] == "p"] == wanted
    assert run(["benefit", table, "--label", "y", "--score", "p", "--thresholds", "0.3:0.1"]) == 2
    assert "0.05:0.3:0.01" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["calibration", "--score", "s"], "--score"),
        (["benefit", "--score", "s"], "outside [0, 1]"),
        (["benefit", "--score", "p", "--prevalence", "0"], "above 0 and below 1"),
        (["calibration", "--score", "y"], "column of the labels"),
        (["calibration", "--score", "none"], "none"),
    ],
)
def test_wrong_lines(table, capsys, line, words):
    assert run([line[0], table, "--label", "y", *line[1:]]) == 2
    assert words in capsys.readouterr().err


def test_one_class_of_several_against_the_rest_and_names_of_the_blocks(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"y": rng.choice(["a", "b", "c"], 150), "g": rng.choice(["n", "s"], 150)})
    for name in ("p", "q"):
        table[name] = (0.2 + 0.5 * (table["y"] == "b") * rng.random(150)).round(3) + 0.01 * rng.random(150)
    table.to_csv(tmp_path / "t.csv", index=False)
    source = [str(tmp_path / "t.csv"), "--label", "y"]
    assert run(["calibration", *source, "--score", "p", "--score", "q", "--positive", "b"]) == 0
    out = capsys.readouterr().out
    assert "b against all other classes (a, c)" in out
    assert "p: Calibration of 150 cases" in out
    assert "q: Calibration of 150 cases" in out
    assert run(["subgroups", *source, "--score", "p", "--by", "g", "--positive", "b"]) == 0
    assert "AUC in 2 subgroups" in capsys.readouterr().out
    assert run(["benefit", *source, "--score", "p"]) == 2
    assert "e.g. --positive" in capsys.readouterr().err


def test_validate_is_that_of_python(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    X["y"] = np.where(rng.random(200) < expit(X.a), "sick", "well")
    data, out, plot = (str(tmp_path / name) for name in ("d.csv", "v.json", "c.svg"))
    X.to_csv(data, index=False)
    line = ["validate", data, "--target", "y", "--positive", "sick", "--replicates", "40", "--seed", "1"]
    assert run([*line, "--json", out, "--plot", plot]) == 0
    shown = capsys.readouterr().out
    assert "Corrected for optimism: AUC" in shown
    assert "40 bootstrap samples" in shown
    found = trueness.load(tmp_path / "v.json").frame().set_index("measure").T
    model = make_pipeline(StandardScaler(), LogisticRegression(C=np.inf, tol=1e-8, max_iter=10_000))
    plan = trueness.Bootstrap(40, stratified=False)
    fits = trueness.fit(model, X[list("abc")], X.y, plan, positive="sick", scores="predict_proba", rng=1)
    v = trueness.probabilities.validate(fits).frame().set_index("measure")
    assert found["Slope"]["corrected"] == pytest.approx(v.corrected["Slope"], rel=1e-4)
    assert found["Slope"]["apparent"] == pytest.approx(1, abs=1e-5)
    assert run([*line[:-4], "--replicates", "1"]) == 0
    shown = capsys.readouterr().out
    assert "No interval of Dxy" in shown
    assert "At least about 100 replicates" in shown


def test_scores_that_are_no_probabilities_are_sent_elsewhere(table, capsys):
    for name in ("benefit", "calibration"):
        assert run([name, table, "--label", "y", "--score", "s"]) == 2
        error = capsys.readouterr().err
        assert "--score: s must hold probabilities" in error
        assert "trueness roc" in error
        assert "scipy" not in error


@pytest.mark.parametrize(("command", "column"), [("calibration", "score"), ("benefit", "model")])
def test_of_two_scores_the_files_have_both_and_their_difference(table, tmp_path, command, column, capsys):
    page, numbers, rows, picture = (tmp_path / f"r.{ending}" for ending in ("html", "json", "csv", "svg"))
    files = ["--report", str(page), "--json", str(numbers), "--csv", str(rows), "--plot", str(picture)]
    asked = [command, table, "--label", "y", "--score", "p", "--score", "q"]
    assert run([*asked, *files]) == 0
    assert {"p", "q", "p − q"} <= set(pd.read_csv(rows)[column])
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["difference"]["names"] == ["p", "q"]
    assert "p − q" in page.read_text(encoding="utf-8")
    assert picture.exists()
    capsys.readouterr()
    assert run([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out == rows.read_text(encoding="utf-8")


def test_files_of_two_calibrations_have_the_numbers_of_each(table, tmp_path):
    asked = ["calibration", table, "--label", "y"]
    both, one = tmp_path / "two.csv", tmp_path / "one.csv"
    assert run([*asked, "--score", "p", "--score", "q", "--csv", str(both)]) == 0
    assert run([*asked, "--score", "q", "--csv", str(one)]) == 0
    found = pd.read_csv(both).query("score == 'q'")[["metric", "value", "low"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, pd.read_csv(one)[["metric", "value", "low"]])


@pytest.mark.parametrize("command", ["calibration", "benefit", "roc"])
def test_a_column_of_words_is_named_once(tmp_path, command, capsys):
    (tmp_path / "w.csv").write_text("y,p,risk\n" + "0,0.1,low\n1,0.8,high\n" * 10)
    assert run([command, str(tmp_path / "w.csv"), "--label", "y", "--score", "p", "--score", "risk"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("trueness: --score risk: 20 values are not a number")
