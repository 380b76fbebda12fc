"""Five times two-fold cross-validation: Dietterich's t (1998) and Alpaydin's F (1999)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import constant, values_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, no_difference, tail
from karat.errors import InputError
from karat.result import Estimate
from karat.result.test_result import TestResult

FOLDS = "row i holds the two folds of repeat i: each half of the cases trains once and tests once."
HALVES = (
    "models are compared as trained on half of the cases, and there are at least 200 cases: with 60 up to 9 % of "
    "true nulls were rejected, with 100 up to 8 %, with 200 and 300 no more than 6 % (docs/comparison.md)."
)
DOMAIN = "Not valid with fewer than 200 cases, which the ten differences do not tell."
NOTHING = "The two have no difference at all."
NORMAL = "the differences are about normal, and the five repeats about independent: a convention that works."


@comparison("5x2", "Do two models do equally well, by 5 × 2-fold cross-validation? One fold's difference")
def five_by_two_t(d: Any, alternative: str = "two-sided") -> TestResult:
    """t = d_11 / √(Σ_i s_i²/5), s_i² the variance within repeat i, 5 degrees of freedom (Dietterich 1998).

    `d` (5, 2): first − second on fold j of repeat i. Only the first difference is in the numerator, so
    the answer depends on which fold came first; `five_by_two_f` uses all ten. For 200 cases or more: with fewer true
    nulls are rejected too often.
    """
    check_alternative(alternative)
    x, spread = _read(d)
    if x.any():
        statistic = float(x[0, 0]) / math.sqrt(spread)
        p = tail(statistic, alternative, 5)
    else:
        statistic, p = 0.0, no_difference(alternative)
    return TestResult(
        "5×2cv t",
        statistic,
        p,
        df=5,
        alternative=alternative,
        difference=_mean(x),
        assumptions=(FOLDS, HALVES, NORMAL),
        notes=(DOMAIN,) if x.any() else (NOTHING,),
    )


@comparison("5x2", "Do two models do equally well, by 5 × 2-fold cross-validation? All ten differences")
def five_by_two_f(d: Any) -> TestResult:
    """F = Σ_ij d_ij² / (2 Σ_i s_i²) with 10 and 5 degrees of freedom (Alpaydin 1999). For 200 cases or more."""
    x, spread = _read(d)
    if x.any():
        statistic = float((x**2).sum()) / (2 * 5 * spread)
        p = float(stats.f.sf(statistic, 10, 5))
    else:
        statistic, p = 0.0, 1.0
    return TestResult(
        "5×2cv F",
        statistic,
        p,
        df=(10.0, 5.0),
        difference=_mean(x),
        assumptions=(FOLDS, HALVES, NORMAL),
        notes=(DOMAIN,) if x.any() else (NOTHING,),
    )


def _read(d: Any) -> tuple[np.ndarray, float]:
    """(5, 2) differences and the mean of the five variances s_i² = (d_i1 − d_i2)²/2."""
    x = values_of(d, "d", 2)
    if x.shape != (5, 2):
        raise InputError("d must hold 5 repeats of 2 folds", got=f"shape {x.shape}")
    spread = float(((x[:, 0] - x[:, 1]) ** 2 / 2).mean())
    if x.any() and all(constant(row) for row in x):
        raise InputError(
            "the two folds of every repeat have the same difference, so there is no spread to judge it by",
            fix="Use corrected_t of more splits",
        )
    return x, spread


def _mean(x: np.ndarray) -> Estimate:
    return Estimate(float(x.mean()), metric="mean difference").noting(
        "No standard error: the variance of a 5 × 2cv mean has no unbiased estimate."
    )
