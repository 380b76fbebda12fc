"""The largest of several correlated t statistics: simultaneous intervals and adjusted p-values (Hothorn, Bretz &
Westfall 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special, stats
from scipy.stats import qmc

from trueness.typing import Floats

LOG2_POINTS = 16
BLOCK = 2**12  # points at a time


@dataclass(frozen=True, eq=False)
class MaxT:
    """max_j |T_j| of m statistics that are jointly normal, or Student's t with a common denominator.

    The distribution is integrated over a Sobol' sequence, so that it is the same in every call. Against Tukey's
    studentized range its quantiles are right to about 0.005.

    Examples
    --------
    >>> two = MaxT(np.eye(2))
    >>> round(two.level_per_statistic(0.95), 3)  # independent: the square root of 0.95
    0.975
    """

    # (m, r) rows of length 1 (or 0 for a statistic without spread); T = loadings @ Z for Z standard normal in r
    # dimensions
    loadings: Floats
    df: float | None = None  # degrees of freedom; None for the normal distribution

    @cached_property
    def largest(self) -> Floats:
        """Sorted values of max_j |T_j|."""
        moving = self.loadings[np.linalg.norm(self.loadings, axis=1) > 0]
        if not len(moving):
            return np.zeros(1)
        n, r = 2**LOG2_POINTS, moving.shape[1]
        points = qmc.Sobol(r + (self.df is not None), seed=0)
        out = []
        for _ in range(n // BLOCK):
            u = points.random(BLOCK).clip(1e-10, 1 - 1e-10)
            top = np.abs(special.ndtri(u[:, :r]) @ moving.T).max(axis=1)
            if self.df is not None:
                top /= np.sqrt(stats.chi2.ppf(u[:, r], self.df) / self.df)
            out.append(top)
        return np.sort(np.concatenate(out))

    def level_per_statistic(self, level: float) -> float:
        """The level of each interval at which all of them hold together with probability `level`; never above
        Bonferroni's."""
        m = len(self.loadings)
        if m == 1:
            return level
        alpha = self._tails(float(np.quantile(self.largest, level)))
        return 1 - float(np.clip(alpha, (1 - level) / m, 1 - level))

    def adjusted(self, p: float) -> float:
        """P(max_j |T_j| ≥ t) for the t whose own two-sided p-value is p; never above Bonferroni's m·p, and never 0."""
        m = len(self.loadings)
        if m == 1 or p >= 1:
            return min(p, 1.0)
        n = len(self.largest)
        beyond = n - int(np.searchsorted(self.largest, self.at(p), side="left"))
        return float(min(1.0, max(p, min(m * p, (beyond + 1) / (n + 1)))))

    def _tails(self, t: float) -> float:
        """P(|T_j| ≥ t) of one statistic."""
        return 2 * float(special.ndtr(-t) if self.df is None else special.stdtr(self.df, -t))

    def at(self, p: float) -> float:
        """The t whose two-sided p-value is p."""
        return abs(float(special.ndtri(p / 2) if self.df is None else special.stdtrit(self.df, p / 2)))
