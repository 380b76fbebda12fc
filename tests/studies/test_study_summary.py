"""Summaries of trials: definitions, Monte Carlo errors against the jackknife and against theory."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

from trueness import studies
from trueness.errors import InputError
from trueness.statistics import jackknife
from trueness.studies import summary


@pytest.fixture
def trials():
    rng = np.random.default_rng(3)
    truth = 0.7 + 0.03 * rng.normal(size=400)
    return 0.6 + 0.3 * (truth - 0.7) + 0.08 * rng.gamma(3, size=400), truth


def test_numbers_are_their_definitions(trials):
    x, t = trials
    row = summary.accuracy(x, t)
    assert row["mean"] == x.mean()
    assert row["sd"] == x.std(ddof=1)
    assert np.isclose(row["rms"], np.sqrt(np.mean((x - t) ** 2)))
    assert np.isclose(row["rms_around_mean"], np.sqrt(np.mean((x - t.mean()) ** 2)))
    assert np.isclose(row["correlation"], np.corrcoef(x, t)[0, 1])


STATISTICS = {
    "mean": lambda v: v[:, 0].mean(),
    "sd": lambda v: v[:, 0].std(ddof=1),
    "rms": lambda v: np.sqrt(np.mean((v[:, 0] - v[:, 1]) ** 2)),
    "rms_around_mean": lambda v: np.sqrt(np.mean((v[:, 0] - v[:, 1].mean()) ** 2)),
    "correlation": lambda v: np.corrcoef(v.T)[0, 1],
}


@pytest.mark.parametrize("name", STATISTICS)
def test_monte_carlo_errors_are_the_jackknifes(trials, name):
    x, t = trials
    expected = jackknife(STATISTICS[name], np.stack([x, t], axis=1)).se
    assert np.isclose(summary.accuracy(x, t)[f"{name}_mc"], expected, rtol=0.02)


PARTS = {
    "mse": lambda v: np.mean((v[:, 0] - v[:, 1]) ** 2) / (v[:, 0].std() * v[:, 1].std()),
    "mse_around_mean": lambda v: np.mean((v[:, 0] - v[:, 1].mean()) ** 2) / (v[:, 0].std() * v[:, 1].std()),
    "sd_ratio": lambda v: v[:, 1].std() / v[:, 0].std(),
}


@pytest.mark.parametrize("name", PARTS)
def test_errors_of_the_decomposition_are_the_jackknifes(trials, name):
    x, t = trials
    found = summary.decomposition(x, t)
    assert np.isclose(found[name], PARTS[name](np.stack([x, t], axis=1)))
    assert np.isclose(found[f"{name}_mc"], jackknife(PARTS[name], np.stack([x, t], axis=1)).se, rtol=0.04)


def test_error_of_an_sd_of_normal_trials_is_sigma_over_root_2g():
    x = np.random.default_rng(0).normal(size=20_000)
    assert np.isclose(summary.sd(x)[1], 1 / np.sqrt(40_000), rtol=0.03)


def test_equation_63_holds_exactly(trials):
    parts = summary.decomposition(*trials)
    assert np.isclose(parts["mse"], parts["mse_around_mean"] + parts["sd_ratio"] - 2 * parts["correlation"], rtol=1e-12)


def test_equation_63_holds_for_the_printed_rows():
    # Yousef, ML Assessment, table 2 satisfies it up to its four digits
    from trueness.studies.published.auc_estimators import printed

    table = printed().set_index(["size", "estimator"])
    for size in table.index.get_level_values("size").unique():
        sigma = table.loc[(size, "true"), "sd"]
        row = table.loc[(size, "star")]
        scale = sigma * row["sd"]
        left = row["rms"] ** 2 / scale
        right = row["rms_around_mean"] ** 2 / scale + sigma / row["sd"] - 2 * row["correlation"]
        assert np.isclose(left, right, atol=0.02)


def test_the_printed_averages_are_table_3():
    from trueness.studies.published.auc_estimators import TABLE_3, printed

    averages = printed().groupby("estimator")["rms"].mean()
    for name, value in TABLE_3.items():
        assert abs(averages[name] - value) < 6e-6


def test_the_truth_itself_has_no_error_and_correlation_one():
    t = np.random.default_rng(0).normal(size=50)
    row = summary.accuracy(t, t)
    assert row["rms"] == 0
    assert np.isclose(row["correlation"], 1)
    assert np.isnan(summary.accuracy(np.ones(50), t)["correlation"])


def test_a_share_has_a_binomial_error():
    assert summary.share(np.array([1, 1, 0, 0])) == (0.5, 0.25)


def test_a_constant_estimator_has_no_correlation():
    truth = np.random.default_rng(0).normal(size=50)
    row = summary.accuracy(np.full(50, 0.1), truth)  # its computed SD is 2.8e-17
    assert row["sd"] == 0 == row["sd_mc"]
    assert np.isnan(row["correlation"])
    found = studies.evaluate(
        studies.two_gaussians(2, 1.2), LDA(), {"tenth": lambda trial: 0.1}, sizes=(8,), trials=3, n_jobs=1
    )
    assert found.frame("decomposition").empty


def test_one_trial_has_no_monte_carlo_error():
    assert np.isnan(summary.mean(np.array([0.3]))[1])
    with pytest.raises(InputError, match="trials must be a whole number of at least 2"):
        studies.run("stratified-folds", trials=1)


def test_a_share_of_all_trials_has_an_error():
    p, error = summary.share(np.ones(100, dtype=bool))
    assert p == 1
    assert 0.004 < error < 0.01


def test_two_trials_can_judge_the_splits():
    for seed in range(5):
        studies.run("stratified-folds", trials=2, rng=seed, n_jobs=1).check()
