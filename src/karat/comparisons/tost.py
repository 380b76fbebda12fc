"""Equivalence and non-inferiority of any Estimate: two one-sided tests (Schuirmann 1987)."""

from __future__ import annotations

from typing import Any

from karat.comparisons.registry import comparison
from karat.comparisons.tails import tail
from karat.errors import InputError
from karat.result import Estimate
from karat.result.test_result import IDENTICAL, TestResult

SE = "the estimate is about normal (or t) with its standard error."


def _ready(estimate: Any, margin: float) -> float:
    if not isinstance(estimate, Estimate):
        raise InputError(
            "an Estimate is needed, e.g. of karat.difference or a test's .difference", got=type(estimate).__name__
        )
    if estimate.se is None:
        raise InputError("the estimate has no standard error, so nothing can be shown of it", got=str(estimate))
    if estimate.se == 0 and IDENTICAL not in estimate.notes:
        raise InputError(
            "a standard error of 0 proves nothing: these cases only happened to show no spread",
            got=str(estimate),
            fix="Use more cases, or an interval that allows for it (for two error rates mcnemar(...).difference_ci())",
        )
    if not margin > 0:
        raise InputError("margin is the largest difference that does not matter: positive", got=margin)
    return estimate.se


def _statistic(gap: float, se: float) -> float:
    if se == 0:
        return 0.0 if gap == 0 else float("inf") if gap > 0 else float("-inf")
    return gap / se


@comparison("estimate", "Is a difference smaller than what matters, in both directions?")
def equivalence(difference: Estimate, margin: float) -> TestResult:
    """TOST: both (d + margin)/se and (margin − d)/se must be large; p is the larger of the two one-sided ones.

    A small p shows that the difference lies within ± margin. It is the same as asking whether the
    1 − 2α interval lies inside.

    Parameters
    ----------
    difference
        Any Estimate of a difference with a standard error; its `df` is used where it has one.
    margin
        The largest difference that does not matter.
    """
    se = _ready(difference, margin)
    lower, upper = _statistic(difference.value + margin, se), _statistic(margin - difference.value, se)
    p = max(tail(lower, "greater", difference.df), tail(upper, "greater", difference.df))
    return TestResult(
        "Equivalence (TOST)",
        min(lower, upper),
        p,
        df=difference.df,
        alternative="equivalent",
        difference=difference,
        assumptions=(SE, f"a difference below {margin:g} does not matter, and that was decided before the data."),
        notes=_identical(se, difference.value),
    )


@comparison("estimate", "Is the first not worse than the second by more than what matters?")
def non_inferiority(difference: Estimate, margin: float, higher_is_better: bool = True) -> TestResult:
    """One-sided: a small p shows first − second > −margin (or < margin where lower is better)."""
    se = _ready(difference, margin)
    gain = difference.value if higher_is_better else -difference.value
    t = _statistic(gain + margin, se)
    return TestResult(
        "Non-inferiority",
        t,
        tail(t, "greater", difference.df),
        df=difference.df,
        alternative="not worse",
        difference=difference,
        assumptions=(SE, f"being worse by less than {margin:g} does not matter, and that was decided before the data."),
        notes=_identical(se, difference.value),
    )


def _identical(se: float, value: float) -> tuple[str, ...]:
    if se == 0 and value == 0:  # _ready let it pass, so the inputs are identical
        return ("The two are the same in every case: they are equivalent, whatever the margin.",)
    return ()
