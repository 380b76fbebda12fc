"""Cases that come in groups (patients, sites, documents): only whole groups are independent of each other.

An estimate moves by influence_i with case i, and Σ influence_i = 0. Over groups, the influence is summed within each
group before it is squared, and 1/(1 − w_g), w_g the share of the cases that are in group g, makes up for the mean that
was estimated from the same groups (HC2 of groups; Bell & McCaffrey 2002): G/(G − 1) where groups have one size.

    Var = Σ_g (Σ_{i in g} influence_i)²/(1 − w_g)
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


def group_factor(groups: Array, codes: Array | None = None) -> Floats:
    """(n,) 1/(1 − w), w the share of the group of each case among all cases, or among those of its class; NaN for a
    single group, which does not show how groups differ."""
    if codes is None:
        _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        others = len(groups) - sizes
        return np.asarray((len(groups) / np.where(others > 0, others, np.nan))[place])
    out = np.empty(len(groups))
    for code in np.unique(codes):
        out[codes == code] = group_factor(groups[codes == code])
    return out


def group_sizes(groups: Array) -> Ints:
    """Cases of each group, in the sorted order of the groups."""
    return np.unique(groups, return_counts=True)[1]


def sizes_by_class(groups: Array, codes: Ints) -> list[Ints]:
    """Cases of each group among those of each class that occurs."""
    return [group_sizes(groups[codes == code]) for code in np.unique(codes)]


def degrees_of_freedom(sizes: Ints, correlation: float) -> float:
    """Satterthwaite's degrees of freedom of the variance of a mean over groups of these sizes; G − 1 of equal groups.

    The variance is a quadratic form Σ_g S_g² in S_g = (T_g − w_g Σ_h T_h)/√(1 − w_g), T_g the sum of group g and w_g its
    share of the cases. Its degrees of freedom are tr(M)²/tr(M²), M the covariance of the S_g (Bell & McCaffrey 2002,
    eq. 7), if Var(T_g) = n_g (1 + (n_g − 1) ρ), ρ the correlation within groups (Imbens & Kolesár 2016, section IV). M is
    diagonal but for two vectors, so that it is never formed.
    """
    if (sizes == sizes[0]).all():
        return float(len(sizes) - 1)
    share = sizes / sizes.sum()
    own = sizes * (1 + (sizes - 1) * correlation)
    vectors, middle = np.stack([own, share]) / np.sqrt(1 - share), np.array([[0.0, -1.0], [-1.0, own.sum()]])
    own = own / (1 - share)
    inner = middle @ vectors @ vectors.T
    trace = own.sum() + np.trace(inner)
    squared = (own**2).sum() + 2 * np.trace(middle @ (vectors * own) @ vectors.T) + np.trace(inner @ inner)
    return max(1.0, float(trace**2 / squared))


def variance_of_mean(values: Floats, groups: Array) -> float:
    """Σ_g (Σ_{i in g} (x_i − x̄))²/(1 − w_g) / n²: the ratio estimator of a mean of groups; NaN for a single group."""
    sums = group_sums((values - values.mean()) * np.sqrt(group_factor(groups)), groups)
    return float((sums**2).sum() / len(values) ** 2)


def delong_in_groups(influence: Floats, codes: Ints, groups: Array) -> Floats:
    """DeLong's vectors (..., n) rescaled so that the norm of their sums within groups is Obuchowski's (1997) se.

    DeLong's n_c/(n_c − 1) of each class c counts cases. Here it is 1/(1 − w_g), w_g the share of the class in group g:
    I_c/(I_c − 1) where the I_c groups with a case of the class have equally many (Obuchowski 1997: I_10 and I_01). Her
    third factor I/(I − 1), of the covariance of the classes, is replaced by the geometric mean of these two: the same
    where every group has both classes or where none has, and the variance is a norm, so that it is never negative.
    Groups of one case give DeLong's variance.
    """
    m = np.bincount(codes)[codes]
    return np.asarray(influence * np.sqrt((m - 1) / m * group_factor(groups, codes)))


@dataclass(frozen=True)
class DesignEffect:
    """How much larger a variance is than that of as many independent cases (Kish 1965)."""

    value: float
    cases: int  # n, of which the estimate is made
    groups: int  # G, in which they come
    df: float  # of the variance: G − 1 where groups are equal, fewer where some are much larger than others
    known: bool = True  # False: no variance to compare; a group counts as one case, so the value is n/G

    @classmethod
    def of(cls, variance: float, independent: float, cases: int, *sizes: Ints) -> DesignEffect:
        """Of two variances; `independent` is the unbiased one of independent cases, e.g. p(1 − p)/(n − 1).

        `sizes` are the cases of each group, once for each class where classes count apart: the class with the fewest
        groups, and with the fewest degrees of freedom, decides.
        """
        groups, known = min(len(each) for each in sizes), variance > 0 and independent > 0
        value = variance / independent if known else cases / groups
        # deff = 1 + (n̄ − 1) ρ, n̄ = Σ n_g²/Σ n_g the size of the group of a random case (Kish 1965)
        of_case = [float((each**2).sum() / each.sum()) for each in sizes]
        within = [min(max((value - 1) / (m - 1), 0.0), 1.0) if m > 1 else 0.0 for m in of_case]
        return cls(value, cases, groups, min(map(degrees_of_freedom, sizes, within)), known)

    def divisor(self, level: float) -> float:
        """What counts are divided by before an interval of independent cases is taken at this level; at least 1.

        n/deff is Rao and Scott's (1992) effective sample size; (t_df/t_{n−1})² allows for a variance that groups
        estimate (Korn & Graubard 1998), so that groups of one case leave every interval as it is.
        """
        if not self.known:
            return max(1.0, self.value)
        wider = quantile(level, self.df) / quantile(level, self.cases - 1)
        return max(1.0, self.value * wider**2)
