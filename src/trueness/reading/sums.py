"""Sums of products of a kernel over two readings: same or different cases. Everything without bias follows from them.

With ψ_k,ij = 1, ½, 0 where reading k scores positive i higher than, equal to, lower than negative j, the sums

    S_1 = Σ ψ_k,ij ψ_l,ij,                 S_2 = Σ_j (Σ_i ψ_k,ij)(Σ_i ψ_l,ij),
    S_3 = Σ_i (Σ_j ψ_k,ij)(Σ_j ψ_l,ij),    S_4 = (Σ ψ_k,ij)(Σ ψ_l,ij)

include equal cases; by inclusion and exclusion they give the sums over distinct ones, whose means are the moments of Gallas
(2006): the same pair, the same negative, the same positive, different cases. Cases that were not read count 0 in the sums
and in the number of their terms (Gallas & Brown 2008). A mean over cases has two sums: the same case, and any.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trueness.kernels.auc import others_below
from trueness.typing import Bools, Floats

CELLS = 2**22  # values of the kernel held at a time


@dataclass(frozen=True, eq=False)
class CaseTotals:
    """Cases of one kind: negatives, positives, or all."""

    totals: Floats  # (K, m) sum of the kernel over all terms with this case
    terms: Floats  # (K, m) how many these are; 0 where it was not read


@dataclass(frozen=True, eq=False)
class ReadingSums:
    """Sums over two readings that share which cases.

    Attributes
    ----------
    products, terms : ndarray of shape (L, K, K)
        Sums of products of the kernel, and how many terms they have; the last is over all cases.
    factors : tuple of CaseTotals
        The kinds of cases.
    totals, counts : ndarray of shape (K,)
        Sum of the kernel of each reading, and of how many terms.
    """

    products: Floats
    terms: Floats
    factors: tuple[CaseTotals, ...]
    totals: Floats
    counts: Floats

    @property
    def values(self) -> Floats:
        """(K,) the figure of merit."""
        return self.totals / self.counts

    @cached_property
    def distinct(self) -> tuple[Floats, Floats]:
        """(L, K, K) the same over distinct cases, and how many terms."""
        return _distinct(self.products), _distinct(self.terms)

    @cached_property
    def expected_products(self) -> Floats:
        """(K, K) estimates without bias of the product of the true values of two readers."""
        products, terms = self.distinct
        return np.asarray(products[-1] / terms[-1])

    @cached_property
    def covariance(self) -> Floats:
        """(K, K) estimates without bias of the covariance over cases (Gallas 2006, for two readers)."""
        apart = (self.terms[:-1] == 0).all(axis=0)  # no case in common
        return np.asarray(np.where(apart, 0.0, np.outer(self.values, self.values) - self.expected_products))


def _distinct(sums: Floats) -> Floats:
    if len(sums) == 2:
        same, whole = sums
        return np.stack([same, whole - same])
    pair, negative, positive, whole = sums
    return np.stack([pair, negative - pair, positive - pair, whole - negative - positive + pair])


def sums_of_pairs(values: Floats, up: Bools) -> ReadingSums:
    """Of the AUC, from scores (K, n) with NaN where a case was not read."""
    read = ~np.isnan(values)
    of_case = np.zeros(values.shape)
    for k, mine in enumerate(read):
        twice, positive = others_below(values[k, mine], up[mine]), up[mine]
        of_case[k, mine] = np.where(positive, twice / 2, positive.sum() - twice / 2)
    return _over_pairs(of_case, read.astype(float), up, _same_pairs(values, up))


def sums_of_both(losses: Floats, up: Bools) -> ReadingSums:
    """Of a mean over positives plus a mean over negatives, from values (K, n) with NaN where a case was not read: the
    kernel ψ_k,ij = a_ki + b_kj is one over pairs too."""
    read = (~np.isnan(losses)).astype(float)
    known, ups, downs = np.nan_to_num(losses), np.where(up, read, 0.0), np.where(up, 0.0, read)
    a, b = known * ups, known * downs
    of_case = ups * (known * downs.sum(axis=1, keepdims=True) + b.sum(axis=1, keepdims=True))
    of_case += downs * (known * ups.sum(axis=1, keepdims=True) + a.sum(axis=1, keepdims=True))
    # over pairs that both read: Σ_ij (a_i + b_j)(a'_i + b'_j)
    crossed = (a @ ups.T) * (downs @ b.T)
    same = (a @ a.T) * (downs @ downs.T) + (b @ b.T) * (ups @ ups.T) + crossed + crossed.T
    return _over_pairs(of_case, read, up, same)


def _over_pairs(of_case: Floats, read: Floats, up: Bools, same_pairs: Floats) -> ReadingSums:
    """From the sum of the kernel over all pairs with each case (K, n), and S_1."""
    of_up, of_down, read_up, read_down = of_case[:, up], of_case[:, ~up], read[:, up], read[:, ~up]
    n1, n0, totals = read_up.sum(axis=1), read_down.sum(axis=1), of_up.sum(axis=1)
    both_up, both_down = read_up @ read_up.T, read_down @ read_down.T
    counts = n1 * n0
    products = np.stack([same_pairs, of_down @ of_down.T, of_up @ of_up.T, np.outer(totals, totals)])
    terms = np.stack(
        [both_up * both_down, np.outer(n1, n1) * both_down, np.outer(n0, n0) * both_up, np.outer(counts, counts)]
    )
    factors = CaseTotals(of_down, read_down * n1[:, None]), CaseTotals(of_up, read_up * n0[:, None])
    return ReadingSums(products, terms, factors, totals, counts)


def _same_pairs(values: Floats, up: Bools) -> Floats:
    """(K, K) Σ ψ_k,ij ψ_l,ij, some positives at a time; NaN is neither higher nor equal."""
    positives, negatives = values[:, up], np.ascontiguousarray(values[:, ~up])
    out = np.zeros((len(values), len(values)))
    step = max(1, CELLS // max(1, negatives.size))
    for start in range(0, positives.shape[1], step):
        some = positives[:, start : start + step, None]
        twice = (some > negatives[:, None, :]).astype(np.float32)
        twice += some >= negatives[:, None, :]
        flat = twice.reshape(len(values), -1)
        out += (flat @ flat.T).astype(float)
    return out / 4


def sums_of_cases(losses: Floats) -> ReadingSums:
    """Of a mean over cases, from values (K, m) with NaN where a case was not read."""
    read = ~np.isnan(losses)
    known, seen = np.where(read, losses, 0.0), read.astype(float)
    totals, counts = known.sum(axis=1), seen.sum(axis=1)
    products = np.stack([known @ known.T, np.outer(totals, totals)])
    terms = np.stack([seen @ seen.T, np.outer(counts, counts)])
    return ReadingSums(products, terms, (CaseTotals(known, seen),), totals, counts)
