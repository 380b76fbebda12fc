"""Edges of tables and of what is asked of them: an answer that can be defended, or an error in words."""

import math

import numpy as np
import pytest

import karat
from karat.diagnostic import proportion_interval
from karat.errors import InputError
from karat.kernels import proportions
from karat.result import Estimate

approx = pytest.approx


def labels(table, names=("a", "b", "c")):
    """y, predictions with this table."""
    table = np.array(table)
    cell = np.repeat(np.arange(table.size), table.ravel())
    return np.array(names)[cell // len(names)], np.array(names)[cell % len(names)]


# -- what is asked -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "n", "level"), [(1, 1000, 0.1), (1, 10, 0.05), (9, 10, 0.05), (3, 10, 0.95)])
def test_mid_p_limits_solve_their_equations_at_every_level(x, n, level):
    low, high = proportion_interval(x, n, "mid-p", level)
    p = np.array([low, high])
    k = np.arange(x + 1)[:, None]
    mass = np.array([math.comb(n, int(i)) for i in k.ravel()])[:, None] * p**k * (1 - p) ** (n - k)
    upper = 1 - mass.sum(axis=0) + mass[-1] / 2
    assert upper == approx([(1 - level) / 2, (1 + level) / 2], abs=1e-9)
    assert proportions.mid_p(n - x, n, level) == approx((1 - high, 1 - low), abs=1e-12)


def test_f_beta_of_very_large_and_very_small_beta():
    d = karat.diagnose(tp=10, fn=5, fp=24, tn=61)
    for beta, limit in ((1e200, d.tpf), (math.inf, d.tpf), (1e-200, d.ppv), (0, d.ppv)):
        assert d.f_beta(beta).value == approx(limit.value)
        assert d.f_beta(beta).se == approx(limit.se)
    assert d.f_beta(2).value == approx(5 * 10 / (5 * 10 + 4 * 5 + 24))
    several = karat.diagnose(*labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]]))
    assert several.f_beta(1e200).value == approx(several.macro("tpf").value)


def test_text_is_no_number():
    d = karat.diagnose(tp=10, fn=5, fp=24, tn=61)
    several = karat.diagnose(*labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]]))
    for ask in (d.f_beta, several.f_beta):
        with pytest.raises(InputError, match="β must be a number"):
            ask("2")
        with pytest.raises(InputError, match="β must be a number"):
            ask(math.nan)
    for ask in (
        lambda: proportion_interval(1, 10, level="0.95"),
        lambda: karat.diagnostic.coverage("wald", 10, 0.5, "0.95"),
        lambda: d.joint_region("0.95"),
        lambda: d.likelihood_region("0.95"),
        lambda: d.four_regions((0.3, 0.8), "0.95"),
        lambda: d.tpf.ci("0.95"),
    ):
        with pytest.raises(InputError, match="level must lie between 0 and 1"):
            ask()


def test_a_prevalence_that_is_no_prevalence():
    y, said = labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]])
    with pytest.raises(InputError, match="one share a class"):
        karat.diagnose(y, said, design="case-control", prevalence=Estimate(0.1, se=0.01))
    for se in (math.nan, -0.1, math.inf):
        with pytest.raises(InputError, match="standard error of the prevalence"):
            karat.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=Estimate(0.1, se=se))


# -- a perfect test in a selected study --------------------------------------------------------------------------------


@pytest.mark.parametrize("unverified", [0, 30])
def test_a_perfect_test_of_a_selected_study_is_not_certain(unverified):
    d = karat.diagnose(
        tp=20, fn=0, fp=0, tn=20, design="selected", unverified_positive=unverified, unverified_negative=unverified
    )
    for e in (d.youden, d.balanced_accuracy, d.tpf, d.tnf, d.f1, d.mcc, d.kappa):
        low, high = e.ci()
        assert high == 1
        assert 0.7 < low < 0.95
        assert e.se > 0
