"""Σ N φ over the cases of a class, in every training set: the matrix product that the closed forms are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.kernels.byte_sums import Part, byte_digits, byte_sums, largest_products, multiplies_bytes, quanta
from karat.kernels.discriminants import sorted_counts
from karat.kernels.spd import spd_inverses

EXACT = 5e-9  # error that rounded moments may make in a score: less than the 1e-8 that scores are good for
DOUBLE = 5e-16  # relative error of a moment in double precision
SMALL = 20_000  # entries of φ below which fixed point is not worth its preparation
FEW = 64  # training sets likewise
ONE_BY_ONE = 4  # training sets below which it is quicker not to make φ at all

# (what is summed, with how many digits, and the error of a score that is allowed for it)
Precision = tuple[tuple[str, int, float], ...]
FIVE: Precision = (("all", 5, EXACT),)
SIX: Precision = (("all", 6, EXACT),)
ROUGH: Precision = (("first", 6, EXACT), ("second", 3, 3e-4))  # where refinement makes good what products lack

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
        drawn = sorted_counts(counts, self.cases)
        if len(drawn) < ONE_BY_ONE:
            return np.stack([self._scatter(row) for row in drawn], axis=1)
        return self.phi @ drawn.T

    @cached_property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """(1 + p + q,) φ_k is the product of these two of [1, d]."""
        first, second = np.triu_indices(1 + self.d.shape[1])
        kept = slice(None) if self.products else (first == 0) | (first == second)
        return first[kept], second[kept]

    @property
    def total(self) -> np.ndarray:
        """(1 + p + q, 1) Σ φ over all cases of the class."""
        return self._scatter(np.ones(len(self.d)))[:, None]

    def _scatter(self, times: np.ndarray) -> np.ndarray:
        """(1 + p + q,) Σ N φ of one training set, without φ."""
        return ((self.columns * times) @ self.columns.T)[self.factors]

    @cached_property
    def columns(self) -> np.ndarray:
        """(1 + p, m) 1 and d."""
        out = np.ones((1 + self.d.shape[1], len(self.d)))
        out[1:] = self.d.T
        return out

    @cached_property
    def largest(self) -> np.ndarray:
        """(1 + p + q,) of each |φ|."""
        return largest_products(self.columns, *self.factors)

    @cached_property
    def form(self) -> tuple[float, float]:
        """The least share of its variance that a feature keeps, given the others, and the largest dᵀ Σ⁻¹ d."""
        squares = np.maximum(self.squares, np.finfo(float).tiny)
        farthest = float((self.d**2 @ (1 / squares)).max())
        if not self.products:
            return 1.0, farthest
        inverse, _, good = spd_inverses((self.d.T @ self.d / len(self.d))[None])
        if not good[0]:
            return 0.0, farthest
        least = 1 / max(float((np.diagonal(inverse[0]) * squares).max()), 1.0)
        return least, max(farthest, float(((self.d @ inverse[0]) * self.d).sum(axis=1).max()))

    def needs(self, precision: Precision, bias: np.ndarray | float = 0.0) -> float:
        """What the rounding moves scores by at most, about, in units of what is allowed.

        Rounding errors are spread evenly over a quantum: three SDs of their mean in a bootstrap sample, and their mean
        itself. Relative errors ε of the moments move (x − μ)ᵀ Σ⁻¹ (x − μ) by about ε times itself.
        """
        first, second = self.factors
        spread = np.sqrt(np.maximum(np.append(1.0, self.squares), np.finfo(float).tiny))
        error = np.abs(bias) + np.zeros(len(first))
        for what, digits, allowed in precision:
            rows = self._rows(what)
            error[rows] += 3 * quanta(self.largest[rows], digits) * np.sqrt(2 / (12 * len(self.d)))
            error[rows] /= allowed
        return float((error / (spread[first] * spread[second])).max()) * self.form[1]

    def rounded(self, precision: Precision) -> FixedPoint:
        first, second = self.factors
        parts, bias = [], np.empty(len(first))
        for what, digits, _ in precision:
            rows = self._rows(what)
            quantum = quanta(self.largest[rows], digits)
            table, bias[rows] = byte_digits(self.columns, first[rows], second[rows], digits, quantum)
            parts.append((table, quantum))
        return FixedPoint(parts, self.cases, self.needs(precision, bias))

    def _rows(self, what: str) -> slice:
        k = 1 + self.d.shape[1]
        return {"all": slice(None), "first": slice(0, k), "second": slice(k, None)}[what]


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """φ as whole numbers of a quantum each; what it `needs` is `Summands.needs`."""

    parts: list[Part]
    cases: np.ndarray
    needs: float

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
    precisions
        Which may be enough, the quickest first.

    Notes
    -----
    In a training set where a feature keeps a share s of its variance, given all others, errors are larger: by 1/s for
    the rule, and by s_0/s for the largest distance of a case that was not drawn, where it keeps s_0 among all cases.
    So s² must be more than s_0 times what the summands need.
    """

    classes: list[Summands]
    make: Callable[[Sums, np.ndarray], tuple[np.ndarray, ...]]
    precisions: tuple[Precision, ...] = (FIVE, SIX)

    def of(self, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of the training sets of counts (b, n)."""
        if counts.dtype != np.uint8 or len(counts) < FEW or not self.fixed:
            return self._in_double(counts)
        out = self.make([c.sums(counts) for c in self.fixed], counts)
        weak = np.flatnonzero(~(out[-1] ** 2 > self.least_of_all * max(c.needs for c in self.fixed)))
        if len(weak):
            for all_of_them, again in zip(out, self._in_double(counts[weak]), strict=True):
                all_of_them[..., weak] = again
        return out

    def _in_double(self, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.make([c.sums(counts) for c in self.classes], counts)

    @cached_property
    def least_of_all(self) -> float:
        """The least share of its variance that a feature keeps among all cases."""
        everyone = np.ones((1, sum(len(c.d) for c in self.classes)), dtype=np.uint8)
        return float(self.make([c.total for c in self.classes], everyone)[-1][0])

    @cached_property
    def fixed(self) -> list[FixedPoint]:
        """The summands as whole numbers; none where they would not do for most training sets."""
        if sum(c.cells for c in self.classes) < SMALL or not multiplies_bytes():
            return []
        most = self.least_of_all / 10  # so that a share may fall to a third
        for precision in self.precisions:
            if max(c.needs(precision) for c in self.classes) < most:
                fixed = [c.rounded(precision) for c in self.classes]
                if max(c.needs for c in fixed) < most:
                    return fixed
        return []
