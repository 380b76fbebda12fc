"""First and second moments of every class in every training set: two matrix products for all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_CELLS = 40_000_000  # entries of Φ above which the closed form would take more memory than it is worth


@dataclass(frozen=True, eq=False)
class Features:
    """Φ = [1, x_i, x_i x_j (i ≤ j)] of each case, x centred and scaled so that the products are of one size.

    Attributes
    ----------
    phi
        (n, 1 + p + p(p+1)/2), cases in their own order.
    scale
        (p,) x = (X − centre) · scale.
    pairs
        (p, p) where x_i x_j stands among the products.
    """

    phi: np.ndarray
    scale: np.ndarray
    pairs: np.ndarray
    members: tuple[np.ndarray, ...]  # cases of each class

    @classmethod
    def of(cls, X: np.ndarray, codes: np.ndarray, n_classes: int, *, products: bool) -> Features | None:
        """None where Φ would be too large, or a feature is constant."""
        n, p = X.shape
        q = p * (p + 1) // 2 if products else p
        spread = X.std(axis=0)
        if n * (1 + p + q) > MOST_CELLS or (spread == 0).any():
            return None
        x = (X - X.mean(axis=0)) / spread
        rows, cols = np.triu_indices(p) if products else (np.arange(p), np.arange(p))
        phi = np.empty((n, 1 + p + q))
        phi[:, 0] = 1
        phi[:, 1 : 1 + p] = x
        np.multiply(x[:, rows], x[:, cols], out=phi[:, 1 + p :])
        pairs = np.zeros((p, p), dtype=np.intp)
        pairs[rows, cols] = pairs[cols, rows] = np.arange(q)
        return cls(phi, 1 / spread, pairs, tuple(np.flatnonzero(codes == c) for c in range(n_classes)))

    @property
    def p(self) -> int:
        return len(self.scale)

    @property
    def x(self) -> np.ndarray:
        """(n, p)."""
        return self.phi[:, 1 : 1 + self.p]

    def moments(self, counts: np.ndarray) -> list[Moments]:
        """Of each class, in every training set of counts (b, n)."""
        out = []
        for members in self.members:
            sums = counts[:, members].astype(float) @ self.phi[members]
            size = sums[:, :1]
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = sums[:, 1 : 1 + self.p] / size
            out.append(Moments(size[:, 0], mean, sums[:, 1 + self.p :]))
        return out

    def square(self, triangle: np.ndarray) -> np.ndarray:
        """(b, q) products → (b, p, p)."""
        return triangle[:, self.pairs.ravel()].reshape(-1, self.p, self.p)

    def outer(self, mean: np.ndarray) -> np.ndarray:
        """(b, p) → (b, q) products of the means, in the order of Φ."""
        rows, cols = np.triu_indices(self.p)
        return mean[:, rows] * mean[:, cols]


@dataclass(frozen=True, eq=False)
class Moments:
    """Of one class: size (b,), mean (b, p), raw sums of products (b, q)."""

    size: np.ndarray
    mean: np.ndarray
    products: np.ndarray


def inverses(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(b, p, p) inverses and which of them exist; a singular one does not spoil the others."""
    good = np.isfinite(matrices).all(axis=(1, 2))
    safe = np.where(good[:, None, None], matrices, np.eye(matrices.shape[1]))
    try:
        return np.linalg.inv(safe), good
    except np.linalg.LinAlgError:
        out = np.empty_like(safe)
        for b, matrix in enumerate(safe):
            try:
                out[b] = np.linalg.inv(matrix)
            except np.linalg.LinAlgError:
                out[b], good[b] = np.eye(len(matrix)), False
        return out, good
