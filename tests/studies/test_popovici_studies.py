"""Studies after Popovici, Classification (and claims of Paclík et al.): formulas, and claims on small runs."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness import studies
from trueness.studies.models import DiagonalLDA, Fisher
from trueness.studies.published.batch_shift import _claims as batch_claims
from trueness.studies.published.batch_shift import batch_shift, shift_trial
from trueness.studies.published.decision_surfaces import correlated_gaussians
from trueness.studies.published.loss_functions import LOSSES, minimiser
from trueness.studies.published.population_lda import pmc, pmc_as_printed
from trueness.studies.published.semiparametric_roc import TRUE


def test_pmc_by_quadrature():
    # π1 = .9, δ = 1: docs/appendix/math.md, misprints
    assert round(pmc(0.9, 1.0), 4) == 0.0987
    assert round(pmc_as_printed(0.9, 1.0), 3) == 0.860
    x = np.linspace(-12, 12, 200_001)
    for prior, distance in ((0.5, 2.0), (0.3, 0.7), (0.9, 1.0)):
        smaller = np.minimum(prior * stats.norm.pdf(x, distance), (1 - prior) * stats.norm.pdf(x))
        assert np.isclose(pmc(prior, distance), np.trapezoid(smaller, x), atol=1e-9)


def test_fisher_is_ldas_direction_and_for_equal_classes_its_rule():
    X, y = correlated_gaussians().draw((30, 30), rng=0)
    theirs, ours = LinearDiscriminantAnalysis().fit(X, y), Fisher().fit(X, y)
    assert (theirs.predict(X) == ours.predict(X)).all()


def test_diagonal_lda_is_the_linear_part_of_naive_bayes():
    # two classes with exactly equal variances: naive Bayes is diagonal LDA
    rng = np.random.default_rng(0)
    cases = rng.normal(size=(25, 2))
    X, y = np.concatenate([cases, cases + np.array([1.0, 0.5])]), np.repeat([0, 1], 25)
    fresh = rng.normal(size=(300, 2))
    assert (DiagonalLDA().fit(X, y).predict(fresh) == GaussianNB().fit(X, y).predict(fresh)).all()


def test_the_loss_of_adaboost_is_minimised_at_half_the_log_odds():
    assert np.isclose(minimiser(LOSSES["exponential loss"], 0.8), 0.5 * np.log(4), atol=1e-6)
    assert all(np.isclose(loss(np.array(0.0)), 1) for name, loss in LOSSES.items() if name != "0–1 loss")


def test_the_area_of_the_semiparametric_study():
    assert abs(TRUE - 0.749) < 0.001


SETTINGS = {
    "operating-points": {"trials": 8},
    "three-class-roc": {},
    "semiparametric-roc": {"trials": 40},
    "population-lda": {"trials": 40},
    "decision-surfaces": {"trials": 8, "log2_test_size": 12},
    "adaboost": {"trials": 8, "test_size": 300},
    "loss-functions": {},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_claims_hold(name):
    result = studies.run(name, n_jobs=1, rng=0, **SETTINGS[name])
    result.check()
    assert result.name == name
    assert name in studies.names()


def test_pictures_with_surfaces_can_be_drawn(tmp_path):
    written = studies.run("adaboost", n_jobs=1, trials=2, test_size=100).write(tmp_path)
    assert (tmp_path / "rounds.png").stat().st_size > 10_000
    assert len(written) == 4


def test_a_batch_effect_moves_the_point_and_not_the_area():
    result = studies.run("batch-shift", trials=30, sizes=(60,), n_jobs=1)
    result.check()
    table = result.frame().set_index("shift")
    assert table["auc"].nunique() == 1
    assert abs(table["auc"][0] - stats.norm.cdf(1.5 / np.sqrt(2))) < 4 * table["auc_mc"][0]
    # Φ(Δ − t + s) and Φ(s − t) at thresholds t around Δ/2
    for shift in (-2.0, 2.0):
        assert abs(table["tpf"][shift] - stats.norm.cdf(0.75 + shift)) < 0.1
        assert abs(table["fpf"][shift] - stats.norm.cdf(shift - 0.75)) < 0.1


def test_a_batch_effect_that_moves_the_area_would_be_found():
    one = studies.run("batch-shift", trials=5, sizes=(40,), n_jobs=1)
    frame = pd.DataFrame([shift_trial(40, np.random.SeedSequence(k)) for k in range(3)])
    assert batch_claims(one.frame(), [frame])[0].holds
    frame.loc[1, "2.0|auc"] += 0.01
    assert not batch_claims(one.frame(), [frame])[0].holds
    unspoilt = one.frame().assign(youden=0.5)
    assert not batch_claims(unspoilt, [frame])[1].holds


def test_no_model_beats_bayes():
    result = studies.run("decision-surfaces", trials=5, n_jobs=1)
    assert result.frame()["above Bayes"].min() > -0.002
    assert result.checks().claims[2].holds


def test_a_batch_effect_keeps_the_roc_curve_and_moves_the_operating_point():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    scores = rng.standard_normal(600) + 1.5 * y
    study = batch_shift(y, scores, shifts=(-2, -1, 0, 1, 2))
    table = study.frame().set_index("shift")
    assert table["auc"].nunique() == 1
    for curve in study.curves:
        assert curve.auc.se == pytest.approx(study.curves[2].auc.se, abs=1e-12)
        assert (curve.fpf == study.curves[2].fpf).all()
        assert (curve.tpf == study.curves[2].tpf).all()
    best = trueness.roc(y, scores).best("youden", n_resamples=0)
    assert study.threshold == best.threshold
    assert table["youden"][0] == pytest.approx(best.merit)
    assert (table["youden"].drop(0) < best.merit - 0.1).all()
    assert table["fpf"][2] > 0.8
    assert table["tpf"][-2] < 0.3
