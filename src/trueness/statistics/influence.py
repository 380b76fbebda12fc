"""The empirical influence function: how a statistic changes with the mass of each case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trueness.result.words import INFLUENCE
from trueness.statistics.cases import (
    ESTIMAND,
    NO_VARIATION,
    REPEATED,
    ROUNDING,
    Data,
    InfluenceEstimate,
    Samples,
    Statistic,
    Student,
    fall,
    first_value,
    functionality,
    most_moving,
    name_of,
    not_smooth,
    number,
    settles,
)
from trueness.typing import Floats, Ints

At = Callable[[tuple[int, int], float], float]  # the statistic where a case's mass moves by ε

STEP = 0.02  # h, in units of the mass of a case: ε = h/n and h/2n


def influence(statistic: Statistic, x: Data) -> InfluenceEstimate:
    """Empirical influence function, and the bias and standard error that follow from it.

    U_i = d s(F_ε,i)/dε at 0,   F_ε,i has mass (1 − ε)/n + ε at case i and (1 − ε)/n elsewhere
    se² = Σ U_i²/n²,   bias = Σ V_i / (2n²) with the second derivatives V_i

    (Yousef, ML Assessment, eq. 73–78; Jaeckel 1972; Efron 1982, ch. 6.) With two samples the mass moves within a
    sample, and squared errors and biases add.

    Parameters
    ----------
    statistic : callable
        A function statistic(x, weights) that returns one number; the weights are the masses of F_ε and sum to 1.
        With two samples both arguments are pairs.
    x : array-like, Series, DataFrame, or a pair of them
        One sample, with one row per case, or two.

    Returns
    -------
    InfluenceEstimate
        `.value`, `.bias`, `.se`, `.curve` (U_i), `.influence` (U_i/n: its norm is the se), `.ci(level, method)` with
        "wald" and "t". Bias and se are None where the statistic is not smooth; a note says so.

    Notes
    -----
    Central differences at ε = h/n and h/(2n), extrapolated (Richardson), h = 0.02: exact, but for rounding, for
    anything up to the fourth degree in the masses (mean, variance, AUC); else the error is h⁴ n⁻⁴ s⁽⁵⁾/480. In the
    worst case, where the mass of a case itself is the scale on which s bends (w log w), that is 2·10⁻⁹ of U.
    Rounding adds about 10⁻¹⁴ n |s|.

    Examples
    --------
    >>> import numpy as np
    >>> from trueness.statistics import influence
    >>> influence(lambda x, w: w @ x, [1.0, 2.0, 6.0]).curve.round(9)
    array([-2., -1.,  3.])
    """
    cases = Samples.of(x)
    whole, even = cases.locked(), [np.full(n, 1 / n) for n in cases.sizes]
    value = first_value(statistic, "statistic(x, weights)", whole, cases.formed(even))

    def at(place: tuple[int, int], eps: float) -> float:
        (k, i), masses = place, list(even)
        masses[k] = moved(cases.sizes[k], i, eps)
        return number(
            statistic(whole, cases.formed(masses)), f"where case {i} of sample {k + 1} gets the mass {masses[k][i]:.3g}"
        )

    places = cases.places
    n = np.array([cases.sizes[k] for k, _ in places])  # (n,) size of each case's own sample
    wide, half = (Differences.of(at, places, value, h / n) for h in (STEP, STEP / 2))
    curve = richardson(wide.slope, half.slope)
    se = float(np.linalg.norm(curve / n))
    out = InfluenceEstimate(
        value,
        metric=name_of(statistic),
        method="influence",
        estimand=ESTIMAND,
        alternatives=(Student(cases.df),),
        curve=curve,
        influence=curve / n,
    ).noting(
        functionality(
            value,
            lambda: number(
                statistic(cases.repeated(2), cases.formed([np.full(2 * m, 0.5 / m) for m in cases.sizes])), REPEATED
            ),
            se,
            "Its influence function depends on n.",
        )[1]
    )
    if depends_on_step(wide, half) or not settles(*losses_of_mass(at, places, value, n)):
        return out.noting(not_smooth(se))
    if half.flat:
        return out.noting(NO_VARIATION)
    bias = float((richardson(wide.bend, half.bend) / (2 * n**2)).sum())
    return out.with_(bias=bias, se=se, se_method=INFLUENCE)


def moved(n: int, case: int, eps: float) -> Floats:
    """(n,) the masses of F_ε,i (Yousef, ML Assessment, eq. 75)."""
    masses = np.full(n, (1 - eps) / n)
    masses[case] += eps
    return masses


def richardson(wide: Floats, half: Floats) -> Floats:
    """Two differences with errors of order ε², the second at half the step: their error cancels."""
    return (4 * half - wide) / 3


@dataclass(frozen=True, eq=False)
class Differences:
    """The statistic with a little more mass on each case, and with a little less."""

    value: float
    eps: Floats  # (n,)
    more: Floats  # (n,) s(F_ε,i)
    less: Floats  # (n,) s(F_−ε,i)

    @classmethod
    def of(cls, at: At, places: list[tuple[int, int]], value: float, eps: Floats) -> Differences:
        more = np.array([at(p, e) for p, e in zip(places, eps, strict=True)])
        less = np.array([at(p, -e) for p, e in zip(places, eps, strict=True)])
        return cls(value, eps, more, less)

    @property
    def slope(self) -> Floats:
        return (self.more - self.less) / (2 * self.eps)

    @property
    def bend(self) -> Floats:
        """Second derivative."""
        return (self.more - 2 * self.value + self.less) / self.eps**2

    @property
    def kink(self) -> Floats:
        """Slope upwards minus slope downwards."""
        return (self.more - 2 * self.value + self.less) / self.eps

    @property
    def noise(self) -> float:
        """What rounding alone may add to the norm of the slopes."""
        largest = max(abs(self.value), float(np.abs(self.more).max()), float(np.abs(self.less).max()))
        return ROUNDING * largest * float(np.linalg.norm(1 / self.eps))

    @property
    def flat(self) -> bool:
        """Whether no case changes the statistic, to first order."""
        return float(np.linalg.norm(self.slope)) <= self.noise


def depends_on_step(wide: Differences, half: Differences) -> bool:
    """Whether the slope depends on the size of the step, or on its sign whatever its size: no derivative.

    For a smooth statistic the slopes at ε and ε/2 differ by at most h² of themselves (with a jump at 0: by all of the
    slope), and the slopes upwards and downwards by an amount that halves with ε (with a kink at 0 it stays).
    """
    size = float(np.linalg.norm(half.slope))
    if float(np.linalg.norm(wide.slope - half.slope)) > max(0.05 * size, half.noise):
        return True
    kinks = float(np.linalg.norm(wide.kink)), float(np.linalg.norm(half.kink))
    return kinks[1] > max(1e-3 * size, 0.75 * kinks[0], 4 * half.noise)


def losses_of_mass(at: At, places: list[tuple[int, int]], value: float, n: Ints) -> tuple[Floats, Floats, Floats]:
    """The slopes S_1, S_2, S_4 of `smoothness.settles`, for the cases that move the statistic most."""

    def slopes(times: int, tried: Ints) -> Floats:
        masses = times * n[tried] - 1  # 1/|ε|
        less = np.array([at(places[j], -1 / m) for j, m in zip(tried, masses, strict=True)])
        return masses * fall(value, less)

    try:
        one = slopes(1, np.arange(len(places)))
        tried = most_moving(one)
        return one[tried], slopes(2, tried), slopes(4, tried)
    except Exception:  # a smooth statistic, too, may fail where a case has no mass (0 log 0)
        return np.zeros(1), np.zeros(1), np.zeros(1)
