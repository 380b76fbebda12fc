"""Intervals where few cases speak: of an AUC with little overlap, of a rate and of an area beyond a few negatives."""

import numpy as np
import pytest
from scipy import special

import karat
from karat.kernels.intervals import logit


def normal_scores(n1, n0, shift, sd=1.0, rng=0):
    generator = np.random.default_rng(rng)
    up, down = shift + sd * generator.standard_normal(n1), generator.standard_normal(n0)
    return karat.roc(np.repeat([1, 0], [n1, n0]), np.r_[up, down])


# -- the whole area ---------------------------------------------------------------------------------------------------


def few_overlap(area):
    return [note for note in area.notes if "overlap the other class" in note]


@pytest.mark.parametrize("rng", range(10))
def test_few_cases_by_themselves_are_no_reason_for_another_standard_error(rng):
    area = normal_scores(8, 9, 0.0, rng=rng).auc
    if 0.3 < area.value < 0.7:
        assert not few_overlap(area)
        assert area.ci() == area.ci(method="logit")


def test_a_very_good_rule_takes_the_wider_standard_error():
    c = normal_scores(15, 150, 3.5, sd=2.0, rng=1)
    area, model = c.auc, c.auc_with("hanley-mcneil")
    assert area.se < model.se
    assert area.se_method == "delong"
    assert tuple(area.ci()) == tuple(model.ci(method="logit"))
    assert area.ci().method == "logit, hanley-mcneil"
    q = float(special.ndtri(0.975))
    assert tuple(area.ci(method="logit")) == pytest.approx(logit(area.value, area.se, q))
    (note,) = few_overlap(area)
    ups, downs = (c.data.up <= c.data.down.max()).sum(), (c.data.down >= c.data.up.min()).sum()
    assert f"Of 15 positives {ups} and of 150 negatives {downs} overlap" in note
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


def test_of_the_whole_range_all_negatives_speak():
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
    said = " ".join(part.notes)
    assert ("reaches the end of the range" in said) is reaches
    assert ("may be too short" in said) is (3 <= high * 30 < 6)


def test_a_range_of_tpf_asks_for_positives():
    c = normal_scores(20, 400, 1.0)
    assert c.partial_auc(tpf=(0.9, 1)).ci().low == 0
    assert c.partial_auc(fpf=(0, 0.1)).ci().low > 0
    assert "reaches the end" in " ".join(c.partial_auc(tpf=(0.9, 1)).notes)


# -- a rate -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [30, 100])
def test_a_rate_at_a_rate_without_cases_beyond_it_reaches_the_end(n):
    c = normal_scores(n, n, 2.0)
    for t in (0.1 / n, 1 / n, 1.99 / n):
        assert c.tpf_at(t).ci().low == 0
        assert c.fpf_at(1 - t).ci().high == 1
        assert "reaches the end of the range" in " ".join(c.tpf_at(t).notes)
    assert c.tpf_at(2 / n).ci().low > 0
    assert c.fpf_at(1 - 2 / n).ci().high < 1
