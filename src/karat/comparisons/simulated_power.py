"""Power of any test of two rules' scores, by simulation from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from karat.comparisons.delong import delong
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.size_search import check_inside
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.interval_rules import WILSON
from karat.result.test_result import TestResult


def simulated_power(
    pilot: tuple[Any, Any, Any],
    n_positive: int,
    n_negative: int,
    test: Callable[[np.ndarray, np.ndarray, np.ndarray], TestResult] = delong,
    level: float = 0.95,
    trials: int = 500,
    positive: Any = None,
    rng: Any = None,
) -> Estimate:
    """Power of any test of two rules' scores: cases of a pilot drawn with replacement, the test made anew.

    Parameters
    ----------
    test
        f(y, s1, s2) → TestResult, e.g. `karat.comparisons.venkatraman`, or a lambda with options.

    Returns
    -------
    Estimate
        Share of trials that reject, with its binomial error; `mc_se` is the same: more trials shrink it.
    """
    whole("n_positive", n_positive, 2)
    whole("n_negative", n_negative, 2)
    whole("trials", trials, 10)
    check_inside("level", level, 0, 1)
    up, first, second = scores_of(*pilot, positive=positive)
    generator = generator_of(rng)
    pools, sizes = (np.flatnonzero(up), np.flatnonzero(~up)), (n_positive, n_negative)
    found = 0
    for _ in range(trials):
        cases = np.concatenate([generator.choice(pool, size) for pool, size in zip(pools, sizes, strict=True)])
        found += test(up[cases].astype(int), first[cases], second[cases]).p_value < 1 - level
    share = found / trials
    se = math.sqrt(share * (1 - share) / trials)
    return Estimate(
        share, se, mc_se=se, metric="power", bounds=(0.0, 1.0), interval=WILSON, cases=trials, plain=True
    ).noting("Copies of cases make ties, so a test that minds ties looks a little different than it would.")
