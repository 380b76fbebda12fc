"""trueness demo: shows two models and their difference, says where it wrote, and leaves files to try commands on."""

import pandas as pd

import trueness
from trueness.cli.main import run


def test_it_says_where_it_wrote(tmp_path, capsys):
    out = tmp_path / "d"
    assert run(["demo", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "is not significant" in shown
    for name in ("lda.html", "logistic.html", "patients.csv", "scores.csv"):
        assert (out / name).exists()
    data, scores = pd.read_csv(out / "patients.csv"), pd.read_csv(out / "scores.csv")
    assert data.shape == (569, 31)
    assert (scores["outcome"] == data["outcome"]).all()
    assert set(scores["left_out"]) == {"cross-validation"}
    assert trueness.roc(scores["outcome"], scores["lda"], positive="malignant").auc.value > 0.98
    assert trueness.roc(scores["outcome"], scores["logistic"], positive="malignant").auc.value > 0.98


def test_what_it_says_next_works(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    lines = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("  trueness ")]
    assert len(lines) == 2
    for line in lines:
        assert run(line) == 0
