"""Default intervals of table measures cover, alone and together (docs/appendix/metrics.md has the full table)."""

import pytest
from metric_coverage import EQUAL_RULES, LEARNERS, SIZES, covered, rejected

pytestmark = pytest.mark.coverage


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("learner", list(LEARNERS))
def test_table_measures_are_covered(learner, n):
    hits, together, _, _ = covered(learner, n, samples=300)
    for name in ("f1", "mcc", "balanced_accuracy", "ppv"):
        assert hits[name] > 0.93 - 2 * 0.015, name  # two standard errors of 300 samples
    assert together > 0.94 - 2 * 0.014


@pytest.mark.parametrize("plan", ["CvBootstrap()", "Bootstrap(400)"])
def test_of_equal_models_a_joint_test_rejects_no_more_than_a_single_one(plan):
    row = rejected(plan, 100, samples=200)
    assert row["max-t"] < max(0.05, row["each alone"]) + 2 * 0.016  # two standard errors of 200 samples
    assert row["max-t"] < row["any alone"]


def test_of_equal_rules_a_joint_test_rejects_about_5_percent_on_50_test_cases():
    row = rejected(EQUAL_RULES, 50, samples=500)
    assert row["max-t"] == pytest.approx(0.05, abs=2.5 * 0.0097)  # standard error of 500 samples
    assert row["max-t"] < row["any alone"]


def test_a_holdout_tells_the_trained_rules_of_equal_models_apart_more_often():
    """It is about the rules, and those differ: the share above .05 is power, not a wrong level."""
    assert rejected("Holdout(0.5)", 100, samples=200)["max-t"] > rejected(EQUAL_RULES, 50, samples=200)["max-t"]
