"""Every test that is offered as valid holds its level where there is no difference (make coverage).

The program that makes the table of docs/appendix/comparison.md, with another seed and room for chance: 2000 nulls each.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAMS = Path(__file__).parents[2] / "docs" / "programs"

pytestmark = pytest.mark.coverage


def program(name: str):
    spec = importlib.util.spec_from_file_location(name, PROGRAMS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


TRIALS = 2000
PARTS = tuple(program("type_one_error").PARTS)


@pytest.mark.parametrize("part", PARTS)
def test_type_one_error(part):
    """Rows without a tag are offered as valid; the ones with a tag say in words that they are not."""
    module = program("type_one_error")
    shares = module.rejections(part, TRIALS, seed=1)
    room = 3 * math.sqrt(0.07 * 0.93 / TRIALS)
    for row, share in shares.items():
        name, _, tag = row.partition(": ")
        assert tag in module.TAGS or share <= 0.07 + room, name
    if part == "refits":
        assert shares["resampled_t (30 splits): NOT VALID"] > 0.2
        assert shares["compare, auc by lpob, influence"] <= shares["compare, auc by lpob, second-order"]
    if part == "few-errors":
        assert shares["delong_many (χ²): OUTSIDE"] > shares["delong_many (Hotelling's F, in its note)"]


def test_the_tree_of_the_study_is_a_tree():
    """Grown on all replicates at once as scikit-learn grows one: the same but for splits that do equally well."""
    from sklearn.tree import DecisionTreeClassifier

    import trueness

    study = program("second_order_study")
    X, y = study.skewed(np.random.default_rng(0), 25, 25, 4, 0.6)
    design = trueness.Bootstrap(60).draw(y, rng=1)
    grown = DecisionTreeClassifier(max_depth=3, random_state=0)
    wanted = [grown.fit(X, y, sample_weight=w).predict_proba(X)[:, 1] for w in design.counts.astype(float)]
    assert np.isclose(study.tree(X, y, design).scores, wanted).mean() > 0.9


@pytest.mark.parametrize("name", ["null-unbalanced", "null-nb", "n100"])
def test_second_order_calibration(name):
    """Nearer to the true SD than the influence function, neither far too small nor far too large."""
    study = program("second_order_study")
    trials = 150
    found = study.study(study.SETTINGS[name], trials, seed=2)
    for method in ("lpob", "loob"):
        second, first = found[method]["second-order"], found[method]["influence-corrected"]
        chance = 3 / math.sqrt(2 * trials)  # of the true SD
        assert 0.85 - chance < second["ratio"] < 1.25 + chance
        assert second["ratio"] < first["ratio"]
        assert second["coverage"] > 0.95 - 3 * math.sqrt(0.05 * 0.95 / trials) - 0.03


def test_power_in_the_setting_of_table_4():
    """LDA is better than QDA there: the second-order test finds it more often than the influence function."""
    study = program("second_order_study")
    found = study.study(study.SETTINGS["table4-40"], 120, seed=3)["lpob"]
    assert found["mean"] == pytest.approx(0.047, abs=0.012)
    assert found["second-order"]["rejects"] > found["influence-corrected"]["rejects"]
