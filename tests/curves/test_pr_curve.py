"""Precision and recall: points, three areas, ties, and their uncertainty."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn import metrics as sk
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.curves import ScoreCounts
from trueness.errors import InputError, UndefinedError
from trueness.metrics.auc import AveragePrecision
from trueness.sample.rows import Block

approx = pytest.approx
cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=60).filter(
    lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
)


def sample(n=300, prevalence=0.2, distance=1.2, rng=0, digits=None):
    generator = np.random.default_rng(rng)
    y = (generator.random(n) < prevalence).astype(int)
    scores = generator.normal(size=n) + distance * y
    return y, scores if digits is None else scores.round(digits)


# -- theory: the definitions, case by case -----------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(cases)
def test_points_are_tables(rows):
    y, scores = map(np.array, zip(*rows, strict=True))
    p = trueness.pr(y, scores)
    assert (p.recall[0], p.precision[0], p.thresholds[0]) == (0, 1, math.inf)
    for r, q, t in zip(p.recall[1:], p.precision[1:], p.thresholds[1:], strict=True):
        d = trueness.diagnose(y, (scores >= t).astype(int))
        assert (r, q) == approx((d.tpf.value, d.ppv.value))
    assert len(p.thresholds) == len(set(scores.tolist())) + 1
    assert p.recall[-1] == 1
    assert p.precision[-1] == approx(p.prevalence)


def test_davis_and_goadrich_s_own_example():
    """Their table: from (TP 5, FP 5) to (TP 10, FP 30) of 20 positives the precision falls .5 … .25, on no line."""
    scores = np.concatenate([np.full(10, 3), np.full(30, 2), np.full(1980, 1)])
    y = np.concatenate([[1] * 5 + [0] * 5, [1] * 5 + [0] * 25, [1] * 10 + [0] * 1970])
    p = trueness.pr(y, scores)
    steps = p.interpolated(21).set_index("recall").round(3)
    assert steps.loc[0.25:0.51, "precision"].tolist() == [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]
    assert p.auc_interpolated.value < p.auc.value  # the straight line promises what cannot be had


def test_interpolated_area_is_the_integral_of_the_interpolated_curve():
    for digits in (None, 1, 0):
        y, scores = sample(digits=digits)
        p = trueness.pr(y, scores)
        fine = p.interpolated(200_001)
        area = np.trapezoid(fine["precision"], fine["recall"]) + fine["recall"][0] * fine["precision"][0]
        assert p.auc_interpolated.value == approx(area, abs=1e-5)


def test_all_tied_is_chance():
    p = trueness.pr([0, 1, 0, 0], [1, 1, 1, 1])
    assert p.average_precision.value == approx(0.25)
    assert p.auc_interpolated.value == approx(0.25)
    assert p.auc.value == approx((1 + 0.25) / 2)  # the trapezoid from (0, 1) is too kind, as the exercise defines it


# -- other programs -----------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(cases)
def test_scikit_learn_with_ties(rows):
    y, scores = map(np.array, zip(*rows, strict=True))
    p = trueness.pr(y, scores)
    precision, recall, _ = sk.precision_recall_curve(y, scores)
    assert p.average_precision.value == approx(sk.average_precision_score(y, scores))
    # its curve stops at the first threshold with full recall; beyond it no area is added
    assert p.auc.value == approx(sk.auc(recall, precision))


# -- itself -----------------------------------------------------------------------


def test_monotone_transforms_and_infinite_scores():
    y, scores = sample(digits=1)
    p, q = trueness.pr(y, scores), trueness.pr(y, np.exp(scores))
    far = trueness.pr(y, np.where(scores == scores.max(), np.inf, scores))
    for other in (q, far):
        for area in ("auc", "average_precision", "auc_interpolated"):
            assert getattr(p, area).value == approx(getattr(other, area).value)


@pytest.mark.parametrize("missed", [1, 5, 40])
def test_no_score_of_minus_infinity_calls_a_case(missed):
    """Positives that no score reached: the sums go over finite thresholds, whatever asks for them."""
    y, scores = sample(60, 0.5, digits=1)
    scores[np.flatnonzero(y)[:missed]] = -np.inf
    n1, hit = int(y.sum()), y[scores > -np.inf].sum()
    by_hand = sum(y[scores >= s].mean() for s in scores[(y == 1) & (scores > -np.inf)]) / n1
    p, counts = trueness.pr(y, scores), ScoreCounts.of(y, scores)
    assert p.recall[-1] == p.interpolated()["recall"].max() == hit / n1
    assert np.isfinite(p.thresholds[1:]).all()
    assert p.average_precision.value == approx(by_hand)
    assert counts.average_precision.value == approx(by_hand)
    assert counts.pr_auc.value == approx(p.auc.value)
    assert counts.pr_auc_interpolated.value == approx(p.auc_interpolated.value)
    np.testing.assert_allclose(counts.frame()["precision"], np.append(p.precision, np.nan))
    assert "<path" in p.figure().svg()
    metric, times = AveragePrecision((1,)), np.ones((1, 60))
    block = Block(y, 0 * times, scores[None], None, np.zeros(1, int))
    assert metric.rows(block, times)[0] == approx(by_hand)
    near = (metric.rows(block, times + 1e-6 * np.eye(60)[[k]])[0] - by_hand for k in range(60))
    np.testing.assert_allclose(metric.influence(block), np.array(list(near)) / 1e-6, atol=1e-5)
    roc = trueness.roc(y, scores)
    assert (roc.tpf[-1], roc.thresholds[-1]) == (1, -np.inf)


def test_doubling_every_case_changes_nothing():
    y, scores = sample()
    p, q = trueness.pr(y, scores), trueness.pr(np.repeat(y, 2), np.repeat(scores, 2))
    for area in ("auc", "average_precision", "auc_interpolated"):
        one, two = getattr(p, area), getattr(q, area)
        assert one.value == approx(two.value)
        assert one.se == approx(two.se * math.sqrt(2))


def test_a_perfect_order():
    p = trueness.pr([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    for e in (p.auc, p.average_precision, p.auc_interpolated):
        assert e.value == 1
        low, high = e.ci()
        assert 0 < low < high == 1
        assert e.ci().note


def test_labels():
    y, scores = sample(60)
    words = np.array(["well", "sick"])[y]
    assert trueness.pr(words, scores, positive="sick").auc.value == trueness.pr(y, scores).auc.value
    with pytest.raises(InputError, match="positive"):
        trueness.pr(words, scores)


def test_frame():
    y, scores = sample(50)
    frame = trueness.pr(y, scores).frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["threshold", "recall", "precision"]


# -- uncertainty -----------------------------------------------------------------------


def test_the_logit_interval_is_boyd_eng_and_page_s():
    """θ ± z on the logit scale with se 1/√(n1 θ(1 − θ))."""
    y, scores = sample()
    e = trueness.pr(y, scores).average_precision
    centre, half = special.logit(e.value), 1.959964 / math.sqrt(y.sum() * e.value * (1 - e.value))
    assert tuple(e.ci()) == approx(tuple(special.expit([centre - half, centre + half])), rel=1e-6)


def true_area(distance, prevalence):
    t = np.linspace(-8, 8 + distance, 100_001)
    tpf, fpf = stats.norm.sf(t - distance), stats.norm.sf(t)
    precision = prevalence * tpf / (prevalence * tpf + (1 - prevalence) * fpf)
    return np.trapezoid(precision[::-1], tpf[::-1])


@pytest.mark.parametrize(("n", "prevalence", "distance"), [(100, 0.2, 1.5), (300, 0.1, 1.0)])
def test_logit_intervals_hold(n, prevalence, distance):
    truth = true_area(distance, prevalence)
    inside = []
    for seed in range(400):
        y, scores = sample(n, prevalence, distance, rng=seed)
        p = trueness.pr(y, scores)
        inside.append([low <= truth <= high for low, high in (p.auc.ci(), p.average_precision.ci())])
    assert (np.mean(inside, axis=0) > 0.925).all()


def test_bootstrap():
    y, scores = sample(400)
    p = trueness.pr(y, scores)
    b = p.bootstrap("average_precision", 500, rng=1)
    assert b.value == p.average_precision.value
    assert b.se == approx(p.average_precision.se, rel=0.25)
    low, high = b.ci()
    assert low < b.value < high
    assert b.ci().method == "percentile"
    assert p.bootstrap("average_precision", 500, rng=1).se == b.se  # the same seed, the same bits


def test_bootstrap_has_the_spread_of_samples():
    values = [trueness.pr(*sample(200, rng=k)).auc.value for k in range(400)]
    found = [trueness.pr(*sample(200, rng=k)).bootstrap("auc", 200, rng=0).se for k in range(20)]
    assert np.sqrt(np.mean(np.square(found))) == approx(np.std(values), rel=0.15)


def test_bootstrap_survives_few_positives():
    b = trueness.pr([1, 0, 0, 0, 0, 0], [3, 1, 5, 2, 2, 0]).bootstrap("auc", 200, rng=0)
    assert np.isfinite(b.distribution).all()


def test_one_positive_has_percentiles():
    low, high = trueness.pr([0, 0, 0, 1], [1, 2, 3, 2.5]).bootstrap("auc", 100, rng=0).ci()
    assert 0 <= low < high <= 1


def test_the_bootstrap_of_a_perfect_curve_says_where_an_interval_is():
    p = trueness.pr([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    for method in (None, "percentile"):
        with pytest.raises(InputError, match="use the interval of the area"):
            p.bootstrap("auc", 100, rng=0).ci(method=method)
    assert tuple(p.auc.ci()) == approx((0.025 ** (1 / 3), 1))


def test_a_note_where_most_cases_are_positive():
    y, scores = [0, 1, 0, 1, 1], [1, 2, 3, 4, 5]
    for area in ("auc", "average_precision", "auc_interpolated"):
        assert getattr(trueness.pr(y, scores), area).noted("mostly-positive")
        assert not getattr(trueness.pr([*y, 0], [*scores, 0]), area).notes


def test_bad_input():
    p = trueness.pr([0, 1], [0, 1])
    with pytest.raises(InputError, match="no area"):
        p.bootstrap("aupr")
    with pytest.raises(InputError, match="n_resamples"):
        p.bootstrap(n_resamples=1)
    with pytest.raises(InputError, match="NaN"):
        trueness.pr([0, 1], [0, math.nan])
    with pytest.raises(InputError, match="lengths"):
        trueness.pr([0, 1], [0, 1, 2])
    with pytest.raises(InputError, match="one class"):
        trueness.pr([1, 1], [0, 1])


def test_of_an_assessment():
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(GaussianNB(), X[50:], y[50:] - 1, rng=0)
    left = a.fits.left_out()
    assert trueness.pr(a).average_precision.value == trueness.pr(left.positive, left.scores).average_precision.value
    with pytest.raises(InputError, match="An assessment has this itself"):
        trueness.pr(a, left.scores)
    with pytest.raises(UndefinedError, match="There is no precision–recall curve"):
        trueness.pr(trueness.assess(GaussianNB(), X, y, rng=0))
