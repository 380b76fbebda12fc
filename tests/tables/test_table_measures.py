"""Measures of a table of two classes: closed forms, enumeration, simulation, other programs, and laws."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn import metrics as sk
from statsmodels.stats.inter_rater import cohens_kappa

import trueness
from trueness.errors import InputError
from trueness.formulas.tables import gradient
from trueness.metrics import FBeta
from trueness.metrics.registry import measure_of
from trueness.tables import MEASURES

approx = pytest.approx

TABLE = {"tp": 10, "fn": 5, "fp": 24, "tn": 61}
cell = st.integers(1, 60)


def labels(tp, fn, fp, tn):
    return np.repeat([1, 1, 0, 0], [tp, fn, fp, tn]), np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])


# -- theory ----------------------------------------------------------------------------------------------------------


def test_closed_forms_of_the_standard_errors():
    d = trueness.diagnose(**TABLE)
    for measure, x, n in (
        (d.tpf, 10, 15),
        (d.fpf, 24, 85),
        (d.tnf, 61, 85),
        (d.fnf, 5, 15),
        (d.ppv, 10, 34),
        (d.npv, 61, 66),
        (d.accuracy, 71, 100),
        (d.error, 29, 100),
        (d.prevalence, 15, 100),
    ):
        p = x / n
        assert (measure.value, measure.se) == approx((p, math.sqrt(p * (1 - p) / n)))
        assert measure.plain
        assert measure.cases == n
    # se of ln DLR: Simel, Samsa & Matchar 1991; of ln OR: Woolf 1955
    assert d.dlr_positive.se / d.dlr_positive.value == approx(math.sqrt(1 / 10 - 1 / 15 + 1 / 24 - 1 / 85))
    assert d.dlr_negative.se / d.dlr_negative.value == approx(math.sqrt(1 / 5 - 1 / 15 + 1 / 61 - 1 / 85))
    assert d.odds_ratio.se / d.odds_ratio.value == approx(math.sqrt(1 / 10 + 1 / 5 + 1 / 24 + 1 / 61))
    assert d.youden.se == approx(math.hypot(d.tpf.se, d.fpf.se))
    assert d.balanced_accuracy.se == approx(d.youden.se / 2)
    # F1 = 2J/(1 + J) with J = TP/(TP + FP + FN), a plain proportion
    j = 10 / 39
    assert d.f1.value == approx(2 * j / (1 + j))
    assert d.f1.se == approx(2 / (1 + j) ** 2 * math.sqrt(j * (1 - j) / 39))


def test_kappa_is_that_of_statsmodels_and_not_the_one_under_independence():
    d = trueness.diagnose(**TABLE)
    theirs = cohens_kappa(np.array([[61, 24], [5, 10]]))
    assert (d.kappa.value, d.kappa.se) == approx((theirs.kappa, theirs.std_kappa))


def test_gradients_equal_differences():
    at = np.array([[61.0, 24.0], [5.0, 10.0]])
    for measure in [*MEASURES.values(), measure_of(FBeta(2))]:
        slope = gradient(measure.function, at)
        for k in np.ndindex(2, 2):
            step = np.zeros((2, 2))
            step[k] = 1e-4
            by_difference = (measure.function(at + step) - measure.function(at - step)) / 2e-4
            assert slope[k] == approx(by_difference, abs=1e-9, rel=1e-6)
        assert (at * slope).sum() == approx(0, abs=1e-12)  # a function of shares: trueness.formulas.tables


@pytest.mark.parametrize("measure", ["f1", "mcc", "kappa", "balanced_accuracy", "dlr_positive", "dlr_negative"])
def test_standard_errors_equal_the_spread_over_samples(measure):
    p = np.array([[0.55, 0.15], [0.08, 0.22]])
    drawn = np.random.default_rng(0).multinomial(500, p.ravel(), size=40_000).reshape(-1, 2, 2)
    counts = np.round(p * 500).astype(int)
    found = trueness.diagnose(tn=counts[0, 0], fp=counts[0, 1], fn=counts[1, 0], tp=counts[1, 1])[measure]
    values = MEASURES[measure].function(drawn)
    if MEASURES[measure].ratio:  # the interval is made on the logarithm
        assert found.se / found.value == approx(np.log(values).std(), rel=0.03)
    else:
        assert found.se == approx(values.std(), rel=0.03)


def every_table(n):
    return np.array(
        [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    )


# true prevalence, TPF, FPF; the least coverage of 95 % intervals that is accepted at n = 20
@pytest.mark.parametrize(("measure", "least"), [("f1", 0.94), ("youden", 0.90), ("mcc", 0.88), ("kappa", 0.85)])
def test_intervals_hold_in_twenty_cases(measure, least):
    """Coverage by summing over all 1771 tables of 20 cases: no simulation."""
    n = 20
    every = every_table(n)  # tn fp fn tp
    log_ways = special.gammaln(n + 1) - special.gammaln(every + 1).sum(axis=1)
    found = {}
    for tn, fp, fn, tp in every.tolist():
        e = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn)[measure]
        found[tn, fp, fn, tp] = None if math.isnan(e.value) else e.ci(0.95)
    for prevalence, tpf, fpf in itertools.product((0.2, 0.5), (0.7, 0.95), (0.1, 0.3)):
        p = np.array([(1 - prevalence) * (1 - fpf), (1 - prevalence) * fpf, prevalence * (1 - tpf), prevalence * tpf])
        truth = MEASURES[measure].function(p.reshape(2, 2))
        chance = np.exp(log_ways + (every * np.log(p)).sum(axis=1))
        defined = np.array([found[tuple(t)] is not None for t in every.tolist()])
        inside = np.array(
            [c is not None and c.low <= truth <= c.high for c in (found[tuple(t)] for t in every.tolist())]
        )
        assert (chance * inside).sum() / (chance * defined).sum() >= least


# -- other programs --------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(cell, cell, cell, cell)
def test_values_equal_those_of_scikit_learn(tp, fn, fp, tn):
    y, p = labels(tp, fn, fp, tn)
    d = trueness.diagnose(y, p)
    ratio = sk.class_likelihood_ratios(y, p)
    for ours, theirs in (
        (d.tpf, sk.recall_score(y, p)),
        (d.ppv, sk.precision_score(y, p)),
        (d.accuracy, sk.accuracy_score(y, p)),
        (d.balanced_accuracy, sk.balanced_accuracy_score(y, p)),
        (d.mcc, sk.matthews_corrcoef(y, p)),
        (d.kappa, sk.cohen_kappa_score(y, p)),
        (d.f1, sk.f1_score(y, p)),
        (d.f_beta(2), sk.fbeta_score(y, p, beta=2)),
        (d.f_beta(0.5), sk.fbeta_score(y, p, beta=0.5)),
        (d.dlr_positive, ratio[0]),
        (d.dlr_negative, ratio[1]),
    ):
        assert ours.value == approx(theirs)


def test_newcombe_s_interval_of_youden_s_index():
    """Newcombe (1998, Statistics in Medicine 17:873), his example 56/70 − 48/80: .0524 to .3339 by method 10."""
    d = trueness.diagnose(tp=56, fn=14, fp=48, tn=32)
    assert tuple(d.youden.ci(0.95)) == approx((0.0524, 0.3339), abs=5e-5)


# -- laws --------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(cell, cell, cell, cell)
def test_laws(tp, fn, fp, tn):
    d = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn)
    assert d.tpf.value + d.fnf.value == approx(1)
    assert d.fpf.value + d.tnf.value == approx(1)
    assert d.accuracy.value + d.error.value == approx(1)
    assert d.dlr_positive.value == approx(d.tpf.value / d.fpf.value)
    assert d.odds_ratio.value == approx(d.dlr_positive.value / d.dlr_negative.value)
    assert d.youden.value == approx(d.tpf.value - d.fpf.value)
    # turning the classes
    turned = trueness.diagnose(tp=tn, fn=fp, fp=fn, tn=tp)
    assert (turned.tpf.value, turned.ppv.value) == approx((d.tnf.value, d.npv.value))
    for same in ("mcc", "kappa", "youden", "accuracy", "balanced_accuracy", "odds_ratio"):
        assert turned[same].value == approx(d[same].value)
        assert turned[same].se == approx(d[same].se)
        assert tuple(turned[same].ci()) == approx(tuple(d[same].ci()))
    # nine times the cases: the same value, a third of the error
    many = trueness.diagnose(tp=9 * tp, fn=9 * fn, fp=9 * fp, tn=9 * tn)
    for name in MEASURES:
        assert many[name].value == approx(d[name].value)
        assert many[name].se == approx(d[name].se / 3)
        low, high = d[name].ci()
        assert low <= d[name].value <= high
        assert MEASURES[name].bounds[0] <= low
        assert high <= MEASURES[name].bounds[1]


def test_from_labels_as_from_counts_with_one_number_a_case():
    y, p = labels(**TABLE)
    order = np.random.default_rng(1).permutation(len(y))
    a, b = trueness.diagnose(y[order], p[order]), trueness.diagnose(**TABLE)
    assert a.design.table.tolist() == [[61, 24], [5, 10]]
    for name in MEASURES:
        assert (a[name].value, a[name].se) == approx((b[name].value, b[name].se))
        assert a[name].influence.shape == (100,)
        assert np.linalg.norm(a[name].influence) == approx(a[name].se)
        assert b[name].influence is None


def test_labels_of_any_kind():
    y, p = labels(**TABLE)
    plain = trueness.diagnose(y, p).tpf.value
    assert trueness.diagnose(y.astype(bool), p.astype(bool)).tpf.value == plain
    assert trueness.diagnose(2 * y - 1, 2 * p - 1).tpf.value == plain
    words = np.array(["well", "sick"])
    assert trueness.diagnose(words[y], words[p], positive="sick").tpf.value == plain
    assert trueness.diagnose(words[y], words[p], positive="well").tnf.value == plain
    assert trueness.diagnose([1, 1], [1, 0]).tpf.value == 0.5  # 0 and 1: a table of two classes though y has one


# -- empty cells and margins -----------------------------------------------------------------------------------------


def test_an_empty_cell_adds_a_half_to_the_ratios_with_a_note():
    """epiR gives NaN limits of LR+ at FP = 0."""
    d = trueness.diagnose(tp=10, fn=5, fp=0, tn=85)
    r = d.dlr_positive
    value = (10.5 / 16) / (0.5 / 86)
    se = math.sqrt(1 / 10.5 - 1 / 16 + 1 / 0.5 - 1 / 86)
    assert r.value == approx(value)
    assert tuple(r.ci()) == approx((value * math.exp(-1.959964 * se), value * math.exp(1.959964 * se)), rel=1e-6)
    assert r.noted("half-added").data["without"] == math.inf
    assert all(math.isfinite(v) for v in (*d.dlr_negative.ci(), *d.odds_ratio.ci()))
    assert trueness.diagnose(**TABLE).dlr_positive.notes == ()


@pytest.mark.parametrize(
    ("table", "lost"),
    [
        ({"tp": 0, "fn": 0, "fp": 3, "tn": 61}, {"tpf", "fnf", "dlr_positive", "dlr_negative", "youden", "mcc", "f1"}),
        ({"tp": 3, "fn": 9, "fp": 0, "tn": 0}, {"fpf", "tnf", "dlr_positive", "dlr_negative", "youden", "mcc"}),
        ({"tp": 0, "fn": 9, "fp": 0, "tn": 50}, {"ppv", "mcc", "f1", "dlr_positive"}),
        ({"tp": 9, "fn": 0, "fp": 50, "tn": 0}, {"npv", "mcc", "dlr_negative"}),
    ],
)
def test_an_empty_margin_leaves_measures_undefined_never_zero(table, lost):
    d = trueness.diagnose(**table)
    for name in MEASURES:
        if name in lost:
            assert math.isnan(d[name].value)
            assert d[name].se is None
            assert d[name].noted("empty-margin")
            with pytest.raises(InputError, match="Undefined"):
                d[name].ci()
        elif name != "kappa" and not (name == "odds_ratio" or name == "balanced_accuracy"):
            assert not math.isnan(d[name].value)
    stored = json.loads(d.to_json())  # strict JSON: no NaN
    for name in lost:
        assert stored["measures"][name]["value"] is None
        assert stored["measures"][name]["low"] is None
    shown = d.frame().set_index("measure")
    assert shown.loc[list(lost), "value"].isna().all()


def test_a_perfect_table_has_intervals_with_length():
    d = trueness.diagnose(tp=10, fn=0, fp=0, tn=61)
    for name in MEASURES:
        low, high = d[name].ci()
        assert low < high
        assert low <= d[name].value <= high
    for name in ("f1", "mcc", "kappa", "youden"):
        assert d[name].value == 1
        assert d[name].se > 0
        assert d[name].noted("se-half-added")


def test_a_constant_rule_is_worth_nothing_and_has_an_error():
    d = trueness.diagnose(tp=0, fn=10, fp=0, tn=61)
    assert d.youden.value == 0
    assert d.kappa.value == 0
    assert d.kappa.se > 0.05
    low, high = d.youden.ci()
    assert low < 0 < high


# -- costs and tables ------------------------------------------------------------------------------------------------


def test_expected_cost():
    """Wu (2018), eq. 13: defective parts are positive; [[0, 10], [1000, 10]]."""
    d = trueness.diagnose(**TABLE)
    c = np.array([[0, 10], [1000, 10]])
    cost = d.cost(c)
    each = np.repeat([10, 1000, 10, 0], [10, 5, 24, 61])  # what every case cost
    assert cost.value == approx(each.mean())
    assert cost.se == approx(each.std() / 10)
    assert d.cost([[0, 1], [1, 0]]).value == approx(d.error.value)
    assert d.cost([[0, 1], [1, 0]]).se == approx(d.error.se)
    low, high = cost.ci()
    assert 0 <= low < cost.value < high <= 1000


def test_table_text_json_latex_markdown_say_the_same():
    d = trueness.diagnose(**TABLE)
    frame = d.frame()
    assert frame["measure"].tolist() == list(MEASURES)
    assert frame.set_index("measure").loc["tpf", ["value", "low", "high"]].tolist() == approx(
        [2 / 3, 0.41714, 0.84824], abs=1e-5
    )
    stored = json.loads(d.to_json())
    assert stored["measures"]["tpf"]["high"] == approx(0.84824, abs=1e-5)
    assert stored["design"]["counts"]["values"] == [[61, 24], [5, 10]]
    for text in (str(d), d.to_latex(), d.to_markdown(), d._repr_html_()):
        assert "0.42 to 0.85" in text
    assert r"dlr\_positive" in d.to_latex()


def test_files_are_written(tmp_path):
    d = trueness.diagnose(**TABLE)
    d.to_json(tmp_path / "d.json")
    assert str(trueness.load(tmp_path / "d.json")) == str(d)


def test_the_interval_of_proportions_is_a_choice():
    d = trueness.diagnose(**TABLE, interval="jeffreys")
    assert tuple(d.tpf.ci()) == approx(tuple(trueness.tables.proportion_interval(10, 15, "jeffreys")))
    assert d.tpf.ci().method == "jeffreys"


# -- the two fractions together --------------------------------------------------------------------------------------


def test_rectangle_at_the_root_of_the_level():
    d = trueness.diagnose(**TABLE)
    (fpf_low, fpf_high), (tpf_low, tpf_high) = d.joint_region(0.95)
    assert (fpf_low, fpf_high) == approx(
        tuple(trueness.tables.proportion_interval(24, 85, "wilson", level=math.sqrt(0.95)))
    )
    assert (tpf_low, tpf_high) == approx(
        tuple(trueness.tables.proportion_interval(10, 15, "wilson", level=math.sqrt(0.95)))
    )


def test_rectangle_covers():
    n0, n1, truth = 40, 25, (0.2, 0.75)
    inside = [
        [
            low <= p <= high
            for x in range(n + 1)
            for low, high in [trueness.tables.proportion_interval(x, n, "wilson", level=math.sqrt(0.95))]
        ]
        for n, p in ((n0, truth[0]), (n1, truth[1]))
    ]
    total = (stats.binom.pmf(range(n0 + 1), n0, truth[0]) * inside[0]).sum()
    total *= (stats.binom.pmf(range(n1 + 1), n1, truth[1]) * inside[1]).sum()
    assert total == approx(0.95, abs=0.015)


def test_tables_module_takes_shares_as_well_as_counts():
    t = np.array([[61, 24], [5, 10]])
    for measure in MEASURES.values():
        assert measure.function(t) == approx(float(measure.function(t / 100)))
    assert measure_of("accuracy").function(t) == approx(0.71)
