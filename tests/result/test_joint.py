"""Several estimates at once: covariance and simultaneous intervals."""

import json
import warnings

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.result.joint import level_of_each

METRICS = ("error", "accuracy", "auc", "f1", "mcc", "ppv", "npv", "tpf", "fpf", "balanced_accuracy")


def data(seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [40, 30])
    return rng.normal(size=(70, 3)) + 1.2 * y[:, None], y


# rates of one class depend on the training sets, and assess warns of it
pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


@pytest.fixture(scope="module", params=["default", "bootstrap", "holdout", "groups"])
def a(request):
    X, y = data()
    plan = {
        "default": trueness.CvBootstrap(5, repeats=2, n_resamples=60),
        "bootstrap": trueness.Bootstrap(150),
        "holdout": trueness.Holdout(0.5),
        "groups": trueness.CvBootstrap(5, repeats=2, n_resamples=60),
    }[request.param]
    groups = np.arange(70) // 2 if request.param == "groups" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trueness.assess(LDA(), X, y, plan=plan, metrics=METRICS, groups=groups, rng=0)


def test_the_covariance_is_positive_semidefinite_with_the_variances_on_the_diagonal(a):
    c = a.covariance()
    assert list(c) == list(c.index) == list(METRICS)
    assert np.diag(c) == pytest.approx([a[m].se ** 2 for m in METRICS], rel=1e-12)
    assert np.linalg.eigvalsh(c).min() > -1e-12
    assert c.to_numpy() == pytest.approx(c.to_numpy().T, abs=1e-15)


def test_accuracy_and_error_have_correlation_minus_1(a):
    c = a.covariance(["accuracy", "error"])
    assert c.to_numpy().sum() == pytest.approx(0, abs=1e-12)


def test_the_covariance_of_a_test_set_is_that_of_the_table():
    """TPF and FPF rest on different cases; balanced accuracy is the mean of TPF and 1 − FPF."""
    X, y = data()
    a = trueness.assess(LDA(), X, y, plan=trueness.Holdout(0.5), metrics=["tpf", "fpf", "balanced_accuracy"], rng=0)
    c = a.covariance()
    assert c.loc["tpf", "fpf"] == pytest.approx(0, abs=1e-15)
    assert c.loc["balanced_accuracy", "tpf"] == pytest.approx(c.loc["tpf", "tpf"] / 2)
    assert c.loc["balanced_accuracy", "fpf"] == pytest.approx(-c.loc["fpf", "fpf"] / 2)


def test_the_covariance_agrees_with_the_standard_error_of_a_difference():
    """Var(a − b) of two models on one test set is that of the paired difference; here of two metrics of one model."""
    X, y = data()
    design = trueness.Bootstrap(150).draw(y, rng=0)
    one = trueness.fit(LDA(), X, y, design)
    from trueness.api.assess import assessment_of

    a = assessment_of(one, ["ppv", "npv"], 0.95, "lda")
    c = a.covariance([("ppv", "loob"), "npv"])
    assert list(c) == ["ppv/loob", "npv"]
    p, q = (trueness.estimate(one, m, "loob", se="influence") for m in ("ppv", "npv"))
    r = p.influence @ q.influence / (p.se * q.se)
    assert c.iloc[0, 1] == pytest.approx(r * a["ppv"].se * a["npv"].se)


def test_levels_are_those_of_independent_and_of_equal_estimates():
    for k in (1, 2, 5, 10):
        assert level_of_each(np.eye(k), 0.95) == pytest.approx(0.95 ** (1 / k), abs=3e-4)  # Šidák
        assert level_of_each(np.ones((k, k)), 0.95) == pytest.approx(0.95, abs=3e-4)
    signs = np.outer([1, -1, 1], [1, -1, 1])
    assert level_of_each(signs.astype(float), 0.9) == pytest.approx(0.9, abs=3e-4)


def test_simultaneous_intervals_are_wider_than_single_ones_and_narrower_than_bonferronis(a):
    s = a.simultaneous()
    frame = s.frame()
    assert 0.95 < s.each <= 1 - 0.05 / len(METRICS)
    assert (frame.low <= frame.low_alone).all()
    assert (frame.high >= frame.high_alone).all()
    for e, low, high in zip(s.estimates.values(), frame.low, frame.high, strict=True):
        assert (low, high) == pytest.approx(tuple(e.ci(s.each)))
        assert e.bounds[0] <= low < high <= e.bounds[1]
    assert a.simultaneous().each == s.each  # no random numbers
    alone = a.simultaneous(keys=["f1"])
    assert alone.each == 0.95
    assert tuple(alone.frame()[["low", "high"]].iloc[0]) == pytest.approx(tuple(a["f1"].ci()))
    assert json.loads(s.to_json())["each"] == s.each
    assert "f1" in str(s)
    assert a.simultaneous(0.8).each < s.each


def test_estimates_without_an_influence_are_left_out_or_named():
    X, y = data()
    a = trueness.assess(
        GaussianNB(), X, y, plan=trueness.Bootstrap(60), metrics=["f1", "average_precision"], rng=0
    )  # no standard error is known of an average precision over bootstrap training sets
    assert list(a.covariance()) == ["f1"]
    for keys in (["f1", "average_precision"], [("f1", "star")]):
        with pytest.raises(InputError, match="influence") as e:
            a.covariance(keys)
        assert e.value.param == "keys"
    with pytest.raises(InputError, match="There is no estimate"):
        a.simultaneous(keys=["kappa"])
    with pytest.raises(InputError, match="level"):
        a.simultaneous(level=2)
    none = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5, repeats=2), metrics=["f1"], rng=0)
    with pytest.raises(UndefinedError):
        none.covariance()
