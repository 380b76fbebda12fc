"""Logistic regression with an L2 penalty, two classes: Newton's method from one shared start.

    minimise  C Σ_i N_i log(1 + exp(−y_i η_i)) + ½ Σ_j D_j γ_j²,   η = γ_0 + Σ_j γ_j x_j

in the units of x; D takes the penalty back to the units that scikit-learn sees. All replicates start at the solution
for all cases. The curvature at that start is one matrix product for all of them, so the first step is Newton's own, and
the next ones keep its matrix. A replicate that this does not settle gets Newton's method of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features
from karat.kernels.spd import spd_inverses

CLOSE = 1e-7  # a step below this, in units of x, is the last one: what is left after it is far smaller
ROUGH = 1e-4  # a step above this may be taken in single precision
STEPS = 40
DEPTH = 3  # of Anderson's acceleration
SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")


def engine(model: Any, table: Table) -> Batched | None:
    """Two classes, an intercept, no weights, a solver that looks for the one minimum."""
    if type(model) is not LogisticRegression or table.n_classes != 2:
        return None
    fixed = {"penalty": ("l2", "deprecated"), "l1_ratio": (None, 0, 0.0), "class_weight": None, "dual": False}
    if not covered(model, **fixed, fit_intercept=True, solver=SOLVERS, warm_start=False):
        return None
    if not np.isfinite(model.C) or model.max_iter < 100:
        return None
    features = Features.of(table.X, table.codes, 2, products=True)
    if features is None:
        return None
    target = (table.codes[features.order] == 1).astype(float)
    return Logistic(features, target, float(model.C), table.scaled)


@dataclass(frozen=True, eq=False)
class Logistic:
    features: Features
    target: np.ndarray  # (n,) 1 for the second class, in the order of phi
    C: float
    scaled: bool
    name: ClassVar[str] = "batched logistic"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    @property
    def design(self) -> np.ndarray:
        """(n, 1 + p): an intercept and x."""
        return self.features.phi[:, : 1 + self.features.p]

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        counts = np.take(counts, self.features.order, axis=1, mode="clip").astype(float)
        z, penalty = np.ascontiguousarray(self.design), self._penalty(counts)
        everyone = np.ones((1, len(z)))
        start = self._newton(z, everyone[0], self._penalty(everyone)[0], np.zeros(z.shape[1]))
        gamma, settled = self._descend(z, counts, penalty, start)
        for row in np.flatnonzero(~settled):
            gamma[row] = self._newton(z, counts[row], penalty[row], start)
        both = np.stack([counts @ self.target, counts @ (1 - self.target)])
        undecided = np.flatnonzero((both.min(axis=0) == 0) | ~np.isfinite(gamma).all(axis=1))
        return Margins(self.features.unsorted(np.nan_to_num(gamma) @ z.T), undecided)

    def _descend(
        self, z: np.ndarray, counts: np.ndarray, penalty: np.ndarray, start: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Steps f = H⁻¹ · gradient with H of the start, accelerated after Anderson; and which rows they settled.

        Far from the solution single precision is enough, and half as dear.
        """
        own = (
            counts if len(z) < 100 * z.shape[1] or z.shape[1] <= 25 else np.ones((1, len(z)))
        )  # many cases: one H for all
        inverse, _, good = spd_inverses(self._curvatures(own, z @ start, penalty[: len(own)]))
        good = np.broadcast_to(good, len(counts)).copy()
        gamma = np.repeat(start[None], len(counts), axis=0)
        coarse = z.astype(np.float32), counts.astype(np.float32)
        rough = True
        settled, least = np.zeros(len(counts), dtype=bool), np.full(len(counts), np.inf)
        moves: list[np.ndarray] = []  # differences of γ, newest last
        turns: list[np.ndarray] = []  # differences of f
        old_gamma = old_step = None
        for _ in range(STEPS):
            seen = coarse if rough else (z, counts)
            gradient = self._gradient(seen[0], seen[1], gamma, penalty)
            step = (inverse @ gradient[:, :, None])[:, :, 0]
            size = np.abs(step).max(axis=1)
            settled |= good & (size < CLOSE) & (not rough)
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

    def _penalty(self, counts: np.ndarray) -> np.ndarray:
        """(b, 1 + p): D, with 0 for the intercept."""
        f = self.features
        out = np.zeros((len(counts), 1 + f.p))
        if not self.scaled:
            out[:, 1:] = f.scale**2
            return out
        n = counts.sum(axis=1, keepdims=True)
        mean = counts @ f.x / n
        out[:, 1:] = counts @ f.x**2 / n - mean**2  # StandardScaler divides by the SD of the training set
        return out

    def _gradient(self, z: np.ndarray, counts: np.ndarray, gamma: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(b, 1 + p) downhill: C Σ N (y − p) z − D γ."""
        residual = (-gamma).astype(z.dtype) @ z.T
        with np.errstate(over="ignore"):
            np.exp(residual, out=residual)
        residual += 1
        np.divide(z.dtype.type(-1), residual, out=residual)
        residual += self.target.astype(z.dtype)
        residual *= counts
        return self.C * (residual @ z) - penalty * gamma

    def _curvatures(self, counts: np.ndarray, eta: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """(b, 1 + p, 1 + p): C Σ N w z zᵀ + D, with the weights w of the shared start."""
        f, p = self.features, self.features.p
        w = 1 / (2 + np.exp(eta) + np.exp(-eta))  # p (1 − p)
        sums = self.C * ((counts * w) @ f.phi)
        out = np.empty((len(counts), 1 + p, 1 + p))
        out[:, 0, :] = out[:, :, 0] = sums[:, : 1 + p]
        out[:, 1:, 1:] = f.square(sums[:, 1 + p :])
        out[:, np.arange(1 + p), np.arange(1 + p)] += penalty
        return out

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
