"""Popovici, Classification, example: a test that predicts pathologic complete response, 61 / 24 / 5 / 10.

Misprints of the source are corrected as in docs/appendix/math.md, section 6.
"""

import math

import pytest
from scipy import special

import trueness

approx = pytest.approx


@pytest.fixture
def d():
    return trueness.diagnose(tp=10, fn=5, fp=24, tn=61)


def test_estimates(d):
    assert (d.tpf.value, d.fpf.value) == approx((10 / 15, 24 / 85))
    assert (d.ppv.value, d.npv.value) == approx((10 / 34, 61 / 66))
    assert [round(e.value, 2) for e in (d.tpf, d.fpf, d.ppv, d.npv)] == [0.67, 0.28, 0.29, 0.92]
    mcc = (10 * 61 - 24 * 5) / math.sqrt((10 + 24) * (10 + 5) * (61 + 24) * (61 + 5))
    assert d.mcc.value == approx(mcc)


@pytest.mark.parametrize(
    ("method", "tpf", "fpf"),
    [
        ("wald", (0.428, 0.905), (0.187, 0.378)),
        ("wilson", (0.417, 0.848), (0.198, 0.386)),
        ("jeffreys", (0.416, 0.860), (0.195, 0.384)),
    ],
)
def test_intervals(d, method, tpf, fpf):
    assert tuple(d.tpf.ci(0.95, method)) == approx(tpf, abs=5.1e-4)
    assert tuple(d.fpf.ci(0.95, method)) == approx(fpf, abs=5.1e-4)


@pytest.mark.parametrize(
    ("method", "printed"), [("wald", (0.197, 0.391)), ("wilson", (0.208, 0.398)), ("jeffreys", (0.205, 0.397))]
)
def test_the_printed_fpf_intervals_belong_to_25_of_85(method, printed):
    assert tuple(trueness.tables.proportion_interval(25, 85, method)) == approx(printed, abs=5.1e-4)
    assert tuple(trueness.tables.proportion_interval(24, 85, method)) != approx(printed, abs=5.1e-3)


def test_joint_region_needs_the_root_of_the_level(d):
    """1 − α = (1 − α*)²: √.95 = .9747, printed as .975; two 95 % intervals give 90.25 %."""
    fpf, tpf = d.joint_region(0.95)
    assert fpf.level == tpf.level == approx(0.97468, abs=1e-5)
    assert tuple(d.joint_region(0.9025)[1]) == approx(tuple(d.tpf.ci(0.95)))


def test_case_control_formulas(d):
    """logit PPV = logit ρ + ln DLR+, logit NPV = logit(1 − ρ) − ln DLR− (printed with logit 1/ρ)."""
    for rho in (0.01, 0.15, 0.6):
        c = trueness.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=rho)
        assert special.logit(c.ppv.value) == approx(special.logit(rho) + math.log(d.dlr_positive.value))
        assert special.logit(c.npv.value) == approx(special.logit(1 - rho) - math.log(d.dlr_negative.value))


def test_a_useless_test_has_the_prevalence_as_its_ppv():
    c = trueness.diagnose(tp=30, fn=70, fp=30, tn=70, design="case-control", prevalence=0.2)
    assert (c.ppv.value, c.npv.value) == approx((0.2, 0.8))
    assert c.dlr_positive.value == approx(1)


def test_error_by_prevalence(d):
    """P(Y ≠ D) = ρ(1 − TPF) + (1 − ρ) FPF, and the area of a single point is (1 + TPF − FPF)/2."""
    c = trueness.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=0.3)
    assert c.error.value == approx(0.3 * 5 / 15 + 0.7 * 24 / 85)
    assert d.balanced_accuracy.value == approx((1 + 10 / 15 - 24 / 85) / 2)
    assert d.error.value == approx(0.15 * 5 / 15 + 0.85 * 24 / 85)
