"""Bootstrap on a test set: the spread of a difference, and the test of the AUC or any measure by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat.comparisons.delong import CASES, FIXED, defended, wald_test
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative
from karat.errors import InputError
from karat.formulas.curve_rows import area_rows, curve_rows
from karat.plans.draws import bootstrap_counts
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.test_result import TestResult

NORMAL = "the difference is about normal over test sets of this size; its spread comes from {} stratified resamples."
BLOCK = 4_000_000  # cells of one block of resamples

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]  # scores (n,), weights (b, n) → (b,)


@comparison("scores", "Do two rules have the same AUC, or any other measure, on one test set?")
def bootstrap(
    y: Any,
    s1: Any,
    s2: Any,
    statistic: Callable[[np.ndarray, np.ndarray], float] | None = None,
    positive: Any = None,
    alternative: str = "two-sided",
    n_resamples: int = 2000,
    rng: Any = None,
) -> TestResult:
    """z = (θ_1 − θ_2) / SD of the difference over resamples of the cases, drawn within each class.

    Parameters
    ----------
    statistic
        f(y, scores) → a number, y 1 for positive and 0 for negative cases; None: the AUC.
    """
    check_alternative(alternative)
    up, first, second = scores_of(y, s1, s2, positive=positive)
    rows: Rows
    if statistic is None:
        bounds, name = (-1.0, 1.0), "auc"

        def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
            return area_rows(*curve_rows(scores, up, weights))
    else:
        bounds, name = (-np.inf, np.inf), getattr(statistic, "__name__", "statistic")
        measure = statistic

        def rows(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
            cases = (np.repeat(np.arange(len(up)), w) for w in weights.astype(int))
            return np.array([measure(up[c].astype(int), scores[c]) for c in cases], dtype=float)

    d = bootstrapped(up, first, second, rows, name, n_resamples, generator_of(rng)).with_(bounds=bounds)
    z, p, notes = wald_test(d, alternative, "The bootstrap")
    return TestResult(
        f"Bootstrap of the {name}",
        z,
        p,
        alternative=alternative,
        difference=defended(d, np.array_equal(first, second)),
        assumptions=(FIXED, CASES, NORMAL.format(n_resamples)),
        notes=notes,
    )


def bootstrapped(
    up: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    rows: Rows,
    name: str,
    n_resamples: int,
    rng: np.random.Generator,
) -> Estimate:
    """The difference of a measure of two rules, with its SD over resamples of the cases as standard error."""
    whole("n_resamples", n_resamples, 100)
    one = np.ones((1, len(up)))
    values = [float(rows(s, one)[0]) for s in (first, second)]
    spread = _resampled(up, first, second, rows, n_resamples, rng)
    bad = int((~np.isfinite(spread)).sum())
    if bad or not np.isfinite(values).all():
        raise InputError(f"the {name} is undefined in {bad} of {n_resamples} resamples", fix="Choose another measure")
    return Estimate(
        values[0] - values[1],
        se=float(spread.std(ddof=1)),
        metric=f"{name} difference",
        se_method="bootstrap",
        estimand="these two rules",
        cases=int(min(up.sum(), (~up).sum())),
    )


def _resampled(
    up: np.ndarray, first: np.ndarray, second: np.ndarray, rows: Rows, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """(n_resamples,) differences, the same resamples for both rules."""
    out, step = [], max(1, BLOCK // len(up))
    for start in range(0, n_resamples, step):
        b = min(step, n_resamples - start)
        weights = np.empty((b, len(up)))
        for of in (up, ~up):
            weights[:, of] = bootstrap_counts(rng, int(of.sum()), b)
        out.append(rows(first, weights) - rows(second, weights))
    return np.concatenate(out)
