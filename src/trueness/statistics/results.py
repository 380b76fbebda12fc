"""Results of bootstrap, jackknife and influence: Estimates with a bias, and intervals of their own, of which BCa has some
arithmetic (Efron 1987; Efron & Tibshirani 1993, section 14.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from trueness.errors import InputError, UndefinedError
from trueness.formulas import intervals
from trueness.result import Estimate, Interval
from trueness.result.interval import IntervalRule
from trueness.result.note import Note
from trueness.statistics.cases import ROUNDING
from trueness.typing import Floats, Record

ESTIMAND = "the same function of the population"


@dataclass(frozen=True, eq=False)
class Student(IntervalRule):
    """Wald's interval with Student's quantile, n − 1 degrees of freedom (of the smaller sample where there are two)."""

    df: int
    name = "t"

    def limits(self, e: Estimate, level: float) -> Interval:
        return self.clipped(e, *intervals.wald(e.value, e.require_se(), intervals.quantile(level, self.df)), level)


@dataclass(frozen=True, eq=False, repr=False)
class JackknifeEstimate(Estimate):
    """Result of `jackknife`.

    Attributes
    ----------
    values : ndarray of shape (n,)
        θ_(i), the statistic without case i; the second sample after the first.
    sizes : tuple of int
        Cases of each sample.
    """

    values: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    sizes: tuple[int, ...] = ()

    @property
    def parts(self) -> list[Floats]:
        """`values` of each sample."""
        return list(np.split(self.values, np.cumsum(self.sizes)[:-1]))

    @property
    def curve(self) -> Floats:
        """(n,) U_i = (n − 1)(θ_(·) − θ_(i)): the slope at ε = −1/(n − 1), centred; compare `influence().curve`."""
        return np.concatenate([(len(theta) - 1) * (theta.mean() - theta) for theta in self.parts])


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceEstimate(Estimate):
    """Result of `influence`.

    Attributes
    ----------
    curve : ndarray of shape (n,)
        U_i = ds(F_ε,i)/dε at 0, the empirical influence function; the second sample after the first.
        `influence` is U_i/n (of the case's own sample), whose norm is the standard error.
    """

    curve: Floats = field(default_factory=lambda: np.empty(0), repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapEstimate(Estimate):
    """Result of `bootstrap`.

    Attributes
    ----------
    distribution : ndarray of shape (B,)
        The statistic of every resample.
    mc_se : float
        Monte-Carlo error of the bias and of the mean of the resamples, se/√B; `value` itself has none.
    se_mc_se : float
        Monte-Carlo error of the standard error, √((m4 − se⁴)/B)/(2 se) with the fourth central moment m4.
    """

    distribution: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    delete: Callable[[], JackknifeEstimate] | None = field(default=None, repr=False)  # run when BCa is asked for

    @cached_property
    def jackknife(self) -> JackknifeEstimate:
        """The jackknife of the same statistic (n further calls of it, when first asked for)."""
        if self.delete is None:
            raise InputError(
                "A pickled result has no statistic to jackknife",
                param="method",
                fix='Call ci(method="bca") before pickling it',
            )
        return self.delete()

    @cached_property
    def acceleration(self) -> float:
        """a of the BCa interval, from the jackknife; NaN where no case changes the statistic."""
        return acceleration_of(self.jackknife.parts)

    def __getstate__(self) -> Record:  # a function may not pickle, so the statistic is dropped
        return {**self.__dict__, "delete": None}


class Percentile(IntervalRule):
    """Quantiles of the resamples."""

    name = "percentile"

    def limits(self, e: Estimate, level: float) -> Interval:
        return self.between(e, (1 - level) / 2, (1 + level) / 2, level)

    def between(self, e: Estimate, low: float, high: float, level: float, note: Note | None = None) -> Interval:
        """Quantiles of the resamples, with a note where one is among the most extreme."""
        assert isinstance(e, BootstrapEstimate)
        if min(low, 1 - high) * (len(e.distribution) + 1) < 1:
            note = Note("extreme-quantile", "A limit lies beyond the most extreme resample; use more resamples.")
        limits = np.quantile(e.distribution, [low, high])
        return self.clipped(e, float(limits[0]), float(limits[1]), level, note)


class Bca(Percentile):
    """Quantiles corrected for bias and acceleration (Efron 1987)."""

    name = "bca"

    def limits(self, e: Estimate, level: float) -> Interval:
        assert isinstance(e, BootstrapEstimate)
        z0 = bias_correction(e.value, e.distribution)
        low, high = adjusted_levels(z0, e.acceleration, level)
        return self.between(e, low, high, level, e.jackknife.noted("not-smooth"))


PERCENTILE, BCA = Percentile(), Bca()


def bias_correction(value: float, distribution: Floats) -> float:
    """z0 = Φ⁻¹(share of resamples below the value), those equal to it (up to rounding) counting ½.

    Counting ties as ½ makes z0 vanish for a symmetric discrete statistic. Where every resample lies on one side, z0 is
    infinite and there is no BCa interval.
    """
    b = len(distribution)
    near = ROUNDING * max(abs(value), float(np.abs(distribution).max()))
    ties = np.abs(distribution - value) <= near
    below = (distribution < value) & ~ties
    share = (below.sum() + 0.5 * ties.sum()) / b
    if not 0 < share < 1:
        side = "above" if share == 0 else "below"
        raise UndefinedError(
            f"The BCa interval is undefined: all {b} resamples lie {side} the value, so z0 is infinite",
            param="method",
            fix="Use {method='percentile'}",
        )
    return float(special.ndtri(share))


def acceleration_of(deleted: list[Floats]) -> float:
    """a = Σ_k Σ_i (U_ki/n_k)³ / (6 (Σ_k Σ_i (U_ki/n_k)²)^{3/2}),  U_ki = (n_k − 1)(θ_k(·) − θ_k(i)).

    Efron & Tibshirani 1993, eq. 14.15 and 15.36 (several samples); `deleted` has the jackknife values θ_k(i) of
    each sample. NaN where no case changes the statistic.
    """
    u = np.concatenate([(1 - 1 / len(theta)) * (theta.mean() - theta) for theta in deleted])
    squares = float((u**2).sum())
    return float((u**3).sum() / (6 * squares**1.5)) if squares > 0 else np.nan


def adjusted_levels(z0: float, a: float, level: float) -> tuple[float, float]:
    """α = Φ(z0 + (z0 + z)/(1 − a(z0 + z))) at both ends."""
    if np.isnan(a):
        raise UndefinedError(
            "The BCa interval is undefined: deleting a case never changes the statistic, so its acceleration is 0/0",
            param="method",
            fix="Use {method='percentile'}",
        )
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    stretch = 1 - a * z
    if (stretch <= 0).any():
        raise UndefinedError(
            f"The BCa interval is undefined at level {level:g}: with bias correction {z0:.3g} and acceleration "
            f"{a:.3g} its transformation is not monotone there",
            param="method",
            fix="Use {method='percentile'}",
        )
    low, high = special.ndtr(z0 + z / stretch)
    return float(low), float(high)
