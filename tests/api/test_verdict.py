"""The verdict sentence in constructed cases: it must say what the numbers say, and no more."""

from __future__ import annotations

import pytest

from karat import Estimate
from karat.api.compare import judge
from karat.api.verdict import Question, verdict


def ask(value, se, *, metric="auc", higher=True, df=None, p=None, **more):
    estimate = {k: more.pop(k) for k in ("se_method", "mc_se") if k in more}
    d = Estimate(value, se, metric=f"{metric} difference", df=df, bounds=(-1, 1), **{"se_method": "delong", **estimate})
    test = judge(d)
    p = p if p is not None else None if test is None else test.p_value
    return verdict(Question("LDA", "QDA", metric, higher, d, p, **more))


CASES = {
    # name: (arguments, what must be said, what must not)
    "clear win": (
        (0.10, 0.02),
        {},
        ["LDA's AUC is higher than QDA's by 0.100 ± 0.020", "p < 0.0001", "LDA is better."],
        ["not settle"],
    ),
    "clear loss": ((-0.10, 0.02), {}, ["LDA's AUC is lower", "QDA is better."], ["LDA is better"]),
    "lower is better, first wins": (
        (-0.05, 0.01),
        {"metric": "error", "higher": False},
        ["error rate is lower", "LDA is better."],
        ["QDA is better"],
    ),
    "lower is better, second wins": (
        (0.05, 0.01),
        {"metric": "error", "higher": False},
        ["error rate is higher", "QDA is better."],
        ["LDA is better"],
    ),
    "the example of the design": (
        (0.07, 0.05),
        {"df": 19},
        ["by 0.070 ± 0.050", "these data do not settle it", "about 2.2 times as many cases would"],
        ["is better"],
    ),
    "too little data": (
        (0.03, 0.06),
        {},
        ["do not settle it", "about 15 times as many cases"],
        ["is better", "equivalent"],
    ),
    "almost": ((0.0389, 0.02), {}, ["do not settle it", "a few cases more would"], ["is better", "times"]),
    "just": ((0.0395, 0.02), {}, ["LDA is better."], ["settle"]),
    "no difference in sight": (
        (0.001, 0.02),
        {},
        ["do not settle it", "more than 100 times as many cases"],
        ["is better", "equivalent"],
    ),
    "a difference of exactly 0": (
        (0.0, 0.05),
        {},
        ["have the same AUC, ± 0.050", "p = 1.00", "no difference in it that more cases could settle"],
        ["is better"],
    ),
    "identical models": (
        (0.0, 0.0),
        {"identical": True},
        ["the same AUC, to the last case"],
        ["p =", "better", "settle"],
    ),
    "no spread in models that are not identical": (
        (0.0, 0.0),
        {"margin": 0.01},
        ["have the same AUC", "no standard error of this difference can be defended"],
        ["to the last case", "equivalent"],
    ),
    "equivalent alone, not among ten pairs": (
        (0.004, 0.02),
        {"margin": 0.045, "p": 1.0, "pairs": 10},
        ["neither a difference nor equivalence within 0.045"],
        ["are equivalent"],
    ),
    "beyond the margin alone, not among ten pairs": (
        (0.1, 0.02),
        {"margin": 0.05, "pairs": 10},
        ["LDA is better; whether by the 0.05 that matters is not settled"],
        ["by more than"],
    ),
    "no standard error": (
        (0.05, None),
        {"metric": "error", "higher": False},
        ["higher than QDA's by 0.0500", "no standard error of this difference can be defended"],
        ["is better", "p ="],
    ),
    "no difference and no standard error": (
        (0.0, None),
        {},
        ["have the same AUC, but no standard error"],
        ["to the last case"],
    ),
    "equivalent within a margin": (
        (0.004, 0.01),
        {"margin": 0.05},
        ["equivalent, within the 0.05 that matters"],
        ["is better"],
    ),
    "better, but not by what matters": (
        (0.012, 0.003),
        {"margin": 0.05},
        ["LDA is better, but by less than the 0.05 that matters"],
        ["equivalent"],
    ),
    "better by more than what matters": (
        (0.12, 0.02),
        {"margin": 0.05},
        ["LDA is better, by more than the 0.05 that matters"],
        ["not settled"],
    ),
    "better, unclear whether it matters": (
        (0.06, 0.02),
        {"margin": 0.05},
        ["LDA is better; whether by the 0.05 that matters is not settled"],
        [],
    ),
    "neither different nor equivalent": (
        (0.03, 0.03),
        {"margin": 0.05},
        ["neither a difference nor equivalence within 0.05", "times as many"],
        ["is better"],
    ),
    "second better by more than what matters": ((-0.12, 0.02), {"margin": 0.05}, ["QDA is better, by more than"], []),
    "a small sample's t": ((0.10, 0.045), {"df": 3}, ["do not settle it"], ["is better"]),
    "the same with many cases": ((0.10, 0.045), {"df": 300}, ["LDA is better."], []),
    "settled alone, not among ten pairs": (
        (0.05, 0.02),
        {"p": 0.124, "pairs": 10},
        ["adjusted for 10 pairs", "do not settle it", "times as many"],
        ["is better"],
    ),
    "a naive standard error that finds something": (
        (0.10, 0.02),
        {"se_method": "naive"},
        ["take it as a hint"],
        ["is better"],
    ),
    "a naive standard error that finds nothing": (
        (0.01, 0.02),
        {"se_method": "naive"},
        ["even by a standard error that is too small"],
        ["is better", "times"],
    ),
    "too few resamples": ((0.10, 0.02), {"mc_se": 0.03}, ["more resamples first"], ["is better"]),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name):
    arguments, more, said, unsaid = CASES[name]
    sentence = ask(*arguments, **more)
    for words in said:
        assert words in sentence
    for words in unsaid:
        assert words not in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_there_are_twenty():
    assert len(CASES) >= 20


def test_how_many_cases_would_do():
    """The number that is named is the one at which the difference would be significant."""
    import math
    import re

    for value, se in ((0.03, 0.06), (0.05, 0.04), (0.02, 0.018)):
        times = float(re.search(r"about ([\d.]+) times", ask(value, se)).group(1))
        assert "is better" in ask(value, se / math.sqrt(times * 1.07))
        assert "do not settle" in ask(value, se / math.sqrt(times * 0.93))
