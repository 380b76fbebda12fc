"""The glossary: every head of a table has a line or speaks for itself, and every line is of use."""

import ast
import re
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness
from trueness.estimators import registry
from trueness.result import glossary

ROOT = Path(__file__).resolve().parents[2]
PLAIN = re.compile(  # heads with one of these words need no explanation
    r"\b(target|parameter|truth|class|source|variance|record|time|event|score|asked|model|label|misclassified|group|site|"
    r"segment|elsewhere|feature|times|item|topic|question|bias|system|reader|pair|result|claim|run|plan|begun|failed|cell|"
    r"what|note|found|of|predicted|observed|promise|criterion|power|readers|cases|largest|median|resamples|assessment|add|"
    r"compared|range|row|trials|test|training|outcome|known|from|to|quantity|rate|wanted|minus|positive|negative|"
    r"level|half-width)\b"
)


def heads():
    """Texts in the first argument of Table or Column, or in what is assigned to heads."""
    found = set()
    for path in (ROOT / "src" / "trueness").rglob("*.py"):
        if "studies" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            of = None
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("heads", "pair_heads", "more"):
                of = node.value
            elif isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") == "Table":
                of = node.args[0]
            elif isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") == "Column":
                of = ast.List(node.args[:1])  # with {fields} it has names of the user's
            if isinstance(of, (ast.Tuple, ast.List)):
                found |= {(path.name, c.value) for c in of.elts if isinstance(c, ast.Constant)}
    return found


def test_every_head_is_explained_or_plain():
    found = heads()
    assert len(found) > 80
    missing = [
        (file, head)
        for file, head in sorted(found)
        if head.strip("0123456789 %")
        and "{" not in head
        and glossary.word(head) is None
        and not PLAIN.search(head.lower())
    ]
    assert missing == []


@pytest.mark.parametrize("name", sorted({str(e.name) for e in registry.ESTIMATORS}))
def test_every_estimator_is_explained(name):
    assert glossary.word(name).name == name


def test_spellings_and_places_are_unique():
    rows = glossary.ROW.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    spelled = [s.lower() for name, also, _ in rows for s in (name, *filter(None, also.split("; ")))]
    assert sorted(spelled) == sorted(set(spelled))
    assert len({*glossary.words().values()}) == len(rows) >= 100
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\| \*\*", page, flags=re.MULTILINE)) == len(rows)


def test_heads_of_html_tables_say_what_they_mean():
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(
        LinearDiscriminantAnalysis(), X[50:], y[50:], metrics="error", rng=0, plan=trueness.KFold(5), checks=False
    )
    assert '<abbr title="Standard error: ' in a._repr_html_()
    assert '<abbr title="Standard error: ' in a.report()
