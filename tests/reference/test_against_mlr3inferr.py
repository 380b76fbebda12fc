"""Numbers of R's mlr3inferr on loss tables: mlr3inferr.R made mlr3inferr.json. R is not needed here."""

import json
from pathlib import Path

import numpy as np
import pytest
from halves_from_arrays import fits_of

import trueness

R = json.loads((Path(__file__).parent / "mlr3inferr.json").read_text())


def paired_fits(table, kind="classification"):
    y, m = np.array(table["y"]), table["n_splits"]
    counts, scores = np.zeros((2, len(table["splits"]), len(y)))
    scores[:] = np.nan
    for row, of, s in zip(counts, scores, table["splits"], strict=True):
        row[s["train"]] = 1
        of[s["test"]] = s["score"]
    counts = counts.astype(np.uint8)
    within, seen = counts[m:], ~np.isnan(scores[m:])
    members = np.array(
        [(within[f : f + m].any(axis=0)) | seen[f : f + m].any(axis=0) for f in range(0, len(within), m)]
    )
    return fits_of("paired", y, counts[:m], within, members, scores[:m], scores[m:], task=kind)


def assert_same(estimate, expected):
    low, high = expected["low"], expected["high"]
    assert estimate.value == pytest.approx(expected["value"], abs=1e-12)
    unbounded = estimate.with_(bounds=(-np.inf, np.inf))  # mlr3inferr's limits may leave the range
    assert tuple(unbounded.ci(0.95, "wald")) == pytest.approx((low, high), abs=1e-10)


@pytest.mark.parametrize("metric", ["error", "brier"])
@pytest.mark.parametrize("table", R["paired"], ids=["n = 40", "n = 41"])
def test_conservative_z_and_corrected_t(table, metric):
    fits = paired_fits(table)
    assert_same(trueness.estimate(fits, metric, "conservative_z"), table[metric]["conservative_z"])
    assert_same(trueness.estimate(fits, metric, "cv", se="nadeau-bengio"), table[metric]["corrected_t"])


@pytest.mark.parametrize("metric", ["error", "brier"])
@pytest.mark.parametrize("table", R["folds"], ids=["n = 40", "n = 37"])
def test_standard_errors_of_one_pass(table, metric):
    y, fold = np.array(table["y"]), np.array(table["fold"])
    counts = (fold != np.arange(fold.max() + 1)[:, None]).astype(int)
    fits = trueness.Fits.from_arrays(y, counts, np.where(counts == 0, table["score"], np.nan), threshold=0.5)
    assert_same(trueness.estimate(fits, metric, "cv_pooled", se="naive"), table[metric]["all_pairs"])
    assert_same(trueness.estimate(fits, metric, "cv_pooled", se="within-fold"), table[metric]["within_fold"])


@pytest.mark.parametrize("metric", ["mse", "mae"])
def test_losses_of_predicted_numbers(metric):
    (table,) = R["paired_numbers"]
    fits = paired_fits(table, "regression")
    assert_same(trueness.estimate(fits, metric, "conservative_z"), table[metric]["conservative_z"])
    assert_same(trueness.estimate(fits, metric, "cv", se="nadeau-bengio"), table[metric]["corrected_t"])
    (table,) = R["fold_numbers"]
    y, fold = np.array(table["y"]), np.array(table["fold"])
    counts = (fold != np.arange(fold.max() + 1)[:, None]).astype(int)
    scores = np.where(counts == 0, table["score"], np.nan)
    fits = trueness.Fits.from_arrays(y, counts, scores, kind="regression")
    assert_same(trueness.estimate(fits, metric, "cv_pooled", se="naive"), table[metric]["all_pairs"])
    assert_same(trueness.estimate(fits, metric, "cv_pooled", se="within-fold"), table[metric]["within_fold"])
