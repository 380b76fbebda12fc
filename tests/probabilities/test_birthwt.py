"""Calibration of 94 births (MASS::birthwt), badly calibrated, against rms 6.5-0: tests/reference/birthwt.R."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import trueness
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
