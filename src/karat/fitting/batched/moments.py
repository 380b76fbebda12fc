"""First and second moments of every class in every training set: two matrix products for all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.fitting.batched.base import Margins

MOST_CELLS = 40_000_000  # entries of Φ above which the closed form would take more memory than it is worth


@dataclass(frozen=True, eq=False)
class Features:
    """Φ = [1, x_i, x_i x_j (i ≤ j)] of each case, x centred and scaled so that the products are of one size.

    Attributes
    ----------
    phi
        (n, 1 + p + p(p+1)/2), cases sorted by class, so that each class is one contiguous block.
    order
        (n,) the case in each row of phi.
    x
        (n, p), sorted likewise.
    scale
        (p,) x = (X − centre) · scale.
    pairs
        (p, p) where x_i x_j stands among the products.
    """

    phi: np.ndarray
    x: np.ndarray
    scale: np.ndarray
    pairs: np.ndarray
    order: np.ndarray
    back: np.ndarray  # (n,) the row of phi of each case
    ends: np.ndarray  # (C,) where each class ends

    @classmethod
    def of(cls, X: np.ndarray, codes: np.ndarray, n_classes: int, *, products: bool) -> Features | None:
        """None where Φ would be too large, or a feature is constant."""
        n, p = X.shape
        q = p * (p + 1) // 2 if products else p
        spread = X.std(axis=0)
        if n * (1 + p + q) > MOST_CELLS or (spread == 0).any():
            return None
        order = np.argsort(codes, kind="stable")
        x = (X[order] - X.mean(axis=0)) / spread
        rows, cols = np.triu_indices(p) if products else (np.arange(p), np.arange(p))
        phi = np.empty((n, 1 + p + q))
        phi[:, 0] = 1
        phi[:, 1 : 1 + p] = x
        at = 1 + p
        for i in range(p):
            stop = p if products else i + 1
            np.multiply(x[:, i : i + 1], x[:, i:stop], out=phi[:, at : at + stop - i])
            at += stop - i
        pairs = np.zeros((p, p), dtype=np.intp)
        pairs[rows, cols] = pairs[cols, rows] = np.arange(q)
        return cls(
            phi, x, 1 / spread, pairs, order, np.argsort(order), np.cumsum(np.bincount(codes, minlength=n_classes))
        )

    @property
    def p(self) -> int:
        return len(self.scale)

    def moments(self, counts: np.ndarray) -> list[Moments]:
        """Of each class, in every training set of counts (b, n)."""
        out, start = [], 0
        counts = np.take(counts, self.order, axis=1, mode="clip").astype(float)  # clip: no copy to check the indices
        for end in self.ends:
            sums = counts[:, start:end] @ self.phi[start:end]
            start = end
            size = sums[:, :1]
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = sums[:, 1 : 1 + self.p] / size
            out.append(Moments(size[:, 0], mean, sums[:, 1 + self.p :]))
        return out

    def unsorted(self, values: np.ndarray) -> np.ndarray:
        """(b, n, ...) with the cases back in their own order."""
        return np.take(values, self.back, axis=1, mode="clip")

    def centred_classes(self) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
        """Sizes (C,) and means (C, p) of the classes; x minus its class mean (n, p); class of each row (n,)."""
        size = np.diff(self.ends, prepend=0)
        own = np.repeat(np.arange(len(size)), size)
        starts = self.ends - size
        mean = np.add.reduceat(self.x, starts, axis=0) / size[:, None]
        return (size.astype(float), mean), self.x - mean[own], own

    def of_each_case(self, values: np.ndarray, decided: np.ndarray) -> Margins:
        """Margins of leave-one-out from class values (n, C) in the order of phi."""
        values = values[self.back]
        if values.shape[1] == 2:
            values = values[:, 1] - values[:, 0]
        return Margins(np.nan_to_num(values), np.flatnonzero(~decided[self.back]))

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
