"""What the three answer with: an Estimate that also has a bias, and intervals of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.formulas import intervals
from karat.result import Estimate, Interval
from karat.statistics import bca


@dataclass(frozen=True, eq=False)
class StatisticEstimate(Estimate):
    """A statistic of the cases with its bias and standard error.

    Attributes
    ----------
    bias
        Estimated E s(x) − s(F); `value - bias` is the value corrected for it (and more variable). None where it
        cannot be estimated; a note says why.
    t_df
        Degrees of freedom of the interval "t": n − 1, of the smaller sample where there are two.
    """

    bias: float | None = None
    t_df: int = 1
    estimand: str = "the same function of the population"

    def row(self, level: float = 0.95) -> dict[str, Any]:
        """One row of a table: plain numbers, blanks where nothing can be said."""
        return {**super().row(level), "bias": self.bias}

    def _student(self, level: float, method: str) -> Interval:
        se = self._require_se()
        return self._clip(*intervals.wald(self.value, se, intervals.quantile(level, self.t_df)), level, method)

    _INTERVALS: ClassVar[dict[str, Callable[..., Interval]]] = {"wald": Estimate._wald, "t": _student}


@dataclass(frozen=True, eq=False)
class JackknifeEstimate(StatisticEstimate):
    """By deleting each case in turn.

    Attributes
    ----------
    values
        (n,) θ_(i), the statistic without case i; the second sample after the first.
    """

    values: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    sizes: tuple[int, ...] = ()

    @property
    def curve(self) -> np.ndarray:
        """(n,) U_i = (n − 1)(θ_(·) − θ_(i)): the slope at ε = −1/(n − 1), centred; compare `influence().curve`."""
        parts = np.split(self.values, np.cumsum(self.sizes)[:-1])
        return np.concatenate([(len(theta) - 1) * (theta.mean() - theta) for theta in parts])


@dataclass(frozen=True, eq=False)
class InfluenceEstimate(StatisticEstimate):
    """By differentiating in the masses of the cases.

    Attributes
    ----------
    curve
        (n,) U_i = ds(F_ε,i)/dε at 0, the empirical influence function; the second sample after the first.
        `influence` is U_i/n (of the case's own sample), whose norm is the standard error.
    """

    curve: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)


@dataclass(frozen=True, eq=False)
class BootstrapEstimate(StatisticEstimate):
    """By drawing the cases again.

    Attributes
    ----------
    distribution
        (B,) the statistic of every resample.
    mc_se
        Monte-Carlo error of the bias and of the mean of the resamples, se/√B; `value` itself has none.
    se_mc_se
        Monte-Carlo error of the standard error, √((m4 − se⁴)/B)/(2 se) with the fourth central moment m4.
    """

    distribution: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    se_mc_se: float | None = None
    interval: str = "percentile"
    delete: Callable[[], JackknifeEstimate] | None = field(default=None, repr=False)  # run when BCa is asked for

    @cached_property
    def jackknife(self) -> JackknifeEstimate:
        """The jackknife of the same statistic (n further calls of it, when first asked for)."""
        if self.delete is None:
            raise InputError(
                "this result was stored without its statistic, so it cannot be jackknifed any more",
                fix='Ask for ci(method="bca") before storing it',
            )
        return self.delete()

    @cached_property
    def acceleration(self) -> float:
        """a of the BCa interval, from the jackknife; NaN where no case makes a difference."""
        theta = np.split(self.jackknife.values, np.cumsum(self.jackknife.sizes)[:-1])
        return bca.acceleration(list(theta))

    def __getstate__(self) -> dict[str, Any]:  # a function may not pickle: numbers travel, the statistic does not
        return {**self.__dict__, "delete": None}

    def _percentile(self, level: float, method: str) -> Interval:
        self._require_se()
        return self._between((1 - level) / 2, (1 + level) / 2, level, method)

    def _bca(self, level: float, method: str) -> Interval:
        self._require_se()
        z0 = bca.bias_correction(self.value, self.distribution)
        low, high = bca.adjusted_levels(z0, self.acceleration, level)
        rough = [note for note in self.jackknife.notes if note.startswith("Not a smooth")]
        return self._between(low, high, level, method, " ".join(rough))

    def _between(self, low: float, high: float, level: float, method: str, note: str = "") -> Interval:
        """Quantiles of the resamples; a note where they lie among the most extreme ones."""
        outermost = min(low, 1 - high) * (len(self.distribution) + 1)
        if outermost < 1:
            few = "a limit lies beyond the most extreme resample: use more of them"
            note = f"{note} {few}".strip()
        limits = np.quantile(self.distribution, [low, high])
        return self._clip(float(limits[0]), float(limits[1]), level, method, note)

    _INTERVALS: ClassVar[dict[str, Callable[..., Interval]]] = {
        **StatisticEstimate._INTERVALS,
        "percentile": _percentile,
        "bca": _bca,
    }


def norm(influence: np.ndarray) -> float:
    return math.sqrt(float((influence**2).sum()))
