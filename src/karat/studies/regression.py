"""Regression with a known truth, for the studies of seeds/001: y = F(x) + ε, and polynomials fitted to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.errors import InputError


@dataclass(frozen=True, eq=False)
class RegressionPopulation:
    """y = F(x) + N(0, σ²), x on an interval  (seeds/001, eq. 23).

    Parameters
    ----------
    function
        F, of an array.
    sigma
        SD of the noise.
    interval
        Where x lies.
    equal_steps
        x at equal steps, so that only the noise differs between samples; else x is uniform.
    """

    function: Callable[[np.ndarray], np.ndarray]
    sigma: float = 1.0
    interval: tuple[float, float] = (-3.0, 3.0)
    equal_steps: bool = False

    def draw(self, size: int, rng: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """x (n, 1) and y (n,)."""
        generator = np.random.default_rng(rng)
        x = np.linspace(*self.interval, size) if self.equal_steps else generator.uniform(*self.interval, size=size)
        return x[:, None], self.function(x) + self.sigma * generator.standard_normal(size)

    def grid(self, size: int = 201) -> np.ndarray:
        """(m, 1) x at equal steps over the interval, without its very ends."""
        low, high = self.interval
        return np.linspace(low, high, size + 2)[1:-1, None]


def parabola(x: np.ndarray) -> np.ndarray:
    """3(x − 0.2)² − 7(x − 0.2) + 4.2  (seeds/001, eq. 4)."""
    return 3 * (x - 0.2) ** 2 - 7 * (x - 0.2) + 4.2


def parabola_population(sigma: float = 1.0) -> RegressionPopulation:
    """The regression task of seeds/001, eq. (4) and (5). The seed does not say where x lies: here at equal steps
    on [0, 3], where the curve's rise and the noise are of one size."""
    return RegressionPopulation(parabola, sigma, (0.0, 3.0), equal_steps=True)


# eq. (4) written out: 3x² − 8.2x + 5.72. Table 1 of seeds/001 prints 6.8 for the last one: a misprint.
PARABOLA = (5.72, -8.2, 3.0)


class Polynomial:
    """Least squares on 1, x, …, x^d (seeds/001, exercise 3), solved on Legendre polynomials, which are not nearly
    collinear where the powers are."""

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"degree": self.degree}

    def set_params(self, **params: Any) -> Polynomial:
        self.degree = params.get("degree", self.degree)
        return self

    def fit(self, X: np.ndarray, y: np.ndarray) -> Polynomial:
        x = np.asarray(X, dtype=float)[:, 0]
        if len(x) <= self.degree:
            raise InputError(
                f"a polynomial of degree {self.degree} has {self.degree + 1} parameters", got=f"{len(x)} cases"
            )
        self.series_ = np.polynomial.Legendre.fit(x, y, self.degree)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.series_(np.asarray(X, dtype=float)[:, 0])

    @property
    def powers_(self) -> np.ndarray:
        """(d + 1,) coefficients p_0, …, p_d of the powers of x."""
        return self.series_.convert(kind=np.polynomial.Polynomial, domain=[-1, 1], window=[-1, 1]).coef


class NearestNeighbours:
    """Mean label of the k nearest cases on the line  (seeds/001, exercise 6)."""

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"k": self.k}

    def set_params(self, **params: Any) -> NearestNeighbours:
        self.k = params.get("k", self.k)
        return self

    def fit(self, X: np.ndarray, y: np.ndarray) -> NearestNeighbours:
        self.x_, self.y_ = np.asarray(X, dtype=float)[:, 0], np.asarray(y, dtype=float)
        return self

    def neighbours(self, X: np.ndarray) -> np.ndarray:
        """(m, k) the training cases nearest to each x."""
        distance = np.abs(np.asarray(X, dtype=float)[:, :1] - self.x_)
        return np.argsort(distance, axis=1, kind="stable")[:, : self.k]

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.y_[self.neighbours(X)].mean(axis=1)
