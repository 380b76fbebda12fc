"""Obuchowski and Rockette's analysis of variance of reader studies, with Hillis' degrees of freedom.

The figure of merit of reader j in modality i is θ_ij = μ + τ_i + R_j + (τR)_ij + ε_ij; the errors, which come from the cases,
have variance Var and covariances Cov1 (same reader), Cov2 (same modality), Cov3 (neither), each the mean over all pairs of
its kind (Obuchowski & Rockette 1995; Hillis, Obuchowski, Schartz & Berbaum 2005).

Everything here is one question: how much does the mean over readers of a contrast d_j (the figure of merit itself, or a
difference of two modalities) vary? With r readers in G groups that share no cases,

    r Var(d̄) = MS + (Σ_g r_g²/r) max(Cov2, 0),     df = (that)² (r − G)/MS²,

MS the mean square of d within the groups and Cov2 the mean covariance of two readers of a group. One group is the crossed
study (Hillis 2007, eqs. 20 to 25 for one modality); a group for every reader is a study with cases nested in readers, in
which MS is that of all readers and there is no Cov2 (Hillis 2014); anything between is split-plot (Hillis 2014; Obuchowski,
Gallas & Hillis 2012).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from trueness.typing import Bools, Floats, Ints

Random = Literal["both", "readers", "cases"]


@dataclass(frozen=True, eq=False)
class Spread:
    """How much a mean over readers varies."""

    value: float
    variance: float
    df: float | None  # None: normal
    ms: float = math.nan  # mean square over readers
    cov2: float = 0.0  # mean covariance of two readers who share cases
    truncated: bool = False  # whether cov2 was below 0 and counted as 0


def off_diagonal(matrix: Floats, of: Bools) -> float:
    """The mean of the entries `of`, leaving out the diagonal; 0 without any."""
    of = of & ~np.eye(len(matrix), dtype=bool)
    return float(matrix[of].mean()) if of.any() else 0.0


def within(values: Floats, block: Ints) -> tuple[float, float, float]:
    """Sum of squares within groups, its degrees of freedom, and Σ r_g²/r; of all where every reader is a group."""
    sizes = np.bincount(block)[np.unique(block)]
    if sizes.max() == 1:
        block, factor = np.zeros_like(block), 1.0
    else:
        factor = float((sizes**2).sum() / len(block))
    means = np.bincount(block, values) / np.maximum(np.bincount(block), 1)
    squares = float(((values - means[block]) ** 2).sum())
    return squares, float(len(values) - len(np.unique(block))), factor


def spread_of_mean(values: Floats, covariance: Floats, block: Ints, random: Random) -> Spread:
    """Of the mean of a contrast (r,) of the readers, whose covariance over cases is (r, r)."""
    r, mean = len(values), float(values.mean())
    if random == "cases":
        return Spread(mean, float(covariance.sum()) / r**2, None)
    squares, df, factor = within(values, block)
    ms = squares / df
    if random == "readers":
        return Spread(mean, ms / r, df, ms)
    cov2 = off_diagonal(covariance, block[:, None] == block[None, :])
    total = ms + factor * max(cov2, 0.0)
    return Spread(mean, total / r, _hillis(total, ms, df), ms, cov2, cov2 < 0)


def _hillis(total: float, ms: float, df: float) -> float | None:
    """total² df/MS² (Hillis 2007); None, the normal law, where readers do not differ at all."""
    return None if ms <= 0 or not math.isfinite((total / ms) ** 2) else (total / ms) ** 2 * df


def spread_of_independent(
    first: Spread, second: Spread, sizes: tuple[int, int], cross: float, random: Random
) -> Spread:
    """Of a difference of two modalities that have readers of their own: variances add, less twice the covariance over
    the cases. Each modality has its own mean square, so the squares of the two are added in the degrees of freedom
    (Satterthwaite 1946; with equal mean squares this is Hillis 2014, readers nested in tests)."""
    value = first.value - second.value
    if random == "cases":
        return Spread(value, first.variance + second.variance - 2 * cross, None)
    of_readers = [s.ms / n for s, n in zip((first, second), sizes, strict=True)]
    case_part = 0.0
    if random == "both":
        case_part = first.variance + second.variance - sum(of_readers) - 2 * cross
    total = sum(of_readers) + max(case_part, 0.0)
    below = sum(v**2 / (n - 1) for v, n in zip(of_readers, sizes, strict=True))
    return Spread(value, total, total**2 / below if below > 0 else None, math.nan, case_part, case_part < 0)


@dataclass(frozen=True, eq=False)
class Anova:
    """The analysis of variance of a table without gaps.

    Attributes
    ----------
    values : ndarray of shape (T, R)
        Figure of merit of each reader in each modality.
    covariance : ndarray of shape (T, R, T, R)
        Over the cases.
    block : ndarray of shape (R,)
        The group of each reader.
    """

    values: Floats
    covariance: Floats
    block: Ints

    @property
    def t(self) -> int:
        return len(self.values)

    @property
    def r(self) -> int:
        return int(self.values.shape[1])

    @cached_property
    def ms_t(self) -> float:
        """MS(T) = r Σ (θ_i. − θ_..)²/(t − 1)."""
        means = self.values.mean(axis=1)
        return float(self.r * means.var(ddof=1)) if self.t > 1 else math.nan

    @cached_property
    def ms_r(self) -> float:
        """MS(R) = t Σ (θ_.j − θ_..)²/(r − 1)."""
        return float(self.t * self.values.mean(axis=0).var(ddof=1)) if self.r > 1 else math.nan

    @cached_property
    def interaction(self) -> tuple[float, float, float]:
        """MS(T:R) = Σ (θ_ij − θ_i. − θ_.j + θ_..)²/((t − 1)(r − 1)), within groups of readers where there are several; its
        degrees of freedom, and Σ r_g²/r."""
        if self.t < 2 or self.r < 2:
            return math.nan, math.nan, math.nan
        centred = self.values - self.values.mean(axis=0)
        parts = [within(row, self.block) for row in centred]
        df = (self.t - 1) * parts[0][1]
        return sum(p[0] for p in parts) / df, df, parts[0][2]

    @cached_property
    def covariances(self) -> list[float]:
        """Var, Cov1, Cov2 and Cov3: mean (co)variances over the cases of one reading, of the same reader in different
        modalities, of different readers in the same, and of neither; readers of a group where there are several."""
        flat = self.covariance.reshape(self.t * self.r, -1)
        m, j = np.divmod(np.arange(self.t * self.r), self.r)
        together = self.block if len(np.unique(self.block)) < self.r else np.zeros_like(self.block)
        in_group = together[j][:, None] == together[j]
        alike, same = m[:, None] == m, j[:, None] == j
        kinds = (of & in_group for of in (alike & same, ~alike & same, alike & ~same, ~alike & ~same))
        return [float(flat[of].mean()) if of.any() else 0.0 for of in kinds]

    def denominator(self, random: Random) -> tuple[float, float | None]:
        """D, the expectation of MS(T) without a difference, and its degrees of freedom (Hillis 2007)."""
        if random == "cases":  # Var − Cov1 + (r − 1)(Cov2 − Cov3), the means over all pairs of readers
            whole = self.covariance.sum(axis=(1, 3)) / self.r  # (T, T) r times the covariance of two means over readers
            return float((np.trace(whole) - (whole.sum() - np.trace(whole)) / (self.t - 1)) / self.t), None
        ms, df, factor = self.interaction
        if random == "readers":
            return ms, df
        *_, cov2, cov3 = self.covariances
        total = ms + factor * max(cov2 - cov3, 0.0)
        return total, _hillis(total, ms, df)
