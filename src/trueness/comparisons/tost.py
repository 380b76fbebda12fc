"""Equivalence and non-inferiority of any Estimate: two one-sided tests (Schuirmann 1987)."""

from __future__ import annotations

import math

from trueness.checks import check_flag
from trueness.comparisons.inputs import check_positive
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.result import Estimate, Note, TestResult

NORMAL = "the estimate is about normal (or t) with its standard error."
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
    assumptions, notes = (NORMAL, DECIDED.format("difference", margin)), _notes(difference)
    return TestResult("Equivalence (TOST)", min(lower, upper), p, df, "equivalent", difference, assumptions, notes)


@comparison("estimate", "Is the first not worse than the second by more than what matters?")
def non_inferiority(difference: Estimate, margin: float, higher_is_better: bool = True) -> TestResult:
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
    assumptions, notes = (NORMAL, DECIDED.format("loss", margin)), _notes(difference)
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
