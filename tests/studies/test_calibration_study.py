"""The calibration study: it covers everything in the registry, and its numbers match their definitions."""

import numpy as np
import pandas as pd
import pytest

from trueness import studies
from trueness.formulas.proportions import coverage
from trueness.studies.calibration_tables import ESTIMATOR, misses, over_settings, proportion_rows, rows_of
from trueness.studies.calibration_trial import (
    PARTS,
    PROPORTIONS,
    CalibrationSetting,
    calibration_trial,
    offered,
    parts_of,
)
from trueness.studies.published.calibration import class_sizes, share_of
from trueness.studies.runner import Cell
from trueness.studies.truth import DrawnTestSet, ExactTruth


def fake(value, se, half, target=np.nan, trials=4000):
    """Trials of one estimator with a known spread."""
    rng = np.random.default_rng(0)
    values = value + 0.1 * rng.normal(size=trials)
    columns = {p: np.full(trials, np.nan) for p in (*PARTS, "target")} | {
        "value": values,
        "se": np.full(trials, se),
        "low": values - half,
        "high": values + half,
        "wald low": values - 0.5 * half,
        "wald high": values + 0.5 * half,
        "target": np.full(trials, target),
    }
    frame = pd.DataFrame({f"auc|lpob|influence|bootstrap|{p}": v for p, v in columns.items()})
    return frame.assign(**{"true|auc": 0.7, "true|error": 0.3})


CELL = Cell({"model": "LDA", "balance": "1:1", "n": "10+10"}, (), None)


def test_ratio_and_coverage_of_a_right_standard_error():
    (row,) = rows_of(CELL, fake(0.7, 0.1, 0.196))
    assert abs(row["ratio"] - 1) < 4 * row["ratio_mc"]
    assert abs(row["ratio_mc"] - 1 / np.sqrt(2 * 4000)) < 0.002
    assert abs(row["coverage"] - 0.95) < 4 * row["coverage_mc"]
    assert abs(row["wald coverage"] - 0.673) < 0.03
    assert row["answered"] == 1


def test_bias_lowers_coverage_and_not_own_coverage():
    (row,) = rows_of(CELL, fake(0.9, 0.1, 0.196))
    assert abs(row["coverage"] - 0.484) < 0.03  # Φ(−.04) and little more
    assert abs(row["own coverage"] - 0.95) < 0.02
    (row,) = rows_of(CELL, fake(0.9, 0.1, 0.196, target=0.9))
    assert abs(row["coverage"] - 0.95) < 0.02


def test_misses_are_found():
    right, wrong = (rows_of(CELL, fake(0.7, se, 1.96 * se))[0] for se in (0.1, 0.05))
    table = pd.DataFrame([right, {**wrong, "se": "halved"}])
    assert misses(table)["se"].tolist() == ["halved"]
    overview = over_settings(table, [*ESTIMATOR, "balance"]).set_index("se")
    assert abs(overview.loc["halved", "ratio"] - 0.5) < 0.05


def test_every_entry_has_its_error():
    rows = [{**rows_of(CELL, fake(0.7, se, 2 * se))[0], "model": f"{se}"} for se in (0.08, 0.1, 0.14)]
    table = pd.DataFrame(rows)
    (row,) = over_settings(table, [*ESTIMATOR, "balance"]).to_dict("records")
    for name in ("ratio", "least ratio", "largest ratio", "coverage", "least coverage", "own coverage"):
        assert row[f"{name}_mc"] > 0
    assert row["least ratio"] == table["ratio"].min()
    assert row["least ratio_mc"] == table["ratio_mc"].iloc[0]
    # three models on the same samples: as uncertain as one
    assert row["ratio_mc"] == pytest.approx(table["ratio_mc"].mean())
    apart = table.assign(n=["a", "b", "c"])
    (row,) = over_settings(apart, [*ESTIMATOR, "balance"]).to_dict("records")
    assert row["ratio_mc"] == pytest.approx(np.sqrt((table["ratio_mc"] ** 2).sum()) / 3)


def test_what_is_hardly_ever_answered_has_no_numbers():
    frame = fake(0.7, 0.1, 0.196, trials=100)
    frame.iloc[5:, frame.columns.get_loc("auc|lpob|influence|bootstrap|low")] = np.nan
    (row,) = rows_of(CELL, frame)
    assert row["answered"] == 0.05
    assert "ratio" not in row


def test_the_ten_intervals_cover_as_the_sum_over_all_outcomes_says():
    rng, n, p = np.random.default_rng(0), 40, 0.2
    from trueness.formulas.proportions import METHODS

    x = rng.binomial(n, p, size=1500)
    frame = pd.DataFrame({"proportion|error|target": np.full(1500, p), "proportion|fnf|target": np.full(1500, p)})
    for kind, limits in METHODS.items():
        table = np.array([limits(k, n, 0.95) for k in range(n + 1)])
        for metric in ("error", "fnf"):
            for end in (0, 1):
                frame[f"proportion|{metric}|{kind} {('low', 'high')[end]}"] = table[x, end]
    rows = proportion_rows(CELL, frame)
    assert [row["interval"] for row in rows if row["metric"] == "fnf"] == list(PROPORTIONS)
    for row in rows:
        exact = coverage(row["interval"], n, np.array([p]), 0.95)[0]
        assert abs(row["coverage"] - exact) < 4 * np.sqrt(exact * (1 - exact) / 1500)


def test_class_sizes():
    assert class_sizes(20, "1:1") == (10, 10)
    assert class_sizes(20, "1:10") == (20, 2)
    assert class_sizes(500, "1:10") == (500, 50)
    assert share_of(("LDA",), 200) == 1 > share_of(("LDA",), 500) > share_of(("tree",), 20)


def test_a_trial_of_two_rules_is_their_difference():
    """The same cases and designs for both; its value is the difference of the values."""
    from trueness.studies.populations import two_gaussians

    truth = ExactTruth(two_gaussians(2, 1.5), DrawnTestSet(np.zeros((0, 2)), np.zeros(0)))
    seed = np.random.SeedSequence(3)
    lda, logistic, both = (
        calibration_trial(CalibrationSetting(models, (12, 12), truth, 100), seed)
        for models in (("LDA",), ("logistic",), ("LDA", "logistic"))
    )
    for key in ("error|loob|second-order|bootstrap|value", "auc|lpob|influence|bootstrap|value", "true|auc"):
        assert both[key] == pytest.approx(lda[key] - logistic[key], abs=1e-12)
    assert both["auc|holdout|delong|holdout|target"] == pytest.approx(
        lda["auc|holdout|delong|holdout|target"] - logistic["auc|holdout|delong|holdout|target"]
    )
    assert not any(key.startswith("proportion") for key in both)
    assert sum(key.startswith("proportion") for key in lda) == 2 * (2 * 10 + 1)


def test_a_refused_plan_answers_nothing():
    assert np.isnan(list(parts_of([], "auc", "lpob", "influence").values())).all()
    assert ("loob", "second-order", "mean over bootstrap training sets (about 63 % distinct cases)") in offered(
        "bootstrap", "error"
    )


@pytest.mark.slow
def test_a_small_run_asks_everything():
    result = studies.run("calibration", trials=2, sizes=(40,), resamples=150, log2_test_size=8, n_jobs=1)
    asked = set(map(tuple, result.frame()[["metric", "method", "se"]].to_numpy()))
    assert {
        ("error", "loob", "influence-corrected"),
        ("error", "loob", "influence"),
        ("error", "loob", "second-order"),
        ("auc", "lpob", "influence-corrected"),
        ("error", "632+", "scaled"),
        ("error", "cv", "naive"),
        ("error", "cv", "nadeau-bengio"),
        ("auc", "cv_pairs", "influence-corrected"),
        ("error", "nested_cv", "nested"),
        ("auc", "holdout", "delong"),
        ("error", "holdout", "binomial"),
    } <= asked
    singles = {"LDA", "QDA", "1-NN", "tree", "logistic"}
    assert set(result.frame("all")["model"]) == singles | {"LDA − QDA", "LDA − 1-NN"}
    assert set(result.frame("all")["n"]) == {"20+20", "40+4"}
    assert set(result.frame("proportions")["interval"]) == set(PROPORTIONS)


def test_the_se_of_a_holdout_is_compared_with_its_spread_around_its_own_rule():
    rng = np.random.default_rng(0)
    target = 0.7 + 0.2 * rng.normal(size=4000)  # rules differ by more than a test set does
    value = target + 0.1 * rng.normal(size=4000)
    columns = {"value": value, "se": 0.1, "low": value - 0.196, "high": value + 0.196, "target": target}
    for plan, ratio in (("holdout", 1.0), ("K-fold", 0.1 / np.hypot(0.1, 0.2))):
        frame = pd.DataFrame({f"auc|holdout|delong|{plan}|{name}": v for name, v in columns.items()})
        for kind in ("wald", "logit", "wilson", "t"):
            for end in ("low", "high"):
                frame[f"auc|holdout|delong|{plan}|{kind} {end}"] = np.nan
        (row,) = rows_of(
            Cell({"model": "LDA", "balance": "1:1", "n": "10+10"}, (), None), frame.assign(**{"true|auc": 0.7})
        )
        assert row["ratio"] == pytest.approx(ratio, rel=0.05)
    # coverage is of the rule either way
    assert row["coverage"] == pytest.approx(0.95, abs=0.02)
