"""The table of estimators by plan in docs/api/parts.md is what the registry offers, in its order; bold has a standard error.
An estimator that stands in no row may be left out; one that stands in a row stands in all that offer it."""

import re
from pathlib import Path

import pytest

from trueness import plans
from trueness.estimators.method import WITHIN
from trueness.estimators.registry import available
from trueness.metrics import AUC, Error

PAGE = (Path(__file__).parents[2] / "docs" / "api" / "parts.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| plan | estimators of a loss")[2].partition("\n\n")[0]
ROWS = [line.strip("| ").split(" | ") for line in TABLE.splitlines()[2:]]
LISTED = set(re.findall(r"[\w+]+", " ".join(cell for row in ROWS for cell in row[1:])))


def written(cell):
    """Names in the order of the cell, and whether each is bold."""
    parts = re.sub(r"\([^)]*\)", "", cell).split(",")
    return {part.strip(" *"): "**" in part for part in parts if "those of" not in part}


def offered(kind, metric):
    """Listed names that the registry offers, and whether they have a standard error; of a plan with parts those that
    need all."""
    parts = set(WITHIN.get(kind, ())) - {kind}
    found = (e for e in available(kind, metric) if e.name in LISTED and e.method.kinds.isdisjoint(parts))
    return {str(e.name): e.se[0] != "none" for e in found}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_table_is_that_of_the_registry(row):
    plan, of_a_loss, of_the_auc = row
    chosen = re.search(r"`(\w+)\(", plan)[1]
    kind = getattr(plans, chosen).kind
    assert list(written(of_a_loss).items()) == list(offered(kind, Error()).items())
    known = offered(kind, AUC())
    if kind == "cv":  # pooled scores of several rules have a standard error only where it is asked for …
        known["cv_pooled"] = False
        if chosen == "MonteCarlo":  # … and random splits do not test every case once, so that there is no pool
            del known["cv_pooled"]
    assert list(written(of_a_loss if of_the_auc == "the same" else of_the_auc).items()) == list(known.items())
