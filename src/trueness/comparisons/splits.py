"""Splits of one data set: the 5×2 tests, the interval of one model, and overlapping intervals."""

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.comparisons.registry import (
    check_inside,
    comparison,
    constant,
    split_values,
    values_of,
)
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import StandardError
from trueness.typing import Alternative, Floats

MIN_CASES = 200
ASSUMPTIONS = (
    "row i holds the two folds of repeat i: each half of the cases trains once and tests once.",
    "models are compared as trained on half of the cases, and there are at least 200 cases: with 60 up to 9 % of true "
    "nulls were rejected, with 100 up to 8 %, with 200 and 300 at most 6 % (trueness help comparison).",
    "the differences are about normal, and the five repeats about independent: a useful convention, not a theorem.",
)


@comparison(
    "5x2", "Do two models do equally well, by 5 × 2-fold cross-validation? One fold's difference", "dietterich_1998"
)
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
    return Estimate(float(x.mean()), metric="mean difference").noting(Note("no-se-method"))


def _notes(x: Floats) -> tuple[Note, ...]:
    if not x.any():
        return (NO_DIFFERENCE,)
    return (Note("cases-not-checked", needed=MIN_CASES),)


DEPENDENT = Note("dependent-splits")


@comparison("splits of one model", "How well does one model do over k splits, mean ± SD? An estimate, not a test")
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
    try:
        ndim = np.ndim(values)
    except ValueError:  # rows of different lengths
        ndim = 1
    table = split_values(values, "values", 2 if ndim == 2 else 1)
    each, k = table.mean(axis=1) if ndim == 2 else table, len(table)
    if sigma is not None:
        check_inside("sigma", sigma)
    sd = float(each.std(ddof=1))
    rates = bool((each >= 0).all() and (each <= 1).all())
    known = sigma is not None or not constant(each)
    return Estimate(
        float(each.mean()),
        se=(sd if sigma is None else float(sigma)) / math.sqrt(k) if known else None,
        df=None if sigma is not None else k - 1,
        metric="mean of splits",
        bounds=(0.0, 1.0) if rates else (-math.inf, math.inf),
        se_method=StandardError("independent splits", "the standard error of independent splits"),
        fold_sd=sd,
        replicates=each,
    ).noting(DEPENDENT, None if known else Note("no-se-zero-variance"))


@comparison("means", "Do the intervals mean ± SD of two models overlap?")
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
    m1, s1, m2, s2 = values_of([mean1, sd1, mean2, sd2], "means and SDs", 1).tolist()
    for name, sd in (("sd1", s1), ("sd2", s2)):
        if sd < 0:
            raise InputError(f"{name} must be ≥ 0", param=name, got=sd)
    gap = m1 - m2
    if gap != 0 and s1 + s2 == 0:
        raise InputError("Both SDs are 0, so the difference cannot be judged", param="sd1")
    ratio = gap / (s1 + s2) if gap else 0.0
    overlaps = abs(ratio) <= 1
    no_se = Note("no-se-method")
    return TestResult(
        "Overlap of mean ± SD",
        ratio,
        tail(ratio),
        difference=Estimate(gap, metric="mean difference").noting(no_se),
        assumptions=(
            "each mean is normal with the given SD (the SD over splits is not the standard error of their mean).",
            "the two means are independent, although both models were tested on the same cases.",
        ),
        notes=(Note("overlap", overlap=overlaps) if gap else NO_DIFFERENCE,),
    )
