"""Several estimates of one design at once: their covariance, intervals that hold together, a test of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.formulas.intervals import MaxT
from trueness.result.estimate import Estimate
from trueness.result.shown import Drawn, Page, Result, Table, records, tidy
from trueness.result.test_result import TestResult, rounded_p
from trueness.result.words import cells, sentence, sentences
from trueness.typing import Floats, Record

if TYPE_CHECKING:
    from trueness.figures import Figure

ASSUMES = (
    "Assumes: estimates that are jointly normal, correlated as their influence functions are. Each interval is the "
    "estimate's own at level {each:.4g}."
)


def correlations(influence: Floats) -> Floats:
    """(k, k) of estimates with this influence (k, U) of the units; one that no case moves is uncorrelated."""
    norms = np.linalg.norm(influence, axis=1)
    unit = influence / np.where(norms > 0, norms, 1.0)[:, None]
    out = unit @ unit.T
    np.fill_diagonal(out, 1.0)
    return np.asarray(out)


def largest_of(correlation: Floats, df: float | None = None, coarser: int = 0) -> MaxT:
    """The law of the largest of k statistics with these correlations, which may be singular."""
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-10  # M rules have no more than M − 1 independent differences
    return MaxT(vectors[:, kept] * np.sqrt(values[kept]), df, coarser)


def largest_difference(differences: Iterable[Estimate], sums: Callable[[Floats], Floats]) -> MaxT:
    """The law of the largest |t| of several differences, correlated as their influences, which `sums` adds up within
    units.

    A difference without an influence counts as independent of the others, which never makes an adjusted p-value too
    small (Šidák 1967); one of 0 without a standard error does not count.
    """
    found = list(differences)
    correlation, moving = np.zeros((len(found), len(found))), [k for k, d in enumerate(found) if d.se or d.value != 0]
    correlation[moving, moving] = 1.0
    known = {k: sums(g) for k in moving if (g := found[k].influence) is not None}
    if known:
        correlation[np.ix_(list(known), list(known))] = correlations(np.stack(list(known.values())))
    return largest_of(correlation, min((d.df for d in found if d.df is not None), default=None))


def level_of_each(correlation: Floats, level: float) -> float:
    """The level at which k intervals hold together with probability `level`, for estimates that are jointly normal with
    these correlations; between a single one's and Bonferroni's, and of independent ones Šidák's (1967)."""
    if np.array_equal(correlation, np.eye(len(correlation))):
        return float(level ** (1 / len(correlation)))
    return largest_of(correlation).level_per_statistic(level)


@dataclass(frozen=True, eq=False, repr=False)
class Simultaneous(Result, Drawn):
    """Intervals that all hold at once with probability `level`; what `Assessment.simultaneous` returns.

    Attributes
    ----------
    estimates : mapping of str to Estimate
        By the keys that were asked for.
    level : float
        Probability that all intervals hold.
    each : float
        The level of each interval alone.
    correlation : ndarray of shape (k, k)
        Of the estimates.
    """

    estimates: Mapping[str, Estimate]
    level: float
    each: float
    correlation: Floats = field(repr=False)

    def frame(self) -> pd.DataFrame:
        """One row per estimate: value, se, simultaneous limits `low` and `high`, and those of the estimate alone."""
        rows = []
        for e in self.estimates.values():
            (low, high), alone = e.ci(self.each), e.ci(self.level)
            row = {"metric": e.metric, "method": e.method, "value": e.value, "se": e.se, "low": low, "high": high}
            rows.append({**row, "low_alone": alone.low, "high_alone": alone.high})
        return pd.DataFrame(rows)

    def figure(self) -> Figure:
        """All estimates with their intervals."""
        from trueness.figures import forest

        dots = [e.dot(name, self.each) for name, e in self.estimates.items()]
        return forest(dots, "Simultaneous intervals", f"{100 * self.level:g} % intervals together")

    def page(self, level: float | None = None) -> Page:
        percent = f"{100 * self.level:g} %"
        heads = ("metric", "method", "value", "std. error", f"{percent} together", f"{percent} alone")
        rows = [
            (e.metric, e.method, *cells(e, self.each)[:3], cells(e, self.level).limits) for e in self.estimates.values()
        ]
        several = f"{len(rows)} estimates that all hold" if len(rows) > 1 else "1 estimate that holds"
        title = f"Intervals of {several} with probability {self.level:g}"
        said = " ".join(
            sentence(e, self.each).replace(f"{100 * self.each:g} % CI ", "") for e in self.estimates.values()
        )
        return Page(title, said, (Table.of(heads, rows),), footer=ASSUMES.format(each=self.each))

    def to_dict(self) -> Record:
        return {
            "level": self.level,
            "each": self.each,
            "estimates": records(self.frame()),
            "correlation": self.correlation.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class JointTest(TestResult):
    """Are two models equal in all of several metrics? What `Comparison.joint_test` returns.

    Attributes
    ----------
    statistic : float
        The largest |t| of the metrics; where a test is none of t (McNemar's), the t that has its p-value.
    p_value : float
        Probability of a |t| as large in any of them, if the models differ in none.
    differences : mapping of str to Estimate
        first − second of every metric.
    alone : mapping of str to float
        p-value of every metric by itself.
    adjusted : mapping of str to float
        p-value of every metric, adjusted for all of them; `p_value` is the smallest.
    """

    differences: Mapping[str, Estimate] = field(default_factory=dict)
    alone: Mapping[str, float] = field(default_factory=dict)
    adjusted: Mapping[str, float] = field(default_factory=dict)

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        """One row per metric: difference, se, its p-value alone and adjusted for all metrics; with `details` also the
        notes of the differences."""
        rows = [
            {
                "metric": name,
                "method": d.method,
                "difference": d.value,
                "se": d.se,
                "p_value": self.alone[name],
                "p_adjusted": self.adjusted[name],
                "notes": sentences(d.notes),
            }
            for name, d in self.differences.items()
        ]
        return tidy(rows, details)

    def figure(self) -> Figure:
        """The difference in every metric."""
        from trueness.figures import forest

        dots = [d.dot(name, 0.95) for name, d in self.differences.items()]
        return forest(dots, self.test, "difference, 95 % interval of each alone", zero=True)

    def tables(self) -> tuple[Table, ...]:
        heads = ("metric", "method", "difference", "std. error", "p", "p (all metrics)")
        rows = [
            (name, d.method, *cells(d, 0.95)[:2], rounded_p(self.alone[name]), rounded_p(self.adjusted[name]))
            for name, d in self.differences.items()
        ]
        return (*super().tables(), Table.of(heads, rows))

    def to_dict(self) -> Record:
        return {**super().to_dict(), "metrics": records(self.frame())}
