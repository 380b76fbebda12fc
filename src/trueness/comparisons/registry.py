"""The tests by name, and what each is for.

To add a test, write a function under `@comparison` that returns a TestResult, and name it in `__init__.py`. The common
checks (tests/comparisons/test_common_checks.py) then run on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from typing import Literal, ParamSpec, TypeVar

import pandas as pd

from trueness.checks import refuses_foreign
from trueness.comparisons import HOMES
from trueness.result import Estimate, TestResult

Given = Literal[
    "scores",  # y, s1, s2: scores of two rules on one test set
    "two sets",  # y1, s1, y2, s2: each rule on its own test set
    "decisions",  # y, p1, p2: predicted classes
    "counts",  # of discordant cases
    "right or wrong",  # (n, k) of 0 and 1
    "values",  # e1, e2: one value per data set
    "table",  # data sets × models
    "splits",  # differences on splits of one data set
    "splits of one model",
    "5x2",  # differences of a 5 × 2-fold cross-validation
    "means",  # mean and SD of two models
    "estimate",  # an Estimate of a difference
]


@dataclass(frozen=True)
class DeclaredTest:
    """A declared test."""

    name: str  # name of the function
    function: Callable[..., TestResult | Estimate]  # the test
    given: Given  # what it takes
    question: str  # what it answers
    sources: tuple[str, ...]  # keys of report/references.bib

    @property
    def returns(self) -> str:
        """Name of the class it returns: a TestResult of some kind, or Estimate."""
        return str(self.function.__annotations__["return"])


P = ParamSpec("P")
T = TypeVar("T", bound=TestResult | Estimate)
_BY_NAME: dict[str, DeclaredTest] = {}


def comparison(given: Given, question: str, *sources: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare a test under the name of its function; `sources` are keys of report/references.bib."""

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def cited(*args: P.args, **kwargs: P.kwargs) -> T:
            out = function(*args, **kwargs)
            return replace(out, sources=sources) if isinstance(out, TestResult) else out

        test = refuses_foreign(cited)
        _BY_NAME[test.__name__] = DeclaredTest(test.__name__, test, given, question, sources)
        return test

    return declare


def tests() -> list[DeclaredTest]:
    """All declared tests, including `split_mean`, which returns an Estimate.

    Returns
    -------
    list of DeclaredTest
    """
    for home in HOMES.values():
        import_module(home)
    return [_BY_NAME[name] for name in HOMES if name in _BY_NAME]


def frame() -> pd.DataFrame:
    """The tests as a table.

    Returns
    -------
    DataFrame
        One row per test: `test`, `given`, `question`, `returns`.
    """
    rows = [{"test": c.name, "given": c.given, "question": c.question, "returns": c.returns} for c in tests()]
    return pd.DataFrame(rows)
