"""Names of the tests, and what each is for. A new test is one file: a function under `@comparison`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd


@dataclass(frozen=True)
class Comparison:
    """A declared test.

    Attributes
    ----------
    given
        What it is given: "scores", "two sets" (scores of different cases), "decisions", "values"
        (one a data set), "splits", "table" (data sets × models), "estimate" …
    question
        What it answers.
    """

    name: str
    function: Callable[..., Any]
    given: str
    question: str

    @property
    def returns(self) -> str:
        """The name of what it returns: a TestResult of some kind, or an Estimate."""
        return str(self.function.__annotations__["return"])


Function = TypeVar("Function", bound=Callable[..., Any])
_BY_NAME: dict[str, Comparison] = {}


def comparison(given: str, question: str) -> Callable[[Function], Function]:
    """Declare a test under the name of its function."""

    def declare(function: Function) -> Function:
        _BY_NAME[function.__name__] = Comparison(function.__name__, function, given, question)
        return function

    return declare


def tests() -> list[Comparison]:
    """Every test there is, and the estimate of k splits that papers use as one (`returns` is "Estimate")."""
    return list(_BY_NAME.values())


def frame() -> pd.DataFrame:
    """The tests as a table: name, what it is given, what it answers, what it returns."""
    rows = [{"test": c.name, "given": c.given, "question": c.question, "returns": c.returns} for c in tests()]
    return pd.DataFrame(rows)
