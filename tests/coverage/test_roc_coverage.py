"""The default intervals of trueness.roc hold where the truth is known (make coverage).

docs/programs/roc_coverage.py makes the tables of docs/appendix/roc.md with 2000 trials; here fewer, with room for chance.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "docs" / "programs" / "roc_coverage.py"

pytestmark = pytest.mark.coverage

DEFAULTS = (
    "AUC, default",
    "AUC, binormal ML, logit",
    "AUC, semiparametric, jackknife, logit",
    "AUC of three classes, Hand–Till, logit",
    "alpha, binormal ML, wald",
    "beta, binormal ML, log",
    "partial AUC, FPF 0 to .2, logit",
    "partial AUC, FPF 0 to .2, binormal ML, logit",
    "partial AUC, TPF .8 to 1, logit",
    "TPF at FPF = .01, harrell-davis",
    "TPF at FPF = .02, harrell-davis",
    "TPF at FPF = .1, binormal ML, logit",
    "single-point AUC, mover",
    "TPF at FPF = .1, harrell-davis",
    "FPF at TPF = .9, harrell-davis",
    "threshold at FPF = .1, order statistics",
    "TPF at a given threshold, Wilson",
    "(FPF, TPF) at a given threshold, rectangle",
    "Youden's threshold, bootstrap percentiles",
    "Youden's index of best(), with its optimism",
    "TPF of the threshold of best(tpf=.9), Wilson",
    "whole curve, fixed-width band",
    "whole curve, binormal ML, Working–Hotelling band",
)


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("roc_coverage", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.modules["roc_coverage"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("auc", [0.6, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [30, 100])
def test_default_intervals_hold(program, n, auc):
    trials = 300
    found = program.coverage(n, n, auc, trials=trials, slow_trials=trials, rng=7)
    room = 3 * math.sqrt(0.95 * 0.05 / trials)
    for name in DEFAULTS:
        assert found[name] >= 0.93 - room, name


def test_wald_does_not_hold_for_a_very_good_rule(program):
    found = program.coverage(100, 100, 0.99, trials=600, slow_trials=0, rng=7)
    assert found["AUC, delong, wald"] < 0.92
    assert found["AUC, hanley-mcneil, logit"] > 0.97  # and this one is too wide


@pytest.mark.parametrize("auc", [0.8, 0.95, 0.99])
def test_the_default_holds_where_few_cases_overlap_and_delong_does_not(program, auc):
    trials = 600
    found = program.coverage(15, 150, auc, 0.5, trials=trials, slow_trials=0, rng=7)
    assert found["AUC, default"] >= 0.93 - 3 * math.sqrt(0.95 * 0.05 / trials)
    if auc > 0.9:
        assert found["AUC, delong, logit"] < 0.92
