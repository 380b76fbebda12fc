"""Results of tests that hold more than a statistic: mean ranks, pairs of models, posterior probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from trueness.result.shown import Drawn, records
from trueness.result.table import Table
from trueness.result.test_result import USUAL_ALPHA, TestResult, equal_p, rounded_p, shown_df
from trueness.typing import Record


def _by_name(ranks: pd.Series) -> dict[str, float]:
    return {str(name): float(rank) for name, rank in ranks.items()}


def _rank_table(ranks: pd.Series, title: str = "") -> Table:
    """Mean ranks, best first."""
    best_first = ranks.sort_values(kind="stable").items()
    return Table.of(["model", "mean rank"], [[str(name), f"{rank:.2f}"] for name, rank in best_first], title)


@dataclass(frozen=True, eq=False, repr=False)
class FriedmanResult(TestResult):
    """Friedman's χ² and Iman and Davenport's F.

    Attributes
    ----------
    ranks : Series
        Mean rank of each model over the data sets; 1 is the best.
    f_statistic, f_df, f_p_value
        Iman and Davenport's F (1980), which is less conservative than χ² with few data sets. Where all permutations
        can be counted, `f_p_value` is the exact one instead (a note says so).
    """

    ranks: pd.Series = field(default_factory=pd.Series)
    f_statistic: float = 0.0
    f_df: tuple[float, float] = (0.0, 0.0)
    f_p_value: float = 1.0

    def tables(self) -> tuple[Table, ...]:
        rows = [
            ["χ²", f"{self.statistic:.4g}", shown_df(self.df), rounded_p(self.p_value)],
            ["Iman–Davenport F", f"{self.f_statistic:.4g}", shown_df(self.f_df), rounded_p(self.f_p_value)],
        ]
        return Table.of(["", "statistic", "df", "p"], rows), _rank_table(self.ranks)

    def answer(self) -> str:
        best = str(self.ranks.idxmin())
        differ = "the models differ" if self.f_p_value < USUAL_ALPHA else "no difference between the models is shown"
        return (
            f"{best} has the best mean rank, {self.ranks.min():.2f}; {differ} at level {USUAL_ALPHA:g} "
            f"(F test, p {equal_p(self.f_p_value)})."
        )

    def row(self) -> Record:
        return {
            **super().row(),
            "f_statistic": self.f_statistic,
            "f_df": self.f_df,
            "f_p_value": self.f_p_value,
        }

    def to_dict(self) -> Record:
        return {**super().to_dict(), "f_df": list(self.f_df), "ranks": _by_name(self.ranks)}


@dataclass(frozen=True, eq=False, repr=False)
class PosthocResult(TestResult, Drawn):
    """All pairs of models after Friedman's test. `plot()` draws the critical-difference diagram.

    Attributes
    ----------
    ranks : Series
        Mean rank of each model; 1 is the best.
    p_values : DataFrame
        Models × models, adjusted as the name of the test says.
    critical_difference : float, optional
        Nemenyi: two models whose mean ranks are further apart differ at `level`.
    level : float
        Confidence level of `critical_difference` and `groups`.
    """

    ranks: pd.Series = field(default_factory=pd.Series)
    p_values: pd.DataFrame = field(default_factory=pd.DataFrame)
    critical_difference: float | None = None
    level: float = 0.95

    def groups(self) -> list[list[str]]:
        """Maximal runs of models, best first, within which no pair differs at `level`."""
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
            return bool(gap <= self.critical_difference + 1e-9)  # mean ranks are rounded
        return bool((self.p_values.loc[names, names] >= 1 - self.level).all(axis=None))

    def answer(self) -> str:
        best = self.ranks.idxmin()
        worse = [str(name) for name in self.ranks.sort_values(kind="stable").index if not self._alike([best, name])]
        shown = f"it differs from {', '.join(worse)}" if worse else "no other model differs from it"
        return f"{best} has the best mean rank, {self.ranks.min():.2f}; {shown} at level {1 - self.level:.2g}."

    def frame(self) -> pd.DataFrame:
        """One row per pair: `first`, `second`, `rank_difference`, `p_value`."""
        names = self.p_values.columns.tolist()
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        return pd.DataFrame(
            {
                "first": [a for a, _ in pairs],
                "second": [b for _, b in pairs],
                "rank_difference": [self.ranks[a] - self.ranks[b] for a, b in pairs],
                "p_value": [self.p_values.loc[a, b] for a, b in pairs],
            }
        )

    def tables(self) -> tuple[Table, ...]:
        cd = self.critical_difference
        title = "" if cd is None else f"Critical difference at level {self.level:g}: {cd:.4g}"
        pairs = [
            [f"{row.first} − {row.second}", f"{row.rank_difference:.4g}", rounded_p(row.p_value)]
            for row in self.frame().dropna().itertuples()
        ]
        return *super().tables(), _rank_table(self.ranks, title), Table.of(["pair", "rank difference", "p"], pairs)

    def to_dict(self) -> Record:
        return {
            **super().to_dict(),
            "ranks": _by_name(self.ranks),
            "pairs": records(self.frame()),
            "critical_difference": self.critical_difference,
            "level": self.level,
        }


@dataclass(frozen=True, eq=False, repr=False)
class BayesResult(TestResult):
    """Posterior probabilities that the first is lower, practically the same, or higher.

    Attributes
    ----------
    probabilities : dict
        {"left": P(first − second < −rope), "rope": P(within ± rope), "right": P(> rope)}.
    rope : float
        Half-width of the region of practical equivalence.
    """

    probabilities: dict[str, float] = field(default_factory=dict)
    rope: float = 0.0

    def answer(self) -> str:
        lower, same, higher = self.probabilities.values()
        return (
            f"The first is lower with probability {lower:.3f}, higher with probability {higher:.3f}, and practically "
            f"the same (within ± {self.rope:g}) with probability {same:.3f}."
        )

    def flat(self) -> dict[str, float]:
        """As of any test, with "probability.left", "probability.rope" and "probability.right"."""
        return super().flat() | {f"probability.{name}": float(p) for name, p in self.probabilities.items()}

    def tables(self) -> tuple[Table, ...]:
        shares = [f"{p:.3f}" for p in self.probabilities.values()]
        title = f"Posterior probabilities, region of practical equivalence ± {self.rope:g}"
        heads = ("first lower", "practically the same", "first higher")
        return *super().tables(), Table.of(heads, [shares], title)

    def to_dict(self) -> Record:
        return {**super().to_dict(), "probabilities": dict(self.probabilities), "rope": self.rope}
