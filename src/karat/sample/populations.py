"""Populations: classes whose distributions are known, so that the truth of a rule is known too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from karat.errors import InputError


class Population(ABC):
    """C classes with known probabilities and known densities. Labels are 0, …, C − 1; 1 is the positive one of two.

    Attributes
    ----------
    priors
        (C,) class probabilities.
    n_features
        p.
    """

    priors: np.ndarray
    n_features: int

    @property
    def n_classes(self) -> int:
        return len(self.priors)

    @abstractmethod
    def cases(self, label: int, n: int, rng: np.random.Generator) -> np.ndarray:
        """(n, p) independent cases of one class."""

    @abstractmethod
    def log_densities(self, X: Any) -> np.ndarray:
        """(m, C) log p(x | class); the log probability where x is discrete."""

    def draw(self, size: Any, rng: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Cases X (n, p) and their labels y (n,), sorted by class.

        Parameters
        ----------
        size
            A whole number: so many cases, their classes drawn by the priors. One number a class: so many of each.
        rng
            None, an int, a SeedSequence or a Generator.
        """
        generator = np.random.default_rng(rng)
        sizes = np.asarray(size)
        if sizes.ndim == 0:
            sizes = generator.multinomial(int(sizes), self.priors)
        if sizes.shape != (self.n_classes,) or (sizes < 0).any():
            raise InputError("size must be a number of cases, or one a class", got=repr(size))
        X = np.concatenate([self.cases(label, int(n), generator) for label, n in enumerate(sizes)])
        return X, np.repeat(np.arange(self.n_classes), sizes)

    def posterior(self, X: Any) -> np.ndarray:
        """(m, C) P(class | x) = π_c p(x | c) / Σ_k π_k p(x | k)."""
        with np.errstate(divide="ignore"):
            joint = np.log(self.priors) + self.log_densities(X)
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def bayes_rule(self, X: Any, costs: Any = None) -> np.ndarray:
        """(m,) the class of least expected cost; costs[i][j] is that of answering j where the truth is i."""
        table = 1.0 - np.eye(self.n_classes) if costs is None else np.asarray(costs, dtype=float)
        return (self.posterior(X) @ table).argmin(axis=1)


@dataclass(frozen=True, eq=False)
class Gaussians(Population):
    """One normal distribution a class.

    Parameters
    ----------
    means
        (C, p).
    covariances
        (C, p, p), or (p, p) for all classes.
    priors
        (C,); None: equal.
    """

    means: Any
    covariances: Any
    priors: Any = None

    def __post_init__(self) -> None:
        means = np.atleast_2d(np.asarray(self.means, dtype=float))
        n_classes, p = means.shape
        covariances = np.asarray(self.covariances, dtype=float)
        if covariances.ndim == 2:
            covariances = np.repeat(covariances[None], n_classes, axis=0)
        if covariances.shape != (n_classes, p, p):
            raise InputError(
                "covariances must be one p × p matrix, or one a class",
                got=f"shape {covariances.shape} for {n_classes} means of {p} features",
            )
        symmetric = np.allclose(covariances, covariances.transpose(0, 2, 1))
        if not symmetric or (np.linalg.eigvalsh(covariances) <= 0).any():
            raise InputError("a covariance matrix must be symmetric and positive definite")
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "covariances", covariances)
        object.__setattr__(self, "priors", _shares(self.priors, n_classes, "priors"))

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.means.shape[1]

    @cached_property
    def roots(self) -> np.ndarray:
        """(C, p, p) lower Cholesky factors of the covariances."""
        return np.linalg.cholesky(self.covariances)

    @property
    def one_covariance(self) -> bool:
        """Whether all classes share their covariance: then the Bayes rule is linear."""
        return bool((self.covariances == self.covariances[0]).all())

    def cases(self, label: int, n: int, rng: np.random.Generator) -> np.ndarray:
        return self.means[label] + rng.standard_normal((n, self.n_features)) @ self.roots[label].T

    def log_densities(self, X: Any) -> np.ndarray:
        X = _table(X, self.n_features)
        return np.stack([normal_log_density(X, m, r) for m, r in zip(self.means, self.roots, strict=True)], axis=1)


@dataclass(frozen=True, eq=False)
class Mixture(Population):
    """Every class a mixture of the same normal components, in shares of its own.

    Parameters
    ----------
    components
        A Gaussians with the K components (its priors are not used).
    shares
        (C, K) share of each component in each class; rows sum to 1.
    priors
        (C,); None: equal.
    """

    components: Gaussians
    shares: Any
    priors: Any = None

    def __post_init__(self) -> None:
        shares = np.atleast_2d(np.asarray(self.shares, dtype=float))
        rows = [_shares(row, self.components.n_classes, "shares") for row in shares]
        object.__setattr__(self, "shares", np.stack(rows))
        object.__setattr__(self, "priors", _shares(self.priors, len(rows), "priors"))

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.components.n_features

    def cases(self, label: int, n: int, rng: np.random.Generator) -> np.ndarray:
        sizes = rng.multinomial(n, self.shares[label])
        X = np.concatenate([self.components.cases(k, int(m), rng) for k, m in enumerate(sizes)])
        return X[rng.permutation(n)]

    def log_densities(self, X: Any) -> np.ndarray:
        parts = self.components.log_densities(X)  # (m, K)
        highest = parts.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return highest + np.log(np.exp(parts - highest) @ self.shares.T)


@dataclass(frozen=True, eq=False)
class Discrete(Population):
    """Finitely many points: the truth of any rule is a sum.

    Parameters
    ----------
    points
        (m, p) the values that x can take, all different.
    masses
        (C, m) P(point | class); rows sum to 1.
    priors
        (C,); None: equal.
    """

    points: Any
    masses: Any
    priors: Any = None

    def __post_init__(self) -> None:
        points = np.asarray(self.points, dtype=float)
        points = points[:, None] if points.ndim == 1 else points
        if len(np.unique(points, axis=0)) < len(points):
            raise InputError("two points of a discrete population are the same", fix="Add their masses up")
        rows = [_shares(row, len(points), "masses") for row in np.atleast_2d(np.asarray(self.masses, dtype=float))]
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "masses", np.stack(rows))
        object.__setattr__(self, "priors", _shares(self.priors, len(rows), "priors"))

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return self.points.shape[1]

    def cases(self, label: int, n: int, rng: np.random.Generator) -> np.ndarray:
        return self.points[rng.choice(len(self.points), size=n, p=self.masses[label])]

    def log_densities(self, X: Any) -> np.ndarray:
        X = _table(X, self.n_features)
        same = (X[:, None, :] == self.points[None, :, :]).all(axis=2)  # (m, points)
        if not same.any(axis=1).all():
            raise InputError("a case is none of the points of this population")
        with np.errstate(divide="ignore"):
            return np.log(self.masses[:, same.argmax(axis=1)].T)


def two_gaussians(n_features: int, distance: float, priors: Any = None) -> Gaussians:
    """Two classes N(0, I) and N(c·1, I), c chosen so that the Mahalanobis distance is Δ = c √p  (seeds/000, 5.2).

    Its Bayes rule is linear, with AUC Φ(Δ/√2) and, for equal priors, error Φ(−Δ/2).
    """
    means = np.zeros((2, n_features))
    means[1] = distance / np.sqrt(n_features)
    return Gaussians(means, np.eye(n_features), priors)


def highleyman(priors: Any = None) -> Gaussians:
    """Highleyman's two classes  (seeds/002, 4.1). Label 1 is the seed's class 1, label 0 its class 2."""
    return Gaussians([[2, 0], [1, 1]], [[[0.01, 0], [0, 4]], [[1, 0], [0, 0.25]]], priors)


def normal_log_density(
    X: np.ndarray,  # (m, p)
    mean: np.ndarray,  # (p,)
    root: np.ndarray,  # (p, p) lower Cholesky factor of the covariance
) -> np.ndarray:
    """(m,) log density of N(mean, root root')."""
    z = np.linalg.solve(root, (X - mean).T)
    return -0.5 * (z**2).sum(axis=0) - np.log(np.diag(root)).sum() - 0.5 * len(mean) * np.log(2 * np.pi)


def _table(X: Any, p: int) -> np.ndarray:
    X = np.asarray(X, dtype=float)
    if X.ndim == 1 and p == 1:
        X = X[:, None]
    if X.ndim != 2 or X.shape[1] != p:
        raise InputError(f"X must have {p} columns, one a feature", got=f"shape {X.shape}")
    return X


def _shares(shares: Any, size: int, name: str) -> np.ndarray:
    out = np.full(size, 1 / size) if shares is None else np.asarray(shares, dtype=float)
    if out.shape != (size,) or (out < 0).any() or not np.isclose(out.sum(), 1):
        raise InputError(f"{name} must be {size} probabilities with sum 1", got=np.asarray(shares).tolist())
    return out / out.sum()
