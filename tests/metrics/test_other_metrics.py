"""Average precision, log-loss and functions of one's own: numbers of other programs, and their standard errors."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.estimators import holdout

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "table_measures.json").read_text())


def scored(n=120, seed=0, shift=1.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    return y, np.round(rng.normal(size=n) + shift * y, 1)  # with ties


def on_test_set(y, s, **options):
    return trueness.Fits.from_arrays(y, [[0] * len(y)], [s], threshold=0.5, **options)


def test_average_precision_has_the_numbers_of_r_and_its_influence_is_the_derivative():
    y, s = np.array(REFERENCE["truth"]), np.array(REFERENCE["scores"], dtype=float)
    e = trueness.estimate(on_test_set(y, s), "average_precision", "holdout", se="delta")
    assert (e.value, e.se) == pytest.approx(REFERENCE["average_precision"], rel=1e-5)
    assert e.value == pytest.approx(sk.average_precision_score(y, s))
    assert e.influence.sum() == pytest.approx(0, abs=1e-12)
    w = np.ones(len(y))
    for k in range(len(y)):
        up, down = (sk.average_precision_score(y, s, sample_weight=w + h * np.eye(len(y))[k]) for h in (1e-5, -1e-5))
        assert e.influence[k] == pytest.approx((up - down) / 2e-5, abs=1e-8)


def test_average_precision_has_one_interval():
    y, s = scored()
    e, curve = trueness.estimate(on_test_set(y, s), "average_precision", "holdout"), trueness.pr(y, s).average_precision
    assert (e.value, e.se) == pytest.approx((curve.value, curve.se), abs=1e-12)
    assert list(e.ci()) == pytest.approx(list(curve.ci()), abs=1e-12)
    assert e.noted("mostly-positive") is None
    assert trueness.estimate(on_test_set(1 - y, -s), "average_precision", "holdout").noted("mostly-positive")
    perfect = trueness.estimate(
        on_test_set(y, y + 0.1 * np.arange(len(y)) / len(y)), "average_precision", "holdout"
    ).ci()
    assert perfect.low < perfect.high == 1


def test_average_precision_of_several_classes_is_the_mean_of_one_against_the_rest():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, size=90)
    s = rng.random((1, 90, 3)) + 0.5 * np.eye(3)[y]
    e = trueness.estimate(trueness.Fits.from_arrays(y, [[0] * 90], s), "average_precision", "holdout")
    assert e.value == pytest.approx(sk.average_precision_score(y, s[0]))
    assert e.se_method == "delta"
    assert 0 < e.se < 0.1


def test_a_difference_of_average_precisions_is_that_of_the_influences():
    y, s = scored()
    t = s + np.random.default_rng(2).normal(size=len(y))
    a, b = on_test_set(y, s), on_test_set(y, t)
    d = trueness.difference(a, b, "average_precision", "holdout")
    one, two = (trueness.estimate(f, "average_precision", "holdout") for f in (a, b))
    assert d.value == pytest.approx(one.value - two.value)
    assert d.se == pytest.approx(np.linalg.norm(one.influence - two.influence))
    k = trueness.compare({"a": a, "b": b}, metric="average_precision")
    assert 0 < k.p_value < 1


def test_under_resampling_average_precision_says_what_it_has(two_gaussians):
    X, y = two_gaussians
    repeated = trueness.estimate(
        trueness.fit(GaussianNB(), X, y, trueness.KFold(4, repeats=3), rng=0), "average_precision", "cv"
    )
    assert repeated.se_method == "nadeau-bengio, pooled scores"
    star = trueness.estimate(
        trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(50), rng=0), "average_precision", "star"
    )
    assert star.se is None
    assert star.mc_se > 0
    assert star.notes


def test_log_loss_is_scikit_learns_and_a_mean_over_cases(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(LogisticRegression(), X, y, trueness.Bootstrap(80), rng=0, scores="predict_proba")
    block = fits.full()
    e = trueness.estimate(fits, "log_loss", "apparent")
    assert e.value == pytest.approx(sk.log_loss(y, block.scores[0]), abs=1e-12)
    assert trueness.estimate(fits, "neg_log_loss", "apparent").value == e.value
    loob = trueness.estimate(fits, "log_loss", "loob")
    assert loob.se > 0
    assert loob.ci().low >= 0
    p = np.array([[[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    several = trueness.Fits.from_arrays([1, 0, 2], [[0] * 3], p)
    losses = trueness.metrics.LogLoss().bind(several.sample).losses(next(several.tests()))[0]
    assert losses == pytest.approx([-np.log(0.5), 0, 36.04], abs=0.01)  # a probability of 0 counts as 2.2e-16


def test_a_smooth_function_of_ones_own_has_the_standard_error_of_the_delta_method():
    y, s = scored(200)
    fits = on_test_set(y, s)

    def own_f1(y, score):
        return sk.f1_score(y, score >= 0.5)

    own, f1 = (trueness.estimate(fits, m, "holdout") for m in (own_f1, "f1"))
    assert own.se_method == "jackknife"
    assert own.value == pytest.approx(f1.value)
    assert own.se == pytest.approx(f1.se, rel=0.02)
    assert np.corrcoef(own.influence, f1.influence)[0, 1] > 0.999
    brier = trueness.estimate(fits, lambda y, score: np.mean((score - y) ** 2), "holdout")
    assert brier.se == pytest.approx(((s - y) ** 2).std(ddof=1) / np.sqrt(200))


def test_a_function_that_is_not_smooth_or_too_slow_has_a_note_instead(monkeypatch):
    y, s = scored(80)

    def median_score(y, score):
        return float(np.median(score[y == 1]))

    e = trueness.estimate(on_test_set(y, s + np.linspace(0, 0.01, 80)), median_score, "holdout")
    assert e.se is None
    assert e.noted("not-smooth")
    monkeypatch.setattr(holdout, "MAX_CASES_FOR_JACKKNIFE", 50)
    e = trueness.estimate(on_test_set(y, s), lambda y, score: score.mean(), "holdout")
    assert e.se is None
    assert e.noted("no-se-many-cases").data["cases"] == 80
    few = trueness.estimate(on_test_set([0, 0, 0, 1], [0.1, 0.4, 0.2, 0.3]), lambda y, s: (s * y).sum(), "holdout")
    assert few.se is None  # undefined without the only positive
    assert few.noted("no-se-method")


def test_the_log_loss_has_the_interval_of_its_logarithm_with_the_skewness_of_its_mean():
    """Hall (1992) for ln of a mean: q v on both sides, and above v (γ (2q² + 1)/6 − v q²/2) more."""
    y, s = scored(80, 3)
    p = 1 / (1 + np.exp(-s))
    e = trueness.estimate(trueness.Fits.from_arrays(y, [[0] * 80], [p]), "log_loss", "holdout")
    losses = -np.log(np.where(y == 1, p, 1 - p))
    d = losses - losses.mean()
    skew, v = (d**3).sum() / (d**2).sum() ** 1.5, np.linalg.norm(d) / 80 / losses.mean()
    skew = skew / (1 - skew)
    q = np.log(e.value / e.ci().low) * e.value / e.se  # normal or Student's
    assert 1.95 < q < 2.01
    longer = v * max(0.0, skew * (2 * q**2 + 1) / 6 - v * q**2 / 2)
    assert longer > 0
    assert e.ci().high == pytest.approx(e.value * np.exp(q * e.se / e.value + longer))
