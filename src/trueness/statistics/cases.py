"""The cases of a statistic (one sample, or two independent ones), calling the statistic on them, and what that
shows: is it functional, is it smooth? Bootstrap, jackknife and influence function rely on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from trueness.checks import given_array
from trueness.errors import InputError, UndefinedError
from trueness.formulas import intervals
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.notes import Note
from trueness.typing import Array, Floats, Ints, Record

Statistic = Callable[..., object]
Sample: TypeAlias = Array | pd.Series | pd.DataFrame
Data: TypeAlias = npt.ArrayLike | pd.Series | pd.DataFrame | tuple[object, object]

_TABLES = (np.ndarray, pd.Series, pd.DataFrame)


@dataclass(frozen=True, eq=False)
class Samples:
    """One or two samples, in the form in which the statistic gets them: arrays or pandas objects. They have no labels,
    which is what a `trueness.sample.Sample` validates: any statistic of any rows is asked."""

    parts: tuple[Sample, ...]

    @classmethod
    def of(cls, x: Data) -> Samples:
        """A tuple or list of two sequences is two samples; everything else is one sample with one row per case."""
        if isinstance(x, (tuple, list)) and len(x) == 2 and all(_is_sequence(part) for part in x):
            return cls((_checked(x[0], "The first sample"), _checked(x[1], "The second sample")))
        if isinstance(x, tuple) and len(x) > 2 and all(isinstance(part, _TABLES) for part in x):
            raise InputError("x must be one or two samples", param="x", got=f"{len(x)} arrays")
        return cls((_checked(x, "x"),))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(part) for part in self.parts)

    @property
    def places(self) -> list[tuple[int, int]]:
        """(n,) sample and row of each case, the second sample after the first."""
        return [(k, i) for k, n in enumerate(self.sizes) for i in range(n)]

    @property
    def df(self) -> int:
        """n − 1; with two samples that of the smaller one, which is safe."""
        return min(self.sizes) - 1

    def formed(self, parts: Sequence[Sample]) -> Sample | tuple[Sample, ...]:
        """One object for one sample, a pair for two."""
        return parts[0] if len(self.parts) == 1 else tuple(parts)

    def take(self, rows: Sequence[Ints]) -> Sample | tuple[Sample, ...]:
        """The cases at these rows of each sample, as a copy."""
        return self.formed(
            [
                part[row] if isinstance(part, np.ndarray) else part.iloc[row]
                for part, row in zip(self.parts, rows, strict=True)
            ]
        )

    def locked(self) -> Sample | tuple[Sample, ...]:
        """All cases, for many calls: arrays that a statistic cannot write into."""
        copies = [part.copy() for part in self.parts]
        for part in copies:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        return self.formed(copies)

    def repeated(self, times: int) -> Sample | tuple[Sample, ...]:
        """Every case `times` times."""
        return self.take([np.repeat(np.arange(n), times) for n in self.sizes])

    def without(self, sample: int, case: int, times: int = 1) -> Sample | tuple[Sample, ...]:
        """Every case `times` times, except one copy of one case."""
        rows = [np.repeat(np.arange(n), times) for n in self.sizes]
        rows[sample] = np.delete(rows[sample], case * times)
        return self.take(rows)


def _is_sequence(part: object) -> bool:
    return isinstance(part, (*_TABLES, list, tuple, range))


def _checked(given: object, name: str) -> Sample:
    part = given if isinstance(given, (pd.Series, pd.DataFrame)) else given_array("x", given)
    if part.ndim == 0:
        raise InputError(f"{name} must be an array with one row per case", param="x", got=repr(given))
    if len(part) < 2:
        raise InputError(f"{name} must have at least 2 cases", param="x", got=len(part))
    missing = np.asarray(pd.isna(part))
    if missing.any():
        row = int(np.flatnonzero(missing.reshape(len(part), -1).any(axis=1))[0])
        raise InputError(
            f"{name} has missing values", param="x", got=f"{int(missing.sum())} NaN, the first in row {row}",
            fix="Drop or fill them first",
        )  # fmt: skip
    return part


def number(value: object, where: str) -> float:
    """What a statistic returned, as one finite float."""
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "biuf":
        raise InputError("statistic must return one real number", param="statistic", got=repr(value))
    out = float(found.reshape(()))
    if not np.isfinite(out):
        fix = "Make it defined there (e.g. where all cases are equal), or use more cases"
        raise InputError(f"statistic is not finite {where}", param="statistic", got=out, fix=fix)
    return out


def first_value(statistic: Statistic, needs: str, *given: object) -> float:
    """The statistic of the cases; a function with the wrong signature is reported here."""
    if not callable(statistic):
        raise InputError("statistic must be a function", param="statistic", got=repr(statistic))
    try:
        value = statistic(*given)
    except TypeError as error:
        got, fix = f"TypeError: {error}", "Take two samples as one pair"
        raise InputError(f"statistic cannot be called as {needs}", param="statistic", got=got, fix=fix) from error
    return number(value, "for the cases themselves")


def name_of(statistic: Statistic) -> str:
    """The name of a function; "statistic" for a lambda."""
    name = str(getattr(statistic, "__name__", ""))
    return name if name.isidentifier() else "statistic"


ROUNDING = 64 * np.finfo(float).eps  # differences below this share of a value are rounding
MAX_CASES_TRIED = 20  # on which smoothness is checked: those that move the statistic most
REPEATED = "where every case is repeated"


def fall(value: float, less: Floats) -> Floats:
    """`value - less`, but 0 where the difference is rounding."""
    difference = value - less
    return np.where(np.abs(difference) <= ROUNDING * np.maximum(abs(value), np.abs(less)), 0.0, difference)


def functionality(value: float, doubled: Callable[[], float], spread: float) -> tuple[bool | None, Note | None]:
    """Whether the statistic is functional (None where that is not known): doubling every case does not change it
    (Yousef, ML Assessment, section 2.4); and a note where it may not be."""
    try:
        twice = doubled()
    except Exception:  # a user's statistic may raise anything on doubled cases
        return None, Note("smooth-unknown")
    if abs(value - twice) <= 1e-9 * max(abs(value), abs(twice), spread):
        return True, None
    return False, Note("not-functional", value=value, doubled=twice)


def settles(one: Floats, two: Floats, four: Floats) -> bool:
    """Whether the slopes S_1, S_2, S_4 of a statistic in the mass of some cases behave like those of a smooth one.

    S_k is the slope (s − s_ε)/|ε| where a case loses the mass |ε| = 1/(kn − 1): all of it at k = 1 (jackknife), half of
    it at k = 2. For a smooth statistic S_k = U + O(ε), so S_2 − S_4 is about half of S_1 − S_2 (exactly if it is
    quadratic in the masses; both are 0 if it is linear). For the median of an even number S doubles with k; of an odd
    number it falls to 0 at once. Our rule: it does not settle where S_1 and S_2 differ by a fifth or more, and S_2 and
    S_4 by more than ¾ of that or not at all. (Tried on 14 smooth statistics from variance to regression slope, n = 5 to
    100, also with heavy tails: no false alarm except for ratios whose denominator is about 0. Medians, MAD, maxima and
    order statistics are always found, interpolated quantiles mostly.)
    """
    first, second, size = (float(np.linalg.norm(v)) for v in (one - two, two - four, one))
    return first <= 0.2 * size or 1e-6 * first <= second <= 0.75 * first


def most_moving(slopes: Floats) -> Ints:
    """The cases to try: a statistic that is not smooth shows it where it moves most."""
    return np.argsort(-np.abs(slopes), kind="stable")[:MAX_CASES_TRIED]


def smoothness(statistic: Statistic, cases: Samples, slopes: Floats, se: float) -> tuple[bool | None, Note | None]:
    """Whether the statistic is smooth (None where that cannot be checked), and a note where it may not be; `slopes` are
    the S_1 of all cases."""
    tried = most_moving(slopes)
    places = [cases.places[j] for j in tried]
    try:
        two, four = (_slopes(statistic, cases, places, times) for times in (2, 4))
    except Exception:  # a user's statistic may raise anything on repeated cases
        return None, Note("smooth-unknown")
    return (True, None) if settles(slopes[tried], two, four) else (False, Note("not-smooth", formula_se=se))


def bias_settles(statistic: Statistic, cases: Samples, bias: float, se: float) -> bool:
    """Whether the jackknife's bias falls like 1/n, as its formula assumes.

    If it does, the bias of the cases repeated twice is about half of that of the cases, and repeated four times about
    half of that. A trimmed mean, which drops a whole number of cases, jumps with n instead and keeps it. Our rule: both
    ratios above ¾. A bias below se/4 can be ignored (Efron & Tibshirani 1993, section 10.3) and is not checked. (Tried
    on 13 smooth statistics, n = 5 to 40: no false alarm. Trimmed means are found where the number dropped changes.)
    """
    if abs(bias) <= se / 4:
        return True
    starts = np.cumsum((0, *cases.sizes))[:-1]
    for times in (2, 4):
        slopes = _slopes(statistic, cases, cases.places, times)
        repeated = -float((np.add.reduceat(slopes, starts) / cases.sizes).sum())
        if repeated / bias <= 0.75:
            return True
        bias = repeated
    return False


def _slopes(statistic: Statistic, cases: Samples, tried: list[tuple[int, int]], times: int) -> Floats:
    """S_k of `settles`: every case is repeated k times, and one copy of a case is deleted."""
    whole = number(statistic(cases.repeated(times)), REPEATED)
    less = np.array([number(statistic(cases.without(k, i, times)), REPEATED) for k, i in tried])
    return np.array([times * cases.sizes[k] - 1 for k, _ in tried]) * fall(whole, less)


ESTIMAND = "the same function of the population"


@dataclass(frozen=True, eq=False)
class Student(IntervalRule):
    """Wald's interval with Student's quantile, n − 1 degrees of freedom (of the smaller sample where there are two)."""

    df: int
    name = "t"

    def limits(self, e: Estimate, level: float) -> Interval:
        half = intervals.quantile(level, self.df) * e.require_se()
        return self.clipped(e, e.value - half, e.value + half, level)


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
            note = Note("extreme-quantile")
        limits = np.quantile(e.distribution, [low, high])
        return self.clipped(e, float(limits[0]), float(limits[1]), level, note)


class Bca(Percentile):
    """Quantiles corrected for bias and acceleration (Efron 1987)."""

    name = "bca"

    def limits(self, e: Estimate, level: float) -> Interval:
        assert isinstance(e, BootstrapEstimate)
        z0 = bias_correction(e.value, e.distribution)
        low, high = adjusted_levels(z0, e.acceleration, level)
        return self.between(
            e, low, high, level, next((note for note in e.jackknife.notes if note.severity == "warning"), None)
        )


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
            fix="Use method='percentile'",
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
            fix="Use method='percentile'",
        )
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    stretch = 1 - a * z
    if (stretch <= 0).any():
        raise UndefinedError(
            f"The BCa interval is undefined at level {level:g}: with bias correction {z0:.3g} and acceleration "
            f"{a:.3g} its transformation is not monotone there",
            param="method",
            fix="Use method='percentile'",
        )
    low, high = special.ndtr(z0 + z / stretch)
    return float(low), float(high)
