"""Five times two-fold cross-validation: Dietterich's t (1998) and Alpaydin's F (1999)."""

from __future__ import annotations

import math

import numpy.typing as npt
from scipy import stats

from trueness.comparisons.inputs import check_alternative, constant, values_of
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result import Estimate, Note
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.typing import Alternative, Floats

MIN_CASES = 200
ASSUMPTIONS = (
    "row i holds the two folds of repeat i: each half of the cases trains once and tests once.",
    "models are compared as trained on half of the cases, and there are at least 200 cases: with 60 up to 9 % of true "
    "nulls were rejected, with 100 up to 8 %, with 200 and 300 at most 6 % (docs/comparison.md).",
    "the differences are about normal, and the five repeats about independent: a useful convention, not a theorem.",
)


@comparison(
    "5x2", "Do two models do equally well, by 5 × 2-fold cross-validation? One fold's difference", "dietterich_1998"
)
def five_by_two_t(d: npt.ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """t = d_11 / √(Σ_i s_i²/5), with s_i² the variance within repeat i and 5 degrees of freedom.

    Only the first difference is in the numerator, so the result depends on which fold came first; `five_by_two_f`
    uses all ten. For 200 cases or more: with fewer, true nulls are rejected too often.

    Parameters
    ----------
    d : array-like of shape (5, 2)
        first − second on fold j of repeat i.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For the difference.

    Returns
    -------
    TestResult
    """
    check_alternative(alternative)
    x, variance = _read(d)
    t = float(x[0, 0]) / math.sqrt(variance) if x.any() else 0.0
    p = tail(t, alternative, 5) if x.any() else 1.0
    return TestResult("5×2cv t", t, p, 5, alternative, _mean(x), ASSUMPTIONS, _notes(x))


@comparison("5x2", "Do two models do equally well, by 5 × 2-fold cross-validation? All ten differences")
def five_by_two_f(d: npt.ArrayLike) -> TestResult:
    """F = Σ_ij d_ij² / (2 Σ_i s_i²) with 10 and 5 degrees of freedom, for 200 cases or more.

    Parameters
    ----------
    d : array-like of shape (5, 2)
        first − second on fold j of repeat i.

    Returns
    -------
    TestResult
    """
    x, variance = _read(d)
    f = float((x**2).sum()) / (2 * 5 * variance) if x.any() else 0.0
    p = float(stats.f.sf(f, 10, 5)) if x.any() else 1.0
    return TestResult("5×2cv F", f, p, (10.0, 5.0), difference=_mean(x), assumptions=ASSUMPTIONS, notes=_notes(x))


def _read(d: npt.ArrayLike) -> tuple[Floats, float]:
    """(5, 2) differences and the mean of the five variances s_i² = (d_i1 − d_i2)²/2."""
    x: Floats = values_of(d, "d", 2)
    if x.shape != (5, 2):
        raise InputError("d must have shape (5, 2): 5 repeats of 2 folds", param="d", got=f"shape {x.shape}")
    if x.any() and all(constant(row) for row in x):
        raise InputError(
            "The two folds of every repeat have the same difference, so the variance is 0",
            param="d",
            fix="Use corrected_t with more splits",
        )
    return x, float(((x[:, 0] - x[:, 1]) ** 2 / 2).mean())


def _mean(x: Floats) -> Estimate:
    message = "No standard error: the variance of a 5 × 2cv mean has no unbiased estimate."
    return Estimate(float(x.mean()), metric="mean difference").noting(Note("no-se-method", message))


def _notes(x: Floats) -> tuple[Note, ...]:
    if not x.any():
        return (NO_DIFFERENCE,)
    message = f"Not valid with fewer than {MIN_CASES} cases; their number cannot be checked from d."
    return (Note("cases-not-checked", message, needed=MIN_CASES),)
