"""The tables of docs/appendix/diagnostic.md are those that the program prints."""

import importlib.util
import re
from pathlib import Path

import pytest

from trueness.formulas.proportions import METHODS
from trueness.metrics import resolve
from trueness.tables import MEASURES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "appendix" / "diagnostic.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("proportion_coverage", ROOT / "docs/programs/proportion_coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n", [10, 30, 100, 1000])
def test_coverage_by_exact_summation(program, n):
    lines = program.proportions(n)
    assert "\n".join(lines) in PAGE
    rows = {
        c[0]: [float(v) for v in c[1:]] for c in ([p.strip() for p in line.strip("|").split("|")] for line in lines[2:])
    }
    assert list(rows) == list(METHODS)
    assert rows["exact"][1] >= 0.95  # least
    assert rows["wald"][0] < rows["wilson"][0]  # mean
    for method in ("wilson", "jeffreys", "uniform", "likelihood"):
        assert rows[method][0] == pytest.approx(0.95, abs=0.006)
    assert rows["exact"][-1] == max(v[-1] for v in rows.values())  # the longest


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 40])
def test_coverage_of_the_other_measures(program, n):
    assert "\n".join(program.measures(n)) in PAGE


def test_every_measure_and_alias_stands_in_the_page():
    page = (ROOT / "docs" / "diagnostic.md").read_text(encoding="utf-8")
    for m in MEASURES.values():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{m.name}` |"))
        metric = resolve(m.name)
        for alias in (metric.title, *metric.aliases.split(", ")):
            assert alias in row
    said = page.lower()
    for name in (
        "sensitivity",
        "specificity",
        "recall",
        "precision",
        "miss rate",
        "fall-out",
        "false discovery",
        "informedness",
    ):
        assert name in said
    assert not re.search(r"fpf.*miss rate", PAGE)  # the miss rate is the FNF
