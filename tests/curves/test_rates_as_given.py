"""A requested rate that is an attained one but for rounding is that one, however it was computed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueness
from trueness.comparisons import at_fpf, at_tpf
from trueness.formulas.roc import RATE_TOLERANCE, count_within, depth, height, snapped

law = settings(deadline=None, max_examples=60)


@st.composite
def scored(draw):
    n1, n0 = draw(st.integers(2, 15)), draw(st.integers(2, 15))
    scores = draw(st.lists(st.integers(0, 8), min_size=n1 + n0, max_size=n1 + n0))
    return np.repeat([1, 0], [n1, n0]), np.array(scores, dtype=float)


def spellings(k, n):
    """k/n computed in different ways."""
    return {k / n, k * (1 / n), 1 - (n - k) / n, sum([1 / n] * k), (k / 3) / (n / 3), 1 - sum([1 / n] * (n - k))}


@law
@given(scored(), st.data())
def test_every_question_has_one_answer_for_every_spelling_of_a_rate(data, draw):
    y, s = data
    c = trueness.roc(y, s)
    n1, n0 = int((y == 1).sum()), int((y == 0).sum())
    k, m = draw.draw(st.integers(0, n0)), draw.draw(st.integers(0, n1))
    for wanted in spellings(k, n0):
        t = min(max(wanted, 0.0), 1.0)
        assert c.tpf_at(t).value == c.tpf_at(k / n0).value
        assert c.tpf_at(t).se == c.tpf_at(k / n0).se
        assert c(t) == c(k / n0)
        assert c.threshold_at(fpf=t).value == c.threshold_at(fpf=k / n0).value
        if k > 0:
            assert c.partial_auc(fpf=(0, t)).cases == c.partial_auc(fpf=(0, k / n0)).cases
    for wanted in spellings(m, n1):
        u = min(max(wanted, 0.0), 1.0)
        assert c.fpf_at(u).value == c.fpf_at(m / n1).value
        assert c.threshold_at(tpf=u).value == c.threshold_at(tpf=m / n1).value


def test_tenths_and_fifths():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [80, 120])
    c = trueness.roc(y, rng.standard_normal(200) + y)
    assert c.tpf_at(0.3).value == c.tpf_at(0.1 + 0.2).value
    assert c.tpf_at(1 - 0.8).value == c.tpf_at(0.2).value
    assert c.fpf_at(1 - 0.1).value == c.fpf_at(0.9).value
    assert c(0.1 + 0.2) == c(0.3)
    # a step further is another rate
    assert c.tpf_at(0.3 - 1e-9).value < c.tpf_at(0.3).value or c.tpf_at(0.3 - 1e-9).se != c.tpf_at(0.3).se


def test_two_thirds_are_two_of_three():
    """1 − 1/3 lies one ulp beside 2/3."""
    y, s = np.array([1, 1, 1, 0, 0, 0]), np.array([0.0, 0, 1, 0, 0, 2])
    up, down = trueness.roc(y, s).tpf_at(1 / 3), trueness.roc(1 - y, -s).fpf_at(1 - 1 / 3)
    assert up.value == pytest.approx(1 / 3)
    assert down.value == pytest.approx(1 - up.value, abs=1e-12)
    assert down.se == pytest.approx(up.se, abs=1e-12)


@pytest.mark.parametrize("pair", [(0.3, 0.1 + 0.2), (0.2, 1 - 0.8)])
def test_two_curves_are_compared_at_the_rate_that_is_meant(pair):
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [60, 40])
    a, b = rng.standard_normal((2, 100)) + y
    for test, rate in ((at_fpf, "fpf"), (at_tpf, "tpf")):
        first, second = (test(y, a, b, **{rate: t}, n_resamples=100, rng=0).difference.value for t in pair)
        assert first == second


@law
@given(scored(), st.integers(0, 30))
def test_height_and_depth_are_the_ends_of_the_steps(data, k):
    c = trueness.roc(*data)
    at = k / 30
    t = height(c.fpf, c.tpf, at)
    above = c.tpf[c.fpf <= at + RATE_TOLERANCE]
    assert t >= above[-1] - 1e-15
    assert depth(c.tpf, c.fpf, at) <= t + 1e-12  # the lower end of a vertical step
    assert height(c.fpf, c.tpf, c.fpf) == pytest.approx([c.tpf[c.fpf <= f][-1] for f in c.fpf], abs=0)


def test_counts_and_rates():
    assert [count_within(t, 10) for t in (0.3, 0.1 + 0.2, 1 - 0.7, 0.29, 0.0, 1.0)] == [3, 3, 3, 2, 0, 10]
    assert snapped(0.1 + 0.2, 10) == 0.3
    assert snapped(0.25, 10) == 0.25
    assert snapped(np.array([0.1 + 0.2, 0.25]), 10).tolist() == [0.3, 0.25]
