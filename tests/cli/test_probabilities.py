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
    assert {e["metric"] for e in found["p"]["estimates"]} >= {"calibration_slope", "ici", "brier"}
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_benefit(table, tmp_path, capsys):
    assert run(["benefit", table, "--label", "y", "--score", "p", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ranges"]["p"]
    assert run(["benefit", table, "--label", "y", "--score", "p", "--score", "q", "--prevalence", "0.3"]) == 0
    shown = capsys.readouterr().out
    assert "p is worth using at thresholds: " in shown
    assert "Net benefit: p − q" in shown
    for given, wanted in (("0.1:0.3:0.1", [0.1, 0.2, 0.3]), ("0.25,0.1", [0.1, 0.25])):
        line = ["benefit", table, "--label", "y", "--score", "p", "--thresholds", given, "--format", "json"]
        assert run(line) == 0
        rows = trueness.load(capsys.readouterr().out).frame()
        assert rows[rows.model == "p"].threshold.tolist() == wanted
    assert run(["benefit", table, "--label", "y", "--score", "p", "--thresholds", "0.3:0.1"]) == 2
    assert "--thresholds: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["calibration", "--score", "s"], "--score"),
        (["benefit", "--score", "s"], "must hold probabilities, from 0 to 1"),
        (["benefit", "--score", "p", "--prevalence", "0"], "above 0 and below 1"),
        (["calibration", "--score", "y"], "named twice"),
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
    assert "more than two values" in capsys.readouterr().err


def test_validate_is_that_of_python(tmp_path, capsys):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    X["y"] = np.where(rng.random(200) < expit(X.a), "sick", "well")
    data, out, plot = (str(tmp_path / name) for name in ("d.csv", "v.json", "c.svg"))
    X.to_csv(data, index=False)
    line = ["validate", data, "--target", "y", "--positive", "sick", "--replicates", "40", "--seed", "1"]
    assert run([*line, "--json", out, "--plot", plot]) == 0
    shown = capsys.readouterr().out
    assert "Corrected for optimism, mean over rules" in shown
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
    assert "replicates are few" in shown
    assert "about 100 are needed" in shown


@pytest.mark.parametrize("command", ["calibration", "benefit", "roc"])
def test_a_column_of_words_is_named_once(tmp_path, command, capsys):
    (tmp_path / "w.csv").write_text("y,p,risk\n" + "0,0.1,low\n1,0.8,high\n" * 10)
    assert run([command, str(tmp_path / "w.csv"), "--label", "y", "--score", "p", "--score", "risk"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("trueness: --score risk: ")


@pytest.mark.parametrize("command", ["calibration", "benefit"])
def test_of_two_scores_the_files_have_both_and_their_difference(table, tmp_path, command, capsys):
    numbers, rows, picture = (tmp_path / f"r.{ending}" for ending in ("json", "csv", "svg"))
    files = ["--json", str(numbers), "--csv", str(rows), "--plot", str(picture)]
    asked = [command, table, "--label", "y", "--score", "p", "--score", "q"]
    assert run([*asked, *files, "--report", str(tmp_path / "r.html")]) == 0
    assert "p − q" in json.loads(numbers.read_text(encoding="utf-8"))
    assert "p − q" in set(pd.read_csv(rows)["model"])
    assert "p − q" in "".join(page.read_text(encoding="utf-8") for page in tmp_path.glob("r-*.html"))
    assert picture.exists()
    capsys.readouterr()
    assert run([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out == rows.read_text(encoding="utf-8")
