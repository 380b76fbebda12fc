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
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from trueness.kernels.auc import others_below
from trueness.reading.anova import Random, Spread
from trueness.typing import Bools, Floats, Ints

BCK_PAIRS = (
    *("negatives", "positives", "negatives:positives"),
    *("readers", "negatives:readers", "positives:readers", "rest"),
)
BCK_CASES = ("cases", "readers", "rest")
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


@dataclass(frozen=True, eq=False)
class ReaderMoments:
    """ReaderMoments of K readings.

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

    def mean(self, i: int) -> float:
        """θ̂ of a modality."""
        return float(self.means[i])

    def _weights(self, i: int) -> Floats:
        """(K,) shares of the readings in θ̂ of a modality; 0 for those of others."""
        mine = np.where(self.modality == i, self.sums.counts, 0.0)
        return np.asarray(mine / mine.sum())

    def _of(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Sums of products and numbers of terms of two modalities: first of one reader, then of two (2L,)."""
        of = np.outer(self.modality == i, self.modality == j)
        same = self.reader[:, None] == self.reader[None, :]
        products, terms = self.sums.distinct
        return tuple(  # type: ignore[return-value]
            np.array([part[of & who].sum() for who in (same, ~same) for part in parts]) for parts in (products, terms)
        )

    def moments(self, i: int, j: int | None = None) -> Floats:
        """M1 … M8 of one modality, or of the products of two; NaN where no terms are of this kind."""
        products, terms = self._of(i, i if j is None else j)
        with np.errstate(invalid="ignore"):
            return np.where(terms > 0, products / np.where(terms > 0, terms, 1.0), np.nan)

    def coefficients(self, i: int, j: int | None = None) -> Floats:
        """c_1 … c_8: shares of the products of two terms of each kind; less 1 for the last."""
        _, terms = self._of(i, i if j is None else j)
        out = terms / terms.sum()
        out[-1] -= 1.0
        return np.asarray(out)

    def covariance(self, i: int, j: int | None = None) -> float:
        """Of two means over readers, readers and cases random: Σ c_k M_k."""
        j = i if j is None else j
        products, terms = self._of(i, j)
        last = products[-1] / terms[-1] if terms[-1] > 0 else math.nan
        return float(products.sum() / terms.sum() - last)

    def components(self, i: int, j: int | None = None) -> Floats:
        """Barrett, Clarkson & Kupinski's components of variance from the moments (Gallas et al. 2009, eq. 19): of
        negatives, positives, both, readers, and of readers with each of them; 0 where modalities share none."""
        m = np.nan_to_num(self.moments(i, j))
        if len(m) == 4:
            one, whole_reader, case, whole = m
            return np.array([case - whole, whole_reader - whole, one - whole_reader - case + whole])
        m1, m2, m3, m4, m5, m6, m7, m8 = m
        return np.array(
            [m6 - m8, m7 - m8, m5 - m6 - m7 + m8, m4 - m8, m2 - m4 - m6 + m8, m3 - m4 - m7 + m8,
             m1 - m2 - m3 + m4 - m5 + m6 + m7 - m8]
        )  # fmt: skip

    # -- degrees of freedom --------------------------------------------------------------------

    @cached_property
    def _levels(self) -> list[list[tuple[Floats, Floats]]]:
        """By modality, for cases of each kind and readers: sum of the kernel of each level, and number of terms."""
        n_readers, out = int(self.reader.max()) + 1, []
        for i in range(int(self.modality.max()) + 1):
            mine = self.modality == i
            cases = [(f.totals[mine].sum(axis=0), f.terms[mine].sum(axis=0)) for f in self.sums.factors]
            of = self.reader[mine]
            totals, counts = (np.bincount(of, x[mine], n_readers) for x in (self.sums.totals, self.sums.counts))
            out.append([*cases, (totals, counts)])
        return out

    def mean_squares(self, i: int, j: int) -> Floats:
        """Variance over the levels of each factor of what they add to the mean, of one modality or the covariance of
        two: Σ T_a T'_a / Σ N_a N'_a − θ̂ θ̂'; NaN where modalities have no level in common."""
        out = []
        for (a, na), (b, nb) in zip(self._levels[i], self._levels[j], strict=True):
            terms = float(na @ nb)
            out.append(float(a @ b) / terms - self.mean(i) * self.mean(j) if terms > 0 else math.nan)
        return np.array(out)

    def level_df(self, i: int) -> Floats:
        """Effective number of levels of each factor, 1/Σ shares², less 1."""
        return np.array([float(n.sum() ** 2 / (n**2).sum()) - 1 for _, n in self._levels[i]])

    def df(self, variance: float, i: int, j: int | None = None) -> float | None:
        """Of one mean, or of a difference of two."""
        if j is None:
            below, least = _part(self.mean_squares(i, i), self.level_df(i)), self.level_df(i).min()
        else:
            first, second, both = self.mean_squares(i, i), self.mean_squares(j, j), self.mean_squares(i, j)
            of_first, of_second = self.level_df(i), self.level_df(j)
            shared, fewer = ~np.isnan(both), np.minimum(of_first, of_second)
            below = _part((first + second - 2 * both)[shared], fewer[shared])
            below += _part(first[~shared], of_first[~shared]) + _part(second[~shared], of_second[~shared])
            least = fewer.min()
        # not below that of the factor with the fewest levels (Gaylor & Hopper 1969)
        return max(variance**2 / below, float(least)) if below > 0 else None

    # -- the answer ----------------------------------------------------------------------------

    def spread(self, random: Random, i: int, j: int | None = None) -> Spread:
        """Of the mean of a modality, or of the difference of two."""
        weights = self._weights(i) - (0.0 if j is None else self._weights(j))
        value = self.mean(i) - (0.0 if j is None else self.mean(j))
        if random == "cases":
            return Spread(value, float(weights @ self.sums.covariance @ weights), None)
        if random == "readers":
            return Spread(value, self._over_readers(i, j), self._reader_df(i, j))
        if j is None:
            variance = self.covariance(i)
        else:
            variance = self.covariance(i) + self.covariance(j) - 2 * self.covariance(i, j)
        if variance <= 1e-15:  # an estimate without bias can be below 0
            shared = self._shared_part(weights) / (1 - self._largest_share(i, j))
            total = self._over_readers(i, j) + max(shared, 0.0)
            return Spread(value, total, self._reader_df(i, j), cov2=variance, truncated=True)
        return Spread(value, variance, self.df(variance, i, j))

    def _shared_part(self, weights: Floats) -> float:
        """What cases that two readers share add to the variance, by covariances without bias."""
        other = self.reader[:, None] != self.reader[None, :]
        return float(weights @ np.where(other, self.sums.covariance, 0.0) @ weights)

    def _largest_share(self, i: int, j: int | None) -> float:
        """Σ shares² of the readers in a mean, the larger of two."""
        of = [np.bincount(self.reader, self._weights(m)) for m in ((i,) if j is None else (i, j))]
        return max(float((share**2).sum()) for share in of)

    def _over_readers(self, i: int, j: int | None) -> float:
        """Variance over readers for these cases: Σ_j e_j²/(1 − Σ shares²), e_j what a reader adds to the deviation."""
        signed = [(i, 1.0)] + ([] if j is None else [(j, -1.0)])
        added, alone = np.zeros(int(self.reader.max()) + 1), []
        for m, sign in signed:
            w = self._weights(m)
            part = np.bincount(self.reader, sign * w * (self.sums.values - self.mean(m)), len(added))
            added += part
            alone.append((part, float((np.bincount(self.reader, w) ** 2).sum())))
        shared = j is not None and bool(np.isin(self.reader[self.modality == i], self.reader[self.modality == j]).any())
        if j is None or shared:
            return float((added**2).sum() / (1 - max(share for _, share in alone)))
        return sum(float((part**2).sum() / (1 - share)) for part, share in alone)

    def _reader_df(self, i: int, j: int | None) -> float:
        """Of the variance over readers alone."""
        if j is None:
            return float(self.level_df(i)[-1])
        first, second, both = (self.mean_squares(a, b)[-1] for a, b in ((i, i), (j, j), (i, j)))
        df1, df2 = float(self.level_df(i)[-1]), float(self.level_df(j)[-1])
        if not math.isnan(both) or first + second <= 0:
            return min(df1, df2)
        return float((first / df1 + second / df2) ** 2 / (first**2 / df1**3 + second**2 / df2**3))

    # -- tables --------------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> int:
        """8 moments of a mean over pairs, 4 of a mean over cases."""
        return 2 * len(self.sums.products)

    def frame(self, names: tuple[object, ...]) -> pd.DataFrame:
        """One row per pair of modalities and moment: `first`, `second`, `moment`, `value`, `coefficient`."""
        pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
        parts = [
            pd.DataFrame(
                {
                    "first": [names[i]] * self.kinds,
                    "second": [names[j]] * self.kinds,
                    "moment": [f"M{k + 1}" for k in range(self.kinds)],
                    "value": self.moments(i, j),
                    "coefficient": self.coefficients(i, j),
                }
            )
            for i, j in pairs
        ]
        return pd.concat(parts, ignore_index=True)


def _part(mean_squares: Floats, df: Floats) -> float:
    """Σ (MS_f/df_f)²/df_f."""
    return float((mean_squares**2 / df**3).sum())
