"""trueness calibration and trueness benefit."""

import json

import numpy as np
import pytest
from scipy.special import expit

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
    assert {e["metric"] for e in found["estimates"]} >= {"calibration_slope", "ici", "brier"}
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_benefit(table, tmp_path, capsys):
    assert run(["benefit", table, "--label", "y", "--score", "p", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["useful"]["p"]
    assert run(["benefit", table, "--label", "y", "--score", "p", "--score", "q", "--prevalence", "0.3"]) == 0
    shown = capsys.readouterr().out
    assert "p: worth using for thresholds" in shown
    assert "Net benefit: p − q" in shown


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
