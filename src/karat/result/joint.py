"""Several estimates of one design at once: their covariance, and intervals that hold together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from karat.result.digits import between, shown
from karat.result.estimate import Estimate, json_value
from karat.result.shown import Result
from karat.result.table import Page, Table
from karat.typing import Floats

LOG2_POINTS = 15  # quasi-random points of the normal distribution: the level is then right to about 0.0002
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


def level_of_each(correlation: Floats, level: float) -> float:
    """The level 1 − α' at which k intervals hold together with probability `level`.

    P(max |Z_k| ≤ z_{1−α'/2}) = level for Z ~ N(0, R) (the single-step max-t of Hothorn, Bretz & Westfall 2008), by
    quasi-random numbers that are the same in every call. α/k ≤ α' ≤ α, Bonferroni's level and a single one's.
    """
    k = len(correlation)
    if k == 1:
        return level
    from scipy.stats import qmc  # scipy.stats takes half a second to import

    values, vectors = np.linalg.eigh(correlation)
    uniform = qmc.Sobol(k, scramble=True, rng=0).random_base2(LOG2_POINTS)
    normal = special.ndtri(np.clip(uniform, 1e-12, 1 - 1e-12))
    largest = np.abs(normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T).max(axis=1)
    found = 2 * special.ndtr(np.quantile(largest, level)) - 1
    return float(min(max(found, level), 1 - (1 - level) / k))


@dataclass(frozen=True, eq=False, repr=False)
class Simultaneous(Result):
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

    def page(self, level: float | None = None) -> Page:
        heads = ("metric", "method", "value", "se", f"{self.level:.0%} together", f"{self.level:.0%} alone")
        rows = [
            (
                e.metric,
                e.method,
                shown(e.value, e.se),
                shown(e.se, e.se),
                between(*e.ci(self.each), e.se),
                between(*e.ci(self.level), e.se),
            )
            for e in self.estimates.values()
        ]
        title = f"Intervals of {len(rows)} estimates that all hold with probability {self.level:g}"
        return Page(title=title, tables=(Table.of(heads, rows),), footer=ASSUMES.format(each=self.each))

    def to_dict(self) -> dict[str, Any]:
        rows = self.frame().to_dict("records")
        return {
            "level": self.level,
            "each": self.each,
            "estimates": [{str(name): json_value(value) for name, value in row.items()} for row in rows],
            "correlation": self.correlation.tolist(),
        }
