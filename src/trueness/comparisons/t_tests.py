"""Paired t test over data sets (Wu 2018, algorithm 2), and the same test of splits, which is not valid."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.comparisons.assumptions import INDEPENDENT_PAIRS, PAIRED_VALUES
from trueness.comparisons.inputs import check_alternative, constant, paired_values, split_values, values_of
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result import Estimate, Note
from trueness.result.note import warn
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.typing import Alternative, Floats

NORMAL = (
    "the differences are normally distributed: if they are skewed, true nulls are rejected too often, most with few "
    "data sets (docs/comparison.md)."
)
FIX_FOR_SPLITS = (
    "Splits of one data set are not independent, so a sign test is not valid either: use larger test parts, or "
    "trueness.compare on the cases"
)
MIN_PAIRS_FOR_CHECK = 5
INDEPENDENCE = Note("independence-not-checked", "The values do not show whether the data sets are independent.")
INVALID = Note(
    "invalid-for-splits",
    "Splits of one data set share cases, so this t test rejects true nulls far too often (docs/comparison.md). Use "
    "corrected_t.",
    "warning",
)


@comparison("values", "Do two models do equally well on average over data sets?")
def paired_t(e1: npt.ArrayLike, e2: npt.ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """t = x̄ / (s/√n), x_j = e_1j − e_2j, with n − 1 degrees of freedom (Wu 2018, eq. 33–35, algorithm 2).

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Error rates (or any values) of the two models on n data sets.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "less": the values of the first model are smaller.

    Returns
    -------
    TestResult

    Notes
    -----
    Algorithm 2 rejects where |t| > c_{n−1,α/2}, which is p < α; `critical_value` gives c.

    Examples
    --------
    >>> from trueness import comparisons
    >>> t = comparisons.paired_t([0.11, 0.09, 0.20, 0.15], [0.10, 0.05, 0.16, 0.14])
    >>> round(t.statistic, 4), t.df, round(t.p_value, 4)
    (2.8868, 3, 0.0632)
    """
    x = paired_values(e1, e2)
    assumptions = (PAIRED_VALUES, INDEPENDENT_PAIRS, NORMAL)
    fix = "Use sign or permutation, which count signs"
    t = t_test("Paired t", x, 1 / len(x), alternative, assumptions, "e1", fix)
    return t.noting(*_checks(x, values_of(e1, "e1", 1), values_of(e2, "e2", 1))) if x.any() else t


def t_test(
    name: str, x: Floats, factor: float, alternative: Alternative, assumptions: tuple[str, ...], param: str, fix: str
) -> TestResult:
    """t = x̄ / √(factor · s²) with n − 1 degrees of freedom; p = 1 where all x are 0, an error where all are equal."""
    check_alternative(alternative)
    mean, df = float(x.mean()), len(x) - 1
    se = math.sqrt(factor * x.var(ddof=1))
    d = Estimate(mean, se=se if x.any() else 0.0, df=df, metric="mean difference")
    if not x.any():
        return TestResult(name, 0.0, 1.0, df, alternative, d, assumptions, (NO_DIFFERENCE,))
    if constant(x):
        got = f"{len(x)} times {mean:g}"
        raise InputError("All differences are equal, so t is undefined", param=param, got=got, fix=fix)
    return TestResult(name, mean / se, tail(mean / se, alternative, df), df, alternative, d, assumptions)


def _checks(x: Floats, e1: Floats, e2: Floats) -> list[Note]:
    """The three assumptions, as far as the data show."""
    notes, n = [INDEPENDENCE], len(x)
    if n >= 3:
        p = float(stats.shapiro(x).pvalue)
        if p < 0.05:
            message = f"The differences do not look normal (Shapiro–Wilk p = {p:.2g}); consider wilcoxon or sign."
            notes.append(Note("not-normal", message, "warning", p_value=p))
        if not (constant(e1) or constant(e2)) and np.corrcoef(e1, e2)[0, 1] < 0:
            message = "The paired values are negatively correlated. Check that they are in the same order."
            notes.append(Note("negative-correlation", message, "warning"))
    if n < MIN_PAIRS_FOR_CHECK:
        message = f"With only {n} pairs normality can hardly be checked, and only large differences are detectable."
        notes.append(Note("few-pairs", message, pairs=n))
    return notes


@comparison("splits", "NOT VALID: the t test of k resampled splits, provided to measure its error")
def resampled_t(differences: npt.ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """The t test of differences on k random splits of one data set, as if they were independent.

    It is provided to be measured. Training sets overlap, so s²/k is far too small a variance of the mean, and the more
    splits, the more often a difference is found where there is none (docs/comparison.md). Use `corrected_t`.

    Parameters
    ----------
    differences : array-like of shape (k,)
        first − second on k splits.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For the mean difference.

    Returns
    -------
    TestResult

    Warns
    -----
    TruenessWarning
        Always.
    """
    x = split_values(differences, "differences")
    warn(INVALID)
    assumptions = ("the splits are independent, which splits of one data set never are.",)
    t = t_test("Resampled t (not valid)", x, 1 / len(x), alternative, assumptions, "differences", FIX_FOR_SPLITS)
    return t.noting(INVALID)
