"""trueness help: what it knows, and that messages send readers to something it knows."""

import ast
import re
from pathlib import Path

import pytest

from trueness.cli.main import run

ROOT = Path(__file__).resolve().parents[2]


def said(capsys, *words):
    assert run(["help", *words]) == 0
    return capsys.readouterr().out


def test_contents_list_jobs_guides_and_words(capsys):
    out = said(capsys)
    assert "  roc " in out
    assert "cv+training" in out.partition("\nWords\n")[2]


@pytest.mark.parametrize(
    ("asked", "first", "within"),
    [
        (["cv+training"], "cv+training", "repeated cross-validation"),
        (["mc_se"], "simulation error", "another seed"),
        (["95", "%", "interval"], "interval", "trueness help default-interval"),
        (["few-replicates"], "few-replicates", "trueness help notes"),
        (["l003"], "# L003", "Why it matters"),
        (["checks/L003"], "# L003", "Why it matters"),
        (["balanced_accuracy"], "balanced_accuracy", "trueness help metrics"),
        (["docs/comparison.md"], "# ", "mcnemar"),
        (["calibration"], "calibration", "# Calibration"),
        (["Choosing", "a", "point"], "Pages with", "roc"),
    ],
)
def test_a_term_is_explained(asked, first, within, capsys):
    out = said(capsys, *asked)
    assert out.startswith(first)
    assert within in out


def test_an_unknown_term_is_told_with_the_nearest(capsys):
    assert run(["help", "nadeau-bengjo"]) == 2
    assert "Did you mean 'nadeau-bengio'?" in capsys.readouterr().err


def sent_to():
    """Terms after "trueness help" in messages and on pages."""
    files = [*(ROOT / "src" / "trueness").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r"trueness help ([a-z][\w/+-]*)", text))
    return sorted(found - {"lists", "explains", "and", "shows", "prints"})


@pytest.mark.parametrize("term", sent_to())
def test_terms_that_messages_and_pages_name_are_known(term, capsys):
    assert said(capsys, term)


def test_messages_name_no_file_that_is_not_installed():
    """A reader of a message has `trueness help`, not a folder docs; docstrings are for readers of the source."""
    wrong = []
    for path in (ROOT / "src" / "trueness").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        wrong += [
            f"{path.name}:{n.lineno}"
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
            if re.search(r"docs/[\w-]+\.md|docs/checks", n.value)
        ]
    assert wrong == []
