"""Cohort, case-control and selected studies."""

import math

import numpy as np
import pytest
from scipy import special

import trueness
from trueness.errors import InputError
from trueness.result import Estimate, Interval
from trueness.tables import MEASURES

approx = pytest.approx

TABLE = {"tp": 10, "fn": 5, "fp": 24, "tn": 61}
RATES = ("tpf", "fpf", "tnf", "fnf", "dlr_positive", "dlr_negative", "odds_ratio", "youden", "balanced_accuracy")


# -- case-control ----------------------------------------------------------------------------------------------------


def test_what_conditions_on_the_truth_is_the_same_in_a_case_control_study():
    cohort, chosen = trueness.diagnose(**TABLE), trueness.diagnose(**TABLE, design="case-control")
    for name in RATES:
        assert (chosen[name].value, chosen[name].se) == approx((cohort[name].value, cohort[name].se))
        assert tuple(chosen[name].ci()) == approx(tuple(cohort[name].ci()))
    for name in set(MEASURES) - set(RATES):
        assert math.isnan(chosen[name].value)
        assert chosen[name].noted("prevalence-unknown")


def test_predictive_values_at_a_prevalence():
    """logit PPV = logit ρ + ln DLR+ and logit NPV = logit(1 − ρ) − ln DLR− (Popovici, Classification, corrected)."""
    rho = 0.05
    d = trueness.diagnose(**TABLE, design="case-control", prevalence=rho)
    t, f = 10 / 15, 24 / 85
    assert d.ppv.value == approx(rho * t / (rho * t + (1 - rho) * f))
    assert d.npv.value == approx((1 - rho) * (1 - f) / ((1 - rho) * (1 - f) + rho * (1 - t)))
    assert special.logit(d.ppv.value) == approx(special.logit(rho) + math.log(d.dlr_positive.value))
    assert special.logit(d.npv.value) == approx(special.logit(1 - rho) - math.log(d.dlr_negative.value))
    # intervals on the logit scale, of which ln DLR has the only error (Mercaldo, Lau & Zhou 2007)
    for value, dlr in ((d.ppv, d.dlr_positive), (d.npv, d.dlr_negative)):
        half = 1.959964 * dlr.se / dlr.value
        centre = special.logit(value.value)
        assert tuple(value.ci()) == approx(tuple(special.expit([centre - half, centre + half])), rel=1e-6)
    assert d.accuracy.value == approx(rho * t + (1 - rho) * (1 - f))
    assert d.accuracy.se == approx(math.hypot(rho * d.tpf.se, (1 - rho) * d.fpf.se))
    assert d.prevalence.value == rho
    assert d.prevalence.se is None


def test_the_error_of_the_prevalence_is_carried():
    low, high = 0.03, 0.08
    d = trueness.diagnose(**TABLE, design="case-control", prevalence=(low, high))
    se = (special.logit(high) - special.logit(low)) / (2 * 1.959964)
    together = math.hypot(d.dlr_positive.se / d.dlr_positive.value, se)
    p = d.ppv.value
    assert special.logit(p) == approx((special.logit(low) + special.logit(high)) / 2 + math.log(d.dlr_positive.value))
    assert d.ppv.se == approx(p * (1 - p) * together, rel=1e-6)
    assert tuple(d.prevalence.ci()) == approx((low, high), rel=1e-6)
    known = trueness.diagnose(**TABLE, design="case-control", prevalence=d.prevalence.value)
    assert known.ppv.se < d.ppv.se
    assert known.tpf.se == d.tpf.se
    # the same interval as an Interval of another level, and as an Estimate
    given = Interval(*special.expit(special.logit(p0 := d.prevalence.value) + se * 1.644854 * np.array([-1, 1])),
                     level=0.9, method="x")  # fmt: skip
    assert trueness.diagnose(**TABLE, design="case-control", prevalence=given).ppv.se == approx(d.ppv.se, rel=1e-6)
    given = Estimate(p0, se=p0 * (1 - p0) * se)
    assert trueness.diagnose(**TABLE, design="case-control", prevalence=given).ppv.se == approx(d.ppv.se, rel=1e-6)


def test_standard_errors_of_a_case_control_study_by_simulation():
    rng = np.random.default_rng(2)
    n1, n0, t, f, rho, rho_se = 80, 120, 0.8, 0.15, 0.1, 0.2
    tp, fp = rng.binomial(n1, t, 30_000), rng.binomial(n0, f, 30_000)
    drawn = special.expit(rng.normal(special.logit(rho), rho_se, 30_000))
    table = np.moveaxis(np.array([[1 - drawn, drawn]]), 2, 0).reshape(-1, 2, 1) * np.stack(
        [np.stack([(n0 - fp) / n0, fp / n0], axis=1), np.stack([(n1 - tp) / n1, tp / n1], axis=1)], axis=1
    )
    limits = special.expit(special.logit(rho) + np.array([-1, 1]) * 1.959964 * rho_se)
    d = trueness.diagnose(tp=64, fn=16, fp=18, tn=102, design="case-control", prevalence=tuple(limits))
    for name in ("f1", "mcc", "kappa", "accuracy", "npv", "ppv"):
        assert d[name].se == approx(MEASURES[name].function(table).std(), rel=0.04)


def test_post_test_probability_is_the_predictive_value_at_that_prevalence():
    d = trueness.diagnose(**TABLE)
    after = d.post_test((0.03, 0.08))
    chosen = trueness.diagnose(**TABLE, design="case-control", prevalence=(0.03, 0.08))
    assert (after.positive.value, after.positive.se) == approx((chosen.ppv.value, chosen.ppv.se))
    assert after.negative.value == approx(1 - chosen.npv.value)
    assert tuple(after.positive.ci()) == approx(tuple(chosen.ppv.ci()))
    odds = d.post_test(0.2)
    assert odds.positive.value / (1 - odds.positive.value) == approx(0.25 * d.dlr_positive.value)
    assert odds.negative.value / (1 - odds.negative.value) == approx(0.25 * d.dlr_negative.value)
    # in the cohort itself, at its own prevalence, it is the PPV
    assert d.post_test(0.15).positive.value == approx(d.ppv.value)


def test_an_empty_cell_of_a_case_control_study():
    d = trueness.diagnose(tp=10, fn=5, fp=0, tn=85, design="case-control", prevalence=0.1)
    assert d.ppv.value == 1
    low, high = d.ppv.ci()
    # FPF may be as much as Wilson's limit of 0 of 85, at a TPF of 10 of 15
    worst = trueness.tables.proportion_interval(0, 85).high
    assert low == approx(0.1 * 10 / 15 / (0.1 * 10 / 15 + 0.9 * worst), rel=0.05)
    assert high == 1
    assert d.ppv.noted("se-half-added")


# -- cohort with selection: Begg & Greenes -----------------------------------------------------------------------------

# hepatic scintigraphy, 650 patients (Drum & Christacopoulos 1972), the example of Begg & Greenes (1983)
LIVER = {"tp": 231, "fn": 27, "fp": 32, "tn": 54, "unverified_positive": 166, "unverified_negative": 140}


def test_the_example_of_begg_and_greenes():
    d = trueness.diagnose(**LIVER, design="selected")
    assert d.tpf.value == approx(0.84, abs=0.005)  # printed: sensitivity .84 instead of .90, specificity .74 for .63
    assert d.tnf.value == approx(0.74, abs=0.005)
    naive = trueness.diagnose(tp=231, fn=27, fp=32, tn=54)
    assert naive.tpf.value == approx(0.895, abs=5e-4)
    # logit TPF = ln(m1 PPV) − ln(m0 (1 − NPV)), three independent parts
    m1, m0, v1, v0 = 429, 221, 263, 81
    ppv, npv = 231 / v1, 54 / v0
    tpf = m1 * ppv / (m1 * ppv + m0 * (1 - npv))
    variance = (m1 + m0) / (m1 * m0) + (1 - ppv) / (ppv * v1) + npv / ((1 - npv) * v0)
    assert (d.tpf.value, d.tpf.se) == approx((tpf, tpf * (1 - tpf) * math.sqrt(variance)))
    variance = (m1 + m0) / (m1 * m0) + (1 - npv) / (npv * v0) + ppv / ((1 - ppv) * v1)
    tnf = m0 * npv / (m0 * npv + m1 * (1 - ppv))
    assert (d.tnf.value, d.tnf.se) == approx((tnf, tnf * (1 - tnf) * math.sqrt(variance)))
    # predictive values need no correction
    for name in ("ppv", "npv"):
        assert (d[name].value, d[name].se) == approx((naive[name].value, naive[name].se))


def test_from_labels_with_missing_truths():
    cells = [(1, 1, 231), (1, 0, 27), (0, 1, 32), (0, 0, 54), (None, 1, 166), (None, 0, 140)]
    y = [truth for truth, _, k in cells for _ in range(k)]
    p = [said for _, said, k in cells for _ in range(k)]
    a, b = trueness.diagnose(y, p, design="selected"), trueness.diagnose(**LIVER, design="selected")
    for name in MEASURES:
        assert (a[name].value, a[name].se) == approx((b[name].value, b[name].se))
    assert np.linalg.norm(a.tpf.influence) == approx(a.tpf.se)
    assert a.n == 650


def test_with_all_verified_it_is_a_cohort():
    selected = trueness.diagnose(**TABLE, design="selected")
    cohort = trueness.diagnose(**TABLE)
    for name in MEASURES:
        assert (selected[name].value, selected[name].se) == approx((cohort[name].value, cohort[name].se))


def test_the_correction_by_simulation():
    """Truth known for 80 % of the positive and 30 % of the negative results: unbiased, with the right error."""
    rng = np.random.default_rng(3)
    p = np.array([[0.6, 0.1], [0.06, 0.24]])  # truth × decision
    verified = np.array([0.3, 0.8])
    six = np.concatenate([p * verified, [(p * (1 - verified)).sum(axis=0)]])  # the last row: truth unknown
    drawn = rng.multinomial(600, six.ravel(), size=20_000).reshape(-1, 3, 2)
    known = drawn[:, :2] / drawn[:, :2].sum(axis=1, keepdims=True) * drawn.sum(axis=1, keepdims=True)
    c = np.round(six * 600).astype(int)
    d = trueness.diagnose(
        tn=c[0, 0], fp=c[0, 1], fn=c[1, 0], tp=c[1, 1],
        unverified_negative=c[2, 0], unverified_positive=c[2, 1], design="selected",
    )  # fmt: skip
    for name in ("tpf", "fpf", "accuracy", "mcc", "youden", "prevalence"):
        values = MEASURES[name].function(known)
        assert values.mean() == approx(float(MEASURES[name].function(p)), abs=4e-3)
        assert d[name].se == approx(values.std(), rel=0.04)


def test_no_case_verified_among_the_negatives():
    d = trueness.diagnose(tp=20, fn=0, fp=5, tn=0, unverified_negative=70, design="selected")
    assert d.ppv.value == 0.8
    assert math.isnan(d.tpf.value)
    assert d.tpf.noted("empty-margin").data["decisions"] == ["negative"]


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prevalence", [0, 1, -0.1, 1.5, 10, (0.2, 0.1), (0, 0.5), (0.1, 0.2, 0.3), "much", float("nan")]
)
def test_a_prevalence_must_be_one(prevalence):
    with pytest.raises(InputError) as error:
        trueness.diagnose(**TABLE, design="case-control", prevalence=prevalence)
    assert error.value.param == "prevalence"


def test_designs_and_what_belongs_to_them():
    for options, param in (
        ({"design": "survey"}, "design"),
        ({"design": "selected", "prevalence": 0.1}, "prevalence"),
        ({"unverified_positive": 3}, "design"),
    ):
        with pytest.raises(InputError) as error:
            trueness.diagnose(**TABLE, **options)
        assert error.value.param == param
    with pytest.raises(InputError, match="y has missing labels"):
        trueness.diagnose([1, 0, None, 1], [1, 0, 1, 0])


def test_a_cohort_at_another_prevalence_has_the_predictive_values_of_a_case_control_study():
    counts = {"tp": 10, "fn": 5, "fp": 24, "tn": 61}
    there = trueness.diagnose(**counts, prevalence=0.05)
    known = trueness.diagnose(**counts, design="case-control", prevalence=0.05)
    assert there.frame().equals(known.frame())
    assert "cohort study" in str(there)
    assert there.tpf.value == trueness.diagnose(**counts).tpf.value
    assert there.ppv.value == pytest.approx(0.05 * 10 / 15 / (0.05 * 10 / 15 + 0.95 * 24 / 85))
    with pytest.raises(InputError, match="estimates the prevalence"):
        trueness.diagnose(**counts, design="selected", prevalence=0.05)
