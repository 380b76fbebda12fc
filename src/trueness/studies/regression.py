"""Regression with a known truth: y = F(x) + ε, and models of one feature  (Wu (2018))."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueness.checks import check_flag, check_whole, generator_of, is_number, number_array
from trueness.errors import InputError
from trueness.typing import Floats, Ints, Rng


@dataclass(frozen=True, eq=False)
class RegressionPopulation:
    """y = F(x) + N(0, σ²), x on an interval  (Wu (2018), eq. 23).

    Parameters
    ----------
    function : callable
        F, of an array.
    sigma : float, default 1
        SD of the noise.
    interval : tuple of float, default (-3, 3)
        Range of x.
    equal_steps : bool, default False
        x at equal steps, so that only the noise differs between samples; otherwise x is uniform.
    """

    function: Callable[[Floats], Floats]
    sigma: float = 1.0
    interval: tuple[float, float] = (-3.0, 3.0)
    equal_steps: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise InputError("function must be a function of an array", param="function", got=repr(self.function))
        if not is_number(self.sigma) or not 0 <= self.sigma < np.inf:
            raise InputError("sigma must be a number of at least 0", param="sigma", got=repr(self.sigma))
        ends = number_array("interval", self.interval)
        if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
            raise InputError("interval must be (low, high)", param="interval", got=repr(self.interval))
        check_flag("equal_steps", self.equal_steps)

    def draw(self, size: int, rng: Rng = None) -> tuple[Floats, Floats]:
        """x (n, 1) and y (n,)."""
        generator = generator_of(rng)
        check_whole("size", size, 1)
        x = np.linspace(*self.interval, size) if self.equal_steps else generator.uniform(*self.interval, size=size)
        return x[:, None], self.function(x) + self.sigma * generator.standard_normal(size)

    def grid(self, size: int = 201) -> Floats:
        """(m, 1) x at equal steps over the interval, without its ends."""
        low, high = self.interval
        return np.linspace(low, high, size + 2)[1:-1, None]


def parabola(x: Floats) -> Floats:
    """3(x − 0.2)² − 7(x − 0.2) + 4.2  (Wu (2018), eq. 4)."""
    return 3 * (x - 0.2) ** 2 - 7 * (x - 0.2) + 4.2


def parabola_population(sigma: float = 1.0) -> RegressionPopulation:
    """The regression problem of Wu (2018), eq. 4 and 5.

    The range of x is not published: here it lies at equal steps on [0, 3], where the curve and the noise vary by
    similar amounts.

    Parameters
    ----------
    sigma : float, default 1
        SD of the noise.

    Returns
    -------
    RegressionPopulation
    """
    return RegressionPopulation(parabola, sigma, (0.0, 3.0), equal_steps=True)


# eq. 4 expanded: 3x² − 8.2x + 5.72. Table 1 of Wu (2018) prints 6.8 for the constant: a misprint.
PARABOLA = (5.72, -8.2, 3.0)


class Polynomial:
    """Least squares on 1, x, …, x^d  (Wu (2018), exercise 3).

    Solved on Legendre polynomials, which are not nearly collinear where the powers are.

    Parameters
    ----------
    degree : int, default 2
        d.
    """

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    def fit(self, X: ArrayLike, y: ArrayLike) -> Polynomial:
        x = np.asarray(X, dtype=float)[:, 0]
        if len(x) <= self.degree:
            raise InputError(
                f"A polynomial of degree {self.degree} has {self.degree + 1} parameters", got=f"{len(x)} cases"
            )
        self.series_ = np.polynomial.Legendre.fit(x, np.asarray(y, dtype=float), self.degree)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        return np.asarray(self.series_(np.asarray(X, dtype=float)[:, 0]))

    @property
    def powers_(self) -> Floats:
        """(d + 1,) coefficients p_0, …, p_d of the powers of x."""
        powers = self.series_.convert(kind=np.polynomial.Polynomial, domain=[-1, 1], window=[-1, 1])
        return np.asarray(powers.coef)


class NearestNeighbours:
    """Mean label of the k nearest cases on the line  (Wu (2018), exercise 6).

    Parameters
    ----------
    k : int, default 1
        Number of neighbours.
    """

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def fit(self, X: ArrayLike, y: ArrayLike) -> NearestNeighbours:
        self.x_, self.y_ = np.asarray(X, dtype=float)[:, 0], np.asarray(y, dtype=float)
        return self

    def neighbours(self, X: ArrayLike) -> Ints:
        """(m, k) the training cases nearest to each x."""
        distance = np.abs(np.asarray(X, dtype=float)[:, :1] - self.x_)
        return np.argsort(distance, axis=1, kind="stable")[:, : self.k]

    def predict(self, X: ArrayLike) -> Floats:
        return np.asarray(self.y_[self.neighbours(X)].mean(axis=1))
