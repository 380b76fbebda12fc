"""Default intervals of table measures cover, alone and together (docs/metrics.md has the full table)."""

import pytest
from metric_coverage import LEARNERS, PLANS, SIZES, covered, rejected

pytestmark = pytest.mark.coverage


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("learner", list(LEARNERS))
def test_table_measures_are_covered(learner, n):
    hits, together, _, _ = covered(learner, n, samples=300)
    for name in ("f1", "mcc", "balanced_accuracy", "ppv"):
        assert hits[name] > 0.93 - 2 * 0.015, name  # two standard errors of 300 samples
    assert together > 0.94 - 2 * 0.014


@pytest.mark.parametrize("plan", list(PLANS))
def test_a_test_of_several_metrics_rejects_equal_models_in_5_percent(plan):
    row = rejected(plan, 100, samples=200)
    assert row["max-t"] < max(0.05, row["each alone"]) + 2 * 0.016  # no more than a single test, but for noise
    assert row["max-t"] < row["any alone"]
