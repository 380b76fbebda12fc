"""k splits of one data set, reported as mean ± SD, and what that is worth (Wu 2018, section 5)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from trueness.comparisons.inputs import check_positive, constant, split_values, values_of
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result import Estimate, Note
from trueness.result.named import StandardError
from trueness.result.test_result import NO_DIFFERENCE, TestResult

DEPENDENT = Note(
    "dependent-splits",
    "The k training sets and test sets are drawn from the same cases, so the splits are not independent: the variance "
    "of the mean is larger than σ²/k, and this interval is too short. Use corrected_t for a test.",
    "warning",
)


@comparison("splits of one model", "How well does one model do over k splits, mean ± SD? An estimate, not a test")
def split_mean(values: npt.ArrayLike, sigma: float | None = None) -> Estimate:
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
        check_positive("sigma", sigma)
    sd = float(each.std(ddof=1))
    rates = bool((each >= 0).all() and (each <= 1).all())
    known = sigma is not None or not constant(each)
    message = "No standard error: all splits gave the same value, so their spread is unknown."
    return Estimate(
        float(each.mean()),
        se=(sd if sigma is None else float(sigma)) / math.sqrt(k) if known else None,
        df=None if sigma is not None else k - 1,
        metric="mean of splits",
        bounds=(0.0, 1.0) if rates else (-math.inf, math.inf),
        se_method=StandardError("independent splits", "the standard error of independent splits"),
        fold_sd=sd,
        replicates=each,
    ).noting(DEPENDENT, None if known else Note("no-se-constant", message))


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
    message = f"The intervals mean ± SD {'overlap' if overlaps else 'do not overlap'}."
    no_se = Note("no-se-method", "No standard error: the means are not paired.")
    return TestResult(
        "Overlap of mean ± SD",
        ratio,
        tail(ratio),
        difference=Estimate(gap, metric="mean difference").noting(no_se),
        assumptions=(
            "each mean is normal with the given SD (the SD over splits is not the standard error of their mean).",
            "the two means are independent, although both models were tested on the same cases.",
        ),
        notes=(Note("overlap", message, overlap=overlaps) if gap else NO_DIFFERENCE,),
    )
