"""Bayes: the decision of least expected cost, and the least cost that a population allows."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from scipy import integrate, linalg, special

from karat.diagnostic.costs import cost_matrix
from karat.errors import InputError
from karat.result import Estimate
from karat.sample.populations import Discrete, Gaussians, Mixture

ABSTAIN = -1
REACH = 12.0  # standard deviations beyond which a normal density adds nothing to a double


class Population(Protocol):
    """What `bayes_error` needs to know of a population: `karat.sample.populations` has some."""

    @property
    def priors(self) -> Any:
        """(C,) class probabilities."""

    def log_densities(self, X: Any) -> np.ndarray:
        """(m, C) ln p(x | class)."""

    def draw(self, size: Any, rng: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Cases X (n, p) and their labels."""


def bayes_decision(posterior: Any, costs: Any, abstain: float | None = None) -> np.ndarray:
    """Decisions of least expected cost: argmin_j Σ_i c_ij P(i | x)  (seeds/001, eq. 15).

    Parameters
    ----------
    posterior
        (n, C) probabilities of the classes, or (n,) of the positive one of two.
    costs
        costs[i][j] is the cost of deciding j where the truth is i; two classes in the order negative, positive.
    abstain
        Cost of not deciding at all; None: a decision must be taken.

    Returns
    -------
    (n,) class numbers; −1 where abstaining costs less than any decision. Among decisions of equal cost the last
    class is taken, so that two classes decide as "P(positive) ≥ threshold" does (up to rounding: where P equals the
    threshold of `cost_threshold` in all digits, the two expected costs may still differ in the last one).

    Examples
    --------
    A missed case that costs ten times a false alarm moves the threshold from ½ to 1/11:

    >>> bayes_decision([0.05, 0.1, 0.6], [[0, 1], [10, 0]])
    array([0, 1, 1])
    >>> bayes_decision([0.05, 0.1, 0.6], [[0, 1], [1, 0]], abstain=0.3)
    array([ 0,  0, -1])
    """
    table = cost_matrix(costs)
    expected = _posterior(posterior, len(table)) @ table  # (n, C) Σ_i P(i | x) c_ij
    last_first = expected[:, ::-1]
    decisions = len(table) - 1 - last_first.argmin(axis=1)
    if abstain is not None:
        if not math.isfinite(abstain):
            raise InputError("the cost of abstaining must be a finite number", got=abstain)
        decisions = np.where(expected.min(axis=1) > abstain, ABSTAIN, decisions)
    return decisions


def cost_threshold(costs: Any, abstain: float | None = None) -> tuple[float, float]:
    """(low, high): decide negative below `low`, positive from `high` on; they are equal where nobody abstains.

    Of P(positive): t = (c01 − c00) / (c01 − c00 + c10 − c11), where both decisions cost the same. With a cost a of
    abstaining (Chow 1970) negative costs no more than a up to (a − c00)/(c10 − c00), and positive from
    (c01 − a)/(c01 − c11) on.

    Examples
    --------
    >>> cost_threshold([[0, 1], [1, 0]])
    (0.5, 0.5)
    >>> cost_threshold([[0, 1], [1, 0]], abstain=0.25)
    (0.25, 0.75)
    """
    c = cost_matrix(costs, 2)
    if not (c[0, 1] > c[0, 0] and c[1, 0] > c[1, 1]):
        raise InputError("a wrong decision must cost more than the right one, or there is no threshold", got=c.tolist())
    at = float((c[0, 1] - c[0, 0]) / (c[0, 1] - c[0, 0] + c[1, 0] - c[1, 1]))
    if abstain is None:
        return at, at
    if not isinstance(abstain, (int, float, np.number)) or not np.isfinite(abstain):
        raise InputError("the cost of abstaining must be a finite number", got=repr(abstain))
    if not (c[1, 0] > c[0, 0] and c[0, 1] > c[1, 1]):
        raise InputError(
            "where a decision gets dearer the likelier it is right, abstaining has no two thresholds",
            got=c.tolist(),
            fix="Use bayes_decision, which compares the costs case by case",
        )
    if at * c[1, 0] + (1 - at) * c[0, 0] <= abstain:
        return at, at
    low = (abstain - c[0, 0]) / (c[1, 0] - c[0, 0])
    high = (c[0, 1] - abstain) / (c[0, 1] - c[1, 1])
    return float(min(max(low, 0.0), at)), float(max(min(high, 1.0), at))


def bayes_error(population: Population, costs: Any = None, *, n: int = 200_000, rng: Any = None) -> Estimate:
    """The least mean cost that any rule can have in a population: the Bayes risk, E min_j Σ_i c_ij P(i | x).

    Parameters
    ----------
    population
        Class priors and densities: one of `karat.sample.populations`, or anything like `Population`.
    costs
        costs[i][j] is the cost of deciding j where the truth is i; None: every error costs 1, so that the result is
        the Bayes error rate (seeds/001, eq. 22).
    n, rng
        Cases drawn, where it takes a Monte-Carlo mean.

    Returns
    -------
    Estimate
        method "exact" (two Gaussians with one covariance, MATH 7; or finitely many points), "quadrature" (normal
        classes or mixtures of one feature, or normal classes with one covariance and all means on a line; a note gives
        the error), or
        "monte-carlo" with `mc_se`.

    Examples
    --------
    Exercise 7 (c) of seeds/001: N(−1, ¼) and N(1, ¼), equally frequent.

    >>> from karat.sample.populations import Gaussians
    >>> bayes_error(Gaussians([[-1], [1]], [[0.25]])).value  # Φ(−2)
    0.02275013194817...
    """
    if not hasattr(population, "priors"):
        raise InputError(
            "a population has priors and densities", got=repr(population), fix="Use karat.sample.populations"
        )
    if not isinstance(n, (int, np.integer)) or n < 2:
        raise InputError("n must be a whole number of at least 2", got=repr(n))
    priors = np.asarray(population.priors, dtype=float)
    table = 1 - np.eye(len(priors)) if costs is None else cost_matrix(costs, len(priors))
    name = "bayes error" if costs is None else "bayes risk"
    bounds = (float(table.min()), float(table.max()))
    if isinstance(population, Gaussians) and population.one_covariance:
        population = _on_few_axes(population)
        if len(priors) == 2:
            return Estimate(_two_gaussians(population, table), metric=name, method="exact", bounds=bounds)
    if isinstance(population, Discrete):
        value = float(((population.masses.T * priors) @ table).min(axis=1).sum())  # seeds/001, eq. 15 and 22
        return Estimate(value, metric=name, method="exact", bounds=bounds)
    grid = _grid(population)
    if grid is not None:
        value, error = _integrated(population, priors, table, grid)
        out = Estimate(value, metric=name, method="quadrature", bounds=bounds)
        return out.noting(f"Numerical integration; its own estimate of the error is {error:.1g}.")
    X, _ = population.draw(n, rng)
    with np.errstate(divide="ignore"):
        posterior = special.softmax(population.log_densities(X) + np.log(priors), axis=1)
    risk = (posterior @ table).min(axis=1)  # (n,)
    mc_se = float(risk.std(ddof=1) / math.sqrt(len(risk)))
    return Estimate(float(risk.mean()), mc_se=mc_se, metric=name, method="monte-carlo", bounds=bounds).noting(
        f"Mean over {len(risk)} cases drawn from the population; mc_se is its error."
    )


def _two_gaussians(population: Gaussians, c: np.ndarray) -> float:
    """Both classes N(·, Σ), δ apart: decide 1 where ln p1/p0 ≥ ln k, and ln p1/p0 ~ N(∓δ²/2, δ²) in classes 0, 1.

    k = π0 (c01 − c00) / (π1 (c10 − c11)); with 0–1 costs it is
    pmc = π1 Φ(−δ/2 − ln(π1/(1 − π1))/δ) + (1 − π1) Φ(−δ/2 + ln(π1/(1 − π1))/δ)   (MATH 7, the slides' signs turned).
    """
    p0, p1 = population.priors
    always = [p0 * c[0, j] + p1 * c[1, j] for j in (0, 1)]
    delta = float(np.abs(population.means[1] - population.means[0]).sum())  # whitened, on one axis
    gain0, gain1 = p0 * (c[0, 1] - c[0, 0]), p1 * (c[1, 0] - c[1, 1])
    if delta == 0 or gain0 * gain1 <= 0:  # x tells nothing, or one decision is never worse
        return float(min(always))
    sign = 1.0 if gain0 > 0 else -1.0  # costs that reward errors: decide the other way round
    shift = math.log(gain0 / gain1) / delta
    wrong0, wrong1 = special.ndtr(sign * np.array([-delta / 2 - shift, -delta / 2 + shift]))
    return float(p0 * (c[0, 0] * (1 - wrong0) + c[0, 1] * wrong0) + p1 * (c[1, 1] * (1 - wrong1) + c[1, 0] * wrong1))


def _on_few_axes(population: Gaussians) -> Gaussians:
    """The same populations with Σ = I on the axes on which the means differ: the others carry no information."""
    white = linalg.solve_triangular(population.roots[0], population.means.T, lower=True).T
    centred = white - white[0]
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    kept = max(1, int((sizes > 1e-12 * max(1.0, sizes.max())).sum()))
    return Gaussians(centred @ axes[:kept].T, np.eye(kept), population.priors)


def _grid(population: Any) -> np.ndarray | None:
    """Points across all densities of one feature, close where one of them varies; None where it is not known how."""
    normals = population.components if isinstance(population, Mixture) else population
    if not isinstance(normals, Gaussians) or normals.n_features != 1:
        return None
    return np.unique(normals.means + np.sqrt(normals.covariances[:, 0]) * np.linspace(-REACH, REACH, 601))


def _integrated(population: Any, priors: np.ndarray, costs: np.ndarray, grid: np.ndarray) -> tuple[float, float]:
    """∫ min_j Σ_i c_ij π_i p_i(x) dx, split where the decision changes (the integrand has kinks there)."""

    def risks(x: np.ndarray) -> np.ndarray:
        return (np.exp(population.log_densities(x[:, None])) * priors) @ costs  # (m, C)

    decision = risks(grid).argmin(axis=1)
    changes = np.flatnonzero(np.diff(decision))
    kinks = [_change(risks, grid[k], grid[k + 1], decision[k], decision[k + 1]) for k in changes]
    cuts = np.unique(np.concatenate([grid[::25], grid[-1:], kinks]))  # no narrow density is stepped over
    parts = [integrate.quad(lambda x: float(risks(np.array([x])).min()), a, b) for a, b in pairwise(cuts)]
    value, error = np.sum(parts, axis=0)
    return float(value), float(error)


def _change(risks: Any, a: float, b: float, one: int, other: int) -> float:
    """Where the risks of two decisions are equal, by halving [a, b]."""
    for _ in range(60):
        middle = (a + b) / 2
        at = risks(np.array([middle]))[0]
        a, b = (middle, b) if at[one] <= at[other] else (a, middle)
    return (a + b) / 2


def _posterior(posterior: Any, n_classes: int) -> np.ndarray:
    try:
        p = np.asarray(posterior, dtype=float)
    except (TypeError, ValueError):
        raise InputError("posterior must hold probabilities", got=posterior) from None
    if p.ndim == 1 and n_classes == 2:
        p = np.stack([1 - p, p], axis=1)
    if p.ndim != 2 or p.shape[1] != n_classes:
        raise InputError(
            "posterior must have a row a case and a column a class",
            got=f"shape {p.shape} for a cost matrix of {n_classes} classes",
        )
    if not ((p >= 0) & (p <= 1)).all() or not np.allclose(p.sum(axis=1), 1, atol=1e-6):
        raise InputError("the probabilities of each case must lie in [0, 1] and have the sum 1")
    return p
