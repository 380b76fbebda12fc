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
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from trueness.reading.anova import Random, Spread
from trueness.reading.sums import ReadingSums
from trueness.typing import Floats, Ints

BCK_PAIRS = (
    "negatives",
    "positives",
    "negatives:positives",
    "readers",
    "negatives:readers",
    "positives:readers",
    "rest",
)
BCK_CASES = ("cases", "readers", "rest")


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
