"""Names of the source: one name, one thing."""

import ast
from collections import defaultdict
from pathlib import Path

import trueness

SOURCE = Path(trueness.__file__).parent


def test_no_two_classes_have_the_same_name():
    homes = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
