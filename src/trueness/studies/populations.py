"""Populations: classes with known distributions, so that the true performance of a rule is known."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from trueness.checks import check_whole, generator_of, is_number, number_array, whole_numbers
from trueness.errors import InputError
from trueness.typing import Floats, Ints, Rng

STANDARD_DEVIATIONS_COVERED = 12.0  # beyond them a normal density is negligible in double precision


class Population(ABC):
    """C classes with known probabilities and densities. Labels are 0, …, C − 1; of two, 1 is the positive one.

    Attributes
    ----------
    priors : array of shape (C,)
        Class probabilities.
    """

    priors: Floats

    @property
    def n_classes(self) -> int:
        return len(self.priors)

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @abstractmethod
    def cases(self, label: int, n: int, rng: np.random.Generator) -> Floats:
        """(n, p) independent cases of one class."""

    @abstractmethod
    def log_densities(self, X: ArrayLike) -> Floats:
        """(m, C) log p(x | class); the log probability where x is discrete."""

    def draw(self, size: int | Sequence[int] | Ints, rng: Rng = None) -> tuple[Floats, Ints]:
        """Draw cases.

        Parameters
        ----------
        size : int or sequence of int
            Number of cases, with classes drawn by the priors; or one number per class.
        rng : int, SeedSequence, Generator or None
            Seed.

        Returns
        -------
        X : array of shape (n, p)
        y : array of shape (n,)
            Labels, sorted.
        """
        generator = generator_of(rng)
        sizes = whole_numbers(size)
        if sizes is not None and sizes.ndim == 0:
            sizes = generator.multinomial(int(sizes), self.priors)
        if sizes is None or sizes.shape != (self.n_classes,):
            raise InputError("size must be a number of cases, or one number per class", param="size", got=repr(size))
        X = np.concatenate([self.cases(label, int(n), generator) for label, n in enumerate(sizes)])
        return X, np.repeat(np.arange(self.n_classes), sizes)

    def posterior(self, X: ArrayLike) -> Floats:
        """(m, C) P(class | x) = π_c p(x | c) / Σ_k π_k p(x | k)."""
        with np.errstate(divide="ignore"):
            joint = np.log(self.priors) + self.log_densities(X)
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def bayes_rule(self, X: ArrayLike, costs: ArrayLike | None = None) -> Ints:
        """(m,) the class of least expected cost; `costs[i][j]` is the cost of answering j where the truth is i."""
        table = 1.0 - np.eye(self.n_classes) if costs is None else np.asarray(costs, dtype=float)
        return np.asarray((self.posterior(X) @ table).argmin(axis=1))

    # what `trueness.tables.bayes_error` asks before it draws cases

    def simplest(self) -> Population:
        """A population with the same Bayes risk and as few features as possible."""
        return self

    def bayes_risk(self, costs: Floats) -> float | None:
        """The least mean cost, E min_j Σ_i c_ij P(i | x); None where it has no closed form."""
        return None

    def grid(self) -> Floats | None:
        """Points across all densities of one feature, close where one of them varies; None for several features."""
        return None


@dataclass(frozen=True, eq=False, init=False)
class Gaussians(Population):
    """One normal distribution per class.

    Parameters
    ----------
    means : array of shape (C, p)
        Class means.
    covariances : array of shape (C, p, p) or (p, p)
        Covariance of each class, or one for all.
    priors : array of shape (C,), optional
        Class probabilities; equal by default.
    """

    means: Floats
    covariances: Floats
    priors: Floats

    def __init__(self, means: ArrayLike, covariances: ArrayLike, priors: ArrayLike | None = None) -> None:
        mean = _rows("means", means)
        n_classes, p = mean.shape
        covariance = number_array("covariances", covariances)
        if covariance.ndim == 2:
            covariance = np.repeat(covariance[None], n_classes, axis=0)
        if covariance.shape != (n_classes, p, p):
            raise InputError(
                "covariances must be one p × p matrix, or one per class",
                param="covariances",
                got=f"shape {covariance.shape} for {n_classes} means of {p} features",
            )
        if not np.isfinite(covariance).all():
            raise InputError("A covariance must be a finite number", param="covariances")
        symmetric = np.allclose(covariance, covariance.transpose(0, 2, 1))
        if not symmetric or (np.linalg.eigvalsh(covariance) <= 0).any():
            raise InputError("A covariance matrix must be symmetric and positive definite", param="covariances")
        object.__setattr__(self, "means", mean)
        object.__setattr__(self, "covariances", covariance)
        object.__setattr__(self, "priors", _probabilities(priors, n_classes, "priors"))

    @property
    def n_features(self) -> int:
        return int(self.means.shape[1])

    @cached_property
    def roots(self) -> Floats:
        """(C, p, p) lower Cholesky factors of the covariances."""
        return np.asarray(np.linalg.cholesky(self.covariances), dtype=float)

    @property
    def one_covariance(self) -> bool:
        """Whether all classes have the same covariance, so that the Bayes rule is linear."""
        return bool((self.covariances == self.covariances[0]).all())

    def cases(self, label: int, n: int, rng: np.random.Generator) -> Floats:
        drawn: Floats = self.means[label] + rng.standard_normal((n, self.n_features)) @ self.roots[label].T
        return drawn

    def log_densities(self, X: ArrayLike) -> Floats:
        cases = _table(X, self.n_features)
        return np.stack([normal_log_density(cases, m, r) for m, r in zip(self.means, self.roots, strict=True)], axis=1)

    def simplest(self) -> Gaussians:
        """With one covariance: Σ = I on the axes on which the means differ; the others carry no information."""
        if not self.one_covariance:
            return self
        white = linalg.solve_triangular(self.roots[0], self.means.T, lower=True).T
        centred = white - white[0]
        _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
        kept = max(1, int((sizes > 1e-12 * max(1.0, sizes.max())).sum()))
        return Gaussians(centred @ axes[:kept].T, np.eye(kept), self.priors)

    def bayes_risk(self, costs: Floats) -> float | None:
        """Two classes N(·, Σ), δ apart: decide 1 where ln p1/p0 ≥ ln k, and ln p1/p0 ~ N(∓δ²/2, δ²) in classes 0, 1.

        k = π0 (c01 − c00) / (π1 (c10 − c11)); with 0–1 costs it is
        pmc = π1 Φ(−δ/2 − ln(π1/(1 − π1))/δ) + (1 − π1) Φ(−δ/2 + ln(π1/(1 − π1))/δ), which is the population error rate
        of LDA in Popovici, Classification, with the signs of the logarithms corrected.
        """
        if self.n_classes != 2 or not self.one_covariance:
            return None
        (p0, p1), c, means = self.priors, costs, self.simplest().means
        delta = float(np.abs(means[1] - means[0]).sum())  # whitened, on one axis
        gain0, gain1 = p0 * (c[0, 1] - c[0, 0]), p1 * (c[1, 0] - c[1, 1])
        if delta == 0 or gain0 * gain1 <= 0:  # x carries no information, or one decision is never worse
            return float((self.priors @ c).min())
        sign = 1.0 if gain0 > 0 else -1.0  # costs that reward errors: the decisions are reversed
        shift = math.log(gain0 / gain1) / delta
        wrong0, wrong1 = special.ndtr(sign * np.array([-delta / 2 - shift, -delta / 2 + shift]))
        of_0, of_1 = c[0, 0] * (1 - wrong0) + c[0, 1] * wrong0, c[1, 1] * (1 - wrong1) + c[1, 0] * wrong1
        return float(p0 * of_0 + p1 * of_1)

    def grid(self) -> Floats | None:
        if self.n_features != 1:
            return None
        steps = np.linspace(-STANDARD_DEVIATIONS_COVERED, STANDARD_DEVIATIONS_COVERED, 601)
        return np.unique(self.means + np.sqrt(self.covariances[:, 0]) * steps)


@dataclass(frozen=True, eq=False, init=False)
class Mixture(Population):
    """Every class is a mixture of the same normal components, in different shares.

    Parameters
    ----------
    components : Gaussians
        The K components (its priors are not used).
    shares : array of shape (C, K)
        Share of each component in each class; rows sum to 1.
    priors : array of shape (C,), optional
        Class probabilities; equal by default.
    """

    components: Gaussians
    shares: Floats
    priors: Floats

    def __init__(self, components: Gaussians, shares: ArrayLike, priors: ArrayLike | None = None) -> None:
        if not isinstance(components, Gaussians):
            raise InputError("components must be Gaussians", param="components", got=type(components).__name__)
        rows = _rows("shares", shares)
        rows = np.stack([_probabilities(row, components.n_classes, "shares") for row in rows])
        object.__setattr__(self, "components", components)
        object.__setattr__(self, "shares", rows)
        object.__setattr__(self, "priors", _probabilities(priors, len(rows), "priors"))

    @property
    def n_features(self) -> int:
        return self.components.n_features

    def cases(self, label: int, n: int, rng: np.random.Generator) -> Floats:
        sizes = rng.multinomial(n, self.shares[label])
        X = np.concatenate([self.components.cases(k, int(m), rng) for k, m in enumerate(sizes)])
        return X[rng.permutation(n)]

    def log_densities(self, X: ArrayLike) -> Floats:
        parts = self.components.log_densities(X)  # (m, K)
        highest = parts.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            densities: Floats = highest + np.log(np.exp(parts - highest) @ self.shares.T)
        return densities

    def grid(self) -> Floats | None:
        return self.components.grid()


@dataclass(frozen=True, eq=False, init=False)
class Discrete(Population):
    """Finitely many points, so that the true performance of any rule is a sum.

    Parameters
    ----------
    points : array of shape (m, p)
        The values that x can take, all different.
    masses : array of shape (C, m)
        P(point | class); rows sum to 1.
    priors : array of shape (C,), optional
        Class probabilities; equal by default.
    """

    points: Floats
    masses: Floats
    priors: Floats

    def __init__(self, points: ArrayLike, masses: ArrayLike, priors: ArrayLike | None = None) -> None:
        values = number_array("points", points)
        values = _rows("points", values[:, None] if values.ndim == 1 else values)
        if len(np.unique(values, axis=0)) < len(values):
            raise InputError("Two points are the same", param="points", fix="Add up their masses")
        rows = _rows("masses", masses)
        rows = np.stack([_probabilities(row, len(values), "masses") for row in rows])
        object.__setattr__(self, "points", values)
        object.__setattr__(self, "masses", rows)
        object.__setattr__(self, "priors", _probabilities(priors, len(rows), "priors"))

    @property
    def n_features(self) -> int:
        return int(self.points.shape[1])

    def cases(self, label: int, n: int, rng: np.random.Generator) -> Floats:
        return self.points[rng.choice(len(self.points), size=n, p=self.masses[label])]

    def log_densities(self, X: ArrayLike) -> Floats:
        cases = _table(X, self.n_features)
        same = (cases[:, None, :] == self.points[None, :, :]).all(axis=2)  # (m, points)
        if not same.any(axis=1).all():
            raise InputError("A case is none of the points of the population", param="X")
        with np.errstate(divide="ignore"):
            return np.log(self.masses[:, same.argmax(axis=1)].T)

    def bayes_risk(self, costs: Floats) -> float:
        return float(((self.masses.T * self.priors) @ costs).min(axis=1).sum())


def two_gaussians(n_features: int, distance: float, priors: ArrayLike | None = None) -> Gaussians:
    """Two classes N(0, I) and N(c·1, I) with Mahalanobis distance Δ = c √p  (Yousef, ML Assessment, section 5.2).

    The Bayes rule is linear, with AUC Φ(Δ/√2) and, for equal priors, error Φ(−Δ/2).

    Parameters
    ----------
    n_features : int
        p.
    distance : float
        Δ.
    priors : array of shape (2,), optional
        Class probabilities; equal by default.

    Returns
    -------
    Gaussians
    """
    check_whole("n_features", n_features, 1)
    if not is_number(distance) or not 0 <= distance < np.inf:
        raise InputError("distance must be a number of at least 0", param="distance", got=repr(distance))
    means = np.zeros((2, n_features))
    means[1] = distance / np.sqrt(n_features)
    return Gaussians(means, np.eye(n_features), priors)


def highleyman(priors: ArrayLike | None = None) -> Gaussians:
    """Highleyman's two classes  (Paclík et al., section 4.1). Label 1 is their class 1, label 0 their class 2.

    Parameters
    ----------
    priors : array of shape (2,), optional
        Class probabilities; equal by default.

    Returns
    -------
    Gaussians
    """
    covariances = np.array([np.diag([0.01, 4]), np.diag([1, 0.25])])
    return Gaussians([[2, 0], [1, 1]], covariances, priors)


def normal_log_density(
    X: Floats,  # (m, p)
    mean: Floats,  # (p,)
    root: Floats,  # (p, p) lower Cholesky factor of the covariance
) -> Floats:
    """(m,) log density of N(mean, root root')."""
    z = np.linalg.solve(root, (X - mean).T)
    density: Floats = -0.5 * (z**2).sum(axis=0) - np.log(np.diag(root)).sum() - 0.5 * len(mean) * np.log(2 * np.pi)
    return density


def _table(X: ArrayLike, p: int) -> Floats:
    cases = np.asarray(X, dtype=float)
    if cases.ndim == 1 and p == 1:
        cases = cases[:, None]
    if cases.ndim != 2 or cases.shape[1] != p:
        raise InputError(f"X must have {p} columns, one per feature", param="X", got=f"shape {cases.shape}")
    return cases


def _rows(param: str, values: ArrayLike) -> Floats:
    """A table of finite numbers; one row where it was given without its own axis."""
    table = np.atleast_2d(number_array(param, values))
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise InputError(f"{param} must be a table of finite numbers", param=param, got=f"shape {table.shape}")
    return table


def _probabilities(given: ArrayLike | None, size: int, param: str) -> Floats:
    out = np.full(size, 1 / size) if given is None else number_array(param, given)
    if out.shape != (size,) or (out < 0).any() or not np.isclose(out.sum(), 1):
        got = np.asarray(given).tolist()
        raise InputError(f"{param} must be {size} probabilities with sum 1", param=param, got=got)
    scaled: Floats = out / out.sum()
    return scaled
