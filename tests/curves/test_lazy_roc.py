"""The AUC of an empirical curve needs no points; what is worked out late is what it was."""

import pickle

import numpy as np
import pytest

import trueness
from trueness.curves import empirical


def test_the_auc_and_its_notes_need_no_points(monkeypatch):
    def refuse(*_):
        raise AssertionError("the points were worked out")

    monkeypatch.setattr(empirical, "curve_points", refuse)
    curve = trueness.roc([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.2])
    assert curve.auc.value == 4 / 6
    assert curve.notes == ()


def test_points_after_the_auc_are_those_before_it():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 50), np.round(rng.normal(size=50), 1)
    early, late = trueness.roc(y, s), trueness.roc(y, s)
    late.auc
    for name in ("thresholds", "fpf", "tpf"):
        np.testing.assert_array_equal(getattr(early, name), getattr(late, name))
    assert early.auc.value == pytest.approx(late.auc.value, abs=1e-15)
    copy = pickle.loads(pickle.dumps(late))
    np.testing.assert_array_equal(copy.fpf, late.fpf)
    assert copy.auc.se == late.auc.se
