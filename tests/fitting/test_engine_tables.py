"""Closed forms on tables of many kinds: scores stay those of scikit-learn."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.fitting import engines

MODELS = [LDA(), QDA(), GaussianNB()]


def table(kind, n=600, p=6, classes=2):
    rng = np.random.default_rng(5)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p))
    if kind == "heavy tails":
        X = rng.standard_t(3, size=(n, p))
    elif kind == "correlated":
        X[:, 1] = X[:, 0] + 0.02 * X[:, 1]
    elif kind == "yes or no":
        X = (np.linspace(-1, 1, p) < X).astype(float)
    elif kind == "Cauchy":
        X = rng.standard_cauchy(size=(n, p))
    elif kind == "an outlier":
        X[7, 2] = 1e5
    elif kind == "narrow":
        X[y == 1] *= 0.03
    return X + 0.4 * y[:, None], y


@pytest.mark.filterwarnings("ignore:.*rows of X are copies")  # of answers yes or no
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "correlated", "yes or no", "Cauchy", "an outlier", "narrow"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scores_are_those_of_scikit_learn(model, kind, classes):
    X, y = table(kind, classes=classes)
    fits = 70 if kind == "normal" else 20  # more than one block of training sets, once
    for plan in (trueness.Bootstrap(fits), trueness.plans.MonteCarlo(fits)):
        design = plan.draw(y, rng=3)
        ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
        assert ours.engine.startswith("closed-form")
        np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(ours.full_scores, generic.full_scores, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "correlated", "Cauchy", "an outlier", "narrow"])
def test_many_features(kind):
    X, y = table(kind, n=900, p=26)
    design = trueness.Bootstrap(20).draw(y, rng=3)
    ours, generic = (trueness.fit(LDA(), X, y, design, engine=engine) for engine in ("auto", "generic"))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)


def test_same_bits_for_any_number_of_workers():
    X, y = table("normal")
    for model in MODELS:
        one, two = (trueness.fit(model, X, y, trueness.Bootstrap(700), rng=0, n_jobs=jobs) for jobs in (1, 2))
        np.testing.assert_array_equal(one.held, two.held)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", [QDA(), GaussianNB()], ids=repr)
def test_scores_of_some_cases_at_a_time(model, classes, monkeypatch):
    X, y = table("normal", classes=classes)
    design = trueness.Bootstrap(70).draw(y, rng=3)
    whole = trueness.fit(model, X, y, design)
    monkeypatch.setattr(engines, "MAX_ENTRIES", 0)
    monkeypatch.setattr(engines, "CHUNK_CASES", 64)
    in_parts = trueness.fit(model, X, y, design)
    np.testing.assert_allclose(in_parts.held, whole.held, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", [2, 4])
def test_gross_errors_among_many_features(seed):
    """Rough products are refined, rough means could not be."""
    rng = np.random.default_rng(seed)
    n, p = 300, 100
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[rng.random((n, p)) < 1 / n] *= 300
    X *= 1 + 2 * y[:, None]
    agrees(LDA(), X, y, trueness.Bootstrap(40))


def test_a_case_off_the_line_of_collinear_features():
    rng = np.random.default_rng(14)
    y = np.arange(1000) % 2
    X = rng.normal(size=(1000, 6))
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    X[:2, :2] = 0.3, -0.3
    agrees(QDA(), X * 100, y, trueness.Bootstrap(100))


@pytest.mark.parametrize(("apart", "off"), [(0.0015, 1.0), (0.003, 0.3)])
def test_more_of_that_than_double_precision_stands(apart, off):
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 8))
    X[:, 1] = X[:, 0] + apart * X[:, 1]
    X[:2, :2] = off, -off
    agrees(QDA(), X * 1000, y, trueness.Bootstrap(64))


def test_a_cluster_that_was_not_drawn():
    rng = np.random.default_rng(14)
    n = 1200
    y, groups = np.arange(n) % 2, np.arange(n) // 100
    X = rng.normal(size=(n, 6))
    X[groups == 0, 0] += 22
    agrees(QDA(), X, y, trueness.Bootstrap(64, stratified=False), groups=groups)


@pytest.mark.parametrize("model", [LDA(), QDA()], ids=repr)
@pytest.mark.parametrize("off", [300, 3000])
def test_leaving_out_a_case_that_makes_features_collinear(model, off):
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4)) + 0.3 * y[:, None]
    X[0, :2] = off, -off
    agrees(model, X, y, trueness.plans.LeaveOneOut())


@pytest.mark.parametrize("plan", [trueness.Bootstrap(64), trueness.plans.MonteCarlo(64), trueness.KFold(5)], ids=repr)
@pytest.mark.parametrize(("apart", "off"), [(0.002, 9800), (0.01, 3000)])
def test_an_outlier_that_hides_collinear_features(plan, apart, off):
    rng = np.random.default_rng(1)
    y = np.arange(150) % 2
    X = rng.normal(size=(150, 4)) + 0.3 * y[:, None]
    X[:, 1] = X[:, 0] + apart * X[:, 1]
    X[0, :2] = off, -off
    agrees(LDA(), X, y, plan)


def test_regularisation_does_not_make_up_for_too_few_cases():
    """scikit-learn refuses a class with fewer cases than features, whatever reg_param is."""
    rng = np.random.default_rng(0)
    y = (np.arange(60) % 6 == 0).astype(int)
    X = rng.normal(size=(60, 4)) + 0.3 * y[:, None]
    plan = trueness.Bootstrap(200, stratified=False)
    ours, generic = (trueness.fit(QDA(reg_param=0.1), X, y, plan, rng=3, engine=e) for e in ("auto", "generic"))
    assert [f.fit for f in ours.failed] == [f.fit for f in generic.failed]
    assert generic.failed
    np.testing.assert_allclose(ours.held[ours.kept], generic.held[generic.kept], rtol=1e-8, atol=1e-8)


def test_a_feature_that_is_constant_within_classes_but_for_rounding():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 2
    X = rng.normal(size=(150, 3))
    X[:, 0] = 0.1 * (1 + y)
    ours, generic = (trueness.fit(LDA(), X, y, trueness.plans.LeaveOneOut(), engine=e) for e in ("auto", "generic"))
    assert ours.engine == "generic"
    np.testing.assert_array_equal(ours.held, generic.held)


def agrees(model, X, y, plan, **options):
    ours, generic = (trueness.fit(model, X, y, plan, rng=1, engine=engine, **options) for engine in ("auto", "generic"))
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
