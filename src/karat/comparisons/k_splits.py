"""k splits of one data set, mean ± SD: what seeds/001, section 5, makes of them, and what it is worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.comparisons.inputs import constant, values_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import tail
from karat.errors import InputError
from karat.result import Estimate
from karat.result.test_result import TestResult

DEPENDENT = (
    "The k training sets and the k test sets are drawn from the same cases, so the splits are not independent: the "
    "variance of the mean is smaller than that of one split but not as small as σ²/k, and this interval is too short. "
    "corrected_t allows for it."
)


@comparison("splits of one model", "How well does one model do over k splits, mean ± SD? An estimate, no test")
def split_mean(values: Any, sigma: float | None = None) -> Estimate:
    """Mean of k splits with ± 2σ/√k  (seeds/001, eq. 31–32), or Student's t where σ is not known.

    Parameters
    ----------
    values
        (k,) one error rate a split; (k, f) where cross-validation was used inside each split: its f fold
        values are averaged first.
    sigma
        The SD of one split, if it is known; None: the sample SD of the k values, and quantiles of t(k − 1).

    Returns
    -------
    Estimate
        `.ci(0.9545)` is mean ± 2σ/√k; `fold_sd` is the sample SD that papers print behind the ±.

    Examples
    --------
    >>> e = split_mean([0.08, 0.10, 0.09, 0.11], sigma=0.02)
    >>> [round(v, 4) for v in e.ci(0.9545)]
    [0.075, 0.115]
    """
    table = values_of(values, "values", 2 if np.ndim(values[0] if len(values) else 0) else 1)
    each = table.mean(axis=1) if table.ndim == 2 else table
    k = len(each)
    if k < 2:
        raise InputError("at least 2 splits are needed", got=k)
    if sigma is not None and not (isinstance(sigma, (int, float, np.number)) and 0 < sigma < math.inf):
        raise InputError("sigma must be a positive number", got=repr(sigma))
    sd = float(each.std(ddof=1))
    rates = bool((each >= 0).all() and (each <= 1).all())  # error rates and the like, as the seed's examples
    spread = sd if sigma is None else sigma
    known = sigma is not None or not constant(each)
    same = "" if known else "No standard error: all splits gave the same value, which says nothing about other splits."
    return Estimate(
        float(each.mean()),
        se=spread / math.sqrt(k) if known else None,
        df=None if sigma is not None else k - 1,
        metric="mean of splits",
        bounds=(0.0, 1.0) if rates else (-math.inf, math.inf),
        se_method="independent splits",
        fold_sd=sd,
        replicates=each,
    ).noting(DEPENDENT, same)


@comparison("means", "Do the intervals mean ± SD of two models overlap?")
def overlap(mean1: float, sd1: float, mean2: float, sd2: float) -> TestResult:
    """(mean_1 − mean_2) / (sd_1 + sd_2): 4 for .08 ± .002 and .06 ± .003, .91 for .08 ± .01 and .06 ± .012.

    Above 1 the two intervals mean ± SD do not touch (seeds/001, section 5.3). The p-value refers the
    ratio to a normal law. It is cautious in one way (sd_1 + sd_2 ≥ the SD of the difference) and
    ignores that both models met the same cases.

    Examples
    --------
    >>> round(overlap(0.08, 0.002, 0.06, 0.003).statistic, 2), round(overlap(0.08, 0.01, 0.06, 0.012).statistic, 2)
    (4.0, 0.91)
    """
    m1, s1, m2, s2 = values_of([mean1, sd1, mean2, sd2], "means and SDs", 1).tolist()
    if s1 < 0 or s2 < 0:
        raise InputError("an SD is not negative", got=f"{s1} and {s2}")
    gap = m1 - m2
    if gap == 0:
        ratio, p, notes = 0.0, 1.0, ("The means are the same.",)
    elif s1 + s2 == 0:
        raise InputError("both SDs are 0: there is nothing to judge a difference by")
    else:
        ratio = gap / (s1 + s2)
        p = tail(ratio, "two-sided")
        touch = "overlap" if abs(ratio) <= 1 else "do not overlap"
        notes = (f"The intervals mean ± SD {touch}.",)
    return TestResult(
        "Overlap of mean ± SD",
        ratio,
        p,
        difference=Estimate(gap, metric="mean difference").noting("No standard error: the models are not paired here."),
        assumptions=(
            "each mean is normal with the SD that is given (an SD over splits is no standard error of their mean).",
            "the two means are independent, although both models met the same cases.",
        ),
        notes=notes,
    )
