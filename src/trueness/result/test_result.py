"""TestResult: the result of a test of two or more models, with its assumptions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

import pandas as pd

from trueness.errors import InputError
from trueness.result.digits import SMALLEST_P, sentence, shown
from trueness.result.estimate import Estimate
from trueness.result.note import Note, sentences
from trueness.result.shown import Cited, Result, json_value
from trueness.result.table import Page, Table
from trueness.typing import Alternative, Record

HYPOTHESES = {
    "less": "first − second < 0",
    "greater": "first − second > 0",
    "equivalent": "|first − second| < margin",
    "not worse": "first not worse than second by the margin",
}

NO_DIFFERENCE = Note("no-difference", "All differences are 0, so the p-value is 1.")


USUAL_ALPHA = 0.05  # of the words; the p-value stands beside them


@dataclass(frozen=True, eq=False, repr=False)
class TestResult(Result, Cited):
    """The result of one test.

    Attributes
    ----------
    test : str
        Its name.
    statistic : float
        The number that is referred to a distribution.
    p_value : float
        Probability of a statistic at least as extreme if there is no difference; 1 for identical inputs, never 0.
    df : float or tuple of float, optional
        Degrees of freedom; a pair for an F.
    alternative : str
        "two-sided", "less" or "greater" for first − second; "equivalent" or "not worse" for tests with a margin.
    difference : Estimate, optional
        first − second, where the test estimates it.
    assumptions : tuple of str
        What must hold for the p-value to be valid, one sentence each.
    notes : tuple of Note
        What these data show that the reader should know.
    sources : tuple of str
        Keys of the literature that `bibtex()` gives.
    """

    __test__: ClassVar[bool] = False  # pytest collects classes by this name

    test: str
    statistic: float
    p_value: float
    df: float | tuple[float, float] | None = None
    alternative: Alternative | Literal["equivalent", "not worse"] = "two-sided"
    difference: Estimate | None = None
    assumptions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    sources: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        p = float(self.p_value)
        if math.isnan(p) or not 0 <= p <= 1 + 1e-9:
            raise InputError(f"{self.test}: the p-value is undefined", got=p)
        object.__setattr__(self, "p_value", min(max(p, SMALLEST_P), 1.0))
        object.__setattr__(self, "statistic", float(self.statistic))

    def noting(self, *notes: Note) -> Self:
        """A copy with these notes added."""
        return replace(self, notes=self.notes + notes)

    def noted(self, code: str) -> Note | None:
        """The first note with this code, or None."""
        return next((n for n in self.notes if n.code == code), None)

    def tables(self) -> tuple[Table, ...]:
        """The numbers, rounded."""
        cells = {"statistic": f"{self.statistic:.4g}", "df": shown_df(self.df), "p": rounded_p(self.p_value)}
        if self.difference is not None:
            d = self.difference
            cells |= {"first − second": shown(d.value, d.se), "std. error": shown(d.se, d.se)}
        cells = {head: cell for head, cell in cells.items() if cell}
        return (Table.of(list(cells), [list(cells.values())]),)

    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered."""
        hypothesis = HYPOTHESES.get(self.alternative)
        title = self.test if hypothesis is None else f"{self.test}. Alternative: {hypothesis}"
        return Page(title, self.answer(), self.tables(), self.notes, assumes(self.assumptions))

    def answer(self) -> str:
        """The difference and the p-value in words."""
        d = self.difference
        said = "" if d is None or not d.has_interval else sentence(d, 1 - USUAL_ALPHA, "First − second:") + " "
        word = "significant" if self.p_value < USUAL_ALPHA else "not significant"
        return f"{said}p {equal_p(self.p_value)}, {word} at level {USUAL_ALPHA:g}."

    def _named(self) -> list[tuple[str, Estimate]]:
        return [] if self.difference is None else [("difference", self.difference)]

    def flat(self) -> dict[str, float]:
        """Numbers by name, for MLflow, W&B and the like: "p", "statistic", "difference", "difference.se", …"""
        numbers = {"p": self.p_value, "statistic": self.statistic}
        return {name: x for name, x in numbers.items() if math.isfinite(x)} | super().flat()

    def row(self) -> Record:
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
            "notes": sentences(self.notes),
        }

    def frame(self) -> pd.DataFrame:
        """The result as a table with one row."""
        return pd.DataFrame([self.row()])

    def to_dict(self) -> Record:
        """What JSON can hold: undefined and infinite numbers are None."""
        out = {k: json_value(v) for k, v in self.row().items()}
        out["df"] = [json_value(v) for v in self.df] if isinstance(self.df, tuple) else json_value(self.df)
        out["difference"] = None if self.difference is None else self.difference.to_dict()
        out["assumptions"], out["notes"] = list(self.assumptions), [n.to_dict() for n in self.notes]
        return out


def assumes(assumptions: tuple[str, ...]) -> str:
    """One line per assumption."""
    return "\n".join(f"Assumes: {a}" for a in assumptions)


def equal_p(p: float) -> str:
    """ "= 0.031", "< 0.0001"."""
    text = rounded_p(p)
    return text if text.startswith("<") else f"= {text}"


def rounded_p(p: float) -> str:
    """A p-value in a table: "0.031", "< 0.0001"."""
    if p < 1e-4:
        return "< 0.0001"
    return f"{p:.2g}" if p < 0.0995 else f"{p:.2f}"


def shown_p(p: float) -> str:
    """A p-value in a sentence: "p = 0.031", "p < 0.0001"."""
    return f"p {equal_p(p)}"


def shown_df(df: float | tuple[float, float] | None) -> str:
    """Degrees of freedom: "3", "3 and 39", or nothing."""
    if df is None:
        return ""
    return " and ".join(f"{v:.4g}" for v in (df if isinstance(df, tuple) else (df,)))
