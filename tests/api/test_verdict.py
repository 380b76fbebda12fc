"""The verdict in constructed cases: the outcome is what the numbers show, and no more."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from trueness import Estimate
from trueness.api.judged import judge
from trueness.estimators.cv import NAIVE
from trueness.result.verdict import Question, outcome, verdict
from trueness.result.words import DELONG


def question(value, se, *, metric="auc", higher=True, df=None, p=None, **more):
    estimate = {k: more.pop(k) for k in ("se_method", "mc_se", "identical") if k in more}
    d = Estimate(value, se, metric=f"{metric} difference", df=df, bounds=(-1, 1), **{"se_method": DELONG, **estimate})
    test = judge(d)
    p = p if p is not None else None if test is None else test.p_value
    return Question("LDA", "QDA", metric, higher, d, p, **more)


ERROR = {"metric": "error", "higher": False}
CASES = {
    # name: (difference and se, options, outcome, the model that is called better)
    "clear win": ((0.10, 0.02), {}, "better", "LDA"),
    "clear loss": ((-0.10, 0.02), {}, "better", "QDA"),
    "lower is better, first wins": ((-0.05, 0.01), ERROR, "better", "LDA"),
    "lower is better, second wins": ((0.05, 0.01), ERROR, "better", "QDA"),
    "direction unknown": ((0.05, 0.01), {"higher": None}, "better", None),
    "few degrees of freedom": ((0.07, 0.05), {"df": 19}, "open", None),
    "too little data": ((0.03, 0.06), {}, "open", None),
    "almost": ((0.0389, 0.02), {}, "open", None),
    "just": ((0.0395, 0.02), {}, "better", "LDA"),
    "no difference in sight": ((0.001, 0.02), {}, "open", None),
    "a difference of exactly 0": ((0.0, 0.05), {}, "open", None),
    "identical models": ((0.0, 0.0), {"identical": True}, "identical", None),
    "no spread in models that are not identical": ((0.0, 0.0), {"margin": 0.01}, "no-test", None),
    "no standard error": ((0.05, None), ERROR, "no-test", None),
    "no difference and no standard error": ((0.0, None), {}, "no-test", None),
    "equivalent within a margin": ((0.004, 0.01), {"margin": 0.05}, "equivalent", None),
    "equivalent alone, not among ten pairs": ((0.004, 0.02), {"margin": 0.045, "p": 1.0, "pairs": 10}, "open", None),
    "better, but within the margin": ((0.012, 0.003), {"margin": 0.05}, "better-within-margin", "LDA"),
    "better beyond the margin": ((0.12, 0.02), {"margin": 0.05}, "better-beyond-margin", "LDA"),
    "second better beyond the margin": ((-0.12, 0.02), {"margin": 0.05}, "better-beyond-margin", "QDA"),
    "better, margin unclear": ((0.06, 0.02), {"margin": 0.05}, "better-margin-open", "LDA"),
    "beyond alone, not among ten pairs": ((0.1, 0.02), {"margin": 0.05, "pairs": 10}, "better-margin-open", "LDA"),
    "neither different nor equivalent": ((0.03, 0.03), {"margin": 0.05}, "open", None),
    "a small sample's t": ((0.10, 0.045), {"df": 3}, "open", None),
    "the same with many cases": ((0.10, 0.045), {"df": 300}, "better", "LDA"),
    "significant alone, not among ten pairs": ((0.05, 0.02), {"p": 0.124, "pairs": 10}, "open", None),
    "a naive standard error, significant": ((0.10, 0.02), {"se_method": NAIVE}, "hint", None),
    "a naive standard error, not significant": ((0.01, 0.02), {"se_method": NAIVE}, "open-naive", None),
    "too few resamples": ((0.10, 0.02), {"mc_se": 0.03}, "noisy", None),
}


@pytest.mark.parametrize("name", CASES)
def test_outcome_and_the_model_called_better(name):
    numbers, options, expected, better = CASES[name]
    q = question(*numbers, **options)
    assert outcome(q) == expected
    sentence = verdict(q)
    assert re.findall(r"(LDA|QDA) is better", sentence) == ([better] if better else [])
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_wording_of_the_common_cases():
    assert verdict(question(0.10, 0.02)) == (
        "LDA's AUC is higher than QDA's by 0.100 ± 0.020 (p < 0.0001): LDA is better."
    )
    assert verdict(question(0.07, 0.05, df=19)) == (
        "LDA's AUC is higher than QDA's by 0.070 ± 0.050 (p = 0.18): the difference is not significant at level 0.05; "
        "about 4.5 times as many cases would be needed to show a difference of this size with a power of 80 %."
    )
    assert "more than 100 times as many cases" in verdict(question(0.001, 0.02))
    assert verdict(question(0.0, 0.05)).startswith("LDA and QDA have the same AUC (p = 1.00): ")
    assert "adjusted for 10 pairs" in verdict(question(0.05, 0.02, p=0.124, pairs=10))
    assert "equivalent within the margin of 0.05" in verdict(question(0.004, 0.01, margin=0.05))


@pytest.mark.parametrize(("value", "se"), [(0.03, 0.06), (0.05, 0.04), (0.02, 0.018)])
def test_with_the_number_of_cases_named_the_difference_is_found_four_times_in_five(value, se):
    times = float(re.search(r"about ([\d.]+) times", verdict(question(value, se))).group(1))
    drawn = np.random.default_rng(0).normal(value, se / math.sqrt(times), 3000)
    found = np.mean([outcome(question(d, se / math.sqrt(times))) == "better" for d in drawn])
    assert found == pytest.approx(0.8, abs=0.03)
