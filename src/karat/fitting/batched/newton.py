"""Newton's method on many replicates at once, from one shared start.

The curvatures of all replicates are one matrix product. With very many cases one curvature serves all replicates, and
Anderson's acceleration makes up for it. A replicate that this does not settle gets Newton's method of its own, with
halved steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from karat.fitting.batched.moments import diagonal_places
from karat.kernels.discriminants import factored, solve_factored

CLOSE = 1e-7  # a step below this, in units of x, is the last one: what is left after it is far smaller
ROUGH = 2e-5  # a step above this may be taken in single precision
NEAR = 1e-2
KEPT = 0.1  # of a step that a kept curvature may have missed
STEPS = 40
IDLE = 3  # steps in a row that do not come down to half the shortest one: the single precision's noise, or a cycle
NOISE = 1e-13  # a cost that rises by no more than this share of itself has risen by rounding alone
DEPTH = 3  # of Anderson's acceleration

Gradient = Callable[[np.ndarray, bool], np.ndarray]  # downhill (b, q) at gamma; True: single precision will do


def own_curvature(n: int, p: int) -> bool:
    """Whether every replicate gets its own matrix for its steps; with many cases one will do for all."""
    return n < 100 * (p + 1) or p < 25


def newton(
    gradient: Gradient,
    curvatures: Callable[[np.ndarray], np.ndarray],  # (t, b) upper triangles at gamma
    gamma: np.ndarray,  # (b, q) the start
    wanted: np.ndarray,  # (b,) rows that have a solution
    close: float = CLOSE,
) -> tuple[np.ndarray, np.ndarray]:
    """Newton's method; and which rows it settled (b,). Far from the solution single precision is enough.

    After a step below NEAR the curvature changes no more than by that, and is kept. A row that makes no way first
    stops to hold all others to single precision, and is then given up: full steps may go round in a circle.
    """
    settled, good, idle = np.zeros(len(gamma), dtype=bool), wanted.copy(), np.zeros(len(gamma), dtype=int)
    size, least, rough = np.full(len(gamma), np.inf), np.full(len(gamma), np.inf), True
    for _ in range(STEPS if wanted.any() else 0):
        if size[good].max(initial=0.0) > NEAR:
            factor, regular = factored(curvatures(gamma))
            good &= regular
        slope = gradient(gamma, rough)
        step = solve_factored(factor, slope.T[None])[0].T
        size = np.abs(step).max(axis=1)
        idle = np.where((size < least / 2) | (size < ROUGH), 0, idle + 1)
        # a step that grows: this start is too far away
        good &= (size < np.maximum(4 * least, ROUGH)) & (idle < 2 * IDLE)
        least = np.minimum(least, size)
        gamma = gamma + np.where(good[:, None], step, 0.0)
        settled |= good & (size < KEPT * close) & (not rough)
        if (settled | ~good).all():
            break
        under_way = (idle == 0) | ((size > NEAR) & (idle < IDLE))
        rough = rough and bool((good & under_way & (size > ROUGH)).any())
    return gamma, settled


def descend(
    gradient: Gradient,
    curvature: np.ndarray,  # (q, q) for all
    gamma: np.ndarray,  # (b, q) the start
    wanted: np.ndarray,  # (b,) rows that have a solution
    close: float = CLOSE,
) -> tuple[np.ndarray, np.ndarray]:
    """Steps f = H⁻¹ · gradient with one H, accelerated after Anderson; and which rows they settled (b,)."""
    inverse = np.linalg.inv(curvature)
    good, rough = wanted.copy(), True
    settled, least = np.zeros(len(gamma), dtype=bool), np.full(len(gamma), np.inf)
    rate, last = np.zeros(len(gamma)), np.full(len(gamma), np.inf)
    moves: list[np.ndarray] = []  # differences of γ, newest last
    turns: list[np.ndarray] = []  # differences of f
    old_gamma = old_step = None
    for _ in range(STEPS):
        step = gradient(gamma, rough) @ inverse
        size = np.abs(step).max(axis=1)
        rate = np.maximum(rate / 2, np.minimum(size / np.maximum(last, 1e-300), 0.99))  # what is left: rate/(1 − rate)
        settled |= good & (size < close * (1 - rate)) & (not rough)
        last = size
        good &= size < 4 * least  # a step that grows: this start is too far away
        least = np.minimum(least, size)
        if (settled | ~good).all():
            return gamma + np.where(settled[:, None], step, 0.0), settled
        rough = rough and bool(size[good].max(initial=0.0) > ROUGH)
        if old_gamma is not None and old_step is not None:
            moves, turns = [*moves, gamma - old_gamma][-DEPTH:], [*turns, step - old_step][-DEPTH:]
        old_gamma, old_step = gamma, step
        gamma = gamma + np.where(good[:, None], step - _mixed(step, moves, turns), 0.0)
    return gamma, settled


def _mixed(step: np.ndarray, moves: list[np.ndarray], turns: list[np.ndarray]) -> np.ndarray | float:
    """(b, q) what Anderson's acceleration takes back: (ΔΓ + ΔF) θ, θ the least squares fit of f by ΔF."""
    if not turns:
        return 0.0
    move, turn = np.stack(moves, axis=1), np.stack(turns, axis=1)  # (b, m, q)
    gram = turn @ turn.transpose(0, 2, 1)
    m = gram.shape[1]
    gram[:, np.arange(m), np.arange(m)] += 1e-14 + 1e-10 * np.einsum("bii->b", gram)[:, None]
    theta = np.linalg.solve(gram, turn @ step[:, :, None])
    return ((move + turn) * theta).sum(axis=1)


def halved_newton(
    cost: Callable[[np.ndarray], float],
    slope_and_curvature: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    gamma: np.ndarray,  # (q,) the start
) -> np.ndarray:
    """Newton's method with halved steps, for one training set; NaN where it does not settle."""
    value = cost(gamma)
    for _ in range(100):
        slope, curvature = slope_and_curvature(gamma)
        try:
            step = np.linalg.solve(curvature, slope)
        except np.linalg.LinAlgError:
            break
        if np.abs(step).max() < CLOSE:
            return gamma + step  # Newton's error is the square of the step
        scale = 1.0
        while (new := cost(gamma + scale * step)) > value + NOISE * abs(value) and scale > 1e-6:
            scale /= 2
        gamma, value = gamma + scale * step, new
    return np.full_like(gamma, np.nan)


def on_diagonal(triangles: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Upper triangles (t, b), row by row, with `more` (q, b) added to the diagonals."""
    triangles[diagonal_places(len(more))] += more
    return triangles
