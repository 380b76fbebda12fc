"""What another seed would change: the Monte-Carlo error of a variance that folds and bootstrap samples were drawn for.

Folds are drawn in independent repeats and bootstrap samples one by one, both given the cases. The variance is computed
again without each repeat, and without each sample, and the jackknife adds up both (Efron & Stein 1981; of a statistic
of two independent samples the variances add).
"""

import math
from dataclasses import dataclass

import numpy as np

from trueness.typing import Floats, Ints


def jackknife(without: Floats) -> float:
    """(m − 1)/m Σ (θ_k − mean)², θ_k without the kth of m independent draws; 0 of a single one."""
    m = len(without)
    return float((m - 1) / m * ((without - without.mean()) ** 2).sum()) if m > 1 else 0.0


@dataclass(frozen=True, eq=False)
class ByReplicate:
    """What each bootstrap sample adds to the training part, and to its covariance with the test part."""

    found: Floats  # (B,) sums over pairs of residuals
    possible: Floats  # (B,) the same of ones
    divisor: float  # for centring: t = Σ found / Σ possible / divisor
    along: Floats  # (B,) what each adds to Σ β a τ

    @property
    def trained(self) -> float:
        """t, the variance over training sets; it may be negative."""
        return float(self.found.sum() / self.possible.sum() / self.divisor)

    def without(self) -> tuple[Floats, Floats]:
        """(B,) t and Σ β a τ without each sample."""
        b = len(self.found)
        left = np.maximum(self.possible.sum() - self.possible, np.finfo(float).tiny)
        t = (self.found.sum() - self.found) / left / self.divisor
        return np.maximum(t, 0.0), (self.along.sum() - self.along) * b / max(b - 1, 1)


def spread_of_folds(values: Floats, weights: Floats | float = 1.0) -> float:
    """S² = Σ w (value − mean)²/(J − 1) of J folds that have a value, with weights w of mean 1; NaN of one."""
    known, w = ~np.isnan(values), np.ones(len(values)) * weights
    if known.sum() < 2:
        return math.nan
    w, v = w[known] / w[known].mean(), values[known]
    return float((w * (v - (w * v).mean()) ** 2).sum() / (len(v) - 1))


def folds_without(values: Floats, repeats: Ints, nadeau_bengio: float, weights: Floats | float = 1.0) -> Floats:
    """(R,) Nadeau and Bengio's variance (1/J + n_test/n_train) S² of the fold values without each repeat."""
    w = np.ones(len(values)) * weights
    known, spread = ~np.isnan(values), spread_of_folds(values, w)
    if not spread > 0:
        return np.full(len(np.unique(repeats)), nadeau_bengio)
    ratio = nadeau_bengio / spread - 1 / known.sum()
    some = [known & (repeats != r) for r in np.unique(repeats)]
    each = [
        (1 / of.sum() + ratio) * spread_of_folds(values[of], w[of]) if of.sum() > 1 else nadeau_bengio for of in some
    ]
    return np.array(each)
