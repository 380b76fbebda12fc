"""Intervals where few cases count: of an AUC with little overlap, of a rate and of an area beyond a few negatives."""

import itertools

import numpy as np
import pytest
from scipy import special, stats

import trueness
from trueness.formulas.intervals import logit


def normal_scores(n1, n0, shift, sd=1.0, rng=0):
    generator = np.random.default_rng(rng)
    up, down = shift + sd * generator.standard_normal(n1), generator.standard_normal(n0)
    return trueness.roc(np.repeat([1, 0], [n1, n0]), np.r_[up, down])


# -- the whole area ---------------------------------------------------------------------------------------------------


def few_overlap(area):
    return area.noted("few-overlap")


@pytest.mark.parametrize("rng", range(10))
def test_few_cases_by_themselves_are_no_reason_for_another_standard_error(rng):
    area = normal_scores(8, 9, 0.0, rng=rng).auc
    if 0.3 < area.value < 0.7:
        assert few_overlap(area) is None
        assert area.ci() == area.ci(method="logit")


def test_a_very_good_rule_takes_the_wider_standard_error():
    c = normal_scores(15, 150, 3.5, sd=2.0, rng=1)
    area, model = c.auc, c.auc_with("hanley-mcneil")
    assert area.se < model.se
    assert area.se_method == "delong"
    low, high = area.ci()
    assert high == model.ci(method="logit").high
    # Hanley and McNeil's limit, but not beyond the exact one of 15 disjoint pairs
    exact = stats.beta.ppf(0.025, 15 * area.value, 15 * (1 - area.value) + 1)
    assert low == pytest.approx(max(model.ci(method="logit").low, exact), abs=1e-12)
    assert area.ci().method == "logit, hanley-mcneil"
    q = float(special.stdtrit(area.df, 0.975))  # 15 positives: Student's quantile
    assert tuple(area.ci(method="logit")) == pytest.approx(logit(area.value, area.se, q))
    note = few_overlap(area)
    ups, downs = (c.data.up <= c.data.down.max()).sum(), (c.data.down >= c.data.up.min()).sum()
    assert (note.data["positives"], note.data["negatives"]) == (ups, downs)
    assert f"({ups} positives, {downs} negatives)" in str(note)
    assert area.row()["interval"] == "logit, hanley-mcneil"


def test_the_larger_standard_error_is_kept():
    found = 0
    for rng in range(40):
        c = normal_scores(15, 150, 3.5, sd=2.0, rng=rng)
        area, model = c.auc, c.auc_with("hanley-mcneil")
        if area.value < 1 and model.se < area.se:
            found += 1
            assert not few_overlap(area)
            assert area.ci() == area.ci(method="logit")
    assert found > 0


def test_enough_overlap_keeps_delong():
    area = normal_scores(200, 200, 1.0).auc
    assert not few_overlap(area)
    assert area.ci().method == "logit"


# -- a range of it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", ["fpf", "tpf"])
def test_students_quantile_has_satterthwaites_degrees_of_freedom(axis):
    c = normal_scores(25, 40, 1.0)
    part = c.partial_auc(**{axis: (0, 0.2) if axis == "fpf" else (0.8, 1)})
    up = c.data.positive
    first, second = ((part.influence[of] ** 2).sum() for of in (up, ~up))
    n1, n0 = 25 - 1, 40 * 0.2 - 1
    if axis == "tpf":  # the positives fix the threshold
        n1, n0 = 25 * 0.2 - 1, 40 - 1
    assert part.df == pytest.approx((first + second) ** 2 / (first**2 / n1 + second**2 / n0))
    low, high = part.ci()
    q = float(special.stdtrit(part.df, 0.975))
    assert (low / 0.2, high / 0.2) == pytest.approx(logit(part.value / 0.2, part.se / 0.2, q))


def test_of_the_whole_range_all_negatives_count():
    c = normal_scores(25, 40, 1.0)
    whole = c.partial_auc(fpf=(0, 1))
    assert whole.se == pytest.approx(c.auc.se)
    assert 24 < whole.df < 24 + 39


@pytest.mark.parametrize("standardized", [False, True])
@pytest.mark.parametrize(("high", "reaches"), [(0.05, True), (0.09, True), (0.1, False), (0.5, False)])
def test_too_few_negatives_in_the_range_give_no_lower_limit(standardized, high, reaches):
    c = normal_scores(30, 30, 1.0)
    part = c.partial_auc(fpf=(0, high), standardized=standardized)
    for method in (None, "wald", "logit"):
        assert (part.ci(method=method).low == part.bounds[0]) is reaches
        assert part.ci(method=method).high < part.bounds[1]
    note = part.noted("few-beyond-threshold")
    assert (note is not None) is (high * 30 < 6)
    assert note is None or note.data["open_end"] is reaches


def test_a_range_of_tpf_asks_for_positives():
    c = normal_scores(20, 400, 1.0)
    assert c.partial_auc(tpf=(0.9, 1)).ci().low == 0
    assert c.partial_auc(fpf=(0, 0.1)).ci().low > 0
    assert c.partial_auc(tpf=(0.9, 1)).noted("few-beyond-threshold").data["open_end"]


# -- a rate -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [30, 100])
def test_a_rate_at_a_rate_without_cases_beyond_it_reaches_the_end(n):
    c = normal_scores(n, n, 2.0)
    for t in (0.1 / n, 1 / n, 1.99 / n):
        assert c.tpf_at(t).ci().low == 0
        assert c.fpf_at(1 - t).ci().high == 1
        assert c.tpf_at(t).noted("few-beyond-threshold").data["open_end"]
    assert c.tpf_at(2 / n).ci().low > 0
    assert c.fpf_at(1 - 2 / n).ci().high < 1


@pytest.mark.parametrize(("n1", "n0"), [(30, 30), (30, 1000), (1000, 30)])
def test_one_error_does_not_ruin_the_interval_of_a_perfect_rule(n1, n0):
    y = np.repeat([1, 0], [n1, n0])
    lows = []
    for wrong in range(4):  # so many pairs are out of order
        s = np.r_[np.arange(n1) + 1e6, np.arange(n0)]
        if wrong:
            s[-1] = 1e6 + wrong - 0.5
        lows.append(trueness.roc(y, s).auc.ci().low)
        mirrored, inverted = trueness.roc(1 - y, -s).auc.ci(), trueness.roc(y, -s).auc.ci()
        assert mirrored.low == pytest.approx(lows[-1], abs=1e-12)
        assert inverted.high == pytest.approx(1 - lows[-1], abs=1e-12)
    assert all(0.85 < after <= before for before, after in itertools.pairwise(lows))


def test_a_partial_area_with_an_error_is_not_surer_than_one_without():
    y = np.repeat([1, 0], [30, 1000])
    s = np.r_[np.arange(30) + 1e6, np.arange(1000)]
    perfect = trueness.roc(y, s).partial_auc(tpf=(0.9, 1))
    assert perfect.cases == 3  # of 30 positives a tenth, whatever 1 - 0.9 rounds to
    s[-1] = 1e6 + 0.5
    assert trueness.roc(y, s).partial_auc(tpf=(0.9, 1)).ci().low <= perfect.ci().low


def test_a_curve_owns_its_scores():
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 30)
    room, curves, areas = np.empty(60), [], []
    for shift in range(3):
        room[:] = rng.normal(size=60) + shift * y
        curves.append(trueness.roc(y, room))
        areas.append(trueness.roc(y, room.copy()).auc.value)
    assert [c.auc.value for c in curves] == areas


@pytest.mark.parametrize("method", ["semiparametric", "normal"])
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200])
def test_scores_whose_spread_no_number_holds(method, scale):
    rng, y = np.random.default_rng(4), np.repeat([1, 0], [40, 60])
    with pytest.raises(trueness.errors.UndefinedError, match="needs the SD"):
        trueness.roc(y, (rng.normal(size=100) + y) * scale, method=method)
