"""One-shot variances of reader studies (Gallas 2006; Gallas, Bandos, Samuelson & Wagner 2009): U-statistics of the moments.

The mean over readers of a modality weights every term of the kernel alike, θ̂ = Σ_k t_k / Σ_k n_k (t_k the sum of the
kernel of reading k over its n_k terms), and

    Var θ̂ = θ̂² − M8,     Cov(θ̂, θ̂') = θ̂ θ̂' − M8',

M8 the mean of products of two readers, two positives and two negatives that are all different: an estimate without bias of
the square of the true mean, whatever was read by whom. With M1 … M8 and their coefficients this is Gallas' sum Σ c_k M_k −
M8, since the products of all pairs of terms add up to θ̂².

The degrees of freedom are Satterthwaite's over readers, negatives and positives (Obuchowski, Gallas & Hillis 2012),

    df = V² / Σ_f (MS_f / df_f)² / df_f,

MS_f the variance over the levels of a factor of what they add, df_f their effective number less 1. A factor that is not
shared by two modalities adds two squares, one for each, since its levels are independent.

All of it follows from sums of products of the kernel over two readings, the same or different cases. With
ψ_k,ij = 1, ½, 0 where reading k scores positive i higher than, equal to, lower than negative j, the sums

    S_1 = Σ ψ_k,ij ψ_l,ij,                 S_2 = Σ_j (Σ_i ψ_k,ij)(Σ_i ψ_l,ij),
    S_3 = Σ_i (Σ_j ψ_k,ij)(Σ_j ψ_l,ij),    S_4 = (Σ ψ_k,ij)(Σ ψ_l,ij)

include equal cases; by inclusion and exclusion they give the sums over distinct ones, whose means are the moments of Gallas
(2006): the same pair, the same negative, the same positive, different cases. Cases that were not read count 0 in the sums
and in the number of their terms (Gallas & Brown 2008). A mean over cases has two sums: the same case, and any.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from trueness.kernels.auc import others_below
from trueness.reading.anova import Random, Spread
from trueness.typing import Bools, Floats, Ints

CELLS = 2**22  # values of the kernel held at a time


SIGNS = {2: (-1.0, 1.0), 4: (1.0, -1.0, -1.0, 1.0)}  # of sums that include equal cases, in the sum over distinct ones


@dataclass(frozen=True, eq=False)
class ReadingSums:
    """Sums over two readings that share which cases.

    Attributes
    ----------
    products, terms : ndarray of shape (L, K, K)
        Sums of products of the kernel, and how many terms they have; the last is over all cases.
    factors : tuple of (ndarray, ndarray) of shape (K, m)
        Of each kind of cases (negatives, positives, or all): sum of the kernel over all terms with this case, and how many
        these are; 0 where it was not read.
    totals, counts : ndarray of shape (K,)
        Sum of the kernel of each reading, and of how many terms.
    """

    products: Floats
    terms: Floats
    factors: tuple[tuple[Floats, Floats], ...]
    totals: Floats
    counts: Floats

    @property
    def values(self) -> Floats:
        """(K,) the figure of merit."""
        return self.totals / self.counts

    @cached_property
    def distinct(self) -> Floats:
        """(2, K, K) sums of products over distinct cases, and how many terms."""
        signs = np.array(SIGNS[len(self.terms)])[:, None, None]
        return np.stack([(signs * self.products).sum(axis=0), (signs * self.terms).sum(axis=0)])

    @cached_property
    def covariance(self) -> Floats:
        """(K, K) estimates without bias of the covariance over cases (Gallas 2006, for two readers)."""
        apart = (self.terms[:-1] == 0).all(axis=0)  # no case in common
        of_distinct = self.distinct[0] / self.distinct[1]
        return np.asarray(np.where(apart, 0.0, np.outer(self.values, self.values) - of_distinct))


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
    factors = (of_down, read_down * n1[:, None]), (of_up, read_up * n0[:, None])
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
    return ReadingSums(products, terms, ((known, seen),), totals, counts)


@dataclass(frozen=True, eq=False)
class ReaderMoments:
    """Means over readers and their variances.

    Attributes
    ----------
    sums : ReadingSums
        Sums over two readings.
    modality, reader : ndarray of shape (K,)
        Of each reading.
    """

    sums: ReadingSums
    modality: Ints
    reader: Ints

    @cached_property
    def means(self) -> Floats:
        """(T,) θ̂ of each modality."""
        return np.asarray(np.bincount(self.modality, self.sums.totals) / np.bincount(self.modality, self.sums.counts))

    def covariance(self, i: int, j: int) -> float:
        """Of two means over readers, readers and cases random: θ̂ θ̂' − M8; NaN where there is one reader."""
        of = np.outer(self.modality == i, self.modality == j) & (self.reader[:, None] != self.reader)
        product, terms = (part[of].sum() for part in self.sums.distinct)
        return float(self.means[i] * self.means[j] - (product / terms if terms > 0 else math.nan))

    @cached_property
    def _levels(self) -> list[list[tuple[Floats, Floats]]]:
        """By modality, for cases of each kind and readers: sum of the kernel of each level, and number of terms."""
        n_readers, out = int(self.reader.max()) + 1, []
        for i in range(len(self.means)):
            mine = self.modality == i
            cases = [(totals[mine].sum(axis=0), terms[mine].sum(axis=0)) for totals, terms in self.sums.factors]
            of = self.reader[mine]
            totals, counts = (np.bincount(of, x[mine], n_readers) for x in (self.sums.totals, self.sums.counts))
            out.append([*cases, (totals, counts)])
        return out

    def _mean_squares(self, of: Sequence[int]) -> list[list[tuple[float, float]]]:
        """By factor, the variance over its levels of what they add to a mean or to a difference of two, Σ T_a T'_a/Σ N_a
        N'_a − θ̂ θ̂', and its degrees of freedom, the effective number of levels 1/Σ shares², less 1; of two modalities
        without a level in common, one for each."""
        out = []
        for levels in zip(*(self._levels[m] for m in of), strict=True):
            dfs = [float(n.sum() ** 2 / (n**2).sum()) - 1 for _, n in levels]
            squares = [float(a @ a / (n @ n)) - self.means[m] ** 2 for m, (a, n) in zip(of, levels, strict=True)]
            (a, na), (b, nb) = levels[0], levels[-1]
            if len(of) > 1 and na @ nb > 0:
                both = float(a @ b / (na @ nb)) - self.means[of[0]] * self.means[of[1]]
                squares, dfs = [sum(squares) - 2 * both], [min(dfs)]
            out.append(list(zip(squares, dfs, strict=True)))
        return out

    def spread(self, random: Random, *of: int) -> Spread:
        """Of the mean of a modality, or of the difference of two."""
        signs = (1.0, -1.0)[: len(of)]
        shares = [np.where(self.modality == m, self.sums.counts, 0.0) for m in of]
        shares = [share / share.sum() for share in shares]  # (K,) of the readings in each mean
        weights = np.sum([sign * share for sign, share in zip(signs, shares, strict=True)], axis=0)
        value = float(np.dot(signs, self.means[list(of)]))
        if random == "cases":
            return Spread(value, float(weights @ self.sums.covariance @ weights), None)
        *_, of_readers = parts = self._mean_squares(of)
        # variance over readers for these cases: Σ_j e_j²/(1 − Σ shares²), e_j what a reader adds to the deviation
        largest = [float((np.bincount(self.reader, share) ** 2).sum()) for share in shares]
        added = [
            np.bincount(self.reader, sign * share * (self.sums.values - self.means[m]))
            for m, sign, share in zip(of, signs, shares, strict=True)
        ]
        if len(of_readers) == 1:
            added, largest = [np.sum(added, axis=0)], [max(largest)]
        over_readers = sum(float((e**2).sum() / (1 - s)) for e, s in zip(added, largest, strict=True))
        below = sum(square**2 / df**3 for square, df in of_readers)
        df = min(df for _, df in of_readers)
        if below > 0:
            df = sum(square / df for square, df in of_readers) ** 2 / below
        if random == "readers":
            return Spread(value, over_readers, df)
        variance = sum(
            s * t * self.covariance(i, j) for (i, s), (j, t) in product(zip(of, signs, strict=True), repeat=2)
        )
        if variance <= 1e-15:  # an estimate without bias can be below 0
            other = self.reader[:, None] != self.reader[None, :]
            shared = float(weights @ np.where(other, self.sums.covariance, 0.0) @ weights) / (1 - max(largest))
            return Spread(value, over_readers + max(shared, 0.0), df, cov2=variance, truncated=True)
        below = sum(square**2 / df**3 for part in parts for square, df in part)
        # not below that of the factor with the fewest levels (Gaylor & Hopper 1969)
        least = min(df for part in parts for _, df in part)
        return Spread(value, variance, max(variance**2 / below, least) if below > 0 else None)
