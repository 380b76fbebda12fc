"""The largest of several correlated t statistics."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from trueness.formulas.intervals import MaxT, quantile


def all_pairs(k):
    """Loadings of all differences of k independent means."""
    rows = np.array([np.eye(k)[i] - np.eye(k)[j] for i, j in combinations(range(k), 2)]) / np.sqrt(2)
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    return (u * s)[:, : k - 1]


@pytest.mark.parametrize(("k", "df"), [(3, 5), (3, None), (5, 20), (10, None)])
def test_all_pairs_of_independent_means_are_tukeys_studentized_range(k, df):
    joint = MaxT(all_pairs(k), df)
    for level in (0.9, 0.95, 0.99):
        tukey = stats.studentized_range.ppf(level, k, df or 1e7) / np.sqrt(2)
        own = 2 * (stats.t(df).sf(tukey) if df else stats.norm.sf(tukey))
        assert joint.level_per_statistic(level) == pytest.approx(1 - own, abs=0.02 * (1 - level))
        assert joint.adjusted(own) == pytest.approx(1 - level, rel=0.04)


def test_one_statistic_is_not_adjusted():
    joint = MaxT(np.ones((1, 1)), 7)
    assert joint.level_per_statistic(0.9) == 0.9
    assert joint.adjusted(0.03) == 0.03


def test_copies_of_one_statistic_are_not_adjusted_either():
    joint = MaxT(np.ones((4, 1)))
    assert joint.level_per_statistic(0.95) == pytest.approx(0.95, abs=1e-3)
    assert joint.adjusted(0.05) == pytest.approx(0.05, rel=0.02)


def test_p_values_lie_between_their_own_and_bonferronis_and_are_never_0():
    joint = MaxT(all_pairs(4), 30)
    for p in (1e-300, 1e-9, 1e-5, 1e-3, 0.04, 0.5, 1.0):
        assert 0 < p <= joint.adjusted(p) <= min(1, 6 * p)


def test_a_statistic_without_spread_does_not_count():
    still = np.zeros((2, 2))
    assert MaxT(still).adjusted(1.0) == 1.0
    with_one = MaxT(np.vstack([still, [[1.0, 0.0]]]))
    assert with_one.level_per_statistic(0.95) == pytest.approx(0.95, abs=1e-3)


def test_the_numbers_are_the_same_in_every_call():
    assert (MaxT(all_pairs(4), 9).largest == MaxT(all_pairs(4), 9).largest).all()


@pytest.mark.parametrize("df", [1, 2, 4, 7.5, 30, 1e6])
def test_quantiles_of_tiny_levels_keep_their_digits(df):
    """P(|t| ≤ x) = level is 2 f(0) x there; SciPy's inverse of ½ + level/2 has few digits, and none with 4 df."""
    at_0 = float(stats.t.pdf(0, df))
    for level in (1e-10, 1e-7):
        assert quantile(level, df) == pytest.approx(level / (2 * at_0), rel=1e-7)
    for level in (9.9e-5, 1.01e-4):
        assert quantile(level, df) == pytest.approx(float(stats.t.ppf(0.5 + level / 2, df)), rel=1e-7)
