"""trueness help: pages, and that messages send readers to pages that exist."""

import re
from pathlib import Path

import pytest

from trueness.cli.main import run

ROOT = Path(__file__).resolve().parents[2]


def said(capsys, *words):
    assert run(["help", *words]) == 0
    return capsys.readouterr().out


def test_pages_are_listed_and_each_is_shown(capsys):
    listed = said(capsys)
    for name in ("roc", "jobs/churn", "checks/L003"):
        assert re.search(rf"^{name} ", listed, re.MULTILINE)
        assert said(capsys, name).startswith("# ")


def test_a_page_is_named_without_its_folder_and_a_word_is_explained(capsys):
    assert said(capsys, "l003") == said(capsys, "checks/L003")
    assert "repeated cross-validation" in said(capsys, "cv+training")


def test_an_unknown_page(capsys):
    assert run(["help", "blorp"]) == 2
    assert "trueness help lists them" in capsys.readouterr().err


def sent_to():
    """Terms after "trueness help" in messages and on pages."""
    files = [*(ROOT / "src" / "trueness").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = set(re.findall(r"trueness help ([a-z][\w/+-]*)", text))
    return sorted(found - {"lists", "explains", "and", "shows", "prints"})


@pytest.mark.parametrize("term", sent_to())
def test_terms_that_messages_and_pages_name_are_known(term, capsys):
    assert said(capsys, term)
