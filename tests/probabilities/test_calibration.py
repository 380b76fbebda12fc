"""calibration: plain definitions, the influence functions, metamorphic laws, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import ncx2
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.estimators.linearized import at_probabilities
from trueness.formulas.calibration import Judged, Spline
from trueness.metrics import resolve
from trueness.metrics.calibration import Functional

NAMES = [name for name in trueness.metrics.names() if isinstance(resolve(name), Functional)]


def risks(n=240, seed=0, a=0.3, b=0.8, groups=None):
    """Probabilities p with logit P(y) = a + b logit p."""
    rng = np.random.default_rng(seed)
    x = rng.normal(-0.3, 1.2, n)
    return (rng.random(n) < expit(a + b * x)).astype(int), expit(x)


def test_intercept_and_slope_maximise_the_likelihood():
    y, p = risks()
    x = logit(p)

    def deviance(b):
        eta = b[0] + b[1] * x
        return -(y * eta - np.logaddexp(0, eta)).sum()

    q = trueness.calibration(y, p)
    best = minimize(deviance, [0.0, 1.0], method="BFGS", options={"gtol": 1e-9}).x
    assert q.slope.value == pytest.approx(best[1], abs=1e-5)
    alone = minimize(lambda a: deviance([a[0], 1.0]), [0.0], method="BFGS", options={"gtol": 1e-9}).x
    assert q.intercept.value == pytest.approx(alone[0], abs=1e-5)
    assert q.o_e.value == pytest.approx(y.mean() / p.mean())
    assert q.brier.value == pytest.approx(brier_score_loss(y, p))
    assert q.log_loss.value == pytest.approx(log_loss(y, p))
    assert q.discrimination_slope.value == pytest.approx(p[y == 1].mean() - p[y == 0].mean())


@pytest.mark.parametrize("name", NAMES)
def test_influence_is_the_derivative(name):
    """(θ with more weight on a case − θ) / ε is the influence of the case; of quantiles on average over cases."""
    y, p = risks(120, 3)
    y, metric = y.astype(bool), resolve(name)
    at = metric.of(Judged.of(y, p))
    form, eps, found = at.form(y, p), 1e-5, []
    assert form.mean() == pytest.approx(0, abs=0.02 * np.abs(form).max())
    for k in range(0, 120, 7):
        w = np.full(120, (1 - eps) / 120)
        w[k] += eps
        moved = metric.of(Judged.of(y, p, w * 120, n=120))
        found.append((moved.value - at.value) / eps)
    if name in ("e50", "e90"):  # a quantile of 120 cases has no derivative; its smoothed one is of the same size
        assert 0.2 < np.linalg.norm(form[::7]) / np.linalg.norm(found) < 5
    else:
        tolerance = 0.05 if name == "ici" else 0.01  # knots move with the cases, which the influence leaves out
        np.testing.assert_allclose(form[::7], found, atol=tolerance * np.abs(form).max())


@pytest.mark.parametrize("name", ["calibration_slope", "calibration_intercept", "o_e", "discrimination_slope", "brier"])
def test_standard_errors_are_those_of_the_bootstrap(name):
    y, p = risks(300, 1)
    e = trueness.calibration(y, p)[name]
    rng, found = np.random.default_rng(0), []
    metric = None if name == "brier" else resolve(name)
    for _ in range(400):
        k = rng.integers(0, 300, 300)
        value = np.mean((p[k] - y[k]) ** 2) if metric is None else metric.of(Judged.of(y[k] == 1, p[k])).value
        found.append(value)
    assert e.se == pytest.approx(np.std(found), rel=0.15)


def test_isotonic_regression_is_that_of_scikit_learn_and_the_parts_add_up():
    y, p = risks(400, 2)
    p = p.round(2)  # ties
    q = trueness.calibration(y, p)
    fitted = IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(p)
    np.testing.assert_allclose(q.given.judged.isotonic, fitted, atol=1e-12)
    d = q.decomposition
    assert d.miscalibration == pytest.approx(np.mean((p - y) ** 2) - np.mean((fitted - y) ** 2))
    assert d.discrimination == pytest.approx(y.mean() * (1 - y.mean()) - np.mean((fitted - y) ** 2))
    assert d.brier == pytest.approx(d.miscalibration - d.discrimination + d.uncertainty)
    assert d.brier == pytest.approx(q.brier.value)
    curve = q.curve("isotonic", n_resamples=50, rng=0)
    assert (np.diff(curve.observed) >= 0).all()
    assert (curve.low <= curve.high).all()
    again = q.curve("isotonic", n_resamples=50, rng=0)
    np.testing.assert_array_equal(curve.low, again.low)


def test_curves():
    y, p = risks(400, 2)
    q = trueness.calibration(y, p)
    smooth = q.curve()
    low, high = smooth.simultaneous
    assert (low <= smooth.low).all()
    assert (high >= smooth.high).all()
    assert ((smooth.low <= smooth.observed) & (smooth.observed <= smooth.high)).all()
    bins = q.curve("bins", bins=8)
    assert len(bins.predicted) == 8
    assert bins.share.sum() == pytest.approx(1)
    assert float(bins.share @ bins.observed) == pytest.approx(y.mean())
    assert q.ece().value == pytest.approx(
        float(np.mean([abs(a - b) for a, b in zip(*_tenths(y, p), strict=True)])), abs=1e-9
    )
    assert "biased" in str(q.ece().notes[0])
    with pytest.raises(InputError, match="smooth"):
        q.curve("loess")


def _tenths(y, p):
    order = np.argsort(p, kind="stable").reshape(10, -1)
    return y[order].mean(axis=1), p[order].mean(axis=1)


def test_swapping_the_classes_mirrors_everything():
    y, p = risks()
    a, b = trueness.calibration(y, p), trueness.calibration(1 - y, 1 - p)
    assert b.slope.value == pytest.approx(a.slope.value)
    assert b.slope.se == pytest.approx(a.slope.se)
    assert b.intercept.value == pytest.approx(-a.intercept.value)
    for name in ("ici", "e50", "e90", "brier", "log_loss", "discrimination_slope"):
        assert b[name].value == pytest.approx(a[name].value, abs=1e-4), name  # the penalty of the spline
    named = trueness.calibration(np.where(y == 1, "ill", "well"), p, positive="ill")
    assert named.slope.value == pytest.approx(a.slope.value)


def test_order_of_cases_and_groups_of_one_case_do_not_matter():
    y, p = risks()
    shuffled = np.random.default_rng(0).permutation(len(y))
    a, b = trueness.calibration(y, p), trueness.calibration(y[shuffled], p[shuffled])
    alone = trueness.calibration(y, p, groups=np.arange(len(y)))
    pairs = trueness.calibration(np.tile(y, 2), np.tile(p, 2), groups=np.tile(np.arange(len(y)), 2))
    for name in a.estimates:
        assert b[name].value == pytest.approx(a[name].value, rel=1e-7, abs=1e-9), name
        assert alone[name].se == pytest.approx(a[name].se, rel=0.01), name
        assert pairs[name].value == pytest.approx(a[name].value, abs=0.01), name
        assert pairs[name].se == pytest.approx(a[name].se, rel=0.1), name


def test_recalibrated_probabilities_have_intercept_0_and_slope_1():
    y, p = risks()
    q = trueness.calibration(y, p)
    fit = q.given.judged.recalibrated.coefficients
    again = trueness.calibration(y, expit(fit[0] + fit[1] * logit(p)))
    assert again.slope.value == pytest.approx(1, abs=1e-8)
    assert again.intercept.value == pytest.approx(0, abs=1e-8)
    assert again.o_e.value == pytest.approx(1, abs=1e-8)
    assert again.ici.ci().low == 0


def test_calibrated_probabilities_have_0_in_the_interval_of_the_ici():
    y, p = risks(500, 4, 0.0, 1.0)
    q = trueness.calibration(y, p)
    assert q.ici.ci().low == 0
    assert q.ici.value > 0
    note = next(n for n in q.notes if n.code == "distance-biased")
    assert 0 < note.data["expected"] < 0.1
    y, p = risks(500, 4, 1.0, 1.0)
    assert trueness.calibration(y, p).ici.ci().low > 0.05


@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_the_bias_that_the_note_names_is_that_of_a_simulation(spread):
    rng, values, named = np.random.default_rng(int(spread)), [], []
    for _ in range(40):
        p = 1 / (1 + np.exp(-spread * rng.normal(size=400)))
        q = trueness.calibration((rng.random(400) < p).astype(int), p)
        values.append(q.ici.value)
        named += [note.data["expected"] for note in q.notes if note.code == "distance-biased"]
    assert len(named) == 40
    assert np.mean(values) == pytest.approx(np.mean(named), rel=0.2)


@pytest.mark.parametrize(
    "plan",
    [trueness.KFold(5), trueness.KFold(5, repeats=2), trueness.Bootstrap(60), trueness.Holdout(0.5), None],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_every_plan_has_left_out_calibration(plan):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (rng.random(150) < expit(X[:, 0])).astype(int)
    a = trueness.assess(LogisticRegression(), X, y, plan=plan, rng=0, checks=False)
    assert a.fits.log_odds
    q = a.calibration()
    assert {"calibration_slope", "ici", "brier"} <= set(q.estimates)
    assert all(e.se is not None and e.se > 0 for e in q.estimates.values())
    slope = trueness.estimate(a.fits, "calibration_slope", q.slope.method, undefined="failed")
    assert slope.value == q.slope.value
    for method in ("smooth", "bins", "isotonic"):
        assert len(q.curve(method, n_resamples=20, rng=0).frame()) > 2
    v = a.decision_curve(thresholds=[0.2, 0.5])
    assert len(v.frame()) == 6
    assert "worth using" in v.sentence().lower()


def test_cv_pools_the_held_out_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (rng.random(100) < expit(X[:, 0])).astype(int)
    fits = trueness.fit(LogisticRegression(), X, y, trueness.KFold(5, stratified=False), rng=0)
    p = expit(fits.pooled().scores[0])
    assert trueness.estimate(fits, "calibration_slope", "cv").value == pytest.approx(
        trueness.calibration(y, p).slope.value
    )
    assert trueness.estimate(fits, "o_e", "cv").value == pytest.approx(y.mean() / p.mean())


def test_paired_differences():
    y, p = risks()
    a, b = trueness.calibration(y, p), trueness.calibration(y, expit(0.5 * logit(p)))
    d = a.versus(b)
    assert d.differences["calibration_slope"].value == pytest.approx(-a.slope.value)  # b has twice the slope
    assert d.differences["brier"].value == pytest.approx(a.brier.value - b.brier.value)
    np.testing.assert_allclose(d.frame().difference, -b.versus(a).frame().difference)
    same = a.versus(a).frame()
    assert (same.p_value == 1).all()
    assert len(d.figure().panels) == 1
    with pytest.raises(InputError):
        a.versus(trueness.calibration(y[:-1], p[:-1]))


def test_miscalibration_wins_no_difference():
    y, p = risks(400, 4)
    exaggerated, true = (trueness.calibration(y, v) for v in (expit(3 * logit(p)), p))
    assert exaggerated.discrimination_slope.value > true.discrimination_slope.value
    d = exaggerated.versus(true).differences
    assert {*exaggerated.estimates} - {*d} == {"discrimination_slope"}
    assert d["brier"].ci().low > 0
    fits = {"exaggerated": exaggerated.given.fits, "true": true.given.fits}
    for compared in (
        lambda: trueness.difference(*fits.values(), "discrimination_slope", "holdout"),
        lambda: trueness.compare(fits, metric="discrimination_slope"),
    ):
        with pytest.raises(InputError, match="favour miscalibrated models"):
            compared()


def test_several_classes_are_one_against_the_rest():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 2, 3], 300)
    y = np.array([rng.choice(3, p=row) for row in p])
    q = trueness.calibration(np.array(list("abc"))[y], p)
    assert list(q) == ["a", "b", "c"]
    alone = trueness.calibration((y == 1).astype(int), p[:, 1])
    assert q["b"].slope.value == pytest.approx(alone.slope.value)
    assert q["b"].slope.se == pytest.approx(alone.slope.se)
    assert set(q.frame()["class"]) == {"a", "b", "c"}
    with pytest.raises(InputError, match="no class"):
        q["d"]


@pytest.mark.parametrize(
    ("p", "words"),
    [
        ([0.1, 0.2, 1.2, 0.4], "probabilities, from 0 to 1"),
        ([-3, 0.2, 1.2, 0.4], "CalibratedClassifierCV"),
        ([0.1, 0.2, np.nan, 0.4], "NaN"),
        ([0.1, 0.2, 0.3], "shape"),
        (None, "no probabilities"),
        (["a", "b", "c", "d"], "must be numbers"),
    ],
)
def test_what_is_no_probability_is_refused(p, words):
    with pytest.raises(InputError, match=words):
        trueness.calibration([0, 1, 0, 1], p)


def test_scores_of_models_without_probabilities_are_refused_with_advice():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 2 * y[:, None]
    a = trueness.assess(RidgeClassifier(), X, y, plan=3, rng=0, checks=False)
    for ask in (a.calibration, a.decision_curve):
        with pytest.raises(InputError, match="CalibratedClassifierCV"):
            ask()


def test_what_is_undefined_is_said_and_the_rest_is_given():
    y, p = np.repeat([0, 1], 20), np.repeat([0.2, 0.9], 20)
    q = trueness.calibration(y, p)  # the classes are separated
    assert {"brier", "o_e", "discrimination_slope"} <= set(q.estimates)
    assert any(n.code == "undefined-measure" and n.data["metric"] == "calibration_slope" for n in q.notes)
    with pytest.raises(InputError, match="no maximum"):
        q.slope
    assert "miscalibration" in str(q)
    assert len(q.figure().panels) >= 1
    constant = trueness.calibration(np.arange(40) % 2, np.full(40, 0.4))
    assert constant.o_e.value == pytest.approx(1.25)
    ends = trueness.calibration(y, np.where(np.arange(40) % 7 == 0, 0.5, y).astype(float))
    assert any(n.code == "probabilities-at-ends" for n in ends.notes)


def test_the_answer_and_the_words_of_the_measures():
    y, p = risks()
    q = trueness.calibration(y, p)
    assert q.answer() == q.page().answer
    assert q.answer().startswith(f"{q.verdict()} Calibration intercept ")
    assert "(80 % CI " in q.page(0.8).answer
    assert [row[0] for row in q.page().tables[0].rows][:4] == [
        "Calibration intercept", "Calibration slope", "O/E", "ICI",
    ]  # fmt: skip
    assert "O/E" in str(q.versus(q))
    separated = trueness.calibration(np.repeat([0, 1], 20), np.repeat([0.2, 0.9], 20))
    assert "slope" not in separated.answer()  # it is undefined


@pytest.mark.parametrize(
    ("shift", "slope", "said"),
    [
        (-0.6, 1, ["Risks are predicted too high."]),
        (0.6, 1, ["Risks are predicted too low."]),
        (0, 0.4, ["Risks are too extreme: high ones are predicted too high, low ones too low."]),
        (0, 2.5, ["Risks are too alike: high ones are predicted too low, low ones too high."]),
        (0, 1, ["No miscalibration is shown, which does not show that there is none."]),
    ],
)
def test_the_verdict_follows_the_intervals_of_intercept_and_slope(shift, slope, said):
    rng = np.random.default_rng(3)
    p = rng.uniform(0.05, 0.95, 2000)
    y = rng.uniform(size=2000) < expit(shift + slope * logit(p))
    q = trueness.calibration(y, p)
    for part in said:
        assert part in q.verdict()
    assert q.answer().startswith(q.verdict())
    wrong = {"Risks are predicted too", "Risks are too"} if said[0].startswith("No") else {"No miscalibration"}
    assert not any(part in q.verdict() for part in wrong)
    assert ("Risks are predicted too high" in q.verdict()) == (q.intercept.ci().high < 0)
    assert ("too extreme" in q.verdict()) == (q.slope.ci().high < 1)
    assert replace(q, level=0.9999).verdict().startswith("No mis") == (
        q.intercept.ci(0.9999).covers(0) and q.slope.ci(0.9999).covers(1) and q.ici.ci(0.9999).low == 0
    )


def test_the_verdict_is_in_the_report_and_methods_have_sources():
    y, p = risks()
    a = trueness.assess(LogisticRegression(), p[:, None], y, plan=trueness.KFold(5, repeats=2), rng=0, checks=False)
    q = a.calibration()
    assert q.verdict()
    assert f"<p>{q.verdict()}" in a.report()
    assert "seed 0" in q.methods()
    assert "@article{cox_1958" in q.bibtex()
    three = np.arange(60) % 3
    several = trueness.calibration(three, np.random.default_rng(0).dirichlet([1, 1, 1], 60))
    assert several.methods()
    assert several.flat()["0.brier"] == several["0"].brier.value


def test_a_difference_of_distances_has_their_intervals_together():
    """Near 0 their bias decides: a paired t interval covers .82 where one rule is calibrated
    (docs/programs/probabilities_coverage.py has .95 and more)."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    y = rng.random(300) < expit(x)
    calibrated, one, other = (trueness.calibration(y, expit(z)).ici for z in (x, 3 * x + 1, 3 * x + 1.5))
    assert calibrated.ci().low == 0 < min(one.ci().low, other.ci().low)
    fits = {
        e: trueness.calibration(y, expit(z)).given.fits
        for e, z in ((calibrated, x), (one, 3 * x + 1), (other, 3 * x + 1.5))
    }
    for a, b in ((calibrated, one), (one, other)):
        d = trueness.difference(fits[a], fits[b], "ici", "holdout")
        rho = (a.se**2 + b.se**2 - d.se**2) / (2 * a.se * b.se)
        assert rho > 0.05
        used = 0.0 if calibrated in (a, b) else rho
        down, up = (a.value - a.ci().low, b.ci().high - b.value), (a.ci().high - a.value, b.value - b.ci().low)
        low, high = (np.sqrt(s**2 + t**2 - 2 * used * s * t) for s, t in (down, up))
        wanted = -b.ci().high if a is calibrated else d.value - low  # all of a may be bias
        assert d.ci() == pytest.approx((wanted, d.value + high))


def test_a_difference_of_distances_is_tested_by_its_interval():
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = rng.random(400) < expit(x)
    q = trueness.calibration(y, expit(3 * x + 1)).versus(trueness.calibration(y, expit(x)))
    back = trueness.calibration(y, expit(x)).versus(trueness.calibration(y, expit(3 * x + 1)))
    for name in ("ici", "e50", "e90"):
        low, high = q.differences[name].ci()
        assert (q.p_value(name) < 0.05) == (not low <= 0 <= high)
        assert back.p_value(name) == pytest.approx(q.p_value(name))
        assert back.differences[name].ci() == pytest.approx((-high, -low))


@pytest.mark.parametrize(("n", "grouped"), [(300, False), (300, True), (1800, False), (1800, True)])
def test_a_measure_has_one_interval_whichever_the_door(n, grouped):
    """By `assess`, `estimate`, `calibration` and `decision_curve`, few cases or many: 600 replicates of 1800 cases have
    more than 10⁶ scores."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n // 6), 6) if grouped else None
    X = np.repeat(rng.normal(size=(n // 6, 3)), 6, axis=0) + 0.5 * rng.normal(size=(n, 3))
    y = (rng.random(n) < expit(X[:, 0] - 0.5)).astype(int)
    asked = ["brier", "log_loss", "calibration_slope", "ici", "net_benefit"]
    a = trueness.assess(LinearDiscriminantAnalysis(), X, y, groups=groups, metrics=asked, rng=0, fits=900, checks=False)
    q, curve = a.calibration(), a.decision_curve(thresholds=[0.5]).frame().iloc[0]
    for metric in asked[:-1]:
        assert a[metric].method == q[metric].method == "cv+training"
        assert (a[metric].value, a[metric].ci()) == (q[metric].value, q[metric].ci())
    assert (curve.net_benefit, curve.low, curve.high) == (a["net_benefit"].value, *a["net_benefit"].ci())
    assert q.o_e.ci() == trueness.estimate(a.fits, "o_e", "cv+training").ci()
    assert not any(note.code == "interval-of-folds" for note in q.notes)


def test_more_fits_do_not_change_what_an_interval_counts(monkeypatch):
    """The training part reads the first replicates, as many as are enough: more of them leave it to the last bit, where
    the folds are the same."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = (rng.random(400) < expit(X[:, 0])).astype(int)
    fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.CvBootstrap(10, 2, 120), rng=0)
    every = trueness.estimate(fits, "calibration_slope", "cv+training")
    brier = trueness.estimate(fits, "brier", "cv+training")
    monkeypatch.setattr("trueness.metrics.calibration.InfluenceLoss.scores_read", 80.0 * 400)
    first = trueness.estimate(fits, "calibration_slope", "cv+training")
    fewer = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.CvBootstrap(10, 2, 80), rng=0)
    assert first.se == trueness.estimate(fewer, "calibration_slope", "cv+training").se != every.se
    assert (first.se, first.value) == (pytest.approx(every.se, rel=0.2), every.value)
    assert trueness.estimate(fits, "brier", "cv+training").se == brier.se  # a plain mean reads all of them


@pytest.mark.parametrize("seed", range(8))
def test_the_90_percent_quantile_is_nowhere_below_the_median(seed):
    rng = np.random.default_rng(100 + seed)
    eta = rng.normal(0, 0.7, 400)
    q = trueness.calibration((rng.random(400) < expit(eta + 0.9)).astype(int), expit(eta))
    for level in (0.5, 0.95):
        assert np.less_equal(q.e50.ci(level), q.e90.ci(level)).all()
    assert q.e50.ci().low > 0


def test_an_assessment_stands_for_its_fits():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = (rng.random(120) < expit(X[:, 0])).astype(int)
    a = trueness.assess(LogisticRegression(), X, y, plan=trueness.KFold(5), rng=0, checks=False)
    q = trueness.calibration(a)
    assert q.slope.value == a.calibration().slope.value
    assert q["recalibration_intercept"].value == trueness.estimate(a.fits, "recalibration_intercept", "cv").value
    one, named = trueness.decision_curve(a), trueness.decision_curve({"full": a})
    own = a.decision_curve().frame().net_benefit
    assert own.equals(one.frame().net_benefit)
    assert own.equals(named.frame().net_benefit)
    with pytest.raises(InputError, match="once per model"):
        trueness.calibration({"full": a})


@pytest.fixture(scope="module")
def of_wine():
    X, y = load_wine(return_X_y=True)
    a = trueness.assess(GaussianNB(), X[:, :3], y, plan=trueness.CvBootstrap(10, 4, 100), rng=0, checks=False)
    p = cross_val_predict(GaussianNB(), X[:, :3], y, cv=10, method="predict_proba")
    return trueness.calibration(a)[0], trueness.calibration(y == 0, p[:, 0])


def test_the_band_of_an_assessment_is_near_that_of_the_same_probabilities_given(of_wine):
    """Probabilities that only bootstrap rules give (a positive with 1e-8) made the half-width 1.9 to 2.4 here."""
    resampled, given = of_wine
    some = [0.1, 0.3, 0.582, 0.8]
    half = [np.interp(some, (c := q.curve()).predicted, logit(c.high) - logit(c.low)) / 2 for q in (resampled, given)]
    assert np.all(half[0] < 1.3 * half[1])
    assert np.all(half[0] > 0.8 * half[1])
    for name in ("e90", "ici"):
        assert resampled[name].se < 2 * given[name].se


def test_the_band_at_the_knots_has_the_standard_error_of_the_folds(of_wine):
    """Nadeau & Bengio's of the linear form of the curve at a knot, by a plain loop over rules."""
    given = of_wine[0].given
    judged, curve = given.judged, of_wine[0].curve()
    smooth, fits = given.judged.smooth, given.fits.part(("cv",))
    knots, b, positive = smooth.spline.knots, smooth.fit.coefficients, fits.sample.require_positive()
    for knot in knots[1:3]:
        row = smooth.spline.basis(np.array([knot]))[0]
        values, shares = [], []
        for block in fits.tests():
            x = smooth.spline.basis(logit(block.scores[0].clip(1e-8, 1 - 1e-8)))
            pull = x @ smooth.fit.inverse @ row * ((block.codes == positive) - expit(x @ b))
            values.append(pull.mean())
            shares.append(len(pull) / judged.n)
        share = np.mean(shares)
        se = np.sqrt((1 / len(values) + share / (1 - share)) * np.var(values, ddof=1))
        at = np.interp(knot, logit(curve.predicted), logit(curve.high) - logit(curve.low)) / (2 * 1.959964)
        assert se < at < 1.1 * se  # stratified folds do not show the variance by the class sizes


def test_a_measure_is_moved_by_no_case_more_than_by_those_it_is_computed_from(of_wine):
    given = of_wine[0].given
    for name in ("calibration_slope", "e90"):
        metric = resolve(name).bind(given.fits.sample)
        form = metric.at(given.judged).form(given.judged.y, given.judged.p)
        loss = at_probabilities(given.fits, metric, "folds").loss
        for block in given.fits.part(("bootstrap",)).tests():
            moved = loss.losses(block)
            assert form.min() <= moved.min() <= moved.max() <= form.max()


def test_probabilities_that_leave_no_case_in_doubt_have_no_verdict():
    """The intercept of LDA on iris's setosa was "too high", with an interval of residuals that are all 1e-10."""
    y = np.repeat([0, 1], 75)
    q = trueness.calibration(y, np.where(y, 1 - 1e-9, 1e-7))
    assert set(q.estimates) == {"brier", "log_loss", "discrimination_slope"}
    assert "do not show how well they are calibrated" in q.answer()
    with pytest.raises(InputError, match="less than one of 150 cases is in doubt"):
        _ = q.o_e
    # one that contradicts them, or some doubt, is judged
    assert (
        "too low"
        in trueness.calibration(np.append(y, [1] * 8), np.append(np.where(y, 1 - 1e-9, 1e-7), [1e-7] * 8)).answer()
    )
    assert trueness.calibration(y, np.where(y, 0.6, 0.4)).ici.ci().low > 0.1


def of_a_bootstrap(replicates=40):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 6))
    y = (rng.random(150) < expit(X[:, 0])).astype(int)
    model = LogisticRegression(C=1e6)
    return trueness.fit(model, X, y, trueness.Bootstrap(replicates), scores="predict_proba", rng=0), X, y, model


def test_a_bootstrap_alone_has_no_verdict():
    fits, *_ = of_a_bootstrap()
    q = trueness.calibration(fits)
    assert q.slope.ci().high < 1  # of rules of fewer cases, judged together; the corrected slope is higher
    assert q.verdict() == ""
    assert q.answer().startswith("Calibration intercept")
    assert "bootstrap-calibration" in [note.code for note in q.notes]


def test_the_corrected_curve_is_that_of_a_plain_loop():
    """By scikit-learn's logistic regression on the same splines."""
    fits, _, y, _ = of_a_bootstrap(20)
    curve = trueness.probabilities.validate(fits).curve()

    def at(p, weights):
        x = Spline.of(logit(p), weights / weights.sum())
        fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, solver="newton-cholesky", fit_intercept=False)
        fit.fit(x.basis(logit(p)), y, sample_weight=weights)
        return fit.predict_proba(x.basis(logit(curve.table.predicted)))[:, 1]

    optimism = [at(p, w.astype(float)) - at(p, np.ones(len(y))) for p, w in zip(fits.scores, fits.counts, strict=True)]
    np.testing.assert_allclose(curve.table.apparent, at(fits.full_scores, np.ones(len(y))), atol=1e-3)
    np.testing.assert_allclose(curve.table.optimism, np.mean(optimism, axis=0), atol=1e-3)
    assert curve.replicates == 20
    assert f"{curve.distance:.3f}" in curve.page().answer
    assert len(curve.figure().panels[0].marks) == 3


def for_notebooks(names):
    yield trueness.probabilities.validate(of_a_bootstrap(20)[0]).curve()


def test_methods_name_the_standard_errors_that_were_used():
    y, p = risks()
    words = trueness.calibration(y, p).methods()
    assert "the sandwich standard error" in words
    assert "binomial" not in words
    grouped = trueness.calibration(y, p, groups=np.arange(len(y)) // 3)
    assert grouped.brier.se_method.parts == ("mean", "groups")
    assert grouped.slope.se_method.parts == ("delta", "groups")
    shares = trueness.assess(LogisticRegression(), p[:, None], y, trueness.Holdout(0.4), metrics=["error"], rng=0)
    assert "binomial" in shares.methods()
    assert grouped.provenance["data"].startswith("sha256:")


def test_the_report_has_the_methods_of_all_that_it_shows():
    y, p = risks()
    a = trueness.assess(LogisticRegression(), p[:, None], y, trueness.KFold(5, repeats=2), rng=0)
    words = a.report(by={"side": np.arange(len(y)) % 2})
    part = words[words.index("Methods, for a paper</h2>") :]
    assert "side" in part
    assert part.count("Computed with trueness") == 1


def test_the_answer_says_every_number_once():
    y, p = risks(a=-0.8, b=1.0)
    words = trueness.calibration(y, p).answer()
    assert "O/E" in words or words.count("Calibration intercept") == 1
    few = trueness.calibration(y[:90], p[:90])
    assert few.answer().count("Calibration intercept") == 1


def test_of_several_classes_the_error_says_how_to_take_one():
    y, p = [*"abc" * 10], np.full((30, 3), 1 / 3)
    with pytest.raises(InputError, match=r"y == 'c', with its column of p, p\[:, 2\]"):
        trueness.decision_curve(y, p)


def test_limits_of_d_and_u_invert_the_noncentral_chi2_of_the_likelihood_ratio():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    for spread in (0.3, 1.0):
        q = trueness.calibration(y, expit(spread * (rng.normal(size=100) + spread * y)))
        for name, df in (("d_index", 1), ("u_index", 2)):
            low, high = 100 * np.array(q[name].ci(0.9))
            ratio, variance = 100 * max(q[name].value, 0) + df, (100 * q[name].se) ** 2
            scale = max(1, variance / (4 * ratio - 2 * df))
            assert ncx2.cdf(ratio / scale, df, high / scale) == pytest.approx(0.05, abs=1e-6)
            assert low == pytest.approx(100 * q[name].value) if q[name].value < 0 else low >= 0
            assert low <= 0 or ncx2.sf(ratio / scale, df, low / scale) == pytest.approx(0.05, abs=1e-6)
