"""Every random number of a study has its Monte Carlo error."""

import numpy as np
import pandas as pd
import pytest

from trueness import studies
from trueness.statistics import jackknife
from trueness.studies import summary
from trueness.studies.published.weak_correlation import gain

# what a study is run with here, and what of it is exact: formulas, printed numbers, one sample as an example, settings
STUDIES = {
    "auc-difference": ({"trials": 3, "resamples": 150, "test_size": 200}, {}),
    "weak-correlation": ({"trials": 10, "sizes": (20,), "resamples": 30, "test_size": 100}, {}),
    "smoothness": ({"trials": 2, "steps": 12, "resamples": 100}, {}),
    "bootstrap-support": (
        {"trials": 4, "sizes": (20,), "resamples": 20, "test_size": 200},
        {"ordered, exact", "unordered, exact"},
    ),
    "bootstrap-jackknife": ({"trials": 10, "sizes": (10,), "resamples": 50}, {"expected ratio"}),
    "no-information": (
        {"trials": 4, "resamples": 50},
        {"true", "largest |γ double sum − formula|", "largest |γ AUC − ½|"},
    ),
    "overfitting": ({"trials": 5}, {"expected training error"}),
    "early-stopping": ({"trials": 3, "rounds": 10, "test_size": 100}, {"value (median)"}),
    "bias-variance": ({"trials": 5}, {"bias², exact", "variance, exact", "noise", "error"}),
    "zero-one-bias-variance": ({"trials": 5, "points": 50}, {}),
    "least-squares": (
        {"trials": 5},
        {"true", "sd, exact", "smallest eigenvalue", "smallest eigenvalue of X'X + I"},
    ),
    "ridge": ({"trials": 5}, {"λ", "bias²", "variance", "exact error", "median λ"}),
    "stratified-folds": ({"trials": 5}, {"exact", "binomial"}),
    "semiparametric-roc": ({"trials": 5}, {"first sample", "printed"}),
    "population-lda": ({"trials": 5}, {"π1", "δ", "pmc", "bayes_error", "as printed"}),
    "decision-surfaces": ({"trials": 3, "log2_test_size": 6}, {}),
    "adaboost": ({"trials": 3, "test_size": 100}, {}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_entry_has_its_error(name):
    options, exact = STUDIES[name]
    result = studies.run(name, n_jobs=1, **options)
    for table in result.tables.values():
        numbers = [c for c in table if pd.api.types.is_float_dtype(table[c]) and not c.endswith("_mc")]
        assert {c for c in numbers if f"{c}_mc" not in table} <= set(exact)
        for column in numbers:
            if f"{column}_mc" in table:
                errors = table[f"{column}_mc"].to_numpy(dtype=float)
                assert not (errors < 0).any()
                assert not np.isinf(errors).any()


def jackknifed(statistic, x, truth):
    return jackknife(statistic, np.stack([x, truth], axis=1)).se


def test_the_errors_of_a_ratio_and_of_the_gain_are_those_of_the_jackknife():
    rng = np.random.default_rng(1)
    truth = 0.7 + 0.03 * rng.normal(size=300)
    x = 0.6 + 0.4 * (truth - 0.7) + 0.05 * rng.gamma(3, size=300)
    value, error = summary.ratio(summary.sd_influence(x), summary.mean_influence(x))
    assert value == x.std(ddof=1) / x.mean()
    assert np.isclose(error, jackknifed(lambda v: v[:, 0].std(ddof=1) / v[:, 0].mean(), x, truth), rtol=0.05)
    value, error = gain(x, truth)
    expected = jackknifed(lambda v: v[:, 1].std() / v[:, 0].std() - 2 * np.corrcoef(v.T)[0, 1], x, truth)
    assert np.isclose(value, truth.std() / x.std() - 2 * np.corrcoef(x, truth)[0, 1])
    assert np.isclose(error, expected, rtol=0.05)
    assert np.isnan(summary.ratio(summary.mean_influence(x), (0.0, np.zeros(300)))[0])


def test_the_ratio_of_table_4_is_that_of_its_rows():
    result = studies.run("auc-difference", trials=4, rng=0, n_jobs=1, resamples=150, test_size=200)
    rows, ratios = result.frame(), result.frame("calibration")
    for name in ("lda", "qda", "difference"):
        assert np.isclose(ratios.loc["exact", name], rows.loc["E SD^", name] / rows.loc["SD LPOB", name])
    assert ratios.loc["as printed", "lda"] == 0.0898 / 0.0879


def test_a_claim_names_its_tolerance_where_there_are_few_trials():
    few = studies.run("auc-difference", trials=4, rng=0, n_jobs=1, resamples=1000, test_size=200)
    assert all("or 3 Monte Carlo errors" in claim.text for claim in few.claims)


def test_the_difference_of_the_semiparametric_area_over_samples():
    result = studies.run("semiparametric-roc", trials=20, n_jobs=1)
    row = result.frame("semiparametric − empirical").iloc[0]
    assert np.isclose(row["printed"], -0.0057)
    area = result.frame().set_index("method")["mean"]
    assert np.isclose(row["mean"], area["semiparametric"] - area["empirical"])
    assert result.notes[0].data["published_difference"] == -0.0057


def test_pictures_have_labels():
    for name, options in (
        ("overfitting", {"trials": 2}),
        ("adaboost", {"trials": 2, "test_size": 50}),
        ("decision-surfaces", {"trials": 2, "log2_test_size": 5}),
        ("ridge", {"trials": 2}),
        ("least-squares", {"trials": 2}),
        ("bias-variance", {"trials": 3}),
    ):
        for picture in studies.run(name, n_jobs=1, **options).pictures:
            assert any(mark.label for mark in picture.panels[0].marks)
            assert all(panel.x_label and panel.y_label for panel in picture.panels)
    ticks = studies.run("ridge", trials=2, n_jobs=1).pictures[0].panels[0].x_ticks
    assert next(iter(ticks.values())) == "0"
    assert list(ticks.values())[-1] == "∞"


def test_the_regression_population_is_public():
    X, y = studies.parabola_population(sigma=0.0).draw(4)
    assert isinstance(studies.parabola_population(), studies.RegressionPopulation)
    assert np.allclose(y, 3 * (X[:, 0] - 0.2) ** 2 - 7 * (X[:, 0] - 0.2) + 4.2)
