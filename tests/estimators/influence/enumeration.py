"""All bootstrap samples of a tiny sample, and the derivative of a statistic by finite differences."""

from itertools import product

import numpy as np
from scipy.special import gammaln


def all_counts(strata):
    """(R, U) counts of every ordered bootstrap sample, drawn within strata (U,)."""
    parts = []
    for s in np.unique(strata):
        m = int((strata == s).sum())
        parts.append([np.bincount(draw, minlength=m) for draw in product(range(m), repeat=m)])
    rows = []
    for combination in product(*parts):
        row = np.empty(len(strata), dtype=int)
        for s, counts in zip(np.unique(strata), combination, strict=True):
            row[strata == s] = counts
        rows.append(row)
    return np.array(rows)


def all_multisets(strata):
    """(R, U) counts of every multiset, drawn within strata (U,): each once."""
    return np.unique(all_counts(strata), axis=0)


def urn(f, counts, strata):
    """(R,) probabilities of multisets by Pólya's urn with m f balls of each unit: equal at f = 1/m."""
    alpha = f * np.bincount(strata)[strata]
    return np.exp((gammaln(alpha + counts) - gammaln(alpha) - gammaln(1 + counts)).sum(axis=1))


def masses(strata, unit, eps):
    """(U,) F_eps within each stratum: mass eps moved to `unit` of its own stratum (Yousef, ML Assessment, eq. 75)."""
    f = np.empty(len(strata))
    for s in np.unique(strata):
        of = strata == s
        m = int(of.sum())
        f[of] = 1 / m
        if strata[unit] == s:
            f[of] = (1 - eps) / m
            f[unit] += eps
    return f


def ordered(f, counts, strata):
    """(R,) probabilities of ordered draws."""
    return np.prod(f[None, :] ** counts, axis=1)


def derivative(statistic, strata, counts, unit, step=1e-4, law=ordered):
    """d statistic(f, g) / d eps at 0, f (U,) the masses and g (R,) the probabilities of the replicates."""

    def at(eps):
        f = masses(strata, unit, eps)
        return statistic(f, law(f, counts, strata))

    # a five-point rule: error O(step⁴)
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
