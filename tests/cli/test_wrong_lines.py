"""Forty wrong command lines: exit code 2, a message on standard error, never a traceback."""

import pytest

from trueness.cli.main import run
from trueness.fitting.models import MODELS, OTHER_NAMES

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

LINES = [
    "",
    "assess",
    "assess D",
    "assess D --target",
    "assess nowhere.csv --target y",
    "assess . --target y",
    "assess D --target nothing",
    "assess D --target age --kind classification",
    "assess D --target y",
    "assess D --target y --positive ill",
    "assess D --target y --positive sick --model",
    "assess D --target y --positive sick --model deep",
    "assess D --target y --positive sick --model knn:x",
    "assess D --target y --positive sick --model os:system",
    "assess D --target y --positive sick --metric speed",
    "assess D --target y --positive sick --plan 10",
    "assess D --target y --positive sick --plan kfold:x",
    "assess D --target y --positive sick --plan kfold:1000",
    "assess D --target y --positive sick --level 0",
    "assess D --target y --positive sick --level much",
    "assess D --target y --positive sick --jobs 0",
    "assess D --target y --positive sick --seed -5",
    "assess D --target y --positive sick --seed one",
    "assess D --target y --positive sick --groups y",
    "assess D --target y --positive sick --drop y",
    "assess D --target y --positive sick --drop age --drop dose --drop site --drop patient",
    "assess D --target y --positive sick --format yaml",
    "assess D --target y --positive sick --report r.pdf",
    "assess D --target y --positive sick --json /nowhere/r.json",
    "assess D --target y --positive sick --json D",
    "assess D D --target y",
    "compare D --target y --model lda",
    "compare D --target y --positive sick --model lda --model lda",
    "compare D --target y --positive sick --model lda --model qda --margin -1",
    "compare D --target y --positive sick --model lda --model qda --method best",
    "roc D --label y",
    "roc D --label y --score site --positive sick",
    "roc D --label y --score age --positive sick --best nothing",
    "roc D --label y --score age --positive sick --partial-auc specificity=1,0.9",
    "roc D --label y --score age --positive sick --band wide",
    "diagnose --tp 1",
    "diagnose --tp -1 --fn 2 --fp 3 --tn 4",
    "two-sets D D --target y",
    "size auc --value 2",
    "check D --target y --ignore K999",
    "verify nowhere",
    "runs nowhere.db",
    "study nothing",
    "",
][1:-1]


@pytest.mark.parametrize("line", LINES)
def test_a_wrong_line_is_a_message(line, table, capsys):
    assert run([str(table) if word == "D" else word for word in line.split()]) == 2
    said = capsys.readouterr().err
    assert said.strip()
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("roc D --response y --score s", "It is called --label"),
        ("roc D --label y --predictor s", "It is called --score"),
        ("assess D --outcome y", "It is called --target"),
        ("assess D --y y", "It is called --target"),
        ("validate D --target y --B 30", "It is called --replicates"),
        ("assess D --target y --cv 5", "It is called --plan, e.g. --plan kfold:5"),
        ("assess D --target y --ignore age", "It is called --drop"),
        ("assess D --target y --model rf", "It is called forest here"),
        ("assess D --target y --model glm", "It is called logit here"),
    ],
)
def test_options_and_models_of_other_programs_are_named(line, words, table, capsys):
    assert run([str(table) if word == "D" else word for word in line.split()]) == 2
    assert words in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_names_of_other_programs_lead_to_models_that_exist():
    assert set(OTHER_NAMES.values()) <= set(MODELS)
    assert not set(OTHER_NAMES) & set(MODELS)


@pytest.mark.parametrize(("label", "advice"), [("age", ""), ("patient", "; of codes of classes name one, e.g. ")])
def test_a_score_as_the_label_is_called_so(label, advice, table, capsys):
    assert run(["roc", str(table), "--label", label, "--score", "dose", "--drop-missing"]) == 2
    said = capsys.readouterr().err
    assert f"--label {label}: This column looks like a score, not like an outcome." in said
    assert f"Name the column with the outcome{advice or '.'}" in said


def test_without_a_terminal_no_passphrase_is_asked_for(table, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("TRUENESS_PASSPHRASE", raising=False)
    monkeypatch.setattr("trueness.cli.data._has_terminal", lambda: False)
    assert run(["seal", str(table), "--target", "y", "--out", str(tmp_path / "s"), "--quiet"]) == 2
    shown = capsys.readouterr()
    assert "There is no terminal to ask for the passphrase. Use --key-file FILE" in shown.err
    assert not shown.out


def test_an_error_about_the_file_names_it(capsys, tmp_path):
    (tmp_path / "logs").mkdir()
    assert run(["compare-systems", str(tmp_path / "logs")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"trueness: {tmp_path / 'logs'}: There are no logs")
