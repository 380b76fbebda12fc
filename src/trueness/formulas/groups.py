"""Cases that come in groups (patients, sites, documents): only whole groups are independent of each other.

An estimate moves by influence_i with case i, and Σ influence_i = 0. Over groups, the influence is summed within each
group before it is squared, and G/(G − 1) makes up for the mean that was estimated from the same G groups:

    Var = G/(G − 1) Σ_g (Σ_{i in g} influence_i)²
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trueness.formulas.intervals import quantile
from trueness.typing import Array, Floats, Ints


def group_sums(values: Floats, groups: Array) -> Floats:
    """(..., n) summed within groups to (..., G); any labels of groups, in their sorted order."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def count_groups(groups: Array) -> int:
    """Number of different groups."""
    if groups.dtype.kind == "i" and groups.size and groups.min() >= 0 and groups.max() <= 10 * groups.size:
        return int(np.count_nonzero(np.bincount(groups)))  # codes: ten times faster than np.unique
    return len(np.unique(groups))


def group_factor(groups: Array) -> float:
    """G/(G − 1); NaN for a single group, which does not show how groups differ."""
    g = count_groups(groups)
    return g / (g - 1) if g > 1 else np.nan


def groups_by_class(groups: Array, codes: Ints) -> Ints:
    """Number of groups with a case of each class that occurs, in the order of the codes."""
    return np.array([count_groups(groups[codes == code]) for code in np.unique(codes)])


def variance_of_mean(values: Floats, groups: Array) -> float:
    """G/(G − 1) Σ_g (Σ_{i in g} (x_i − x̄))² / n²: the ratio estimator of a mean of groups of any sizes.

    As Rao & Scott (1992) and Obuchowski (1998) have it for proportions; NaN for a single group.
    """
    sums = group_sums(values - values.mean(), groups)
    return float(group_factor(groups) * (sums**2).sum() / len(values) ** 2)


def delong_in_groups(influence: Floats, codes: Ints, groups: Array) -> Floats:
    """DeLong's vectors (..., n) rescaled so that the norm of their sums within groups is Obuchowski's (1997) se.

    DeLong's n_c/(n_c − 1) of each class c counts cases. Here it is I_c/(I_c − 1), I_c the number of groups with a case
    of class c (Obuchowski 1997: I_10 and I_01). Her third factor I/(I − 1), of the covariance of the classes, is
    replaced by the geometric mean of these two: the same where every group has both classes or where none has, and the
    variance is a norm, so that it is never negative. Groups of one case give DeLong's variance.
    """
    out = np.array(influence, dtype=float)
    for code in np.unique(codes):
        of = codes == code
        m = int(of.sum())
        out[..., of] *= np.sqrt((m - 1) / m * group_factor(groups[of]))
    return out


@dataclass(frozen=True)
class DesignEffect:
    """How much larger a variance is than that of as many independent cases (Kish 1965)."""

    value: float
    cases: int  # n, of which the estimate is made
    groups: int  # G, in which they come
    known: bool = True  # False: no variance to compare; a group counts as one case, so the value is n/G

    @classmethod
    def of(cls, variance: float, independent: float, cases: int, groups: int) -> DesignEffect:
        """Of two variances; `independent` is the unbiased one of independent cases, e.g. p(1 − p)/(n − 1)."""
        if variance > 0 and independent > 0:
            return cls(variance / independent, cases, groups)
        return cls(cases / groups, cases, groups, known=False)

    def divisor(self, level: float) -> float:
        """What counts are divided by before an interval of independent cases is taken at this level; at least 1.

        n/deff is Rao and Scott's (1992) effective sample size; (t_{G−1}/t_{n−1})² allows for a variance that G groups
        estimate (Korn & Graubard 1998), so that groups of one case leave every interval as it is.
        """
        if not self.known:
            return max(1.0, self.value)
        wider = quantile(level, self.groups - 1) / quantile(level, self.cases - 1)
        return max(1.0, self.value * wider**2)
