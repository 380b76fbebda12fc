"""Paired t test over data sets: algorithm 2 of seeds/001."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import constant, paired_values, values_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, no_difference, tail
from karat.errors import InputError, KaratWarning
from karat.result import Estimate
from karat.result.test_result import TestResult

PAIRED = "the values are paired: both models on the same data sets, in the same order."
INDEPENDENT = (
    "different pairs are independent: different data sets, not folds or splits of one (for those: corrected_t)."
)
NO_SPREAD_OF_SPLITS = (
    "Splits of one data set are not independent, so that counting their signs is no way out: use larger test parts, or "
    "karat.compare on the cases"
)
NORMAL = (
    "the differences are normally distributed: where they are skewed true nulls are rejected too often, most with few "
    "data sets (docs/comparison.md)."
)


@comparison("values", "Do two models do equally well on average over data sets?")
def paired_t(e1: Any, e2: Any, alternative: str = "two-sided") -> TestResult:
    """t = x̄ / (s/√n), x_j = e_1j − e_2j, with n − 1 degrees of freedom  (seeds/001, eq. 33–35, algorithm 2).

    Parameters
    ----------
    e1, e2
        (n,) error rates (or any values) of the two models on n data sets.
    alternative
        "less": the first model's values are smaller (seeds/001: t < −c_{n−1,α}); "greater": larger.

    Notes
    -----
    Algorithm 2 rejects where |t| > c_{n−1,α/2}; that is p < α. `critical_value(.95, df)` gives the c.

    Examples
    --------
    >>> from karat import comparisons
    >>> t = comparisons.paired_t([0.11, 0.09, 0.20, 0.15], [0.10, 0.05, 0.16, 0.14])
    >>> round(t.statistic, 4), t.df, round(t.p_value, 4)
    (2.8868, 3, 0.0632)
    """
    check_alternative(alternative)
    x = paired_values(e1, e2)
    d, statistic, p, notes = t_of(x, 1 / len(x), len(x) - 1, alternative, "Use sign or permutation, which count signs")
    if d.se:
        notes += _checks(x, np.asarray(e1, dtype=float), np.asarray(e2, dtype=float))
    return TestResult(
        "Paired t",
        statistic,
        p,
        df=len(x) - 1,
        alternative=alternative,
        difference=d,
        assumptions=(PAIRED, INDEPENDENT, NORMAL),
        notes=notes,
    )


def t_of(
    x: np.ndarray, factor: float, df: float, alternative: str, cure: str
) -> tuple[Estimate, float, float, tuple[str, ...]]:
    """Mean of x with se = √(factor · s²), its t and p; p = 1 where all are 0, an error where all are the same."""
    mean = float(x.mean())
    out = Estimate(mean, se=math.sqrt(factor * x.var(ddof=1)), df=df, metric="mean difference")
    if not x.any():
        return out.with_(se=0.0), 0.0, no_difference(alternative), ("The two have no difference at all.",)
    if constant(x):
        raise InputError(
            "all differences are the same, so they have no spread and t does not exist",
            got=f"{len(x)} times {mean:g}",
            fix=cure,
        )
    assert out.se is not None
    statistic = mean / out.se
    return out, statistic, tail(statistic, alternative, df), ()


def _checks(x: np.ndarray, e1: np.ndarray, e2: np.ndarray) -> tuple[str, ...]:
    """The three assumptions, as far as the data can tell."""
    said = ["Whether the data sets are independent cannot be seen from the values."]
    if len(x) >= 3:
        w = stats.shapiro(x)
        if w.pvalue < 0.05:
            said.append(
                f"The differences do not look normal (Shapiro–Wilk p = {w.pvalue:.2g}): wilcoxon or sign need it less."
            )
        if not (constant(e1) or constant(e2)) and np.corrcoef(e1, e2)[0, 1] < 0:
            said.append("The paired values are negatively correlated: are they in the same order?")
    if len(x) < 5:
        said.append(f"With {len(x)} pairs normality can hardly be checked, and only large differences can be seen.")
    return tuple(said)


@comparison("splits", "NOT VALID: the t test of k resampled splits, shown for its error")
def resampled_t(differences: Any, alternative: str = "two-sided") -> TestResult:
    """The t test of the differences on k random splits of ONE data set, as if they were independent.

    It is here to be measured: training sets overlap, so s²/k is far too small a variance of the mean,
    and the more splits, the more often a difference is found where there is none (docs/comparison.md).
    Use `corrected_t`.
    """
    check_alternative(alternative)
    x = values_of(differences, "differences", 1)
    if len(x) < 2:
        raise InputError("at least 2 splits are needed", got=len(x))
    warnings.warn(
        "splits of one data set share cases, so this t test rejects true nulls far more often than it says "
        "(docs/comparison.md has the figure). Use corrected_t.",
        KaratWarning,
        stacklevel=2,
    )
    d, statistic, p, notes = t_of(x, 1 / len(x), len(x) - 1, alternative, NO_SPREAD_OF_SPLITS)
    return TestResult(
        "Resampled t (not valid)",
        statistic,
        p,
        df=len(x) - 1,
        alternative=alternative,
        difference=d,
        assumptions=("the splits are independent, which splits of one data set never are.",),
        notes=(*notes, "Not valid for splits of one data set."),
    )
