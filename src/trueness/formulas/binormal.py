"""Maximum likelihood of the binormal ROC curve from ordered categories (Dorfman & Alf 1969; Metz, Herman & Shen 1998).

A latent normal score is cut at c_1 < … < c_{K−1}: negatives are N(0, 1), positives fall below c with
probability Φ(βc − α). Only counts in ordered categories enter, so no monotone change of the scores matters.
"""

import numpy as np
from scipy import linalg, special

from trueness.typing import Floats, Ints

MAX_STEPS = 500
DECREMENT_TOLERANCE = 1e-13  # of the Newton decrement, per unit of log-likelihood: what rounding leaves to be gained
NEGLIGIBLE_DECREMENT = 1e-6  # where no step improves any more; far below a standard error


def truth_runs(up: Floats, down: Floats) -> Ints:
    """Places where a category begins, given the counts of each distinct score from low to high.

    Adjacent scores that hold cases of one and the same class only are one category: where to cut between them
    has no bearing on α and β (Metz, Herman & Shen 1998, "truth-state runs").
    """
    kind = np.where(down == 0, 1, np.where(up == 0, 2, 0))
    merges = (kind[1:] == kind[:-1]) & (kind[1:] > 0)
    return np.concatenate([[0], np.flatnonzero(~merges) + 1])


def start(up: Floats, down: Floats) -> tuple[float, float, Floats]:
    """α, β and the cuts from the normal scores of the pooled ranks."""
    total = up + down
    share = np.cumsum(total) / total.sum()
    cuts = special.ndtri(share[:-1])
    middle = special.ndtri(share - total / (2 * total.sum()))

    def moments(counts: Floats) -> tuple[float, float]:
        mean = np.average(middle, weights=counts)
        return mean, max(np.sqrt(np.average((middle - mean) ** 2, weights=counts)), 0.05)

    (m1, s1), (m0, s0) = moments(up), moments(down)
    return (m1 - m0) / s1, s0 / s1, (cuts - m0) / s0


def log_likelihood(alpha: float, beta: float, cuts: Floats, up: Floats, down: Floats) -> float:
    if beta <= 0 or (np.diff(cuts) <= 0).any():
        return -np.inf
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(_cells(cuts)), np.log(_cells(beta * cuts - alpha))
    return float(np.dot(down[down > 0], log_p[down > 0]) + np.dot(up[up > 0], log_q[up > 0]))


def _cells(edges: Floats) -> Floats:
    """(K,) normal probability between adjacent edges, with the tails, taken on the side that keeps digits."""
    low, high = np.append(-np.inf, edges), np.append(edges, np.inf)
    flip = low > 0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    return np.asarray(special.ndtr(b) - special.ndtr(a))


def information(
    alpha: float, beta: float, cuts: Floats, up: Floats, down: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Score (2,), (K−1,) and expected information: corner (2, 2), border (K−1, 2), band (2, K−1) of a tridiagonal."""
    n1, n0 = up.sum(), down.sum()
    z = beta * cuts - alpha
    p, q = np.maximum(_cells(cuts), 1e-300), np.maximum(_cells(z), 1e-300)
    f, g = density(cuts), density(z)
    # cell k has edges k − 1 and k; dq_k/dα, dq_k/dβ through the densities at both edges
    da = -np.diff(np.concatenate([[0.0], g, [0.0]]))
    db = np.diff(np.concatenate([[0.0], g * cuts, [0.0]]))
    rest = up / q
    score = np.array([rest @ da, rest @ db])
    score_cuts = f * (down[:-1] / p[:-1] - down[1:] / p[1:]) + beta * g * (rest[:-1] - rest[1:])
    corner = n1 * np.array([[da @ (da / q), da @ (db / q)], [da @ (db / q), db @ (db / q)]])
    border = n1 * beta * g[:, None] * -np.diff(np.stack([da / q, db / q], axis=1), axis=0)
    diagonal = n0 * f**2 * (1 / p[:-1] + 1 / p[1:]) + n1 * (beta * g) ** 2 * (1 / q[:-1] + 1 / q[1:])
    beside = -n0 * f[:-1] * f[1:] / p[1:-1] - n1 * beta**2 * g[:-1] * g[1:] / q[1:-1]
    return score, score_cuts, corner, border, np.stack([np.append(0.0, beside), diagonal])


def density(x: float | Floats) -> Floats:
    """φ(x)."""
    return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi))


def fit(up: Floats, down: Floats) -> tuple[float, float, Floats, Floats, bool]:
    """α̂, β̂, cuts, covariance (2, 2) of α̂ and β̂, and whether the maximum was reached. Fisher scoring.

    `up` and `down` are the counts of K ≥ 3 categories, low to high. The information is an arrow: tridiagonal in
    the cuts with a border for α and β, so a step costs O(K), and the inverse of its Schur complement is the
    covariance of α̂ and β̂ with the cuts estimated too.
    """
    alpha, beta, cuts = start(up, down)
    value = log_likelihood(alpha, beta, cuts, up, down)
    reached = False
    for _ in range(MAX_STEPS):
        score, score_cuts, corner, border, band = information(alpha, beta, cuts, up, down)
        solved = linalg.solveh_banded(band, np.column_stack([border, score_cuts]), check_finite=False)
        schur = corner - border.T @ solved[:, :2]
        step = np.linalg.solve(schur, score - border.T @ solved[:, 2])
        step_cuts = solved[:, 2] - solved[:, :2] @ step
        decrement = float(score @ step + score_cuts @ step_cuts)
        if decrement < DECREMENT_TOLERANCE * (1 + abs(value)):
            reached = True
            break
        size = 1.0
        while size > 1e-8:
            trial = (alpha + size * step[0], beta + size * step[1], cuts + size * step_cuts)
            trial_value = log_likelihood(*trial, up, down)
            if trial_value > value:
                break
            size /= 2
        else:
            reached = decrement < NEGLIGIBLE_DECREMENT
            break
        (alpha, beta, cuts), value = trial, trial_value
        if not 1e-3 < beta < 1e3 or abs(alpha) > 1e3:
            break
    return float(alpha), float(beta), cuts, np.linalg.inv(schur), reached
