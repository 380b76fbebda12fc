"""SampleSize: how many cases a study needs, and what that number assumes."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

from trueness.result.shown import Result, json_value
from trueness.result.table import Page
from trueness.result.test_result import assumes
from trueness.typing import Record


@dataclass(frozen=True, repr=False)
class SampleSize(Result):
    """How many cases a study needs.

    Attributes
    ----------
    goal : str
        What the cases are for.
    n : int
        All cases; per test set where there are two.
    n_positive, n_negative : int, optional
        Cases of each class, where classes matter.
    power : float, optional
        Probability of detecting the difference; None where an interval was asked for.
    half_width : float, optional
        Half the length of the interval; None where a power was asked for.
    level : float
        Level of the interval, or 1 − α of the test.
    assumptions : tuple of str
        What the number rests on.
    """

    goal: str
    n: int
    n_positive: int | None = None
    n_negative: int | None = None
    power: float | None = None
    half_width: float | None = None
    level: float = 0.95
    assumptions: tuple[str, ...] = ()

    def page(self, level: float | None = None) -> Page:
        """What is shown, before it is rendered."""
        parts = "" if self.n_positive is None else f" ({self.n_positive} positive, {self.n_negative} negative)"
        reached = f"power {self.power:.3f}" if self.power is not None else f"half-width {self.half_width:.4f}"
        answer = f"{self.goal}: {self.n} cases{parts}, {reached} at level {self.level:g}"
        return Page(answer=answer, footer=assumes(self.assumptions))

    def frame(self) -> pd.DataFrame:
        """The result as a table with one row."""
        return pd.DataFrame([self.to_dict()]).drop(columns="assumptions")

    def to_dict(self) -> Record:
        """What JSON can hold."""
        return {k: json_value(v) for k, v in asdict(self).items()} | {"assumptions": list(self.assumptions)}
