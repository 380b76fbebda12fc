"""docs/notes.md has the catalogue of notes, and every note in the code is in it."""

import ast
import runpy
from pathlib import Path
from string import Formatter

from trueness.result.notes import CATALOGUE, KINDS

ROOT = Path(__file__).resolve().parents[2]


def calls():
    """Code and names of the fields of every Note in the code."""
    for path in (ROOT / "src" / "trueness").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Note"
            if named and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, {keyword.arg for keyword in node.keywords}


def test_the_page_has_the_catalogue():
    program = runpy.run_path(str(ROOT / "docs" / "programs" / "notes_table.py"))
    assert program["table"]() in (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
    assert len(KINDS) == len(CATALOGUE)


def test_every_note_is_of_a_kind_and_has_its_fields():
    for code, given in calls():
        if code not in KINDS:  # yet to come
            continue
        needed = {name.split("[")[0] for _, name, _, _ in Formatter().parse(KINDS[code].text) if name}
        assert None in given or needed <= given, code
