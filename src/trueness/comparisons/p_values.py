"""From a statistic to a p-value, the critical value of a test, and several p-values adjusted."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import check_level, is_number, refuses_foreign
from trueness.comparisons.inputs import check_alternative, values_of
from trueness.errors import InputError
from trueness.typing import Alternative, Bools, Floats


def at_least_as_extreme(drawn: Floats, observed: float, alternative: Alternative, rounding: float) -> Bools:
    """Which drawn values are at least as extreme as the observed one; values equal up to rounding count."""
    if alternative == "two-sided":
        return np.asarray(np.abs(drawn) >= abs(observed) - rounding)
    return np.asarray(drawn <= observed + rounding if alternative == "less" else drawn >= observed - rounding)


@refuses_foreign
def critical_value(level: float, *, df: float | None = None, alternative: Alternative = "two-sided") -> float:
    """The value beyond which a test at this confidence level rejects.

    Parameters
    ----------
    level : float
        Confidence level, 1 − α.
    df : float, optional
        Degrees of freedom of Student's t; None for the normal distribution.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For a one-sided test, the absolute value of the limit.

    Returns
    -------
    float

    Examples
    --------
    >>> round(critical_value(0.95, df=6), 4), round(critical_value(0.95, df=6, alternative="greater"), 4)
    (2.4469, 1.9432)
    """
    check_alternative(alternative)
    check_level(level)
    if df is not None and not (is_number(df) and df > 0):
        raise InputError("df must be a positive number", param="df", got=repr(df))
    law = stats.norm() if df is None else stats.t(float(df))
    return math.fabs(float(law.ppf(0.5 + level / 2 if alternative == "two-sided" else level)))


def holm(p_values: npt.ArrayLike) -> Floats:
    """p_(i) adjusted = max_{j ≤ i} min(1, (m − j + 1) p_(j)), in the order given (Holm 1979).

    The probability of any false rejection stays below the level, whatever the dependence.

    Parameters
    ----------
    p_values : array-like of shape (m,)

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = values_of(p_values, "p_values", 1)
    if ((p < 0) | (p > 1)).any():
        raise InputError("p_values must be between 0 and 1", param="p_values", got=f"{p.min():g} to {p.max():g}")
    order = np.argsort(p, kind="stable")
    adjusted: Floats = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order]))
    return adjusted
