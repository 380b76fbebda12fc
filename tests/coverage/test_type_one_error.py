"""Every test that is offered as valid holds its level where there is no difference (make coverage).

The programs of docs/programs make the tables of docs/comparison.md with 2000 trials; here fewer, with room for chance.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / "docs" / "programs"

pytestmark = pytest.mark.coverage


def program(name: str):
    spec = importlib.util.spec_from_file_location(name, PROGRAMS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("part", "trials"),
    [
        ("scores", 500),
        ("decisions", 1000),
        ("data-sets", 500),
        ("margins", 1000),
        ("refits", 250),
        ("five-by-two", 500),
        ("few", 500),
    ],
)
def test_type_one_error(part, trials):
    shares = program("type_one_error").rejections(part, trials, seed=1)
    room = 3 * math.sqrt(0.07 * 0.93 / trials)
    for name, share in shares.items():
        if ": NO" not in name:  # neither NOT VALID nor NO GUARANTEE
            assert share <= 0.07 + room, name
    if part == "refits":
        assert shares["resampled_t (30 splits): NOT VALID"] > 0.2
        assert shares["compare, auc by lpob, influence"] <= shares["compare, auc by lpob, second-order"]


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
