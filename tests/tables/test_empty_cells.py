"""Tables with an empty cell: no standard error collapses, and ½ is added only where it is needed."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import trueness
from trueness.formulas import mover
from trueness.tables import MEASURES, SeveralClasses
from trueness.tables.study_designs import CaseControl, Cohort, Prevalence, Selected

approx = pytest.approx


# -- intervals that carry an empty cell --------------------------------------------------------------------------------


def test_accuracy_at_a_prevalence_of_a_half_is_the_balanced_accuracy():
    """The same quantity, whatever the cells; before, .955 to .986 beside .757 to .986."""
    for tp, fn, fp, tn in ((5, 0, 10, 190), (10, 5, 24, 61), (8, 0, 0, 30), (0, 7, 3, 40)):
        d = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn, design="case-control", prevalence=0.5)
        assert tuple(d.accuracy.ci()) == approx(tuple(d.balanced_accuracy.ci()))
        assert d.accuracy.se == approx(d.balanced_accuracy.se)
        assert tuple(d.error.ci()) == approx(tuple(1 - np.array(d.accuracy.ci())[::-1]))
    assert tuple(
        trueness.diagnose(tp=5, fn=0, fp=10, tn=190, design="case-control", prevalence=0.5).accuracy.ci()
    ) == approx((0.757, 0.986), abs=5e-4)


def test_five_hundred_unverified_cases_are_not_forgotten():
    """NPV 10/10 alone is .72 to 1 by Wilson, and 88 % of all cases rest on it."""
    d = trueness.diagnose(tp=50, fn=0, fp=20, tn=10, design="selected", unverified_positive=0, unverified_negative=500)
    low, high = d.prevalence.ci()
    worst = 70 / 580 * 50 / 70 + 510 / 580 * (1 - trueness.tables.proportion_interval(10, 10).low)
    assert high == approx(worst, abs=0.01)
    assert low == approx(0.064, abs=5e-3)
    assert d.accuracy.ci().low < 0.75
    assert d.tpf.ci().low < 0.3
    assert d.accuracy.se > 0.05
    assert d.accuracy.noted("se-half-added").data["plug_in"] < d.accuracy.se


def test_the_mean_of_a_multinomial_is_wilson_s_where_it_has_two_values():
    """Costs of 0 and 1 are the error rate; of 3 and 7 they are 3 + 4 times it."""
    for table in ((20, 0, 10, 170), (10, 5, 24, 61), (9, 0, 0, 30), (0, 9, 30, 0)):
        d = trueness.diagnose(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
        assert tuple(d.cost([[0, 1], [1, 0]]).ci()) == approx(tuple(d.error.ci()))
        assert tuple(d.cost([[3, 7], [7, 3]]).ci()) == approx(tuple(3 + 4 * np.array(d.error.ci())))
        assert tuple(d.cost([[7, 3], [3, 7]]).ci()) == approx(tuple(3 + 4 * np.array(d.accuracy.ci())))
    weights, shares = np.array([0.0, 1.0, 5.0]), np.array([0.7, 0.2, 0.1])
    limits = np.array([trueness.tables.proportion_interval(k, 1_000_000) for k in (700_000, 200_000, 100_000)])
    low, high = mover.mean(weights, shares, limits)
    se = math.sqrt((shares @ weights**2 - (shares @ weights) ** 2) / 1e6)  # large n: Wald's
    assert (low, high) == approx((0.7 - 1.959964 * se, 0.7 + 1.959964 * se), rel=2e-5)
    assert mover.mean(weights + 2, shares, limits) == approx((low + 2, high + 2))


def test_an_expensive_cell_that_is_empty_still_costs():
    """No case missed among 200: up to 1.9 % may be (Wilson), at 1000 each."""
    cost = trueness.diagnose(tp=20, fn=0, fp=10, tn=170).cost([[0, 1], [1000, 0]])
    assert cost.ci().high == approx(1000 * trueness.tables.proportion_interval(0, 200).high, rel=0.01)
    assert cost.se > 1
    assert 0 < cost.ci().low < cost.value == approx(0.05)


def test_the_other_class_order_and_the_other_costs_say_the_same():
    d = trueness.diagnose(tp=20, fn=0, fp=10, tn=170, design="case-control", prevalence=0.1)
    turned = trueness.diagnose(tp=170, fn=10, fp=0, tn=20, design="case-control", prevalence=0.9)
    for name in ("accuracy", "error", "mcc", "kappa"):
        assert tuple(d[name].ci()) == approx(tuple(turned[name].ci()))
    for name in MEASURES:
        low, high = d[name].ci() if d[name].se is not None else (0, 1)
        assert low <= d[name].value <= high


# all tables of 20 positives and 40 negatives; the truth has TPF .95 and FPF .05, so that FN = 0 in 36 % of them
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
def test_corrected_measures_of_a_case_control_study_hold(prevalence):
    n1, n0, tpf, fpf = 20, 40, 0.95, 0.05
    names = ("accuracy", "f1", "mcc", "kappa", "npv")
    joint = np.array([[1 - fpf, fpf], [1 - tpf, tpf]]) * np.array([[1 - prevalence], [prevalence]])
    truth = {name: float(MEASURES[name].function(joint)) for name in names}
    truth["cost"] = float((joint * np.array([[0, 1], [100, 0]])).sum())
    held, total = dict.fromkeys(truth, 0.0), dict.fromkeys(truth, 0.0)
    for tp in range(10, n1 + 1):
        for fp in range(12):
            chance = stats.binom.pmf(tp, n1, tpf) * stats.binom.pmf(fp, n0, fpf)
            d = trueness.diagnose(tp=tp, fn=n1 - tp, fp=fp, tn=n0 - fp, design="case-control", prevalence=prevalence)
            for name, value in truth.items():
                e = d.cost([[0, 1], [100, 0]]) if name == "cost" else d[name]
                low, high = e.ci()
                held[name] += chance * (low <= value <= high)
                total[name] += chance
    for name in truth:
        assert total[name] > 0.999
        assert held[name] > 0.92, name


def test_mean_costs_hold_in_fifty_cases():
    """Exact: the cost [[0, 1], [100, 0]] depends on the table through (FP, FN) alone, a trinomial."""
    n, joint = 50, np.array([[0.72, 0.08], [0.02, 0.18]])
    costs = [[0, 1], [100, 0]]
    held = 0.0
    for fp in range(16):
        for fn in range(10):
            chance = stats.multinomial.pmf([fp, fn, n - fp - fn], n, [0.08, 0.02, 0.9])
            low, high = trueness.diagnose(tp=max(0, 10 - fn), fn=fn, fp=fp, tn=n - fp - max(10, fn)).cost(costs).ci()
            held += chance * (low <= (joint * costs).sum() <= high)
    assert held > 0.92  # Wilson's own coverage of P(FN) = .02, on which all hangs, is .922


@pytest.mark.coverage
@pytest.mark.parametrize(
    ("joint", "verified"),
    [
        ([[0.85, 0.05], [0.01, 0.09]], [0.05, 0.9]),
        ([[0.60, 0.10], [0.06, 0.24]], [0.10, 0.8]),
        ([[0.85, 0.05], [0.002, 0.098]], [0.03, 1.0]),
    ],
)
def test_corrected_measures_of_a_selected_study_hold(joint, verified):
    rng = np.random.default_rng(0)
    joint, verified = np.array(joint), np.array(verified)
    six = np.concatenate([joint * verified, [(joint * (1 - verified)).sum(axis=0)]]).ravel()
    names = ("accuracy", "prevalence", "f1", "tpf", "fpf", "youden", "mcc", "kappa", "dlr_positive")
    held = {name: [] for name in names}
    for tn, fp, fn, tp, hidden0, hidden1 in rng.multinomial(400, six, size=1500).tolist():
        d = trueness.diagnose(
            tp=tp, fn=fn, fp=fp, tn=tn, design="selected", unverified_negative=hidden0, unverified_positive=hidden1
        )
        for name in names:
            if not math.isnan(d[name].value):
                low, high = d[name].ci()
                held[name].append(low <= float(MEASURES[name].function(joint)) <= high)
    for name in names:
        # about 17 negatives are verified; Wilson's own coverage of their NPV, .988, is .84 (15 cases) to .98
        assert np.mean(held[name]) > 0.905, name


def test_several_classes_carry_empty_cells_too():
    names = ("a", "b", "c")
    chosen = SeveralClasses(
        CaseControl(np.array([[6, 0, 0], [5, 90, 5], [2, 8, 90]]), Prevalence(np.array([0.8, 0.1, 0.1]))), names
    )
    low = trueness.tables.proportion_interval(6, 6).low
    assert chosen.accuracy.ci().low == approx(0.8 * low + 0.1 * 0.9 + 0.1 * 0.9, abs=0.01)
    part = SeveralClasses(
        Selected(np.array([[9, 1, 0], [0, 90, 5], [0, 8, 90], [900, 0, 0]])), names
    )  # 900 of the cases decided "a" are not verified, and only 9 are
    assert part.accuracy.ci().low < 0.8
    costs = [[0, 1, 1], [1, 0, 1], [500, 1, 0]]
    cohort = SeveralClasses(Cohort(np.array([[50, 3, 2], [4, 30, 5], [0, 6, 20]])), names)
    assert cohort.cost(costs).ci().high > 500 * 0.9 * trueness.tables.proportion_interval(0, 120).high
    assert cohort.cost(1 - np.eye(3)).ci() == approx(cohort.error.ci())


# -- ½ only where there is no other way --------------------------------------------------------------------------------


def test_a_ratio_that_is_finite_is_left_alone():
    """epiR, epi.tests(as.table(matrix(c(45, 0, 5, 100), 2, byrow = TRUE))): LR− .100 (.044 to .230); and for
    matrix(c(50, 12, 0, 90), 2, byrow = TRUE): LR+ 8.50 (4.996 to 14.462)."""
    negative = trueness.diagnose(tp=45, fn=5, fp=0, tn=100).dlr_negative
    assert [negative.value, *negative.ci()] == approx([0.1, 0.0435, 0.2297], abs=1e-4)
    positive = trueness.diagnose(tp=50, fn=0, fp=12, tn=90).dlr_positive
    assert [positive.value, *positive.ci()] == approx([8.5, 4.9957, 14.4625], abs=1e-3)
    assert negative.notes == positive.notes == ()
    # the ratios that are 0 or infinite have it
    infinite = trueness.diagnose(tp=45, fn=5, fp=0, tn=100).dlr_positive
    assert infinite.noted("half-added").data["without"] == math.inf
    zero = trueness.diagnose(tp=50, fn=0, fp=12, tn=90).dlr_negative
    assert zero.noted("half-added").data["without"] == 0
    # and one that would have no error at all: everything is called positive
    always = trueness.diagnose(tp=9, fn=0, fp=50, tn=0).dlr_positive
    assert always.se > 0.01


def test_half_a_verified_case_is_not_half_a_case():
    """Ten verified of 510 decided negative, none of them positive: ½ among them would be 25 positive cases, and the
    log-Wald interval of DLR− (.05 to 2.1) excludes the ratio that was observed, 0."""
    d = trueness.diagnose(tp=50, fn=0, fp=20, tn=10, design="selected", unverified_positive=0, unverified_negative=500)
    low, high = d.dlr_negative.ci()
    assert low == 0
    assert d.dlr_negative.value < high < 1
    assert d.odds_ratio.ci().high == math.inf
    assert 1 < d.odds_ratio.ci().low < d.odds_ratio.value
    assert json.loads(d.to_json())["measures"]["odds_ratio"]["high"] is None
    both = trueness.diagnose(tp=50, fn=0, fp=0, tn=10, design="selected", unverified_negative=500)
    assert both.odds_ratio.ci().low < both.odds_ratio.value / 10
    other = trueness.diagnose(tp=40, fn=2, fp=9, tn=30, design="selected", unverified_negative=90)
    low, high = both.versus(other, paired=False).difference("dlr_positive").ci()
    assert low < both.dlr_positive.value - other.dlr_positive.value < high == math.inf


def test_values_of_one_table_agree():
    for fn, fp in ((0, 12), (5, 0), (0, 0), (5, 12)):
        d = trueness.diagnose(tp=50, fn=fn, fp=fp, tn=90, design="case-control", prevalence=0.1)
        ppv, tpf = d.ppv.value, d.tpf.value
        assert d.f1.value == approx(2 * ppv * tpf / (ppv + tpf))
        assert ppv == approx(0.1 * tpf / (0.1 * tpf + 0.9 * d.fpf.value))
        for e in (d.ppv, d.npv, d.f1):
            low, high = e.ci()
            assert low < high
            assert low <= e.value <= high
            assert e.se > 0
    exact = trueness.diagnose(tp=50, fn=0, fp=12, tn=90, design="case-control", prevalence=0.1)
    assert exact.ppv.value == approx(0.4857, abs=1e-4)


def test_no_note_tells_of_a_standard_error_that_one_group_per_class_does_not_have():
    y = np.arange(40) % 2
    d = trueness.diagnose(y, y, groups=y)
    for name in ("balanced_accuracy", "youden", "mcc", "kappa", "f1"):
        assert d[name].se is None
        assert [note.code for note in d[name].notes if note.code in ("very-few-groups", "se-half-added")] == [
            "very-few-groups"
        ]


# -- ratios of cross-validation ------------------------------------------------------------------------------------------

RATIOS = ("odds_ratio", "dlr_positive", "dlr_negative")


def cross_validated(y, *said, groups=None):
    """Fits of five folds whose rules said this of the cases that they left out."""
    counts = (np.arange(len(y)) // 2 % 5 != np.arange(5)[:, None]).astype(int)
    how = {"plan": "cv", "repeat": np.zeros(5, int), "groups": groups}
    return [trueness.Fits.from_arrays(y, counts, None, predictions=np.tile(p, (5, 1)), **how) for p in said]


@pytest.mark.parametrize("name", RATIOS)
def test_a_ratio_of_separated_classes_has_the_same_limits_through_every_door(name):
    """Before, the odds ratio was 10201 (10201 to 10201) in cross-validation: ½ added nothing to the variance."""
    y = np.arange(100) % 2
    expected = trueness.diagnose(y, y)[name]
    (fits,) = cross_validated(y, y)
    test_set = trueness.Fits.from_arrays(y, None, None, predictions=y)
    for e in (
        trueness.estimate(fits, name, "cv"),
        trueness.estimate(fits, name, "cv_pooled"),
        trueness.estimate(test_set, name, "holdout"),
        trueness.assess(fits, metrics=[name]).estimates[name, "cv"],
    ):
        assert (e.value, e.se) == approx((expected.value, expected.se))
        assert tuple(e.ci()) == approx(tuple(expected.ci()))


def test_a_ratio_in_subgroups_of_separated_classes_has_the_limits_of_their_tables():
    y, by = np.arange(100) % 2, np.arange(100) // 50
    (fits,) = cross_validated(y, y)
    expected = trueness.diagnose(y[:50], y[:50]).odds_ratio
    for e in trueness.subgroups(fits, metric="odds_ratio", by=by).estimates.values():
        assert tuple(e.ci()) == approx(tuple(expected.ci()))


def test_ratios_of_30_cross_validated_cases_and_their_differences_cover():
    """Before, DLR+ .61 and odds ratio .79; their differences .66 and .59."""
    y = np.arange(30) % 2
    truth = {"dlr_positive": (19, 4), "odds_ratio": (361, 16)}
    hits = {name: [] for name in truth}
    for seed in range(200):
        right = np.random.default_rng(seed).random((2, 30)) < np.array([[0.95], [0.8]])
        one, other = cross_validated(y, *np.where(right, y, 1 - y))
        for name, (first, second) in truth.items():
            d = trueness.difference(one, other, name, "cv")
            hits[name].append((trueness.estimate(one, name, "cv").ci().covers(first), d.ci().covers(first - second)))
    for name in truth:
        assert (np.mean(hits[name], axis=0) > 0.93 - 2 * 0.018).all()  # two standard errors of 200 samples


@pytest.mark.parametrize("name", RATIOS)
def test_a_difference_of_ratios_has_the_standard_error_of_the_two_tables(name):
    """Before, that of a perfect rule and one with errors ignored the empty cell."""
    y = np.arange(100) % 2
    said = np.where(np.arange(100) % 20 < 2, 1 - y, y)
    one, other = cross_validated(y, y, said)
    expected = trueness.diagnose(y, y).versus(trueness.diagnose(y, said)).difference(name)
    d = trueness.difference(one, other, name, "cv")
    assert (d.value, d.se) == approx((expected.value, expected.se), rel=0.1)
    (low, high), (least, most) = d.ci(), expected.ci()  # without their correlation, so somewhat wider
    assert low < least or low == approx(least, rel=0.1)
    assert high > most or high == approx(most, rel=0.1)
    assert high - low < 1.1 * (most - least)
