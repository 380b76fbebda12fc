"""The test of one pair: statistic and p-value of a difference, and the interval that goes with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness import Estimate
from trueness import comparisons as C
from trueness.api.judged import judge, judged
from trueness.result.words import StandardError

rng = np.random.default_rng(11)
y = np.repeat([0, 1], [22, 28])
X = rng.normal(size=(50, 3)) + 0.9 * y[:, None]


def test_a_difference_is_tested_by_its_standard_error():
    t = judge(
        Estimate(0.1, 0.04, df=12, metric="auc difference", method="lpob", se_method=StandardError("second-order"))
    )
    assert t.statistic == pytest.approx(2.5)
    assert t.p_value == pytest.approx(2 * stats.t.sf(2.5, 12))
    assert t.assumptions


@pytest.mark.parametrize("d", [Estimate(0.1), Estimate(0.1, float("nan")), Estimate(0.1, 0.0)])
def test_without_a_standard_error_there_is_no_test(d):
    assert judge(d) is None


def test_no_difference_and_no_spread_gives_one():
    assert judge(Estimate(0.0, 0.0)).p_value == 1


def test_rounding_error_is_no_difference():
    """Two rules that decide alike but by other scores: means of the same losses, summed in another order."""
    fits = trueness.fit(LDA(), X, y, trueness.plans.NestedKFold(3), rng=0)
    d = trueness.difference(fits, fits, "error", "nested_cv").with_(value=3e-17)
    assert judged(fits, fits, d, trueness.metrics.Error()).value == 0


def test_tangos_interval_needs_no_standard_error():
    test = C.mcnemar_counts(0, 0, n=30)
    assert judge(test.difference).p_value == test.p_value == 1
    assert test.difference.se is None
    assert tuple(test.difference.ci()) == pytest.approx(C.tango(0, 0, 30))
    assert test.difference.noted("no-se-zero-variance")
