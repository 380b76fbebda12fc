"""Σ N φ over the cases of a class, in every training set: the matrix product that the closed forms are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.kernels.byte_sums import byte_digits, byte_sums, multiplies_bytes
from karat.kernels.discriminants import sorted_counts

EXACT = 2e-9  # error of a score that fixed point may make: less than the 1e-8 that scores are good for
SMALL = 20_000  # entries of φ below which fixed point is not worth its preparation
FEW = 64  # training sets likewise

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
        m, p = self.d.shape
        columns = np.ones((1 + p, m))
        columns[1:] = self.d.T
        first, second = self.factors
        table, quantum, bias = byte_digits(columns, first, second, digits)
        # rounding errors are spread evenly over a quantum: three SDs of their mean in a bootstrap sample
        error = np.abs(bias) + 3 * quantum * np.sqrt(2 / (12 * m))
        squares = np.maximum(self.squares, np.finfo(float).tiny)
        spread = np.sqrt(np.append(1.0, squares))
        relative = (error / (spread[first] * spread[second])).max()
        farthest = (self.d**2 @ (1 / squares)).max()
        return FixedPoint(table, quantum, self.cases, relative * farthest / EXACT)


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """φ as whole numbers of a quantum each.

    `needs` is the share of its variance that a feature must keep, given all others, so that the errors in the moments
    move no score by more than EXACT: relative errors ε of the moments move (x − μ)ᵀ Σ⁻¹ (x − μ) by about ε times itself
    over that share.
    """

    digits: np.ndarray  # (1 + p + q, digits, m')
    quantum: np.ndarray
    cases: np.ndarray
    needs: float

    def sums(self, counts: np.ndarray) -> np.ndarray:
        return byte_sums(self.digits, self.quantum, counts, self.cases)


@dataclass(frozen=True, eq=False)
class Rules:
    """From the sums of the classes to rules, in fixed point where it is exact enough, and in double precision else.

    Attributes
    ----------
    classes
        The summands of each class.
    make
        Gives arrays whose last axis are the training sets; the last array is the least share of its variance that a
        feature keeps, given all others (b,).
    """

    classes: list[Summands]
    make: Callable[[Sums], tuple[np.ndarray, ...]]

    def of(self, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of the training sets of counts (b, n)."""
        if counts.dtype != np.uint8 or len(counts) < FEW or not self.fixed:
            return self.make([c.sums(counts) for c in self.classes])
        out = self.make([c.sums(counts) for c in self.fixed])
        weak = np.flatnonzero(~(out[-1] > max(c.needs for c in self.fixed)))
        if len(weak):
            again = self.make([c.sums(counts[weak]) for c in self.classes])
            for all_of_them, some in zip(out, again, strict=True):
                all_of_them[..., weak] = some
        return out

    @cached_property
    def fixed(self) -> list[FixedPoint]:
        """The summands in 5 digits, or 6; none where they would not do for most training sets."""
        if sum(len(c.d) * len(c.factors[0]) for c in self.classes) < SMALL or not multiplies_bytes():
            return []
        least = self.make([c.total for c in self.classes])[-1][0] / 4
        for digits in (5, 6):
            fixed = [c.rounded(digits) for c in self.classes]
            if max(c.needs for c in fixed) < least:
                return fixed
        return []
