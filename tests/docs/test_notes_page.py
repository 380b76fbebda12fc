"""docs/notes.md lists every code that a Note in the library can have, and no other."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def codes_in_source():
    """First arguments of all calls of Note(...) that are written as text."""
    found = set()
    for path in (ROOT / "src" / "trueness").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Note" and node.args:
                assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: a code must be a plain text"
                found.add(node.args[0].value)
    return found


def test_every_code_has_one_line_in_the_docs():
    page, _, _ = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8").partition("## How often they show")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", page, flags=re.MULTILINE)
    assert len(listed) == len(set(listed)), "a code is listed twice"
    assert codes_in_source() == set(listed)
