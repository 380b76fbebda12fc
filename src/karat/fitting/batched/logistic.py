"""Logistic regression with an L2 penalty: Newton's method on all replicates at once, from one shared start.

    minimise  C Σ_i N_i log(1 + exp(−y_i η_i)) + ½ Σ_j D_j γ_j²,   η = γ_0 + Σ_j γ_j x_j

in the units of x; D takes the penalty back to the units that scikit-learn sees. All replicates start at the solution
for all cases. The curvatures of all replicates are one matrix product. With very many cases one curvature serves all
replicates, and Anderson's acceleration makes up for it. A replicate that this does not settle gets Newton's method of
its own, with halved steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features
from karat.kernels.discriminants import factored, solve_factored

CLOSE = 1e-7  # a step below this, in units of x, is the last one: what is left after it is far smaller
ROUGH = 2e-5  # a step above this may be taken in single precision
NEAR = 1e-2
STEPS = 40
DEPTH = 3  # of Anderson's acceleration
ROWS = 64
SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")


def engine(model: Any, table: Table) -> Batched | None:
    """An intercept, no weights, a solver that looks for the one minimum."""
    if type(model) is not LogisticRegression:
        return None
    fixed = {"penalty": ("l2", "deprecated"), "l1_ratio": (None, 0, 0.0), "class_weight": None, "dual": False}
    if not covered(model, **fixed, fit_intercept=True, solver=SOLVERS, warm_start=False):
        return None
    if not np.isfinite(model.C) or model.max_iter < 100:
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=own_curvature(*table.X.shape))
    if features is None:
        return None
    z = np.ones((len(table.X), 1 + features.p))
    z[:, 1:] = features.x[features.back]
    if table.n_classes > 2:
        return Multinomial(features, z, np.eye(table.n_classes)[table.codes].T, float(model.C), table.scaled)
    return Logistic(features, z, (table.codes == 1).astype(float), float(model.C), table.scaled)


def own_curvature(n: int, p: int) -> bool:
    """Whether every replicate gets its own matrix for its steps; with many cases one will do for all."""
    return n < 100 * (p + 1) or p < 25


@dataclass(frozen=True, eq=False)
class Logistic:
    features: Features
    z: np.ndarray  # (n, 1 + p): an intercept and x, cases in their own order
    target: np.ndarray  # (n,) 1 for the second class
    C: float
    scaled: bool
    name: ClassVar[str] = "batched logistic"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    @cached_property
    def start(self) -> np.ndarray:
        """(1 + p,) the solution for all cases."""
        everyone = np.ones((1, len(self.z)))
        return self._newton(self.z, everyone[0], self._penalty(everyone)[0], np.zeros(self.z.shape[1]))

    @cached_property
    def coarse(self) -> np.ndarray:
        return self.z.astype(np.float32)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        counts = counts.astype(float)
        penalty = self._penalty(counts)
        few = counts.astype(np.float32)
        start = np.repeat(self.start[None], len(counts), axis=0)

        def gradient(gamma: np.ndarray, rough: bool) -> np.ndarray:
            return self._gradient(self.coarse if rough else self.z, few if rough else counts, gamma, penalty)

        if own_curvature(*self.features.x.shape):
            gamma, settled = newton(gradient, lambda gamma: self._curvatures(few, gamma, penalty), start)
        else:
            gamma, settled = descend(gradient, self._curvature(), start)
            settled &= self._as_curved(few, gamma)
        for row in np.flatnonzero(~settled):
            gamma[row] = self._newton(self.z, counts[row], penalty[row], self.start)
        ones = counts @ self.target
        lost = (ones == 0) | (ones == counts.sum(axis=1))
        undecided = np.flatnonzero(lost | ~np.isfinite(gamma).all(axis=1))
        return Margins(np.matmul(np.nan_to_num(gamma), self.z.T, out=out), undecided)

    def _penalty(self, counts: np.ndarray) -> np.ndarray:
        """(b, 1 + p): D, with 0 for the intercept."""
        return penalty_of(counts, self.features, self.z, self.scaled)

    def _gradient(self, z: np.ndarray, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(b, 1 + p) downhill: C Σ N (y − p) z − D γ."""
        out, target = np.empty((len(counts), z.shape[1]), dtype=z.dtype), self.target.astype(z.dtype)
        minus = (-gamma).astype(z.dtype)
        for start in range(0, len(counts), ROWS):  # a few rows at a time stay in the cache
            rows = slice(start, start + ROWS)
            residual = minus[rows] @ z.T
            with np.errstate(over="ignore"):
                np.exp(residual, out=residual)
            residual += 1
            np.divide(z.dtype.type(-1), residual, out=residual)
            residual += target
            residual *= counts[rows]
            np.matmul(residual, z, out=out[rows])
        return self.C * out - penalty * gamma

    def _curvatures(self, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(t, b): C Σ N w z zᵀ + D, w = p (1 − p): upper triangles, in single precision."""
        w = self._weights(gamma)
        w *= counts
        sums = self.C * (self.features.phi_single @ w.T).astype(float)
        return on_diagonal(sums, penalty.T)

    def _weights(self, gamma: np.ndarray) -> np.ndarray:
        """(b, n) p (1 − p) = 1/(2 + exp η + exp −η)."""
        eta = gamma.astype(np.float32) @ self.coarse.T
        with np.errstate(over="ignore"):
            np.exp(eta, out=eta)
        np.clip(eta, 1e-30, 1e30, out=eta)
        eta += 1 / eta
        eta += 2
        return np.reciprocal(eta, out=eta)

    def _curvature(self) -> np.ndarray:
        """(1 + p, 1 + p) at the solution for all cases."""
        w = self._weights(self.start[None])[0].astype(float)
        penalty = penalty_of(np.ones((1, len(self.z))), self.features, self.z, self.scaled)[0]
        return self.C * ((self.z.T * w) @ self.z) + np.diag(penalty)

    def _as_curved(self, counts: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """(b,) whether the curvature is not far below that at the start, so that a short step means a small error."""
        out = np.empty(len(gamma))
        for at in range(0, len(gamma), ROWS):
            rows = slice(at, at + ROWS)
            out[rows] = np.einsum("bn,bn->b", self._weights(gamma[rows]), counts[rows])
        return out > 0.25 * self._weights(self.start[None]).sum()

    def _newton(self, z: np.ndarray, counts: np.ndarray, penalty: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """Newton's method with halved steps, for one training set."""
        used = counts > 0
        z, counts, sign = z[used], counts[used], 2 * self.target[used] - 1

        def cost(g: np.ndarray) -> float:
            return self.C * float(counts @ np.logaddexp(0, -sign * (z @ g))) + 0.5 * float(penalty @ g**2)

        value = cost(gamma)
        for _ in range(100):
            share = 1 / (1 + np.exp(-np.clip(z @ gamma, -700, 700)))
            slope = self.C * (z.T @ (counts * ((sign > 0) - share))) - penalty * gamma
            curvature = self.C * ((z.T * (counts * share * (1 - share))) @ z) + np.diag(penalty)
            try:
                step = np.linalg.solve(curvature, slope)
            except np.linalg.LinAlgError:
                return np.full_like(gamma, np.nan)
            if np.abs(step).max() < CLOSE:
                return gamma + step  # Newton's error is the square of the step
            scale = 1.0
            while (new := cost(gamma + scale * step)) > value and scale > 1e-6:
                scale /= 2
            gamma, value = gamma + scale * step, new
        return np.full_like(gamma, np.nan)


@dataclass(frozen=True, eq=False)
class Multinomial:
    """Several classes: η_c = γ_c · z, minimise C Σ N (log Σ_c exp η_c − η_y) + ½ Σ_c Σ_j D_j γ_cj².

    The γ_c add up to 0, as scikit-learn's do from its start at 0: every gradient adds up to 0 over the classes.
    """

    features: Features
    z: np.ndarray  # (n, q = 1 + p)
    target: np.ndarray  # (K, n) 1 for the class of the case
    C: float
    scaled: bool
    name: ClassVar[str] = "batched logistic"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    @cached_property
    def start(self) -> np.ndarray:
        """(K q,) the solution for all cases."""
        everyone = np.ones((1, len(self.z)))
        nothing = np.zeros(len(self.target) * self.z.shape[1])
        return self._newton(everyone, penalty_of(everyone, self.features, self.z, self.scaled), nothing)

    @cached_property
    def coarse(self) -> np.ndarray:
        return self.z.astype(np.float32)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        counts = counts.astype(float)
        (k, n), q = self.target.shape, self.z.shape[1]
        penalty, few = penalty_of(counts, self.features, self.z, self.scaled), counts.astype(np.float32)
        start = np.repeat(self.start[None], len(counts), axis=0)

        def gradient(gamma: np.ndarray, rough: bool) -> np.ndarray:
            return self._gradient(self.coarse if rough else self.z, few if rough else counts, gamma, penalty)

        if own_curvature(n, q - 1) and k * q <= 60:
            gamma, settled = newton(gradient, lambda gamma: self._curvatures(few, gamma, penalty), start)
        else:
            everyone = np.ones((1, n))
            of_all = penalty_of(everyone, self.features, self.z, self.scaled)
            gamma, settled = descend(gradient, self._curvature(everyone, self.start, of_all), start)
            settled &= self._as_curved(few, gamma)
        for row in np.flatnonzero(~settled):
            gamma[row] = self._newton(counts[row : row + 1], penalty[row : row + 1], self.start)
        lost = (counts @ self.target.T == 0).any(axis=1)
        undecided = np.flatnonzero(lost | ~np.isfinite(gamma).all(axis=1))
        values = np.nan_to_num(gamma).reshape(-1, q) @ self.z.T
        return Margins(np.ascontiguousarray(values.reshape(-1, k, n).transpose(0, 2, 1)), undecided)

    def _shares(self, z: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """(b, K, n) probabilities."""
        (k, n), q = self.target.shape, z.shape[1]
        eta = (gamma.reshape(-1, q).astype(z.dtype) @ z.T).reshape(-1, k, n)
        eta -= eta.max(axis=1, keepdims=True)
        np.exp(eta, out=eta)
        eta /= eta.sum(axis=1, keepdims=True)
        return eta

    def _gradient(self, z: np.ndarray, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(b, K q) downhill."""
        (k, n), q, b = self.target.shape, z.shape[1], len(counts)
        by_class, target = gamma.reshape(b, k, q), self.target.astype(z.dtype)
        out = np.empty((b, k, q), dtype=z.dtype)
        for start in range(0, b, ROWS):
            rows = slice(start, start + ROWS)
            share = self._shares(z, gamma[rows])
            np.subtract(target, share, out=share)
            share *= counts[rows, None, :]
            out[rows] = (share.reshape(-1, n) @ z).reshape(-1, k, q)
        return (self.C * out - penalty[:, None, :] * by_class).reshape(b, k * q)

    def _curvatures(self, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(t, b): C Σ N (p_c [c = d] − p_c p_d) z zᵀ + D: upper triangles, in single precision.

        Made regular where all intercepts move alike: gradients have nothing there.
        """
        (k, _), q, b = self.target.shape, self.z.shape[1], len(counts)
        share = self._shares(self.coarse, gamma)
        square = np.empty((k, q, k, q, b))
        rows, cols = np.triu_indices(q)
        for c in range(k):
            for d in range(c, k):
                w = share[:, c] * ((c == d) - share[:, d])
                w *= counts
                sums = self.features.phi_single @ w.T
                square[c, rows, d, cols] = square[c, cols, d, rows] = sums
                square[d, rows, c, cols] = square[d, cols, c, rows] = sums
        square[:, 0, :, 0] += counts.sum(axis=1) / k
        square = self.C * square.reshape(k * q, k * q, b)
        return on_diagonal(square[np.triu_indices(k * q)], np.tile(penalty.T, (k, 1)))

    def _curvature(self, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(K q, K q) the same of one training set (1, n), in double precision."""
        k, q = len(self.target), self.z.shape[1]
        share = self._shares(self.z, gamma[None])[0]
        out = np.empty((k, q, k, q))
        for c in range(k):
            for d in range(c, k):
                w = counts[0] * share[c] * ((c == d) - share[d])
                out[c, :, d, :] = out[d, :, c, :] = self.C * ((self.z.T * w) @ self.z)
        out[:, 0, :, 0] += self.C * counts.sum() / k
        return out.reshape(k * q, k * q) + np.diag(np.tile(penalty[0], k))

    def _as_curved(self, counts: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """(b,) whether the curvature is not far below that at the start, so that a short step means a small error."""

        def total(gamma: np.ndarray, counts: np.ndarray) -> np.ndarray:
            share = self._shares(self.coarse, gamma)
            return np.einsum("bkn,bn->b", share * (1 - share), counts)

        parts = [total(gamma[at : at + ROWS], counts[at : at + ROWS]) for at in range(0, len(gamma), ROWS)]
        return np.concatenate(parts) > 0.25 * total(self.start[None], np.ones((1, len(self.z))))

    def _newton(self, counts: np.ndarray, penalty: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """Newton's method with halved steps, for one training set (1, n)."""

        def cost(g: np.ndarray) -> float:
            eta = g.reshape(len(self.target), -1) @ self.z.T
            losses = logsumexp(eta, axis=0) - (eta * self.target).sum(axis=0)
            return self.C * float(counts[0] @ losses) + 0.5 * float(
                (penalty[0] * g.reshape(-1, len(penalty[0])) ** 2).sum()
            )

        value = cost(gamma)
        for _ in range(100):
            slope = self._gradient(self.z, counts, gamma[None], penalty)[0]
            try:
                step = np.linalg.solve(self._curvature(counts, gamma, penalty), slope)
            except np.linalg.LinAlgError:
                return np.full_like(gamma, np.nan)
            if np.abs(step).max() < CLOSE:
                return gamma + step
            scale = 1.0
            while (new := cost(gamma + scale * step)) > value and scale > 1e-6:
                scale /= 2
            gamma, value = gamma + scale * step, new
        return np.full_like(gamma, np.nan)


Gradient = Callable[[np.ndarray, bool], np.ndarray]  # downhill (b, q) at gamma; True: single precision will do


def newton(
    gradient: Gradient,
    curvatures: Callable[[np.ndarray], np.ndarray],  # (t, b) upper triangles at gamma
    gamma: np.ndarray,  # (b, q) the start
) -> tuple[np.ndarray, np.ndarray]:
    """Newton's method; and which rows it settled (b,). Far from the solution single precision is enough.

    After a step below NEAR the curvature changes no more than by that, and is kept.
    """
    settled, good = np.zeros(len(gamma), dtype=bool), np.ones(len(gamma), dtype=bool)
    size, least, rough = np.full(len(gamma), np.inf), np.full(len(gamma), np.inf), True
    for _ in range(STEPS):
        if size[good].max(initial=0.0) > NEAR:
            factor, regular = factored(curvatures(gamma))
            good &= regular
        slope = gradient(gamma, rough)
        step = solve_factored(factor, slope.T[None])[0].T
        size = np.abs(step).max(axis=1)
        good &= (size < 4 * least) & np.isfinite(size)  # a step that grows: this start is too far away
        least = np.minimum(least, size)
        gamma = gamma + np.where(good[:, None], step, 0.0)
        settled |= good & (size < CLOSE) & (not rough)
        if (settled | ~good).all():
            break
        rough = rough and bool(size[good].max(initial=0.0) > ROUGH)
    return gamma, settled


def descend(
    gradient: Gradient,
    curvature: np.ndarray,  # (q, q) for all
    gamma: np.ndarray,  # (b, q) the start
) -> tuple[np.ndarray, np.ndarray]:
    """Steps f = H⁻¹ · gradient with one H, accelerated after Anderson; and which rows they settled (b,)."""
    inverse = np.linalg.inv(curvature)
    good, rough = np.ones(len(gamma), dtype=bool), True
    settled, least = np.zeros(len(gamma), dtype=bool), np.full(len(gamma), np.inf)
    rate, last = np.zeros(len(gamma)), np.full(len(gamma), np.inf)
    moves: list[np.ndarray] = []  # differences of γ, newest last
    turns: list[np.ndarray] = []  # differences of f
    old_gamma = old_step = None
    for _ in range(STEPS):
        step = gradient(gamma, rough) @ inverse
        size = np.abs(step).max(axis=1)
        rate = np.maximum(rate / 2, np.minimum(size / np.maximum(last, 1e-300), 0.99))  # what is left: rate/(1 − rate)
        settled |= good & (size < CLOSE * (1 - rate)) & (not rough)
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


def on_diagonal(triangles: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Upper triangles (t, b), row by row, with `more` (q, b) added to the diagonals."""
    q = len(more)
    triangles[np.cumsum(np.arange(q, 0, -1)) - np.arange(q, 0, -1)] += more
    return triangles


def penalty_of(counts: np.ndarray, features: Features, z: np.ndarray, scaled: bool) -> np.ndarray:
    """(b, 1 + p): what takes the penalty to the units that scikit-learn sees, 0 for the intercept."""
    out = np.zeros((len(counts), z.shape[1]))
    if not scaled:
        out[:, 1:] = features.scale**2
        return out
    n = counts.sum(axis=1, keepdims=True)
    mean = counts @ z[:, 1:] / n
    out[:, 1:] = counts @ z[:, 1:] ** 2 / n - mean**2  # StandardScaler divides by the SD of the training set
    return out


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
