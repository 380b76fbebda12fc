"""Answers of the rank tests: the ranks belong to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from karat.result.estimate import json_value
from karat.result.test_result import TestResult, _numbers, shown_p


def _by_name(ranks: pd.Series) -> dict[str, float]:
    return {str(name): float(rank) for name, rank in ranks.items()}


def _listed(ranks: pd.Series) -> str:
    """Mean ranks, best first."""
    return ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.sort_values(kind="stable").items())


@dataclass(frozen=True, eq=False)
class FriedmanResult(TestResult):
    """Friedman's χ² with Iman and Davenport's F beside it.

    Attributes
    ----------
    ranks
        Mean rank of each model over the data sets; 1 is the best.
    f_statistic, f_df, f_p_value
        Iman and Davenport's F (1980): less conservative than χ² where there are few data sets, and rather too ready
        to reject; with few the p-value is the exact one of the permutations instead (a note says so).
    """

    ranks: pd.Series = field(default_factory=pd.Series, repr=False)
    f_statistic: float = 0.0
    f_df: tuple[float, float] = (0.0, 0.0)
    f_p_value: float = 1.0

    def __str__(self) -> str:
        first, *rest = super().__str__().split("\n")
        f = f"F = {self.f_statistic:.4g}, df = {_numbers(self.f_df)}, {shown_p(self.f_p_value)}"
        return "\n".join([first, f"Iman and Davenport: {f}", f"Mean ranks: {_listed(self.ranks)}", *rest])

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            "f_statistic": json_value(self.f_statistic),
            "f_df": list(self.f_df),
            "f_p_value": self.f_p_value,
            "ranks": _by_name(self.ranks),
        }


@dataclass(frozen=True, eq=False)
class PosthocResult(TestResult):
    """All pairs of models after Friedman's test.

    Attributes
    ----------
    ranks
        Mean rank of each model; 1 is the best.
    p_values
        A table models × models, adjusted as the test says.
    critical_difference
        Nemenyi: two mean ranks that are further apart differ at `level`.
    """

    ranks: pd.Series = field(default_factory=pd.Series, repr=False)
    p_values: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    critical_difference: float | None = None
    level: float = 0.95

    def groups(self) -> list[list[str]]:
        """Runs of models, best first, within which no pair differs at `level`; a run inside another is left out."""
        names = self.ranks.sort_values(kind="stable").index.tolist()
        runs: list[list[str]] = []
        for i in range(len(names)):
            j = i
            while j + 1 < len(names) and self._alike(names[i : j + 2]):
                j += 1
            if j > i and not (runs and names[j] in runs[-1]):
                runs.append(names[i : j + 1])
        return runs

    def _alike(self, names: list[str]) -> bool:
        if self.critical_difference is not None:
            gap = abs(self.ranks[names[-1]] - self.ranks[names[0]])
            return bool(gap <= self.critical_difference + 1e-9)  # means of ranks are rounded
        return bool((self.p_values.loc[names, names] >= 1 - self.level).all(axis=None))

    def frame(self) -> pd.DataFrame:
        """A row a pair: first, second, difference of the mean ranks, p_value."""
        names = self.p_values.columns.tolist()
        return pd.DataFrame(
            [
                {
                    "first": a,
                    "second": b,
                    "rank_difference": self.ranks[a] - self.ranks[b],
                    "p_value": self.p_values.loc[a, b],
                }
                for i, a in enumerate(names)
                for b in names[i + 1 :]
            ]
        )

    def __str__(self) -> str:
        first, *rest = super().__str__().split("\n")
        cd = self.critical_difference
        width = [] if cd is None else [f"Critical difference at {self.level:.0%}: {cd:.4g}"]
        pairs = [
            f"{row.first} − {row.second}: {row.rank_difference:.4g}, {shown_p(row.p_value)}"
            for row in self.frame().dropna().itertuples()
        ]
        return "\n".join([first, f"Mean ranks: {_listed(self.ranks)}", *width, *pairs, *rest])

    def to_dict(self) -> dict[str, Any]:
        rows = self.frame().to_dict("records")
        return {
            **super().to_dict(),
            "ranks": _by_name(self.ranks),
            "pairs": [{str(name): json_value(value) for name, value in row.items()} for row in rows],
            "critical_difference": self.critical_difference,
            "level": self.level,
        }

    def plot(self, ax: Any = None) -> Any:
        """The critical-difference diagram."""
        from karat.plots.critical_difference import CriticalDifferenceDisplay

        return CriticalDifferenceDisplay(self).plot(ax)


@dataclass(frozen=True, eq=False)
class BayesResult(TestResult):
    """Posterior probabilities that the first is lower, practically the same, or higher.

    Attributes
    ----------
    probabilities
        {"left": P(first − second < −rope), "rope": P(within ± rope), "right": P(> rope)}.
    rope
        Half-width of the region of practical equivalence.
    """

    probabilities: dict[str, float] = field(default_factory=dict)
    rope: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "probabilities": dict(self.probabilities), "rope": self.rope}
