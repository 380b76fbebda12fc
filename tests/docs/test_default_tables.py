"""The tables of the default interval's pages are those that its program prints from the kept results."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.append(str(DOCS / "programs"))

import default_tables  # noqa: E402


def test_tables_on_pages_are_those_of_the_kept_results():
    for page in default_tables.PAGES:
        text = page.read_text(encoding="utf-8")
        assert default_tables.MARK.search(text)
        assert default_tables.filled(text) == text


def test_kept_results_are_small():
    assert sum(path.stat().st_size for path in default_tables.RESULTS.iterdir()) < 4_000_000
