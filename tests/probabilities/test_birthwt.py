"""Calibration of 94 births (MASS::birthwt), badly calibrated, against rms 6.5-0: tests/reference/birthwt.R."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import trueness
from trueness.formulas.calibration import loess
from trueness.probabilities.given import fits_of

R = json.loads((Path(__file__).parents[1] / "reference" / "birthwt.json").read_text())
SAME = {
    "auc": "C",
    "brier": "Brier",
    "recalibration_intercept": "Intercept",
    "calibration_slope": "Slope",
    "u_index": "U",
}


@pytest.mark.parametrize("metric", SAME)
def test_val_prob(metric):
    fits = fits_of(np.array(R["y"]).astype(int), np.array(R["p"]), None, None)
    assert trueness.estimate(fits, metric, "holdout").value == pytest.approx(R["val_prob"][SAME[metric]], abs=1e-7)


def test_intercept_in_the_large_and_distances_from_the_spline():
    q = trueness.calibration(np.array(R["y"]).astype(int), R["p"])
    assert q.intercept.value == pytest.approx(R["in_the_large"], abs=1e-7)
    assert [q.ici.value, q.e50.value, q.e90.value] == pytest.approx(R["spline"], abs=2e-5)
    assert q.ici.value != pytest.approx(R["loess"][0], abs=0.005)  # another smoother, another number


def test_loess_is_that_of_r():
    p, y = np.array(R["p"]), np.array(R["y"], dtype=float)
    d = np.abs(p - np.clip(loess(p, y, np.ones(len(p))), 0, 1))
    assert [d.mean(), *np.quantile(d, [0.5, 0.9])] == pytest.approx(R["loess"], abs=1e-10)
    twice = loess(np.tile(p, 2), np.tile(y, 2), np.ones(2 * len(p)))
    assert twice[: len(p)] == pytest.approx(twice[len(p) :])
    assert loess(p, y, np.ones(len(p)), most=500) == pytest.approx(loess(p, y, np.ones(len(p))), abs=1e-12)  # in parts


def test_loess_of_two_places_is_their_means():
    x, y = np.repeat([0.1, 0.4], 50), np.repeat([1.0, 0, 1, 0], [10, 40, 25, 25])
    assert loess(x, y, np.ones(100)) == pytest.approx(np.repeat([0.2, 0.5], 50))


def test_loess_of_many_places_is_linear_between_some():
    rng = np.random.default_rng(0)
    x = rng.random(1500)
    y = (rng.random(1500) < x**2).astype(float)
    some, all_ = (loess(x, y, np.ones(1500), places=k) for k in (401, 1500))
    assert np.abs(some - all_).max() < 1e-4
