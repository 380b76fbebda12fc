"""Power of any test of two rules' scores, by simulation from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from trueness.checks import check_level, check_whole, generator_of, refuses_foreign
from trueness.comparisons.auc_tests import delong
from trueness.comparisons.size_search import three_arrays
from trueness.result import Estimate, Note, TestResult
from trueness.result.interval import WILSON
from trueness.sample.answers import Answers
from trueness.typing import Floats, Ints, Label, Labels, Rng, Scores


@refuses_foreign
def simulated_power(
    pilot: tuple[Labels, Scores, Scores],
    n_positive: int,
    n_negative: int,
    test: Callable[[Ints, Floats, Floats], TestResult] = delong,
    level: float = 0.95,
    trials: int = 500,
    positive: Label | None = None,
    rng: Rng = None,
) -> Estimate:
    """Power of any test of two rules' scores: cases of a pilot are drawn with replacement and tested.

    Parameters
    ----------
    pilot : tuple
        (y, s1, s2): labels and the scores of the two rules.
    n_positive, n_negative : int
        Cases of each class in the planned study.
    test : callable, default delong
        f(y, s1, s2) → TestResult, e.g. `trueness.comparisons.venkatraman`.
    level : float, default 0.95
        1 − α of the test.
    trials : int, default 500
        Number of simulated studies.
    positive : label, optional
        The positive label.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    Estimate
        Share of trials that reject, with its binomial error; `mc_se` is the same and shrinks with `trials`.
    """
    check_whole("n_positive", n_positive, 2)
    check_whole("n_negative", n_negative, 2)
    check_whole("trials", trials, 10)
    check_level(level)
    y, *scores = three_arrays(pilot, "(y, s1, s2)")
    rules = Answers.of_scores(y, scores, positive)
    up, (first, second) = rules.up, rules.pair
    generator = generator_of(rng)
    pools, sizes = (np.flatnonzero(up), np.flatnonzero(~up)), (n_positive, n_negative)
    rejected = 0
    for _ in range(trials):
        cases = np.concatenate([generator.choice(pool, size) for pool, size in zip(pools, sizes, strict=True)])
        rejected += test(up[cases].astype(int), first[cases], second[cases]).p_value < 1 - level
    share = rejected / trials
    se = math.sqrt(share * (1 - share) / trials)
    note = Note("ties-from-pilot", "Repeated cases of the pilot are ties, which affect some tests slightly.")
    return Estimate(share, se, se, metric="power", bounds=(0.0, 1.0), interval=WILSON, cases=trials, plain=True).noting(
        note
    )
