"""First and second moments of every class in every training set: two matrix products for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.fitting.batched.base import Margins
from karat.fitting.batched.summands import Summands, with_products
from karat.kernels.discriminants import sorted_counts

DIGITS = 1e-6  # a variance below this share of that of all cases has lost too many of its digits, or is 0
FAR = 1e6  # a constant above this is the difference of numbers that leave too few digits
MOST_CELLS = 40_000_000  # entries of Φ above which the closed form would take more memory than it is worth
LARGE = 4_000_000  # entries of Φ above which it is made again rather than kept
SOME = 9  # cases, or a few more, whose median is near the middle of all, with up to four outliers among them
WIDEST = 1e100  # SD of a feature
CASES = 1024  # of it that are made at a time: they stay in the cache


@dataclass(frozen=True, eq=False)
class Features:
    """x = (X − middle) · scale of each case, cases sorted by class, and what is made of it.

    Attributes
    ----------
    x
        (n, p), sorted, so that each class is one contiguous block.
    scale
        (p,) one over the spread of X.
    order
        (n,) the case in each row of x.
    back
        (n,) the row of x of each case.
    ends
        (C,) where each class ends.
    products
        Whether squares alone or all products of two features are asked for.
    """

    x: np.ndarray
    scale: np.ndarray
    order: np.ndarray
    back: np.ndarray
    ends: np.ndarray
    products: bool

    @classmethod
    def of(cls, X: np.ndarray, codes: np.ndarray, n_classes: int, *, products: bool) -> Features | None:
        """None where Φ would be too large, or a feature is constant, or so spread that squares are no numbers."""
        n, p = X.shape
        q = p * (p + 1) // 2 if products else p
        # from the middle of some cases: the mean may be so far off with one outlier that all others lose their digits
        some = np.sort(X[:: max(n // SOME, 1)], axis=0)
        d = X - some[len(some) // 2]
        spread = d.std(axis=0)
        if n * (1 + p + q) > MOST_CELLS or not ((spread > 1 / WIDEST) & (spread < WIDEST)).all():
            return None
        order = np.argsort(codes, kind="stable")
        back = np.empty(n, dtype=np.intp)
        back[order] = np.arange(n)
        x = d[order] / spread
        return cls(x, 1 / spread, order, back, np.cumsum(np.bincount(codes, minlength=n_classes)), products)

    @cached_property
    def pairs(self) -> np.ndarray:
        """(p, p) where x_i x_j stands among the products."""
        rows, cols = np.triu_indices(self.p) if self.products else (np.arange(self.p), np.arange(self.p))
        pairs = np.zeros((self.p, self.p), dtype=np.intp)
        pairs[rows, cols] = pairs[cols, rows] = np.arange(len(rows))
        return pairs

    @cached_property
    def phi(self) -> np.ndarray:
        """(n, 1 + p + q) [1, x_i, x_i x_j (i ≤ j)], in the order of x."""
        return np.ascontiguousarray(with_products(self.x, self.products).T)

    @cached_property
    def phi_of_cases(self) -> np.ndarray:
        """(1 + p + q, n) the same, feature by feature, cases in their own order."""
        return with_products(self.x[self.back], self.products)

    def scores(self, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(b, n) Wᵀ Φ of all cases for weights (1 + p + q, b). Where Φ is large, some cases at a time."""
        if len(weights) * len(self.x) <= LARGE:
            return np.matmul(weights.T, self.phi_of_cases, out=out)
        if out is None:
            out = np.empty((weights.shape[1], len(self.x)))
        for start in range(0, len(self.x), CASES):
            cases = slice(start, start + CASES)
            np.matmul(weights.T, with_products(self.x[self.back[cases]], self.products), out=out[:, cases])
        return out

    @cached_property
    def phi_single(self) -> np.ndarray:
        """The same in single precision."""
        return self.phi_of_cases.astype(np.float32)

    @cached_property
    def centred(self) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
        """Sizes (C,) and means (C, p) of the classes; x minus its class mean (n, p); class of each row (n,)."""
        size = self.ends.copy()
        size[1:] -= self.ends[:-1]
        own = np.repeat(np.arange(len(size)), size)
        mean = np.add.reduceat(self.x, self.ends - size, axis=0) / size[:, None]
        return (size.astype(float), mean), self.x - mean[own], own

    @property
    def centres(self) -> np.ndarray:
        """(C, p) the means of the classes."""
        return self.centred[0][1]

    @cached_property
    def classes(self) -> list[Summands]:
        """Each class, measured from its own mean: nothing is lost where classes lie far apart."""
        return self.summands(self.centred[1])

    def summands(self, d: np.ndarray) -> list[Summands]:
        """Of each class, with d (n, p) sorted as x is."""
        ends = self.ends.tolist()
        blocks = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        return [Summands(d[block], self.order[block], self.products) for block in blocks]

    @property
    def p(self) -> int:
        return len(self.scale)

    def moments(self, counts: np.ndarray) -> list[Moments]:
        """Of each class, in every training set of counts (b, n)."""
        out, start = [], 0
        counts = sorted_counts(counts, self.order)
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


def diagonal_places(p: int) -> np.ndarray:
    """(p,) where the diagonal stands in an upper triangle written row by row."""
    steps = np.arange(p, 0, -1)
    return np.cumsum(steps) - steps


@dataclass(frozen=True, eq=False)
class Moments:
    """Of one class: size (b,), mean (b, p), raw sums of products (b, q)."""

    size: np.ndarray
    mean: np.ndarray
    products: np.ndarray
