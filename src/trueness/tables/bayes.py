"""Bayes decisions: the decision of least expected cost, and the least cost that a population allows."""

import math
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from scipy import integrate, optimize, special

from trueness.checks import check_whole, cost_matrix, is_number, number_array
from trueness.errors import InputError
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.typing import Array, Floats, Ints, Rng

ABSTAIN = -1


class KnownPopulation(Protocol):
    """What `bayes_error` needs of a population; `trueness.studies.populations` has some."""

    @property
    def priors(self) -> npt.ArrayLike:
        """(C,) class probabilities."""

    def log_densities(self, X: Floats) -> Floats:
        """(m, C) ln p(x | class)."""

    def draw(self, size: int, rng: Rng = None) -> tuple[Array, Array]:
        """Cases X (n, p) and their labels."""


@runtime_checkable
class Solvable(KnownPopulation, Protocol):
    """A population whose Bayes risk may be known without drawing cases."""

    def simplest(self) -> KnownPopulation:
        """A population with the same Bayes risk and as few features as possible."""

    def bayes_risk(self, costs: Floats) -> float | None:
        """The least mean cost; None where it has no closed form."""

    def grid(self) -> Floats | None:
        """Points across all densities of one feature, close where one of them varies; None for several features."""


def bayes_decision(posterior: npt.ArrayLike, costs: npt.ArrayLike, *, abstain: float | None = None) -> Ints:
    """Decisions of least expected cost: argmin_j Σ_i c_ij P(i | x).

    Parameters
    ----------
    posterior : array-like of shape (n, C) or (n,)
        Probabilities of the classes, or of the positive one of two.
    costs : array-like of shape (C, C)
        `costs[i][j]` is the cost of deciding j where the truth is i; two classes in the order negative, positive.
    abstain : float, optional
        Cost of abstaining; without it every case is decided.

    Returns
    -------
    ndarray of shape (n,)
        Class numbers; −1 where abstaining costs less than any decision. Ties go to the last class, so that two classes
        are decided as by "P(positive) ≥ threshold" (up to rounding at the threshold itself).

    See Also
    --------
    trueness.tables.cost_threshold : The same decisions as a threshold of P(positive).

    References
    ----------
    Wu (2018), eq. 15. Chow (1970), On optimum recognition error and reject tradeoff.

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
    decisions: Ints = len(table) - 1 - last_first.argmin(axis=1)
    if abstain is not None:
        _check_abstain(abstain)
        decisions = np.where(expected.min(axis=1) > abstain, ABSTAIN, decisions)
    return decisions


def cost_threshold(costs: npt.ArrayLike, *, abstain: float | None = None) -> tuple[float, float]:
    """Thresholds of P(positive) of least expected cost.

    t = (c01 − c00) / (c01 − c00 + c10 − c11), where both decisions cost the same. With a cost a of abstaining
    (Chow 1970), negative costs at most a up to (a − c00)/(c10 − c00), and positive from (c01 − a)/(c01 − c11).

    Parameters
    ----------
    costs : array-like of shape (2, 2)
        As in `bayes_decision`.
    abstain : float, optional
        Cost of abstaining.

    Returns
    -------
    low, high : float
        Decide negative below `low`, positive from `high`, abstain between; equal where abstaining never pays.

    Examples
    --------
    >>> cost_threshold([[0, 1], [1, 0]])
    (0.5, 0.5)
    >>> cost_threshold([[0, 1], [1, 0]], abstain=0.25)
    (0.25, 0.75)
    """
    c = cost_matrix(costs, 2)
    if not (c[0, 1] > c[0, 0] and c[1, 0] > c[1, 1]):
        problem = "A threshold exists only where a wrong decision costs more than the right one"
        raise InputError(problem, param="costs", got=c.tolist())
    at = float((c[0, 1] - c[0, 0]) / (c[0, 1] - c[0, 0] + c[1, 0] - c[1, 1]))
    if abstain is None:
        return at, at
    _check_abstain(abstain)
    if not (c[1, 0] > c[0, 0] and c[0, 1] > c[1, 1]):
        problem = "Abstaining has no two thresholds where a decision costs more the likelier it is right"
        raise InputError(problem, param="costs", got=c.tolist(), fix="Use bayes_decision")
    if at * c[1, 0] + (1 - at) * c[0, 0] <= abstain:
        return at, at
    low = (abstain - c[0, 0]) / (c[1, 0] - c[0, 0])
    high = (c[0, 1] - abstain) / (c[0, 1] - c[1, 1])
    return float(min(max(low, 0.0), at)), float(max(min(high, 1.0), at))


def _check_abstain(abstain: float) -> None:
    if not is_number(abstain) or not math.isfinite(abstain):
        raise InputError("abstain must be a finite number", param="abstain", got=repr(abstain))


def bayes_error(
    population: KnownPopulation, costs: npt.ArrayLike | None = None, *, n: int = 200_000, rng: Rng = None
) -> Estimate:
    """The least mean cost that any rule can have in a population: the Bayes risk, E min_j Σ_i c_ij P(i | x).

    Parameters
    ----------
    population : KnownPopulation
        Class priors and densities: one of `trueness.studies.populations`, or any object with the same methods.
    costs : array-like of shape (C, C), optional
        `costs[i][j]` is the cost of deciding j where the truth is i. By default every error costs 1, which gives the
        Bayes error rate.
    n : int, default 200000
        Number of cases drawn for a Monte-Carlo mean.
    rng : int, SeedSequence or Generator, optional
        Used for a Monte-Carlo mean.

    Returns
    -------
    Estimate
        With method "exact" (two Gaussians with one covariance, or finitely many points), "quadrature" (normal classes
        or mixtures of one feature, or normal classes with one covariance and all means on a line; a note has the
        error), or "monte-carlo" with `mc_se`.

    References
    ----------
    Wu (2018), eqs. 15 and 22.

    Examples
    --------
    N(−1, ¼) and N(1, ¼), equally frequent (Wu 2018, exercise 7 c):

    >>> from trueness.studies.populations import Gaussians
    >>> bayes_error(Gaussians([[-1], [1]], [[0.25]])).value  # Φ(−2)
    0.02275013194817...
    """
    if not hasattr(population, "priors"):
        problem, fix = "population must have priors and densities", "Use one of trueness.studies.populations"
        raise InputError(problem, param="population", got=repr(population), fix=fix)
    check_whole("n", n, 2)
    priors = np.asarray(population.priors, dtype=float)
    table = 1 - np.eye(len(priors)) if costs is None else cost_matrix(costs, len(priors))
    name = "bayes error" if costs is None else "bayes risk"
    bounds = (float(table.min()), float(table.max()))
    grid = None
    if isinstance(population, Solvable):
        exact = population.bayes_risk(table)
        if exact is not None:
            return Estimate(exact, metric=name, method="exact", bounds=bounds)
        population = population.simplest()
        grid = population.grid() if isinstance(population, Solvable) else None
    if grid is not None:
        value, error = _integrated(population, priors, table, grid)
        note = Note("quadrature-error", error=error)
        return Estimate(value, metric=name, method="quadrature", bounds=bounds).noting(note)
    X, _ = population.draw(n, rng)
    with np.errstate(divide="ignore"):
        posterior = special.softmax(population.log_densities(X) + np.log(priors), axis=1)
    risk = (posterior @ table).min(axis=1)  # (n,)
    mc_se = float(risk.std(ddof=1) / math.sqrt(len(risk)))
    return Estimate(float(risk.mean()), mc_se=mc_se, metric=name, method="monte-carlo", bounds=bounds)


def _integrated(population: KnownPopulation, priors: Floats, costs: Floats, grid: Floats) -> tuple[float, float]:
    """∫ min_j Σ_i c_ij π_i p_i(x) dx, split where the decision changes (the integrand has kinks there)."""

    def risks(x: Floats) -> Floats:
        return (np.exp(population.log_densities(x[:, None])) * priors) @ costs  # (m, C)

    def gap(x: float, one: int, other: int) -> float:
        at = risks(np.array([x]))[0]
        return float(at[one] - at[other])

    decision = risks(grid).argmin(axis=1)
    changes = [(grid[k], grid[k + 1], (decision[k], decision[k + 1])) for k in np.flatnonzero(np.diff(decision))]
    kinks = [optimize.brentq(gap, a, b, args=two) for a, b, two in changes]
    cuts = np.unique(np.concatenate([grid[::25], grid[-1:], kinks]))  # short enough for the narrowest density
    parts = [integrate.quad(lambda x: float(risks(np.array([x])).min()), a, b) for a, b in pairwise(cuts)]
    value, error = np.sum(parts, axis=0)
    return float(value), float(error)


def _posterior(posterior: npt.ArrayLike, n_classes: int) -> Floats:
    p = number_array("posterior", posterior)
    if p.ndim == 1 and n_classes == 2:
        p = np.stack([1 - p, p], axis=1)
    if p.ndim != 2 or p.shape[1] != n_classes:
        problem = f"posterior must have shape (n_cases, {n_classes}), as the cost matrix has {n_classes} classes"
        raise InputError(problem, param="posterior", got=f"shape {p.shape}")
    if not ((p >= 0) & (p <= 1)).all() or not np.allclose(p.sum(axis=1), 1, atol=1e-6):
        raise InputError("The probabilities of each case must lie in [0, 1] and have sum 1", param="posterior")
    return p
