"""Student's t of paired values and of splits, and equivalence by two one-sided tests."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import check_flag
from trueness.comparisons.assumptions import INDEPENDENT_PAIRS, PAIRED_SPLITS, PAIRED_VALUES
from trueness.comparisons.inputs import (
    check_alternative,
    check_positive,
    constant,
    paired_values,
    split_values,
    values_of,
)
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result import Estimate, Note
from trueness.result.named import NADEAU_BENGIO
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
def paired_t(e1: npt.ArrayLike, e2: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
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
def resampled_t(differences: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
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


CORRELATED = "the results of two splits have correlation n_test/(n_train + n_test): a useful convention, not a theorem."


@comparison(
    "splits", "Do two models do equally well, over random splits or folds of one data set?", "nadeau_bengio_2003"
)
def corrected_t(
    differences: npt.ArrayLike, n_train: float, n_test: float, *, alternative: Alternative = "two-sided"
) -> TestResult:
    """t = mean / √((1/J + n_test/n_train) s²), J − 1 degrees of freedom.

    Parameters
    ----------
    differences : array-like of shape (J,)
        first − second on J splits (random splits, or the folds of a repeated cross-validation).
    n_train, n_test : float
        Cases in the training and in the test part of a split.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For the mean difference.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> t = comparisons.corrected_t([0.05, -0.02, 0.04, 0.03, 0.01, 0.02], n_train=90, n_test=10)
    >>> round(t.statistic, 4), round(t.p_value, 4)
    (1.6555, 0.1587)
    """
    x, ratio = splits_of(differences, "differences", n_train, n_test)
    assumptions = (PAIRED_SPLITS, CORRELATED, "the differences are about normal.")
    name = "Corrected resampled t (Nadeau–Bengio)"
    t = t_test(name, x, 1 / len(x) + ratio, alternative, assumptions, "differences", FIX_FOR_SPLITS)
    return replace(t, difference=t.difference and t.difference.with_(se_method=NADEAU_BENGIO))


def splits_of(differences: npt.ArrayLike, name: str, n_train: float, n_test: float) -> tuple[Floats, float]:
    """The differences, and n_test / n_train."""
    x = split_values(differences, name)
    check_positive("n_train", n_train)
    check_positive("n_test", n_test)
    return x, n_test / n_train


NORMAL_ESTIMATE = "the estimate is about normal (or t) with its standard error."
DECIDED = "a {} below {:g} does not matter, and this margin was chosen before seeing the data."


@comparison("estimate", "Is a difference smaller than what matters, in both directions?", "schuirmann_1987")
def equivalence(difference: Estimate, margin: float) -> TestResult:
    """Two one-sided tests: p is the larger p-value of (d + margin)/se and (margin − d)/se.

    A small p shows that the difference lies within ± margin; p < α is equivalent to the 1 − 2α interval lying inside.

    Parameters
    ----------
    difference : Estimate
        A difference with a standard error; its degrees of freedom are used where it has them.
    margin : float
        The largest difference that does not matter.

    Returns
    -------
    TestResult
    """
    se, df = _checked_se(difference, margin), difference.df
    lower, upper = _statistic(difference.value + margin, se), _statistic(margin - difference.value, se)
    p = max(tail(lower, "greater", df), tail(upper, "greater", df))
    assumptions, notes = (NORMAL_ESTIMATE, DECIDED.format("difference", margin)), _notes(difference)
    return TestResult("Equivalence (TOST)", min(lower, upper), p, df, "equivalent", difference, assumptions, notes)


@comparison("estimate", "Is the first not worse than the second by more than what matters?")
def non_inferiority(difference: Estimate, margin: float, *, higher_is_better: bool = True) -> TestResult:
    """One-sided test: a small p shows first − second > −margin (or < margin where lower is better).

    Parameters
    ----------
    difference : Estimate
        A difference with a standard error.
    margin : float
        The largest loss that does not matter.
    higher_is_better : bool, default True
        False for error rates.

    Returns
    -------
    TestResult
    """
    check_flag("higher_is_better", higher_is_better)
    se, df = _checked_se(difference, margin), difference.df
    t = _statistic((difference.value if higher_is_better else -difference.value) + margin, se)
    assumptions, notes = (NORMAL_ESTIMATE, DECIDED.format("loss", margin)), _notes(difference)
    return TestResult("Non-inferiority", t, tail(t, "greater", df), df, "not worse", difference, assumptions, notes)


def _checked_se(estimate: Estimate, margin: float) -> float:
    if not isinstance(estimate, Estimate):
        raise InputError(
            "difference must be an Estimate, e.g. from trueness.difference or the .difference of a test",
            param="difference",
            got=type(estimate).__name__,
        )
    if estimate.se is None:
        raise InputError("The difference has no standard error", param="difference", got=str(estimate))
    if estimate.se == 0 and not estimate.identical:
        raise InputError(
            "A standard error of 0 proves nothing: these cases merely show no spread",
            param="difference",
            got=str(estimate),
            fix="Use more cases, or an interval that allows for it (for error rates mcnemar(...).difference_ci())",
        )
    check_positive("margin", margin)
    return estimate.se


def _statistic(gap: float, se: float) -> float:
    if se == 0:
        return 0.0 if gap == 0 else math.copysign(math.inf, gap)
    return gap / se


def _notes(difference: Estimate) -> tuple[Note, ...]:
    note = difference.noted("identical-inputs")
    return () if note is None else (note,)
