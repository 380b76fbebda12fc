"""Logistic regression of several classes with an L2 penalty, all replicates at once (see logistic.py)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from karat.fitting.batched.base import Margins
from karat.fitting.batched.moments import Features
from karat.fitting.batched.newton import descend, halved_newton, newton, on_diagonal, own_curvature
from karat.fitting.batched.penalty import lost_feature, penalty_of, short_step

ROWS = 64


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

    def scores_alone(self, counts: np.ndarray | None = None) -> np.ndarray | None:
        """(n, K) of all cases under the rule trained on counts (n,), or on all; None where a feature is lost."""
        if counts is None:
            return self._scores(self.start[None])[0]
        penalty = penalty_of(counts[None], self.features, self.z, self.scaled)
        if lost_feature(penalty, self.scaled)[0]:
            return None
        return self._scores(self._newton(counts[None].astype(float), penalty, self.start)[None])[0]

    @cached_property
    def coarse(self) -> np.ndarray:
        return self.z.astype(np.float32)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        counts = counts.astype(float)
        (k, n), q = self.target.shape, self.z.shape[1]
        penalty, few = penalty_of(counts, self.features, self.z, self.scaled), counts.astype(np.float32)
        start = np.repeat(self.start[None], len(counts), axis=0)
        lost = (counts @ self.target.T == 0).any(axis=1) | lost_feature(penalty, self.scaled)

        def gradient(gamma: np.ndarray, rough: bool) -> np.ndarray:
            return self._gradient(self.coarse if rough else self.z, few if rough else counts, gamma, penalty)

        if own_curvature(n, q - 1) and k * q <= 60:
            curvatures = partial(self._curvatures, few, penalty=penalty)
            gamma, settled = newton(gradient, curvatures, start, ~lost, short_step(self.z))
        else:
            everyone = np.ones((1, n))
            of_all = penalty_of(everyone, self.features, self.z, self.scaled)
            curvature = self._curvature(everyone, self.start, of_all)
            gamma, settled = descend(gradient, curvature, start, ~lost, short_step(self.z))
            settled &= self._as_curved(few, gamma)
        for row in np.flatnonzero(~settled & ~lost):
            gamma[row] = self._newton(counts[row : row + 1], penalty[row : row + 1], self.start)
        undecided = np.flatnonzero(lost | ~np.isfinite(gamma).all(axis=1))
        return Margins(self._scores(np.nan_to_num(gamma)), undecided)

    def _scores(self, gamma: np.ndarray) -> np.ndarray:
        """(b, n, K). Where features are large, the penalty hardly keeps what all γ_c share at 0, as it is."""
        (k, n), q = self.target.shape, self.z.shape[1]
        by_class = gamma.reshape(-1, k, q)
        by_class = by_class - by_class.mean(axis=1, keepdims=True)
        values = by_class.reshape(-1, q) @ self.z.T
        return np.ascontiguousarray(values.reshape(-1, k, n).transpose(0, 2, 1))

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

        Made regular where all classes move alike: gradients have nothing there.
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
        square[:, np.arange(q), :, np.arange(q)] += counts.sum(axis=1) / k
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
        out[:, np.arange(q), :, np.arange(q)] += self.C * counts.sum() / k
        return out.reshape(k * q, k * q) + np.diag(np.tile(penalty[0], k))

    def _as_curved(self, counts: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """(b,) whether the curvature is not far below that at the start, so that a short step means a small error."""

        def total(gamma: np.ndarray, counts: np.ndarray) -> np.ndarray:
            share = self._shares(self.coarse, gamma)
            return np.einsum("bkn,bn->b", share * (1 - share), counts)

        parts = [total(gamma[at : at + ROWS], counts[at : at + ROWS]) for at in range(0, len(gamma), ROWS)]
        return np.concatenate(parts) > 0.25 * total(self.start[None], np.ones((1, len(self.z))))

    def _newton(self, counts: np.ndarray, penalty: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """One training set (1, n) by itself."""

        def cost(g: np.ndarray) -> float:
            by_class = g.reshape(len(self.target), -1)
            eta = by_class @ self.z.T
            losses = logsumexp(eta, axis=0) - (eta * self.target).sum(axis=0)
            return self.C * float(counts[0] @ losses) + 0.5 * float((penalty[0] * by_class**2).sum())

        def slope_and_curvature(g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return self._gradient(self.z, counts, g[None], penalty)[0], self._curvature(counts, g, penalty)

        return halved_newton(cost, slope_and_curvature, gamma)
