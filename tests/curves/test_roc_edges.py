"""Where rounding, infinite scores, few cases and curves below the diagonal could make a ROC curve say too much."""

import math

import matplotlib as mpl
import numpy as np
import pytest

import trueness
from trueness.errors import InputError

mpl.use("agg")
FITTED = ("normal", "binormal", "semiparametric")


def scores(n1=60, n0=80, shift=1.3, rng=0):
    generator = np.random.default_rng(rng)
    return np.repeat([1, 0], [n1, n0]), np.r_[shift + generator.standard_normal(n1), generator.standard_normal(n0)]


@pytest.mark.parametrize("span", [(0, 0.45), (0.05, 0.35), (0, 0.1), (0.1, 0.7), (0.3, 0.9)])
@pytest.mark.parametrize("axis", ["fpf", "tpf"])
@pytest.mark.parametrize("standardized", [False, True])
def test_partial_areas_without_an_error_have_intervals_with_length(span, axis, standardized):
    c = trueness.roc([0] * 40 + [1] * 40, range(80))
    part = c.partial_auc(**{axis: span}, standardized=standardized)
    assert part.value == part.bounds[1]
    for method in ("logit", "wald"):
        low, high = part.ci(method=method)
        assert part.bounds[0] < low < high == part.bounds[1]
    inverted = trueness.roc([1] * 40 + [0] * 40, range(80)).partial_auc(**{axis: span}, standardized=standardized)
    low, high = inverted.ci()
    assert low == inverted.value == inverted.bounds[0] < high < inverted.bounds[1]


def test_a_threshold_for_an_fpf_never_has_a_larger_one():
    inf = math.inf
    c = trueness.roc([0] * 10 + [1] * 10, [inf, *range(9), *range(5, 15)])
    t = c.threshold_at(fpf=0.05)
    assert math.isnan(t.value)
    assert [note.code for note in t.notes] == ["infinite-top-score"]
    for wanted in (0.1, 0.2, 0.5, 1.0):
        t = c.threshold_at(fpf=wanted)
        assert c.at(t.value).fpf.value <= wanted
        assert t.notes == ()
    top = trueness.roc([0] * 10 + [1] * 10, [*range(10), inf, *range(9)])
    assert math.isnan(top.threshold_at(tpf=0).value)
    assert top.at(top.threshold_at(fpf=0).value).fpf.value == 0
    plain = trueness.roc([0] * 5 + [1] * 5, [*range(5, 10), *range(5)])
    assert plain.threshold_at(fpf=0).value == inf


def test_few_overlapping_cases_are_counted_on_the_right_side_below_one_half():
    y, s = scores(40, 40, 4.0, 3)
    up, down = trueness.roc(y, s).auc, trueness.roc(y, -s).auc
    assert up.noted("few-overlap").data == pytest.approx(down.noted("few-overlap").data)
    apart = trueness.roc(*scores(40, 40, -1.0, 3))  # many overlap: no note
    assert apart.auc.noted("few-overlap") is None


def points():
    """Four folds of six cases, the highest outputs in one fold: strict points label no case of the others positive."""
    rng = np.random.default_rng(0)
    y, fold = np.tile([0, 1], 12), np.repeat(np.arange(4), 6)
    out = rng.standard_normal(24) + y + 5 * (fold == 0)
    counts = (fold[None] != np.arange(4)[:, None]).astype(int)
    return trueness.curves.operating_points(
        trueness.Fits.from_arrays(y, counts, np.tile(out, (4, 1)), plan="cv"), n_points=20
    )


def test_points_with_an_undefined_measure_are_not_the_same_as_the_chosen_one():
    o = points()
    undefined = o.frame()["ppv"].isna()
    assert undefined.sum() >= 2
    chosen = int(np.flatnonzero(~undefined)[-1])
    same = o.same_as(chosen, "ppv")
    assert chosen in same
    assert not undefined[same].any()
    with pytest.raises(InputError, match=r"undefined at point 0\. Got NaN in 3 of 4 folds"):
        o.same_as(0, "ppv")


@pytest.mark.parametrize("method", ["empirical", *FITTED])
def test_a_curve_below_the_diagonal_says_so_everywhere(method):
    y, s = scores(50, 50, -1.0)
    c = trueness.roc(y, s, method)
    assert "AUC is below ½" in str(c)
    for notes in (c.notes, c.auc.notes, c.best(n_resamples=0).notes):
        assert [note.code for note in notes].count("below-chance") == 1
    fine = trueness.roc(y, -s, method)
    assert "below-chance" not in [note.code for note in (*fine.notes, *fine.auc.notes)]


# -- rates at small rates ------------------------------------------------------------------------


@pytest.mark.parametrize("rng", range(6))
def test_limits_of_rates_rise_with_the_rate_that_is_given(rng):
    c = trueness.roc(*scores(40, 40, 2.5, rng))
    given = np.linspace(0, 1, 161)
    for limits in ([c.tpf_at(t).ci() for t in given], [c.fpf_at(t).ci() for t in given]):
        assert (np.diff(np.array(limits), axis=0) >= -1e-8).all()


def test_a_rate_with_a_threshold_that_is_known_has_wilsons_interval():
    """All negatives are the same: wherever the threshold falls it is theirs, and the TPF is a plain share."""
    c = trueness.roc(np.repeat([1, 0], [40, 30]), np.r_[np.arange(40) - 9.5, np.zeros(30)])
    assert c.tpf_at(0.3).value == 0.75
    assert c.tpf_at(0.3).ci(0.9) == pytest.approx(tuple(c.at(0.1).tpf.ci(0.9)), abs=1e-8)


def test_rates_and_areas_that_rest_on_few_cases_say_so():
    c = trueness.roc(*scores(100, 100))
    for rate in (c.tpf_at(0.005), c.tpf_at(0.01), c.fpf_at(0.99), c.fpf_at(0.995), c.partial_auc(fpf=(0, 0.05))):
        assert rate.noted("few-beyond-threshold")
    assert c.partial_auc(tpf=(0.97, 1)).noted("few-beyond-threshold").data["expected"] == pytest.approx(3)
    for rate in (c.tpf_at(0.02), c.tpf_at(0.1), c.fpf_at(0.9), c.partial_auc(fpf=(0, 0.06)), c.partial_auc(fpf=(0, 1))):
        assert rate.notes == ()


def test_a_rate_at_the_end_of_the_curve_has_an_open_interval():
    """No number of negatives says how high the next one may score: the TPF at an FPF of 0 may be 0."""
    c = trueness.roc(*scores(100, 100, 2.0))
    assert c.tpf_at(0).value > 0.05
    assert c.tpf_at(0).ci().low == 0
    assert c.fpf_at(1).ci().high == 1
    assert c.tpf_at(0).se > c.at(c.threshold_at(fpf=0).value).tpf.se  # the threshold is uncertain too
    assert c.tpf_at(0).notes


def test_equal_scores_of_cases_in_groups_have_no_standard_error_of_a_rate():
    y = np.repeat([1, 0], 30)
    curve = trueness.roc(y, np.ones(60), groups=np.arange(60) // 2)
    for e in (curve.tpf_at(0.1), curve.fpf_at(0.1)):
        assert e.value == pytest.approx(0.1)
        assert e.se is None
        assert [note.code for note in e.notes] == ["no-se-zero-variance"]
