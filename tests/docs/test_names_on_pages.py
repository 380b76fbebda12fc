"""Every metric and test, and every estimator with a standard error, is named where a reader looks for it."""

import re
from pathlib import Path

import pytest

from trueness import comparisons
from trueness.estimators import registry
from trueness.metrics import names

ROOT = Path(__file__).resolve().parents[2]
WITH_SE = sorted({e.name for e in registry.ESTIMATORS if set(e.se) - {"none"}})


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WITH_SE)
def test_estimators_with_a_standard_error(name):
    word = re.compile(rf"(?<![\w+]){re.escape(name)}(?![\w+])")
    assert word.search(page("docs/standard-errors.md"))


@pytest.mark.parametrize("name", names())
def test_metrics(name):
    assert f"`{name}`" in page("docs/metrics.md")


@pytest.mark.parametrize("test", comparisons.tests(), ids=lambda t: t.name)
def test_comparisons(test):
    assert f"`{test.name}`" in page("docs/comparison.md")
