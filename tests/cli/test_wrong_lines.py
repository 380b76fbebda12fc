"""Forty wrong command lines: exit code 2, a message on standard error, never a traceback."""

import pytest

from trueness.cli.main import run

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
    "roc D --label y --score age --positive sick --costs 5",
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
