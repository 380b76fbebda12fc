"""TestResult: the result of a test of two or more models, with its assumptions; tests that hold more than a statistic
(mean ranks, pairs of models, posterior probabilities); SampleSize."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Literal

import pandas as pd

from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, Line, Mark, Panel, Text, forest
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result, Table, tidy
from trueness.result.words import SMALLEST_P, sentence
from trueness.result.words import equal_p as equal_p
from trueness.result.words import p_between as p_between
from trueness.result.words import rounded_p as rounded_p
from trueness.result.words import shown_df as shown_df
from trueness.result.words import shown_p as shown_p
from trueness.typing import Alternative, Record

HYPOTHESES = {
    "less": "{0} − {1} < 0",
    "greater": "{0} − {1} > 0",
    "equivalent": "|{0} − {1}| < margin",
    "not worse": "{0} not worse than {1} by the margin",
}

NO_DIFFERENCE = Note("no-difference")


UNNAMED = ("first", "second")
USUAL_ALPHA = 0.05  # of the words; the p-value stands beside them


@dataclass(frozen=True, eq=False, repr=False)
class TestResult(Result, Drawn, Cited):
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
    p_range : (float, float), optional
        The p-values of 95 % of other seeds on the same cases, where folds or samples were drawn and it is known.
    names : (str, str)
        What is compared, in words; "first" and "second" where it has no names.
    bound : float, optional
        Of a test of non-inferiority, what first − second is shown to be above, −margin, or below, where a lower value is
        better, the margin.
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
    p_range: tuple[float, float] | None = field(default=None, kw_only=True)
    names: tuple[str, str] = field(default=UNNAMED, kw_only=True)
    bound: float | None = field(default=None, kw_only=True)
    columns: ClassVar[Columns] = {
        "test": Column(""),
        "statistic": Column("statistic", ".4g"),
        "df": Column("df", "df"),
        "p_value": Column("p", "p"),
        "alternative": Column(""),
        "difference": Column("difference", "value"),
        "se": Column("std. error", "se"),
        "notes": Column(""),
    }

    def __post_init__(self) -> None:
        p = float(self.p_value)
        if not 0 <= p <= 1 + 1e-9:
            raise InputError(f"{self.test}: the p-value is undefined", got=p)
        object.__setattr__(self, "p_value", min(max(p, SMALLEST_P), 1.0))
        object.__setattr__(self, "statistic", float(self.statistic))

    def figure(self) -> Figure:
        """The difference with its interval; empty where there is none."""
        found = self.difference is not None and self.difference.has_interval
        dots = [self.difference.dot(" − ".join(self.names), 0.95)] if found and self.difference else []
        return forest(dots, self.test, "difference, 95 % interval", zero=True)

    heading = "{titled}"

    def titled(self) -> str:
        """The test, and its alternative."""
        hypothesis = HYPOTHESES.get(self.alternative, "").format(*self.names)
        return ". Alternative: ".join(filter(None, (self.test, hypothesis)))

    def answer(self) -> str:
        """The difference and the p-value in words."""
        d = self.difference
        names = "First − second" if self.names == UNNAMED else " − ".join(self.names)
        said = "" if d is None or not d.has_interval else sentence(d, 1 - USUAL_ALPHA, f"{names}:") + " "
        if self.bound is not None:
            alpha = USUAL_ALPHA / 2  # one limit of the interval lies on the right side of the margin
            verdict = ("Non-inferiority is not shown", "Non-inferior")[self.p_value < alpha]
            p = f"p {equal_p(self.p_value)}, one-sided level {alpha:g}"
            return f"{said}{verdict}: the margin is {self.bound:g} ({p})."
        word = "not " * (self.p_value >= USUAL_ALPHA) + "significant"
        return f"{said}p {equal_p(self.p_value)}, {word} at level {USUAL_ALPHA:g}."

    def _named(self) -> list[tuple[str, Estimate]]:
        return [] if self.difference is None else [("difference", self.difference)]

    def flat(self) -> dict[str, float]:
        """Numbers by name, for MLflow, W&B and the like: "p", "statistic", "difference", "difference.se", …"""
        known = {"statistic": self.statistic} if math.isfinite(self.statistic) else {}
        return {"p": self.p_value, **known, **super().flat()}

    def rows(self) -> Iterable[Record]:
        known = {name: getattr(self, name, None) for name in self.columns if name != "notes"}
        return [{**known, "se": self.difference, "notes": " ".join(map(str, self.notes))}]

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        """The result as a table with one row; with `details` also its notes."""
        return tidy(super().frame(), details)


def _rank_table(ranks: pd.Series, title: str = "") -> Table:
    """Mean ranks, best first."""
    best_first = ranks.sort_values(kind="stable").items()
    return Table(["model", "mean rank"], [[str(name), f"{rank:.2f}"] for name, rank in best_first], title)


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

    columns: ClassVar[Columns] = {
        **TestResult.columns,
        "f_statistic": Column("Iman–Davenport F", ".4g"),
        "f_df": Column("df of F", "df"),
        "f_p_value": Column("p of F", "p"),
    }

    def _tables(self) -> tuple[Table, ...]:
        return *super()._tables(), _rank_table(self.ranks)

    def figure(self) -> Figure:
        """The mean ranks."""
        ranks = self.ranks.sort_values(kind="stable")
        dots = [Dot(str(name), float(rank), said=f"{rank:.2f}") for name, rank in ranks.items()]
        return forest(dots, "Mean ranks", "mean rank, 1 is best")

    def answer(self) -> str:
        best = str(self.ranks.idxmin())
        differ = ("no difference between the models is shown", "the models differ")[self.f_p_value < USUAL_ALPHA]
        return (
            f"{best} has the best mean rank, {self.ranks.min():.2f}; {differ} at level {USUAL_ALPHA:g} "
            f"(F test, p {equal_p(self.f_p_value)})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class PosthocResult(TestResult):
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

    def figure(self) -> Figure:
        """Mean ranks on a line, bars over models that do not differ, and the critical difference (Demšar 2006)."""
        ranks, bars, k = self.ranks.sort_values(kind="stable"), self.groups(), len(self.ranks)
        below = 1 + 0.35 * len(bars)
        marks: list[Mark] = [Line([1, k], [0, 0], color="ink", width=1)]
        for rank in range(1, k + 1):
            marks += [Line([rank, rank], [-0.15, 0], color="ink", width=1), Text(rank, -0.45, str(rank))]
        for i, bar in enumerate(bars):
            ends = [ranks[bar].min(), ranks[bar].max()]
            marks.append(Line(ends, [0.35 * (i + 1)] * 2, color="C0", width=3.5))
        for i, (model, rank) in enumerate(ranks.items()):
            y = below + 0.6 * i
            marks.append(Line([rank, rank, k + 0.3], [0, y, y], color="soft", width=0.9))
            marks.append(Text(k + 0.3, y, f" {model} ({rank:.2f})", "start"))
        if (cd := self.critical_difference) is not None:
            marks.append(Line([1, 1 + cd], [-1.0, -1.0], color="ink", width=1.4))
            marks.append(Text(1 + cd / 2, -1.3, f"CD = {cd:.2f}"))
        depth, room = below + 0.6 * k, k / 3.4
        names = 0.1 * max(len(str(model)) + 8 for model in ranks.index)  # in inches
        limits = (0.7, max(k, 1 + (cd or 0)) + 0.3 + names * room)
        panel = Panel(marks, x_limits=limits, y_limits=(depth, -1.6), x_ticks={}, y_ticks={})
        return Figure("Critical-difference diagram", (panel,), size=(3.4 + names, 0.8 + 0.35 * depth))

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        """One row per pair: `first`, `second`, `rank_difference`, `p_value`; `details` adds nothing."""
        pairs = combinations(self.p_values.columns, 2)
        rows = [(a, b, self.ranks[a] - self.ranks[b], self.p_values.loc[a, b]) for a, b in pairs]
        return pd.DataFrame(rows, columns=["first", "second", "rank_difference", "p_value"])

    def _tables(self) -> tuple[Table, ...]:
        cd = self.critical_difference
        title = "" if cd is None else f"Critical difference at level {self.level:g}: {cd:.4g}"
        pairs = [(f"{a} − {b}", f"{gap:.4g}", rounded_p(p)) for a, b, gap, p in self.frame().dropna().to_numpy()]
        return *super()._tables(), _rank_table(self.ranks, title), Table(["pair", "rank difference", "p"], pairs)


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

    def figure(self) -> Figure:
        """The posterior probabilities."""
        names = ("first lower", "no practical difference", "first higher")
        dots = [Dot(name, p, said=f"{p:.3f}") for name, p in zip(names, self.probabilities.values(), strict=True)]
        return forest(dots, "Posterior probabilities", "posterior probability", zero=True)

    def flat(self) -> dict[str, float]:
        """As of any test, with "probability.left", "probability.rope" and "probability.right"."""
        return super().flat() | {f"probability.{name}": float(p) for name, p in self.probabilities.items()}

    def _tables(self) -> tuple[Table, ...]:
        shares = [f"{p:.3f}" for p in self.probabilities.values()]
        title = f"Posterior probabilities, region of practical equivalence ± {self.rope:g}"
        heads = ("first lower", "practically the same", "first higher")
        return *super()._tables(), Table(heads, [shares], title)


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

    columns: ClassVar[Columns] = {
        "goal": Column(""),
        "n": Column("cases"),
        "n_positive": Column("positive"),
        "n_negative": Column("negative"),
        "power": Column("power", ".3f"),
        "half_width": Column("half-width", ".4f"),
        "level": Column("level", "g"),
    }
    template = "{goal}: {n} cases."
