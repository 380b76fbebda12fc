"""TestResult: what a test of two or more models answers, with what it takes for granted."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

from karat.errors import InputError
from karat.result.digits import with_se
from karat.result.estimate import Estimate, json_value

SMALLEST = sys.float_info.min  # a p-value that rounds to 0 is shown as this: no test can prove the impossible

IDENTICAL = "The two inputs are the same in every case."  # the one way in which a standard error of 0 is right

ALTERNATIVES = {"two-sided": "differ", "less": "first − second < 0", "greater": "first − second > 0"}


@dataclass(frozen=True, eq=False)
class TestResult:
    """The answer of one test.

    Attributes
    ----------
    test
        Its name.
    statistic
        The number that is referred to a distribution.
    p_value
        Probability, if there were no difference, of a statistic at least as extreme; 1 for identical
        inputs, never 0.
    df
        Degrees of freedom, or None; a pair for an F.
    alternative
        "two-sided", "less" or "greater": what first − second is suspected to be.
    difference
        first − second as an Estimate, with an interval that can be asked for; None where the test has none.
    assumptions
        What must hold for the p-value to mean anything, one plain sentence each.
    notes
        What was seen in these data that the reader should know.
    """

    __test__: ClassVar[bool] = False  # not a class of tests, whatever its name says

    test: str
    statistic: float
    p_value: float
    df: float | tuple[float, float] | None = None
    alternative: str = "two-sided"
    difference: Estimate | None = None
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        p = float(self.p_value)
        if math.isnan(p) or not 0 <= p <= 1 + 1e-9:
            raise InputError(f"{self.test}: no p-value can be given", got=p)
        object.__setattr__(self, "p_value", min(max(p, SMALLEST), 1.0))
        object.__setattr__(self, "statistic", float(self.statistic))

    def __str__(self) -> str:
        df = "" if self.df is None else f", df = {_numbers(self.df)}"
        side = "" if self.alternative == "two-sided" else f" ({ALTERNATIVES.get(self.alternative, self.alternative)})"
        lines = [f"{self.test}: statistic = {self.statistic:.4g}{df}, {shown_p(self.p_value)}{side}"]
        if self.difference is not None:
            lines.append(f"first − second: {with_se(self.difference.value, self.difference.se)}")
        lines += [f"It takes for granted: {a}" for a in self.assumptions]
        return "\n".join(lines + [f"Note: {n}" for n in self.notes])

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        d = self.difference
        return {
            "test": self.test,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "alternative": self.alternative,
            "difference": None if d is None else d.value,
            "se": None if d is None else d.se,
            "notes": " ".join(self.notes),
        }

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: undefined and infinite numbers are None."""
        out = {k: json_value(v) for k, v in self.row().items()}
        out["df"] = [json_value(v) for v in self.df] if isinstance(self.df, tuple) else json_value(self.df)
        out["difference"] = None if self.difference is None else self.difference.to_dict()
        out["assumptions"], out["notes"] = list(self.assumptions), list(self.notes)
        return out

    def _repr_html_(self) -> str:
        return "<br>".join(escape(str(self)).split("\n"))


def shown_p(p: float) -> str:
    """A p-value as a reader wants it: "p = 0.031", "p < 0.0001"."""
    if p < 1e-4:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p < 0.0995 else f"p = {p:.2f}"


def _numbers(df: float | tuple[float, float]) -> str:
    return " and ".join(f"{v:.4g}" for v in (df if isinstance(df, tuple) else (df,)))
