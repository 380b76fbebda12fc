"""Bootstrap on a test set: the standard error of a difference of AUCs or of any measure, and the test by it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from karat.checks import check_whole
from karat.comparisons.assumptions import FIXED_RULES, INDEPENDENT_CASES
from karat.comparisons.checks import blocks, check_alternative
from karat.comparisons.delong import wald_test, without_zero_se
from karat.comparisons.inputs import generator_of, scores_of
from karat.comparisons.registry import comparison
from karat.errors import InputError
from karat.formulas.curve_rows import area_rows, curve_rows
from karat.plans.bootstrap import bootstrap_counts
from karat.result import Estimate
from karat.result.test_result import TestResult
from karat.typing import Alternative, Bools, Floats, Ints, Label, Labels, Rng, Scores

NORMAL = "the difference is about normal over test sets of this size; its SD is that of {} stratified resamples."

Rows = Callable[[Floats, Floats], Floats]  # scores (n,), weights (b, n) → (b,)


@comparison("scores", "Do two rules have the same AUC, or any other measure, on one test set?")
def bootstrap(
    y: Labels,
    s1: Scores,
    s2: Scores,
    statistic: Callable[[Ints, Floats], float] | None = None,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    rng: Rng = None,
) -> TestResult:
    """z = (θ_1 − θ_2) / SD of the difference over resamples of the cases, drawn within each class.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    statistic : callable, optional
        f(y, scores) → float, with y 1 for positive and 0 for negative cases. The AUC by default.
    positive : label, optional
        The positive label.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For θ_1 − θ_2.
    n_resamples : int, default 2000
        Number of resamples, at least 100.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    TestResult
    """
    check_alternative(alternative)
    if statistic is not None and not callable(statistic):
        raise InputError(
            "statistic must be a function of labels and scores",
            param="statistic",
            got=repr(statistic),
            fix="Omit it for the AUC, or pass e.g. a function of sklearn.metrics",
        )
    up, first, second = scores_of(y, s1, s2, positive=positive)
    bounds, name = ((-1.0, 1.0), "auc") if statistic is None else ((-np.inf, np.inf), _name(statistic))

    def rows(scores: Floats, weights: Floats) -> Floats:
        if statistic is None:
            return area_rows(*curve_rows(scores, up, weights))
        cases = (np.repeat(np.arange(len(up)), w) for w in weights.astype(int))
        return np.array([statistic(up[c].astype(int), scores[c]) for c in cases], dtype=float)

    d = bootstrapped(up, first, second, rows, name, n_resamples, generator_of(rng)).with_(bounds=bounds)
    z, p, notes = wald_test(d, alternative)
    assumptions = (FIXED_RULES, INDEPENDENT_CASES, NORMAL.format(n_resamples))
    d = without_zero_se(d, np.array_equal(first, second))
    return TestResult(f"Bootstrap of the {name}", z, p, None, alternative, d, assumptions, notes)


def _name(statistic: Callable[..., float]) -> str:
    return str(getattr(statistic, "__name__", "statistic"))


def bootstrapped(
    up: Bools, first: Floats, second: Floats, rows: Rows, name: str, n_resamples: int, rng: np.random.Generator
) -> Estimate:
    """The difference of a measure of two rules, with its SD over resamples of the cases as standard error."""
    check_whole("n_resamples", n_resamples, 100)
    one = np.ones((1, len(up)))
    value = float(rows(first, one)[0]) - float(rows(second, one)[0])
    differences = []
    for b in blocks(n_resamples, len(up)):
        weights = np.empty((b, len(up)))
        for of in (up, ~up):
            weights[:, of] = bootstrap_counts(rng, int(of.sum()), b)
        differences.append(rows(first, weights) - rows(second, weights))  # the same resamples for both rules
    drawn = np.concatenate(differences)
    bad = int((~np.isfinite(drawn)).sum())
    if bad or not np.isfinite(value):
        raise InputError(
            f"The {name} is undefined in {bad} of {n_resamples} resamples", param="statistic", fix="Use another measure"
        )
    return Estimate(
        value,
        se=float(drawn.std(ddof=1)),
        metric=f"{name} difference",
        se_method="bootstrap",
        estimand="these two rules",
        cases=int(min(up.sum(), (~up).sum())),
    )
