"""Standard errors and intervals against what repeated samples do: populations with a known truth."""

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness

pytestmark = pytest.mark.coverage


@pytest.fixture(scope="module")
def trials():
    """LDA, four features, Δ = 1.21, 20 + 20 cases, 500 replicates: 300 samples."""
    y = np.repeat([0, 1], 20)
    rows = []
    for seed in range(300):
        X = np.random.default_rng(seed).normal(size=(40, 4)) + 0.605 * y[:, None]
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(500), rng=seed)
        rows.append([trueness.estimate(fits, m, k) for m, k in (("error", "loob"), ("auc", "lpob"))])
    return rows


@pytest.mark.parametrize("which", [0, 1], ids=["loob", "lpob"])
def test_the_corrected_standard_error_is_about_right(trials, which):
    values = np.array([row[which].value for row in trials])
    errors = np.array([row[which].se for row in trials])
    assert 0.93 < errors.mean() / values.std(ddof=1) < 1.25  # ± 4 % from 300 samples


@pytest.mark.parametrize("which", [0, 1], ids=["loob", "lpob"])
def test_intervals_hold_the_mean_of_the_estimator(trials, which):
    values = np.array([row[which].value for row in trials])
    held = np.mean([row[which].ci().low <= values.mean() <= row[which].ci().high for row in trials])
    assert held > 0.92


def test_logit_holds_where_wald_does_not():
    """A test set of 20 + 20 with an AUC of .95."""
    rng = np.random.default_rng(0)
    shift = np.sqrt(2) * stats.norm.ppf(0.95)
    y = np.repeat([0, 1], 20)
    held = {"logit": 0, "wald": 0}
    for _ in range(1500):
        scores = rng.normal(size=40) + shift * y
        auc = trueness.estimate(trueness.Fits.from_arrays(y, np.zeros(40, int), scores), "auc", "holdout")
        for method in held:
            low, high = auc.ci(method=method)
            held[method] += low <= 0.95 <= high
    assert held["logit"] / 1500 > 0.93
    assert held["wald"] / 1500 < 0.90
