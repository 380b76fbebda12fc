"""Estimates at the end of the metric's range have an exact interval of the independent cases behind them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import trueness


def arrays(n1, n2, wrong, B=200, groups=None):
    y = np.repeat([0, 1], [n2, n1])
    design = trueness.Bootstrap(B).draw(y, groups=groups, rng=0)
    scores = np.random.default_rng(0).normal(size=(B, n1 + n2)) * 0.01 + y
    predictions = np.where(np.isin(np.arange(n1 + n2), wrong), 1 - y, y)
    return trueness.Fits.from_arrays(
        y,
        design.counts,
        scores,
        predictions=np.tile(predictions, (B, 1)),
        groups=groups,
        stratified=design.stratified,
    )


def test_only_independent_cases_of_the_class_count():
    fits = arrays(5, 95, [])
    assert trueness.estimate(fits, "fnf", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 5))
    assert trueness.estimate(fits, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert trueness.estimate(fits, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))
    grouped = arrays(50, 50, [], groups=np.arange(100) // 10)
    assert trueness.estimate(grouped, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert trueness.estimate(grouped, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))


@pytest.mark.parametrize(("n0", "n1"), [(4, 11), (7, 13), (9, 14)])
def test_rounding_does_not_hide_the_end_of_the_range(n0, n1):
    fits = arrays(n1, n0, np.arange(n0, n0 + n1))
    e = trueness.estimate(fits, "fnf", "loob")
    assert e.value == 1
    assert e.ci().low < 0.99


def test_many_perfectly_separated_classes():
    y = np.repeat(np.arange(7), 4)
    counts = trueness.Bootstrap(300).draw(y, rng=0).counts
    fits = trueness.Fits.from_arrays(y, counts, np.tile(np.eye(7)[y] + 0.1 * np.arange(28)[:, None] % 0.5, (300, 1, 1)))
    e = trueness.estimate(fits, "auc", "lpob")
    assert e.value == 1
    assert e.ci().low == pytest.approx(0.025 ** (1 / 4))


def test_an_error_just_above_0_is_no_surer_than_none():
    y = np.repeat([0, 1], 30)
    X = np.random.default_rng(271).normal(size=(60, 2))
    X[y == 1, 0] += 4.2
    fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.Bootstrap(1000), rng=0)
    e = trueness.estimate(fits, "error", "loob")
    none = e.with_(value=0.0).ci()
    assert 0 < e.value < 0.001
    assert e.ci().high >= none.high == pytest.approx(0.0596, abs=1e-4)
    assert e.ci(method="wilson").high == e.ci().high


@pytest.mark.parametrize("n", [5, 20, 60, 1000])
@pytest.mark.parametrize("metric", [trueness.metrics.Error(), trueness.metrics.Brier()])
def test_the_limits_never_fall_as_the_rate_rises_from_0(n, metric):
    p = np.r_[1e-9, 1e-5, 1e-3, np.linspace(0.01, 0.5, 20)]
    base = trueness.Estimate(0.0, se=1e-6, bounds=(0.0, 1.0), interval=metric.interval, cases=n)
    highs = [base.with_(value=v).ci().high for v in (0.0, *p)]
    lows = [base.with_(value=1 - v).ci().low for v in (0.0, *p)]
    assert (np.array(highs) >= highs[0]).all()
    np.testing.assert_allclose(1 - np.array(lows), highs, rtol=1e-6)


def test_with_groups_few_errors_count_cases_but_few_groups_limit_the_trials():
    e = trueness.Estimate(
        0.2, se=0.02, bounds=(0.0, 1.0), interval=trueness.metrics.Error().interval, cases=20, tested=2000
    )
    assert e.ci().high - e.ci().low == pytest.approx(2 * 1.96 * 0.02, rel=0.05)
    assert e.with_(value=0.002, se=0.0001).ci().high > 0.16


@pytest.mark.parametrize("plan", [None, trueness.Bootstrap(100), trueness.KFold(5), trueness.Holdout(0.5)])
def test_a_log_loss_of_0_has_no_standard_error(plan):
    y = np.arange(60) % 2
    x = np.random.default_rng(0).normal(size=(60, 1)) + 1000 * y[:, None]  # probabilities of exactly 0 and 1
    a = trueness.assess(GaussianNB(), x, y, metrics=["log_loss"], plan=plan, rng=0, checks=False)
    e = a["log_loss"]
    assert (e.value, e.se, e.has_interval) == (0.0, None, False)
    assert "no-se-zero-variance" in [note.code for note in e.notes]
    assert "log_loss" in str(a)


def test_the_log_loss_of_a_class_that_is_always_known_has_limits_with_a_meaning():
    """The bootstrap's training sets vary by many times the value; exp(q·se/value) would be beyond 10^29."""
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(LinearDiscriminantAnalysis(), X, y == 0, metrics="log_loss", rng=0, checks=False)
    e = a["log_loss"]
    assert 0 < e.value < e.se < 1e-4
    low, high = e.ci()
    assert low < e.value
    assert (
        e.value < high <= e.value + (1 - 0.025 ** (1 / 150)) * 36.05
    )  # the share of cases that may be lost altogether
    wide = trueness.Estimate(0.5, se=0.1, bounds=e.bounds, interval=trueness.metrics.LogLoss().interval, cases=150)
    assert wide.ci().high == pytest.approx(0.5 * np.exp(1.959964 * 0.1 / 0.5))  # as ever


def test_the_upper_limit_of_a_log_loss_grows_with_its_standard_error():
    """It was the value + 133/n of 1000 cases: a rule that is certain and often wrong had an upper limit 27 % below the truth."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=1000)
    y = (rng.random(1000) < 1 / (1 + np.exp(-z))).astype(int)
    fits = trueness.Fits.from_arrays(y, None, 1 / (1 + np.exp(-np.clip(60 * z, -36, 36))))
    e = trueness.estimate(fits, "log_loss", "holdout")
    loss = np.logaddexp(0, np.where(y, -1, 1) * np.clip(60 * z, -36, 36))
    assert e.value == pytest.approx(loss.mean(), rel=1e-3)
    wald = loss.mean() + 1.96 * loss.std(ddof=1) / np.sqrt(1000)
    assert wald * 0.999 < e.ci().high < 1.05 * wald
