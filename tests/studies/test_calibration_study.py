"""The calibration study: it asks everything the registry offers, and its numbers are their definitions."""

import numpy as np
import pandas as pd
import pytest

from karat import studies
from karat.studies.published.calibration import PARTS, class_sizes, misses, rows_of, summarised
from karat.studies.runner import Cell


def fake(value, se, half, target=np.nan, trials=4000):
    """Trials of one estimator with a known spread."""
    rng = np.random.default_rng(0)
    values = value + 0.1 * rng.normal(size=trials)
    columns = {p: np.full(trials, np.nan) for p in PARTS} | {
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


CELL = Cell({"model": "LDA", "balance": "1:1", "n": "10+10"}, ())


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
    overview = summarised(table).set_index("se")
    assert abs(overview.loc["halved", "median ratio"] - 0.5) < 0.05


def test_class_sizes():
    assert class_sizes(20, "1:1") == (10, 10)
    assert class_sizes(20, "1:10") == (15, 5)
    assert class_sizes(550, "1:10") == (500, 50)


@pytest.mark.slow
def test_a_small_run_asks_everything():
    result = studies.run("calibration", trials=2, sizes=(40,), resamples=150, test_size=200, n_jobs=1)
    asked = set(map(tuple, result.table()[["metric", "method", "se"]].to_numpy()))
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
    assert set(result.table("all")["model"]) == {"LDA", "QDA", "1-NN", "tree", "logistic"}
