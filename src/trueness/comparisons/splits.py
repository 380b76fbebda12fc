"""Splits of one data set: the 5×2 tests, the interval of one model, and overlapping intervals."""

import math

import numpy.typing as npt
from scipy import stats

from trueness.comparisons.registry import (
    check_inside,
    comparison,
    constant,
    split_values,
    values_of,
    without_se,
)
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import StandardError
from trueness.sample.scores import numbers
from trueness.typing import Alternative, Floats

MIN_CASES = 200
ASSUMPTIONS = (
    "models are compared as trained on half of the cases.",
    "the differences are about normal, and the five repeats about independent.",
)


@comparison("5x2", "Equally good, by one fold?", "dietterich_1998")
def five_by_two_t(d: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
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
    x, variance = _read(d)
    t = float(x[0, 0]) / math.sqrt(variance)
    return _result("5×2cv t", x, t, tail(t, alternative, 5), 5, alternative)


@comparison("5x2", "Equally good?")
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
    f = float((x**2).sum()) / (2 * 5 * variance)
    return _result("5×2cv F", x, f, float(stats.f.sf(f, 10, 5)), (10.0, 5.0))


def _read(d: npt.ArrayLike) -> tuple[Floats, float]:
    """(5, 2) differences and the mean of the five variances s_i² = (d_i1 − d_i2)²/2; 1 where there is no difference."""
    x: Floats = values_of(d, "d", 2)
    if x.shape != (5, 2):
        raise InputError("d must have shape (5, 2): 5 repeats of 2 folds", param="d", got=f"shape {x.shape}")
    if x.any() and all(constant(row) for row in x):
        raise InputError("The two folds of every repeat have the same difference", param="d", got=x.tolist())
    return x, float(((x[:, 0] - x[:, 1]) ** 2 / 2).mean()) or 1.0


def _result(
    name: str,
    x: Floats,
    statistic: float,
    p: float,
    df: float | tuple[float, float],
    alternative: Alternative = "two-sided",
) -> TestResult:
    d, note = without_se(float(x.mean()), "mean difference"), Note("cases-not-checked", needed=MIN_CASES)
    if not x.any():
        p, note = 1.0, NO_DIFFERENCE
    return TestResult(name, statistic, p, df, alternative, d, ASSUMPTIONS, (note,))


DEPENDENT = Note("dependent-splits")


@comparison("splits of one model", "How good is one model? An estimate, not a test")
def split_mean(values: npt.ArrayLike, *, sigma: float | None = None) -> Estimate:
    """Mean of k splits with ± 2σ/√k (Wu 2018, eq. 31–32), or with Student's t where σ is unknown.

    Parameters
    ----------
    values : array-like of shape (k,) or (k, f)
        One error rate per split; with f columns, the fold values of a cross-validation inside each split, which are
        averaged first.
    sigma : float, optional
        The SD of one split, if known. By default the sample SD of the k values, with quantiles of t(k − 1).

    Returns
    -------
    Estimate
        `.ci(0.9545)` is mean ± 2σ/√k; `fold_sd` is the sample SD that papers print after ±.

    Examples
    --------
    >>> e = split_mean([0.08, 0.10, 0.09, 0.11], sigma=0.02)
    >>> [round(v, 4) for v in e.ci(0.9545)]
    [0.075, 0.115]
    """
    found = numbers(values, "values")
    table = split_values(found, "values", 2 if found.ndim == 2 else 1)
    each, k = table.reshape(len(table), -1).mean(axis=1), len(table)
    sd, bounds, notes = float(each.std(ddof=1)), (-math.inf, math.inf), [DEPENDENT]
    se: float | None = sd / math.sqrt(k)
    if sigma is not None:
        check_inside("sigma", sigma)
        se = sigma / math.sqrt(k)
    elif constant(each):
        se = None
        notes.append(Note("no-se-zero-variance"))
    if (each >= 0).all() and (each <= 1).all():
        bounds = (0.0, 1.0)
    return Estimate(
        float(each.mean()),
        se=se,
        df=None if sigma is not None else k - 1,
        metric="mean of splits",
        bounds=bounds,
        se_method=StandardError("independent splits", "the standard error of independent splits"),
        fold_sd=sd,
        replicates=each,
        notes=tuple(notes),
    )


@comparison("means", "Do mean ± SD overlap?")
def overlap(mean1: float, sd1: float, mean2: float, sd2: float) -> TestResult:
    """(mean_1 − mean_2) / (sd_1 + sd_2): above 1 in size, the two intervals mean ± SD do not overlap.

    The p-value refers the ratio to a normal distribution (Wu 2018, section 5.3). It is cautious in that sd_1 + sd_2 is
    at least the SD of the difference, and it ignores that both models were tested on the same cases.

    Parameters
    ----------
    mean1, sd1, mean2, sd2 : float
        Mean and SD of the two models.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> round(overlap(0.08, 0.002, 0.06, 0.003).statistic, 2), round(overlap(0.08, 0.01, 0.06, 0.012).statistic, 2)
    (4.0, 0.91)
    """
    m1, s1, m2, s2 = values_of([mean1, sd1, mean2, sd2], "mean1", 1).tolist()
    check_inside("sd1", s1)
    check_inside("sd2", s2)
    gap, ratio = m1 - m2, (m1 - m2) / (s1 + s2)
    return TestResult(
        "Overlap of mean ± SD",
        ratio,
        tail(ratio),
        difference=without_se(gap, "mean difference"),
        assumptions=(
            "each mean is normal with the given SD.",
            "the two means are independent.",
        ),
        notes=(Note("overlap", overlap=abs(ratio) <= 1) if gap else NO_DIFFERENCE,),
    )
