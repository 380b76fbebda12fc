"""Logistic regression with an L2 penalty: Newton's method on all replicates at once, from one shared start.

    minimise  C Σ_i N_i log(1 + exp(−y_i η_i)) + ½ Σ_j D_j γ_j²,   η = γ_0 + Σ_j γ_j x_j

in the units of x; D takes the penalty back to the units that scikit-learn sees. All replicates start at the solution
for all cases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features
from karat.fitting.batched.multinomial import Multinomial
from karat.fitting.batched.newton import descend, halved_newton, newton, on_diagonal, own_curvature
from karat.fitting.batched.penalty import lost_feature, penalty_of, short_step
from karat.fitting.batched.probe import settles
from karat.fitting.threads import one_thread

ROWS = 64
SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")


def engine(model: Any, table: Table) -> Batched | None:
    """An intercept, no weights, a solver that looks for the one minimum."""
    if type(model) is not LogisticRegression:
        return None
    fixed = {"penalty": ("l2", "deprecated"), "l1_ratio": (None, 0, 0.0), "class_weight": None, "dual": False}
    if not covered(model, **fixed, fit_intercept=True, solver=SOLVERS, warm_start=False):
        return None
    if not np.isfinite(model.C):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=own_curvature(*table.X.shape))
    if features is None:
        return None
    # from the mean, so that the intercept hardly depends on the other coefficients: fewer steps
    features = replace(features, x=features.x - features.x.mean(axis=0))
    z = np.ones((len(table.X), 1 + features.p))
    z[:, 1:] = features.x[features.back]
    found: Logistic | Multinomial
    if table.n_classes > 2:
        found = Multinomial(features, z, np.eye(table.n_classes)[table.codes].T, float(model.C), table.scaled)
    else:
        found = Logistic(features, z, (table.codes == 1).astype(float), float(model.C), table.scaled)
    with one_thread():
        return found if settles(model, table, found) else None


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
        return self._newton(everyone[0], self._penalty(everyone)[0], np.zeros(self.z.shape[1]))

    @cached_property
    def coarse(self) -> np.ndarray:
        return self.z.astype(np.float32)

    def scores_alone(self, counts: np.ndarray | None = None) -> np.ndarray | None:
        """(n,) of all cases under the rule trained on counts (n,), or on all; None where a feature is lost."""
        if counts is None:
            return self.z @ self.start
        penalty = self._penalty(counts[None])
        if lost_feature(penalty, self.scaled)[0]:
            return None
        return self.z @ self._newton(counts, penalty[0], self.start)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        counts = counts.astype(float)
        penalty = self._penalty(counts)
        few = counts.astype(np.float32)
        start = np.repeat(self.start[None], len(counts), axis=0)
        ones = counts @ self.target
        lost = (ones == 0) | (ones == counts.sum(axis=1)) | lost_feature(penalty, self.scaled)

        def gradient(gamma: np.ndarray, rough: bool) -> np.ndarray:
            return self._gradient(self.coarse if rough else self.z, few if rough else counts, gamma, penalty)

        if own_curvature(*self.features.x.shape):
            curvatures = partial(self._curvatures, few, penalty=penalty)
            gamma, settled = newton(gradient, curvatures, start, ~lost, short_step(self.z))
        else:
            gamma, settled = descend(gradient, self._curvature(), start, ~lost, short_step(self.z))
            settled &= self._as_curved(few, gamma)
        for row in np.flatnonzero(~settled & ~lost):
            gamma[row] = self._newton(counts[row], penalty[row], self.start)
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

    def _newton(self, counts: np.ndarray, penalty: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """One training set (n,) by itself."""
        used = counts > 0
        z, counts, sign = self.z[used], counts[used], 2 * self.target[used] - 1

        def cost(g: np.ndarray) -> float:
            return self.C * float(counts @ np.logaddexp(0, -sign * (z @ g))) + 0.5 * float(penalty @ g**2)

        def slope_and_curvature(g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            share = 1 / (1 + np.exp(-np.clip(z @ g, -700, 700)))
            slope = self.C * (z.T @ (counts * ((sign > 0) - share))) - penalty * g
            return slope, self.C * ((z.T * (counts * share * (1 - share))) @ z) + np.diag(penalty)

        return halved_newton(cost, slope_and_curvature, gamma)
