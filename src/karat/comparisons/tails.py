"""From a statistic to a p-value."""

from __future__ import annotations

import math
from typing import Any

from scipy import stats

from karat.errors import InputError
from karat.result.test_result import ALTERNATIVES


def check_alternative(alternative: str) -> str:
    if alternative not in ALTERNATIVES:
        raise InputError('alternative must be "two-sided", "less" or "greater"', got=repr(alternative))
    return alternative


def tail(statistic: float, alternative: str, df: float | None = None) -> float:
    """p of a statistic that is normal, or Student's with `df` degrees of freedom, without a difference."""
    check_alternative(alternative)
    law: Any = stats.norm if df is None else stats.t(df)
    if alternative == "two-sided":
        return float(2 * law.sf(abs(statistic)))
    return float(law.cdf(statistic) if alternative == "less" else law.sf(statistic))


def no_difference(alternative: str) -> float:
    """p where the two inputs are the same: nothing speaks against "no difference"."""
    check_alternative(alternative)
    return 1.0


def sided(lower: float, upper: float, alternative: str) -> float:
    """p from the probabilities of a statistic this low or lower, this high or higher."""
    check_alternative(alternative)
    if alternative == "two-sided":
        return min(1.0, 2 * min(lower, upper))
    return lower if alternative == "less" else upper


def critical_value(level: float, df: float | None = None, alternative: str = "two-sided") -> float:
    """The value beyond which a test at `level` confidence rejects: 2.4469 for df = 6, two-sided, 0.95.

    >>> round(critical_value(0.95, 6), 4), round(critical_value(0.95, 6, "greater"), 4)
    (2.4469, 1.9432)
    """
    check_alternative(alternative)
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
    upper = 0.5 + level / 2 if alternative == "two-sided" else level
    law: Any = stats.norm if df is None else stats.t(df)
    return math.fabs(float(law.ppf(upper)))
