"""Intervals of a proportion: by their definitions, against SciPy and statsmodels, and against each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import trueness
from trueness.errors import InputError
from trueness.formulas.proportions import METHODS, deviance
from trueness.tables import coverage

approx = pytest.approx

SOME = [(24, 85), (10, 15), (0, 20), (20, 20), (1, 1000), (7, 12), (3, 7), (50, 100), (999, 1000)]
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# -- theory --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "n"), SOME)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_limits_are_what_defines_them(x, n, level):
    tail = (1 - level) / 2
    z = stats.norm.ppf(1 - tail)
    exact, score, mid, like = (
        trueness.tables.proportion_interval(x, n, m, level=level) for m in ("exact", "wilson", "mid-p", "likelihood")
    )
    if x > 0:
        assert stats.binom.sf(x - 1, n, exact.low) == approx(tail, rel=1e-8)
        assert (x / n - score.low) / np.sqrt(score.low * (1 - score.low) / n) == approx(z, rel=1e-8)
        assert stats.binom.sf(x, n, mid.low) + stats.binom.pmf(x, n, mid.low) / 2 == approx(tail, rel=1e-7)
        assert deviance(x, n, like.low) == approx(z**2, rel=1e-7)
    if x < n:
        assert stats.binom.cdf(x, n, exact.high) == approx(tail, rel=1e-8)
        assert (score.high - x / n) / np.sqrt(score.high * (1 - score.high) / n) == approx(z, rel=1e-7)
        assert stats.binom.cdf(x - 1, n, mid.high) + stats.binom.pmf(x, n, mid.high) / 2 == approx(tail, rel=1e-7)
        assert deviance(x, n, like.high) == approx(z**2, rel=1e-7)


def test_deviance_is_twice_the_fall_of_the_log_likelihood():
    for x, n, p in ((3, 10, 0.2), (0, 5, 0.3), (5, 5, 0.9)):
        fall = stats.binom.logpmf(x, n, x / n) - stats.binom.logpmf(x, n, p)
        assert deviance(x, n, p) == approx(2 * fall)


def test_coverage_is_the_sum_over_all_outcomes():
    p = np.array([0.0, 0.003, 0.1, 0.37, 0.5, 0.98, 1.0])
    for method in METHODS:
        limits = [METHODS[method](x, 12, 0.9) for x in range(13)]
        by_hand = [
            sum(stats.binom.pmf(x, 12, q) for x, (low, high) in enumerate(limits) if low <= q <= high) for q in p
        ]
        assert coverage(method, 12, p, level=0.9) == approx(by_hand, abs=1e-12)


def test_the_exact_interval_never_covers_less_than_its_level():
    p = np.linspace(0, 1, 2001)
    for n in (10, 30, 100):
        assert coverage("exact", n, p).min() >= 0.95


def test_wald_covers_as_badly_as_is_known():
    assert coverage("wald", 10, [0.1])[0] == approx(0.6497, abs=1e-4)  # 1 − .9^10 − a little: x = 0 has no length
    assert coverage("wald", 1000, [0.5])[0] == approx(0.946, abs=1e-3)


# -- other programs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "n"), SOME)
def test_scipy_and_statsmodels_agree(x, n):
    scipy = stats.binomtest(x, n)
    for method in ("exact", "wilson"):
        assert tuple(trueness.tables.proportion_interval(x, n, method)) == approx(
            tuple(scipy.proportion_ci(method=method)), abs=1e-12
        )
    for theirs, method in (("agresti_coull", "agresti-coull"), ("beta", "exact"), ("wilson", "wilson")):
        assert tuple(trueness.tables.proportion_interval(x, n, method)) == approx(
            proportion_confint(x, n, 0.05, theirs), abs=1e-12
        )
    if 0 < x < n:
        assert tuple(trueness.tables.proportion_interval(x, n, "wald")) == approx(
            proportion_confint(x, n, 0.05, "normal"), abs=1e-12
        )
        assert tuple(trueness.tables.proportion_interval(x, n, "jeffreys")) == approx(
            proportion_confint(x, n, 0.05, "jeffreys"), abs=1e-12
        )


# -- themselves --------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(counts, st.sampled_from(list(METHODS)), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_inside_around_and_symmetric(pair, method, level):
    x, n = pair
    low, high = trueness.tables.proportion_interval(x, n, method, level=level)
    assert 0 <= low <= x / n <= high <= 1
    assert high > low
    if method != "cloglog":  # its link is not symmetric
        turned = trueness.tables.proportion_interval(n - x, n, method, level=level)
        assert (1 - turned.high, 1 - turned.low) == approx((low, high), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(counts, st.sampled_from(list(METHODS)))
def test_wider_with_the_level_and_rising_with_x(pair, method):
    x, n = pair
    narrow, wide = (trueness.tables.proportion_interval(x, n, method, level=level) for level in (0.8, 0.95))
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12
    if 0 < x < n - 1:  # the neighbours of 0 and n may be met by another method
        more = trueness.tables.proportion_interval(x + 1, n, method)
        assert wide.low <= more.low + 1e-12
        assert wide.high <= more.high + 1e-12


@pytest.mark.parametrize("method", ["wald", "logit", "cloglog"])
@pytest.mark.parametrize("x", [0, 20])
def test_at_the_edge_the_exact_interval_steps_in_and_says_so(method, x):
    found = trueness.tables.proportion_interval(x, 20, method)
    assert tuple(found) == tuple(trueness.tables.proportion_interval(x, 20, "exact"))
    assert found.method == "exact"
    assert (found.note.code, found.note.data["method"]) == ("exact-instead", method)


def test_large_counts_do_not_break():
    for method in METHODS:
        low, high = trueness.tables.proportion_interval(10**6 + 1, 10**9, method)
        assert low < 0.001000001 < high
        assert high - low < 1e-5


# -- Estimate.ci -------------------------------------------------------------------------------------------------------


def test_an_estimate_of_a_plain_proportion_takes_every_method():
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    for method in METHODS:
        assert tuple(d.fpf.ci(0.9, method)) == approx(
            tuple(trueness.tables.proportion_interval(24, 85, method, level=0.9)), abs=1e-12
        )
    edge = trueness.diagnose(tp=15, fn=0, fp=0, tn=20)
    for method in METHODS:
        low, high = edge.fpf.ci(0.95, method)
        assert low == 0 < high


def test_other_estimates_refuse_what_is_for_proportions():
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    with pytest.raises(InputError, match="plain proportion"):
        d.f1.ci(method="jeffreys")


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "param"),
    [
        ((-1, 10), "x"),
        ((1.5, 10), "x"),
        ((float("nan"), 10), "x"),
        ((11, 10), "x"),
        ((0, 0), "n"),
        ((True, 10), "x"),
        (("3", 10), "x"),
        ((3, 10, "clopper"), "method"),
        ((3, 10, "wilson", 1.0), "level"),
        ((3, 10, "wilson", 95), "level"),
    ],
)
def test_bad_input(arguments, param):
    with pytest.raises(InputError) as error:
        trueness.tables.proportion_interval(*arguments[:3], **dict(zip(["level"], arguments[3:], strict=False)))
    assert error.value.param == param


def test_whole_numbers_of_any_kind_are_counts():
    assert tuple(trueness.tables.proportion_interval(np.int64(3), 10.0)) == tuple(
        trueness.tables.proportion_interval(3, 10)
    )


@pytest.mark.parametrize("method", ["wilson", "wald", "exact"])
def test_arrays_in_arrays_out(method):
    """Several x and n are several proportions, as in statsmodels' proportion_confint."""
    x, n = np.array([[0, 3, 4], [10, 9, 1]]), np.array([10, 10, 20])
    low, high = trueness.tables.proportion_interval(x, n, method)
    assert low.shape == high.shape == (2, 3)
    for (i, j), successes in np.ndenumerate(x):
        one = trueness.tables.proportion_interval(int(successes), int(n[j]), method)
        assert (low[i, j], high[i, j]) == tuple(one)
    two = trueness.tables.proportion_interval([3, 4], 10)
    assert [len(limits) for limits in two] == [2, 2]
    with pytest.raises(InputError, match="same shape"):
        trueness.tables.proportion_interval([1, 2, 3], [4, 5])
    with pytest.raises(InputError, match="must not exceed"):
        trueness.tables.proportion_interval([1, 6], [4, 5])
