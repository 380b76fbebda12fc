"""Σ N φ over the cases of a class, in every training set: the matrix product that the closed forms are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.kernels.byte_sums import Part, byte_digits, byte_sums, multiplies_bytes
from karat.kernels.discriminants import sorted_counts

EXACT = 2e-9  # error that fixed point may make in a score: less than the 1e-8 that scores are good for
SMALL = 20_000  # entries of φ below which fixed point is not worth its preparation
FEW = 64  # training sets likewise
FULL = 6  # digits that are as good as double precision

Sums = list[np.ndarray]  # (q, b) of each class


def with_products(x: np.ndarray, products: bool, dtype: type = float) -> np.ndarray:
    """(1 + p + q, n) [1, x_i, x_i x_j (i ≤ j)], or squares alone, of x (n, p): feature by feature."""
    n, p = x.shape
    out = np.empty((1 + p + (p * (p + 1) // 2 if products else p), n), dtype=dtype)
    columns = np.ascontiguousarray(x.T)
    out[0] = 1
    out[1 : 1 + p] = columns
    if not products:
        np.multiply(columns, columns, out=out[1 + p :], casting="same_kind")
        return out
    at = 1 + p
    for i in range(p):
        np.multiply(columns[i], columns[i:], out=out[at : at + p - i], casting="same_kind")
        at += p - i
    return out


@dataclass(frozen=True, eq=False)
class Summands:
    """φ = [1, d, products of d] of the cases of one class, d measured from a centre near their mean.

    Attributes
    ----------
    d
        (m, p).
    cases
        (m,) which cases they are.
    products
        Whether squares alone or all products of two features are asked for.
    """

    d: np.ndarray
    cases: np.ndarray
    products: bool

    @cached_property
    def phi(self) -> np.ndarray:
        """(1 + p + q, m)."""
        return with_products(self.d, self.products)

    @property
    def cells(self) -> int:
        """Entries of φ."""
        m, p = self.d.shape
        return m * (1 + p + (p * (p + 1) // 2 if self.products else p))

    @cached_property
    def squares(self) -> np.ndarray:
        """(p,) mean square of each feature of d."""
        return np.einsum("ip,ip->p", self.d, self.d) / len(self.d)

    def sums(self, counts: np.ndarray) -> np.ndarray:
        """(1 + p + q, b) Σ N φ, in double precision."""
        return self.phi @ sorted_counts(counts, self.cases).T

    @cached_property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """(1 + p + q,) φ_k is the product of these two of [1, d]."""
        first, second = np.triu_indices(1 + self.d.shape[1])
        kept = slice(None) if self.products else (first == 0) | (first == second)
        return first[kept], second[kept]

    @property
    def total(self) -> np.ndarray:
        """(1 + p + q, 1) Σ φ over all cases of the class."""
        columns = np.column_stack([np.ones(len(self.d)), self.d])
        return (columns.T @ columns)[self.factors][:, None]

    def rounded(self, digits: int) -> FixedPoint:
        """Products with that many digits, and so 1 and d themselves, or with FULL where products are rough."""
        m, p = self.d.shape
        columns = np.ones((1 + p, m))
        columns[1:] = self.d.T
        first, second = self.factors
        kept = [(slice(None), digits)] if digits >= 5 else [(slice(0, 1 + p), FULL), (slice(1 + p, None), digits)]
        parts = [byte_digits(columns, first[rows], second[rows], many) for rows, many in kept]
        # rounding errors are spread evenly over a quantum: three SDs of their mean in a bootstrap sample
        error = np.concatenate([np.abs(bias) + 3 * quantum * np.sqrt(2 / (12 * m)) for _, quantum, bias in parts])
        squares = np.maximum(self.squares, np.finfo(float).tiny)
        spread = np.sqrt(np.append(1.0, squares))
        relative = (error / (spread[first] * spread[second])).max()
        farthest = (self.d**2 @ (1 / squares)).max()
        return FixedPoint([(table, quantum) for table, quantum, _ in parts], self.cases, relative * farthest)


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """φ as whole numbers of a quantum each.

    `error` is about what the rounding moves scores by at most where the features of a training set keep all of their
    variance, given the others: relative errors ε of the moments move (x − μ)ᵀ Σ⁻¹ (x − μ) by about ε times itself.
    Where they keep a share of it, the error is that much larger.
    """

    parts: list[Part]
    cases: np.ndarray
    error: float

    @property
    def digits(self) -> int:
        """Of the products."""
        return self.parts[-1][0].shape[1]

    def sums(self, counts: np.ndarray) -> np.ndarray:
        """(1 + p + q, b) Σ N φ."""
        return byte_sums(self.parts, counts, self.cases)


@dataclass(frozen=True, eq=False)
class Rules:
    """From the sums of the classes to rules, in fixed point where it is exact enough, and in double precision else.

    Attributes
    ----------
    classes
        The summands of each class.
    make
        Of sums and counts, gives arrays whose last axis are the training sets; the last array is the least share of its
        variance that a feature keeps, given all others (b,).
    digits
        How many may be enough, the fewest first.
    error
        What a score may be off by.
    """

    classes: list[Summands]
    make: Callable[[Sums, np.ndarray], tuple[np.ndarray, ...]]
    digits: tuple[int, ...] = (5, 6)
    error: float = EXACT

    def of(self, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of the training sets of counts (b, n)."""
        if counts.dtype != np.uint8 or len(counts) < FEW or not self.fixed:
            return self._in_double(counts)
        out = self.make([c.sums(counts) for c in self.fixed], counts)
        weak = np.flatnonzero(~(out[-1] > self.needs(self.fixed)))
        if len(weak):
            for all_of_them, again in zip(out, self._in_double(counts[weak]), strict=True):
                all_of_them[..., weak] = again
        return out

    def _in_double(self, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.make([c.sums(counts) for c in self.classes], counts)

    def needs(self, fixed: list[FixedPoint]) -> float:
        """The share of its variance that a feature must keep in a training set."""
        return max(c.error for c in fixed) / self.error

    @cached_property
    def fixed(self) -> list[FixedPoint]:
        """The summands as whole numbers; none where they would not do for most training sets."""
        if sum(c.cells for c in self.classes) < SMALL or not multiplies_bytes():
            return []
        everyone = np.ones((1, sum(len(c.d) for c in self.classes)), dtype=np.uint8)
        least = self.make([c.total for c in self.classes], everyone)[-1][0]
        for digits in self.digits:
            fixed = [c.rounded(digits) for c in self.classes]
            if self.needs(fixed) < least / 4:
                return fixed
        return []
