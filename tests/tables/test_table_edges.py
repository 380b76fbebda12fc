"""Edge cases of tables and of their options."""

import math

import numpy as np
import pytest

import trueness
from trueness.errors import InputError
from trueness.formulas import proportions
from trueness.result import Estimate
from trueness.tables import SeveralClasses, proportion_interval
from trueness.tables.study_designs import Cohort

approx = pytest.approx


def labels(table, names=("a", "b", "c")):
    """y, predictions with this table."""
    table = np.array(table)
    cell = np.repeat(np.arange(table.size), table.ravel())
    return np.array(names)[cell // len(names)], np.array(names)[cell % len(names)]


# -- what is asked -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "n", "level"), [(1, 1000, 0.1), (1, 10, 0.05), (9, 10, 0.05), (3, 10, 0.95)])
def test_mid_p_limits_solve_their_equations_at_every_level(x, n, level):
    low, high = proportion_interval(x, n, "mid-p", level=level)
    p = np.array([low, high])
    k = np.arange(x + 1)[:, None]
    mass = np.array([math.comb(n, int(i)) for i in k.ravel()])[:, None] * p**k * (1 - p) ** (n - k)
    upper = 1 - mass.sum(axis=0) + mass[-1] / 2
    assert upper == approx([(1 - level) / 2, (1 + level) / 2], abs=1e-9)
    assert proportions.mid_p(n - x, n, level) == approx((1 - high, 1 - low), abs=1e-12)


def test_f_beta_of_very_large_and_very_small_beta():
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    for beta, limit in ((1e200, d.tpf), (math.inf, d.tpf), (1e-200, d.ppv), (0, d.ppv)):
        assert d.f_beta(beta).value == approx(limit.value)
        assert d.f_beta(beta).se == approx(limit.se)
    assert d.f_beta(2).value == approx(5 * 10 / (5 * 10 + 4 * 5 + 24))
    several = trueness.diagnose(*labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]]))
    assert several.f_beta(1e200).value == approx(several.macro("tpf").value)


def test_text_is_no_number():
    d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    several = trueness.diagnose(*labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]]))
    for ask in (d.f_beta, several.f_beta):
        with pytest.raises(InputError, match="beta must be a number"):
            ask("2")
        with pytest.raises(InputError, match="beta must be a number"):
            ask(math.nan)
    for ask in (
        lambda: proportion_interval(1, 10, level="0.95"),
        lambda: trueness.tables.coverage("wald", 10, 0.5, level="0.95"),
        lambda: d.joint_region("0.95"),
        lambda: d.four_regions((0.3, 0.8), "0.95"),
        lambda: d.tpf.ci("0.95"),
    ):
        with pytest.raises(InputError, match="level must lie above 0 and below 1"):
            ask()


def test_a_prevalence_that_is_no_prevalence():
    y, said = labels([[90, 10, 0], [5, 45, 0], [0, 0, 2]])
    with pytest.raises(InputError, match="one share per class"):
        trueness.diagnose(y, said, design="case-control", prevalence=Estimate(0.1, se=0.01))
    for se in (math.nan, -0.1, math.inf):
        with pytest.raises(InputError, match="standard error of prevalence"):
            trueness.diagnose(tp=10, fn=5, fp=24, tn=61, design="case-control", prevalence=Estimate(0.1, se=se))


# -- a perfect test in a selected study --------------------------------------------------------------------------------


@pytest.mark.parametrize("unverified", [0, 30])
def test_a_perfect_test_of_a_selected_study_is_not_certain(unverified):
    d = trueness.diagnose(
        tp=20, fn=0, fp=0, tn=20, design="selected", unverified_positive=unverified, unverified_negative=unverified
    )
    for e in (d.youden, d.balanced_accuracy, d.tpf, d.tnf, d.f1, d.mcc, d.kappa):
        low, high = e.ci()
        assert high == 1
        assert 0.7 < low < 0.95
        assert e.se > 0


@pytest.mark.parametrize("design", ["cohort", "selected"])
def test_where_all_are_called_positive_all_positives_are_found(design):
    d = trueness.diagnose(tp=10, fn=0, fp=5, tn=0, design=design)
    assert (d.tpf.value, d.fpf.value, d.tnf.value, d.ppv.value) == (1, 1, 0, approx(2 / 3))
    assert tuple(d.tpf.ci()) == approx(tuple(proportion_interval(10, 10)))
    assert (d.tpf.method, d.accuracy.method) == (design, design)
    assert math.isnan(d.npv.value)
    assert d.npv.notes


def test_unverified_cases_of_the_only_decision_are_like_the_others():
    d = trueness.diagnose(tp=10, fn=0, fp=5, tn=0, design="selected", unverified_positive=15)
    assert (d.tpf.value, d.prevalence.value) == (1, approx(2 / 3))
    hidden = trueness.diagnose(tp=10, fn=0, fp=5, tn=0, design="selected", unverified_negative=3)
    assert math.isnan(hidden.tpf.value)  # decided negative, and nothing is known of them


# -- averages over classes, one of them rare ---------------------------------------------------------------------------

RARE = [[90, 10, 0], [5, 45, 0], [0, 0, 2]]


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_macro_tpf_joins_the_intervals_of_the_classes(design):
    """Classes are independent, so distances to the limits add as standard errors do (Zou & Donner 2008)."""
    several = trueness.diagnose(*labels(RARE), design=design)
    each = [several.per_class("tpf")[c] for c in "abc"]
    for level in (0.8, 0.95):
        down = math.sqrt(sum((e.value - e.ci(level).low) ** 2 for e in each)) / 3
        up = math.sqrt(sum((e.ci(level).high - e.value) ** 2 for e in each)) / 3
        macro = several.macro("tpf")
        assert tuple(macro.ci(level)) == approx((macro.value - down, min(1, macro.value + up)))
        low, high = several.macro("fnf").ci(level)
        assert (1 - high, 1 - low) == approx(tuple(macro.ci(level)))
    assert several.macro("tpf").se > 0.05
    assert several.macro("tpf").notes


def test_macro_ppv_joins_the_intervals_of_the_decisions():
    """The PPV of a table is the TPF of the table turned round."""
    several, turned = trueness.diagnose(*labels(RARE)), trueness.diagnose(*labels(np.transpose(RARE)))
    assert tuple(several.macro("ppv").ci()) == approx(tuple(turned.macro("tpf").ci()))


def test_other_averages_say_that_a_class_is_too_sure():
    several = trueness.diagnose(*labels(RARE))
    for e in (several.macro("f1"), several.weighted("f1"), several.weighted("ppv"), several.macro("npv")):
        assert e.noted("se-half-added").data["plug_in"] > 0
        assert e.se_method == "delta, ½ added"
    for e in (several.micro("f1"), several.weighted("tpf"), several.per_class("f1")["a"]):
        assert not e.notes
    assert several.weighted("tpf").se == approx(several.accuracy.se)
    common = trueness.diagnose(*labels([[90, 10, 3], [5, 45, 2], [1, 1, 20]]))
    assert not common.macro("f1").notes


def test_coverage_of_macro_averages_with_a_rare_class():
    """60 cases, 4 % of one class; by the delta method 74 % of the intervals of the TPF held it."""
    shares = np.array([[0.54, 0.06, 0.001], [0.03, 0.28, 0.001], [0.002, 0.002, 0.036]])
    shares /= shares.sum()
    true = {"tpf": (np.diag(shares) / shares.sum(axis=1)).mean(), "ppv": (np.diag(shares) / shares.sum(axis=0)).mean()}
    rng, held = np.random.default_rng(1), {"tpf": [], "ppv": []}
    for _ in range(400):
        several = SeveralClasses(Cohort(rng.multinomial(60, shares.ravel()).reshape(3, 3)), ("a", "b", "c"))
        for name, truth in true.items():
            e = several.macro(name)
            if not math.isnan(e.value):
                held[name].append(e.ci().low <= truth <= e.ci().high)
    assert np.mean(held["tpf"]) > 0.87  # .91 in 700 trials
    assert np.mean(held["ppv"]) > 0.9


def test_a_perfect_table_has_no_more_cases_than_were_seen():
    several = trueness.diagnose(*labels([[10, 0, 0], [0, 10, 0], [0, 0, 10]]))
    for e in (several.macro("f1"), several.weighted("ppv"), several.mcc, several.kappa):
        assert e.cases == 30
        assert (e.ci().note.code, e.ci().note.data["cases"]) == ("at-limit", 30)
    assert several.macro("tpf").ci().low == approx(1 - (1 - proportion_interval(10, 10).low) / math.sqrt(3))


def test_a_class_may_be_called_macro():
    several = trueness.diagnose(*labels(RARE, ("macro", "weighted", "x")))
    measures = several.to_dict()["measures"]
    assert measures["tpf macro"]["value"] == approx(several.macro("tpf").value)
    assert measures["tpf class macro"]["value"] == approx(0.9)
    assert measures["tpf x"]["value"] == 1
    assert len(measures) == len(several.frame())
