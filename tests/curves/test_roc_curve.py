"""The empirical curve against brute force, and against itself."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueness
from trueness.errors import InputError
from trueness.formulas.auc import q1q2_variance

law = settings(deadline=None, max_examples=50)


@st.composite
def scored(draw, least=2, values=6):
    n1, n0 = draw(st.integers(least, 12)), draw(st.integers(least, 12))
    scores = draw(st.lists(st.integers(0, values), min_size=n1 + n0, max_size=n1 + n0))
    return np.repeat([1, 0], [n1, n0]), np.array(scores, dtype=float)


def pairs(y, s):
    up, down = s[y == 1], s[y == 0]
    return sum(2 * (u > d) + (u == d) for u in up for d in down), 2 * len(up) * len(down)


@law
@given(scored())
def test_area_is_the_trapezoid_and_mann_whitney_exactly(data):
    y, s = data
    c = trueness.roc(y, s)
    twice, of = pairs(y, s)
    assert c.auc.value == twice / of  # bit for bit
    f = [Fraction(round(x * (y == 0).sum()), int((y == 0).sum())) for x in c.fpf]
    t = [Fraction(round(x * (y == 1).sum()), int((y == 1).sum())) for x in c.tpf]
    trapezoid = sum((f[i + 1] - f[i]) * (t[i + 1] + t[i]) / 2 for i in range(len(f) - 1))
    assert trapezoid == Fraction(int(twice), int(of))


@law
@given(scored())
def test_points_are_shares_at_or_above_each_threshold(data):
    y, s = data
    c = trueness.roc(y, s)
    assert (c.fpf[0], c.tpf[0], c.fpf[-1], c.tpf[-1]) == (0, 0, 1, 1)
    assert list(c.thresholds[1:]) == sorted(set(s), reverse=True)
    for threshold, fpf, tpf in zip(c.thresholds, c.fpf, c.tpf, strict=True):
        assert tpf == np.mean(s[y == 1] >= threshold)
        assert fpf == np.mean(s[y == 0] >= threshold)


@law
@given(scored())
def test_swapping_classes_and_signs(data):
    y, s = data
    a, b, c = trueness.roc(y, s), trueness.roc(1 - y, s), trueness.roc(1 - y, -s)
    assert b.auc.value == pytest.approx(1 - a.auc.value, abs=1e-12)
    assert c.auc.value == pytest.approx(a.auc.value, abs=1e-12)
    if a.auc.se is not None:
        assert b.auc.se == pytest.approx(a.auc.se, abs=1e-12)
        assert c.auc_with("q1q2").se == pytest.approx(a.auc_with("q1q2").se, abs=1e-12)


@law
@given(scored())
def test_monotone_transforms_change_nothing(data):
    y, s = data
    a, b = trueness.roc(y, s), trueness.roc(y, np.exp(s) - 7)
    assert (a.fpf == b.fpf).all()
    assert (a.tpf == b.tpf).all()
    assert a.auc.value == b.auc.value
    assert a.auc.se == b.auc.se


@law
@given(scored())
def test_hull_is_the_least_concave_curve_above(data):
    y, s = data
    c = trueness.roc(y, s)
    hull = c.hull()
    assert (np.interp(c.fpf, hull.fpf, hull.tpf) >= c.tpf - 1e-12).all()
    with np.errstate(divide="ignore"):
        slopes = np.diff(hull.tpf) / np.diff(hull.fpf)
    assert (slopes[1:] < slopes[:-1]).all()
    assert {(x, z) for x, z in zip(hull.fpf, hull.tpf, strict=True)} <= {
        (x, z) for x, z in zip(c.fpf, c.tpf, strict=True)
    }
    assert np.trapezoid(hull.tpf, hull.fpf) >= c.auc.value - 1e-12


def test_likelihood_ratio_is_the_slope():
    y = np.repeat([1, 0], [10, 5])
    s = np.array([3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 3, 2, 2, 1, 1.0])
    c = trueness.roc(y, s)
    # P[score = 3 | positive] / P[score = 3 | negative] = .4/.2 and so on
    assert c.likelihood_ratio[1:] == pytest.approx([0.4 / 0.2, 0.4 / 0.4, 0.2 / 0.4])
    assert np.isnan(c.likelihood_ratio[0])
    assert list(c.frame().columns) == ["threshold", "fpf", "tpf", "likelihood_ratio"]


@law
@given(scored(least=3))
def test_q1q2_variance_is_unbiased_for_drawing_from_the_cases(data):
    """Against brute force: the printed formula with every Q a mean over distinct cases."""
    y, s = data
    up, down = s[y == 1], s[y == 0]
    psi = 0.5 * ((up[:, None] > down) + 0.0 + (up[:, None] >= down))
    n1, n0 = psi.shape
    a = psi.mean()
    q1 = np.mean([psi[i] @ psi[k] / n0 for i in range(n1) for k in range(n1) if i != k])
    q2 = np.mean([psi[:, j] @ psi[:, l] / n1 for j in range(n0) for l in range(n0) if j != l])
    first = (psi**2).mean() - a * a
    expected = (first + (n1 - 1) * (q1 - a * a) + (n0 - 1) * (q2 - a * a)) / (n1 * n0)
    assert q1q2_variance(up, down) == pytest.approx(expected, abs=1e-12)


def test_q1q2_delong_and_hanley_mcneil_agree_where_they_should():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [400, 500])
    s = rng.standard_normal(900) + y
    c = trueness.roc(y, s)
    assert c.auc_with("q1q2").se == pytest.approx(c.auc.se, rel=0.01)
    assert c.auc_with("hanley-mcneil").se == pytest.approx(c.auc.se, rel=0.05)
    swapped = trueness.roc(y, s).data
    assert swapped.n1 == 400  # n1 goes with Q1: of 5 positives and 900 negatives the se is large
    few = trueness.roc(np.repeat([1, 0], [5, 900]), np.r_[s[:5], s[:900]])
    assert few.auc_with("hanley-mcneil").se == pytest.approx(few.auc.se, rel=0.8)
    assert few.auc_with("hanley-mcneil").se > 0.06


def test_hanley_and_mcneil_is_exact_for_exponential_scores():
    """Their Q1 and Q2 are those of exponential scores, A = m/(1 + m) for means m and 1; 10 positives and 100 negatives,
    where taking n1 for n0 would be off by half."""
    from trueness.formulas.auc import hanley_mcneil_variance

    rng = np.random.default_rng(0)
    mean, n1, n0 = 4.0, 10, 100
    areas = [
        trueness.roc(np.repeat([1, 0], [n1, n0]), np.r_[rng.exponential(mean, n1), rng.exponential(1, n0)]).auc.value
        for _ in range(3000)
    ]
    expected = hanley_mcneil_variance(mean / (1 + mean), n1, n0)
    assert np.mean(areas) == pytest.approx(mean / (1 + mean), abs=0.01)
    assert np.var(areas) == pytest.approx(expected, rel=0.1)
    assert abs(hanley_mcneil_variance(mean / (1 + mean), n0, n1) / expected - 1) > 0.2


def test_a_null_area_is_a_half_on_average():
    """A direction chosen by the data would make it .55."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 20)
    assert np.mean([trueness.roc(y, rng.standard_normal(40)).auc.value for _ in range(1000)]) == pytest.approx(
        0.5, abs=0.01
    )


@law
@given(scored(least=3), st.sampled_from(["delong", "q1q2", "hanley-mcneil"]), st.sampled_from(["logit", "wald"]))
def test_an_interval_of_the_area_holds_it_and_never_leaves_the_range(data, se, method):
    area = trueness.roc(*data).auc_with(se)
    if area.se is None:
        return
    low, high = area.ci(0.95, method)
    assert 0 <= low <= area.value <= high <= 1
    assert high > low


def test_minus_zero_is_zero():
    c = trueness.roc([0, 1, 0, 1], [0.0, -0.0, -1, 1])
    assert len(c.thresholds) == 4
    assert c.auc.value == (2 + 1 + 0.5) / 4


def test_partial_area_over_everything_is_delong():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 60])
    s = np.round(rng.standard_normal(100) + y, 1)
    c = trueness.roc(y, s)
    for whole in (c.partial_auc(fpf=(0, 1)), c.partial_auc(tpf=(0, 1)), c.partial_auc(fpf=(0, 1), standardized=True)):
        assert whole.value == pytest.approx(c.auc.value, abs=1e-12)
        assert whole.se == pytest.approx(c.auc.se, abs=1e-12)
    assert c.partial_auc(fpf=(0, 1)).influence == pytest.approx(c.auc.influence, abs=1e-12)


@law
@given(scored(least=3), st.floats(0.05, 0.9))
def test_partial_areas_add_up(data, cut):
    y, s = data
    c = trueness.roc(y, s)
    left, right = c.partial_auc(fpf=(0, cut)), c.partial_auc(fpf=(cut, 1))
    assert left.value + right.value == pytest.approx(c.auc.value, abs=1e-9)
    low, high = c.partial_auc(tpf=(0, cut)), c.partial_auc(tpf=(cut, 1))
    assert low.value + high.value == pytest.approx(c.auc.value, abs=1e-9)
    if c.auc.se is not None:
        together = left.influence + right.influence
        assert np.linalg.norm(together) == pytest.approx(c.auc.se, abs=1e-9)


def test_partial_area_has_its_own_variance():
    """Against the bootstrap, at an edge that is no multiple of 1/n0."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [150, 200])
    s = rng.standard_normal(350) + 1.2 * y
    c = trueness.roc(y, s)
    area = c.partial_auc(fpf=(0, 0.213))
    drawn = []
    for _ in range(1000):
        rows = np.r_[rng.integers(0, 150, 150), 150 + rng.integers(0, 200, 200)]
        drawn.append(trueness.roc(y[rows], s[rows]).partial_auc(fpf=(0, 0.213)).value)
    assert area.se == pytest.approx(np.std(drawn), rel=0.1)
    assert area.se < 0.6 * c.auc.se  # the whole area's would be wrong
    assert area.ci().high < 0.213


def test_ideal_bootstrap_of_tpf_at_fpf_is_what_resampling_gives():
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [40, 50])
    s = rng.standard_normal(90) + y
    c = trueness.roc(y, s)
    drawn = []
    for _ in range(3000):
        rows = np.r_[rng.integers(0, 40, 40), 40 + rng.integers(0, 50, 50)]
        d = trueness.roc(y[rows], s[rows])
        drawn.append([d(0.1), d(0.33), 1 - np.interp(1 - 0.8, (1 - d.tpf)[::-1], (1 - d.fpf)[::-1])])
    ours = [c.tpf_at(0.1).se, c.tpf_at(0.33).se, c.fpf_at(0.8).se]
    assert ours == pytest.approx(np.std(drawn, axis=0), rel=0.06)


def test_ideal_bootstrap_by_full_enumeration():
    """All 3³·4⁴ resamples of a tiny sample."""
    from itertools import product

    from trueness.curves.rates import rate_moments

    up, down = np.array([0.5, 1.5, 2.5]), np.array([0.0, 1.0, 2.0, 3.0])
    values = []
    for i in product(range(3), repeat=3):
        for j in product(range(4), repeat=4):
            x = np.sort(down[list(j)])[::-1]
            values.append(np.mean(up[list(i)] > x[1]))  # FPF ¼: one of four negatives may pass
    c = trueness.roc(np.repeat([1, 0], [3, 4]), np.r_[up, down])
    found = rate_moments(c.fpf, c.tpf, 3, 4, 0.25)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.sampling + found.threshold == pytest.approx(np.var(values), abs=1e-12)


@law
@given(scored(least=3), st.floats(0, 1))
def test_the_interval_of_a_rate_holds_it_and_stays_inside(data, t):
    c = trueness.roc(*data)
    for rate in (c.tpf_at(t), c.fpf_at(t)):
        low, high = rate.ci()
        assert 0 <= low <= rate.value <= high <= 1
        assert high > low or t in (0, 1)
    up, down = c.tpf_at(t), trueness.roc(1 - data[0], -data[1]).fpf_at(1 - t)
    assert down.value == pytest.approx(1 - up.value, abs=1e-9)  # the curve turned about
    assert down.se == pytest.approx(up.se, abs=1e-9)
    if 1e-6 < t < 1 - 1e-6:
        assert tuple(down.ci()) == pytest.approx((1 - up.ci().high, 1 - up.ci().low), abs=1e-8)


def test_rates_at_a_threshold():
    y = np.repeat([1, 0], [15, 85])
    s = np.r_[np.ones(10), np.zeros(5), np.ones(24), np.zeros(61)]  # a table of 15 sick and 85 well
    point = trueness.roc(y, s).at(1)
    assert (point.tpf.value, point.fpf.value) == (10 / 15, 24 / 85)
    assert point.tpf.ci() == pytest.approx((0.417, 0.848), abs=5e-4)  # Wilson
    assert point.fpf.ci() == pytest.approx((0.198, 0.386), abs=5e-4)
    assert point.balanced_accuracy.value == pytest.approx(trueness.roc(y, s).auc.value)  # one point: the same curve
    (f0, f1), (t0, t1) = point.joint_region(0.95)
    with pytest.raises(InputError, match="level must lie above 0 and below 1"):
        point.joint_region(-1)
    assert (f0, f1) == pytest.approx(point.fpf.ci(0.95**0.5))
    assert t0 < 0.417
    assert t1 > 0.848


@law
@given(scored(least=3))
def test_threshold_for_a_rate(data):
    y, s = data
    c = trueness.roc(y, s)
    for rate in (0.1, 0.5, 0.9):
        at = c.threshold_at(fpf=rate)
        assert np.mean(s[y == 0] >= at.value) <= rate + 1e-12
        lower = s[s < at.value]
        if lower.size:  # no lower threshold would do
            assert np.mean(s[y == 0] >= lower.max()) > rate
        at = c.threshold_at(tpf=rate)
        assert np.mean(s[y == 1] >= at.value) >= rate - 1e-12
        low, high = at.ci()
        assert low <= at.value <= high


def test_interval_of_a_threshold_is_distribution_free():
    rng = np.random.default_rng(11)
    hits = []
    for _ in range(2000):
        c = trueness.roc(np.repeat([1, 0], [20, 40]), np.r_[rng.exponential(size=20) + 1, rng.exponential(size=40)])
        low, high = c.threshold_at(fpf=0.2).ci(0.9)
        hits.append(low <= -np.log(0.2) <= high)
    assert 0.89 <= np.mean(hits) <= 0.99


def test_a_million_scores_have_an_interval():
    rng = np.random.default_rng(0)
    y = rng.random(1_000_000) < 0.3
    s = rng.standard_normal(1_000_000) + y
    c = trueness.roc(y, s)
    low, high = c.auc.ci()
    assert low < c.auc.value < high
    assert high - low < 0.01
