"""The standard error of a rate at a rate where both classes share scores: that of the interpolated curve."""

from functools import cache
from itertools import product

import numpy as np
import pytest

import trueness
from trueness.curves.rates import rate_moments


def ratings(n1, n0, levels, shift=1.0, rng=0):
    generator = np.random.default_rng(rng)
    s = np.r_[shift + generator.standard_normal(n1), generator.standard_normal(n0)]
    return np.repeat([1, 0], [n1, n0]), np.digitize(s, np.linspace(-1, 2, levels - 1)).astype(float)


@cache
def resampled_curves(n1, n0, levels, rng, n=3000):
    """(FPF, TPF) of resamples of the cases of each class of `ratings`, one row per resample."""
    y, s = ratings(n1, n0, levels)
    generator = np.random.default_rng(rng)
    cuts = np.unique(s)[::-1]
    rates = []
    for scores in (s[y == 0], s[y == 1]):
        drawn = scores[generator.integers(0, len(scores), (n, len(scores)))]
        rates.append(np.column_stack([np.zeros(n), *((drawn >= c).mean(axis=1) for c in cuts)]))
    return list(zip(*rates, strict=True))


def resampled(n1, n0, levels, ask, rng=0):
    """SD of the interpolated rate over the resamples."""
    return float(np.std([ask(fpf, tpf) for fpf, tpf in resampled_curves(n1, n0, levels, rng)]))


def tpf_at(t):
    return lambda fpf, tpf: np.interp(t, fpf, tpf)


def fpf_at(u):
    return lambda fpf, tpf: 1 - np.interp(1 - u, 1 - tpf[::-1], 1 - fpf[::-1])


@pytest.mark.parametrize("levels", [2, 3, 5, 10])
@pytest.mark.parametrize(("n1", "n0"), [(60, 80), (30, 200)])
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3, 0.72])
def test_against_the_bootstrap_of_the_interpolated_curve(n1, n0, levels, rate):
    y, s = ratings(n1, n0, levels)
    c = trueness.roc(y, s)
    assert c.tpf_at(rate).se == pytest.approx(resampled(n1, n0, levels, tpf_at(rate)), rel=0.1)
    assert c.fpf_at(rate).se == pytest.approx(resampled(n1, n0, levels, fpf_at(rate), rng=1), rel=0.1)


@pytest.mark.parametrize("t", [0.25, 0.3, 0.5, 0.6])
def test_by_full_enumeration(t):
    """All 3³·4⁴ resamples of seven cases with three scores."""
    up, down = np.array([2.0, 1, 1]), np.array([2.0, 1, 0, 0])
    values = []
    for i in product(range(3), repeat=3):
        for j in product(range(4), repeat=4):
            a, b = up[list(i)], down[list(j)]
            fpf, tpf = ([0.0, *((v >= c).mean() for c in (2, 1, 0))] for v in (b, a))
            values.append(np.interp(t, fpf, tpf))
    c = trueness.roc(np.repeat([1, 0], [3, 4]), np.r_[up, down])
    found = rate_moments(c.fpf, c.tpf, 3, 4, t)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.sampling + found.threshold == pytest.approx(np.var(values), abs=1e-12)


def test_many_cases_are_thinned_without_harm():
    """With 200,000 negatives the sums over counts take every so many-th one; the delta method has the limit."""
    y, s = ratings(20_000, 200_000, 4, rng=3)
    c = trueness.roc(y, s)
    for t in (0.02, 0.2, 0.5):
        g = int(np.searchsorted(c.fpf, t)) - 1
        f0, f, a, b = c.fpf[g], c.fpf[g + 1] - c.fpf[g], c.tpf[g], c.tpf[g + 1] - c.tpf[g]
        share = (t - f0) / f
        sampling = (a + share**2 * b - (a + share * b) ** 2) / 20_000
        threshold = (b / f) ** 2 * (f0 + share**2 * f - t**2) / 200_000
        assert c.tpf_at(t).se == pytest.approx(np.sqrt(sampling + threshold), rel=0.01)


def test_intervals_cover_the_interpolated_curve_of_the_population():
    """Five ratings; the truth is the population's curve, points joined by lines."""
    from scipy.special import ndtr

    cuts = np.linspace(-1, 2, 4)
    tpf, fpf = (np.r_[0, ndtr(shift - cuts[::-1]), 1] for shift in (1.0, 0.0))
    hits = {0.1: 0, 0.3: 0, 0.6: 0}
    for r in range(300):
        generator = np.random.default_rng(r)
        s = np.digitize(generator.standard_normal(100) + np.repeat([1.0, 0.0], 50), cuts)
        c = trueness.roc(np.repeat([1, 0], 50), s.astype(float))
        for t in hits:
            low, high = c.tpf_at(t).ci()
            hits[t] += low <= np.interp(t, fpf, tpf) <= high
    assert all(h >= 276 for h in hits.values()), hits


def test_without_shared_scores_nothing_changed():
    """Numbers of the formula that orders ties at random, which is the same where there are none."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [80, 120])
    c = trueness.roc(y, rng.standard_normal(200) + 1.3 * y)
    assert c.tpf_at(0.1).se == pytest.approx(0.06860165325898647, abs=1e-12)
