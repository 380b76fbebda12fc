"""Tests of decisions on the same cases: McNemar's and Tango's of two rules, Cochran's Q of several."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from trueness.checks import check_choice, check_whole
from trueness.comparisons.registry import JUDGED_BY_ALL, comparison, values_of
from trueness.errors import InputError
from trueness.formulas.proportions import DEFAULT, NAMES, McNemarMethod, mcnemar_p
from trueness.formulas.proportions import tango as tango
from trueness.result.estimate import Estimate
from trueness.result.joint import NO_DISCORDANT, Tango, difference_of_shares, paired_test
from trueness.result.notes import Note, inherited
from trueness.result.test_result import TestResult
from trueness.result.words import FIXED_RULES, INDEPENDENT_GROUPS
from trueness.sample.answers import Answers
from trueness.typing import Alternative, Labels

MIN_DISCORDANT_FOR_CHI2 = 25


@dataclass(frozen=True, eq=False, repr=False)
class McNemarResult(TestResult):
    """McNemar's test; `difference` has Tango's interval.

    Attributes
    ----------
    b, c : int
        Cases that only the first rule classifies correctly, and only the second.
    n : int, optional
        All cases.
    """

    b: int = 0
    c: int = 0
    n: int | None = None


@comparison("decisions", "Same error rate?", "mcnemar_1947")
def mcnemar(
    y: Labels,
    p1: Labels,
    p2: Labels,
    method: McNemarMethod | None = None,
    *,
    alternative: Alternative = "two-sided",
    groups: Labels | None = None,
) -> McNemarResult:
    """Compare the error rates of two rules on the same cases, from the cases that exactly one rule gets right.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    p1, p2 : array-like of shape (n,)
        Predicted classes of the two rules.
    method : {"exact", "mid-p", "chi2", "chi2-cc"}, optional
        Binomial, the default, as in `trueness.compare` and `trueness.systems.compare`; binomial less half of the observed
        probability, which rejects more often and is nearer to the nominal level (Fagerland, Lydersen & Laake 2013); χ²;
        χ² with continuity correction. Groups have a test of their own.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For error_1 − error_2.
    groups : array-like of shape (n,), optional
        The group of each case, where only whole groups are independent. With b_g and c_g the discordant cases of group
        g, χ² = (b − c)² / (G/(G − 1) Σ_g (b_g − c_g)²) with 1 degree of freedom (Obuchowski 1998). Like McNemar's it
        weights cases equally; the test of Durkalski et al. (2003) weights groups equally and is about another
        difference where groups differ in size.

    Returns
    -------
    McNemarResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> round(comparisons.mcnemar_counts(12, 2).p_value, 4), round(comparisons.mcnemar_counts(12, 2, "mid-p").p_value, 4)
    (0.0129, 0.0074)
    """
    errors = Answers.of_decisions(y, (p1, p2), groups).means("error")
    d = errors.difference()
    if errors.groups is None:
        return _of_difference(d, DEFAULT if method is None else method, alternative)
    if method is not None:
        raise InputError("Groups have a test of their own", param="method", got=repr(method), fix="Leave it out")
    test, rule = paired_test(d, "", alternative, (FIXED_RULES, INDEPENDENT_GROUPS)), d.interval
    assert test is not None and isinstance(rule, Tango)  # noqa: PT018 - for mypy
    notes = (*test.notes, *inherited(d.notes, "data", "test"))
    known = (test.test, test.statistic, test.p_value, test.df, alternative, d, test.assumptions, notes)
    return McNemarResult(*known, rule.second, rule.first, rule.n)


@comparison("counts", "Same error rate?", "mcnemar_1947")
def mcnemar_counts(
    b: int, c: int, method: McNemarMethod = DEFAULT, *, n: int | None = None, alternative: Alternative = "two-sided"
) -> McNemarResult:
    """McNemar's test from counts.

    Without a difference b is binomial(b + c, ½). χ² = (b − c)²/(b + c), corrected (|b − c| − 1)²/(b + c).

    Parameters
    ----------
    b, c : int
        Cases that only the first rule classifies correctly, and only the second.
    method : {"exact", "mid-p", "chi2", "chi2-cc"}, default "exact"
        As in `mcnemar`.
    n : int, optional
        All cases; needed for the difference of the error rates.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For error_1 − error_2.

    Returns
    -------
    McNemarResult
    """
    for name, count in (("b", b), ("c", c), ("n", 0 if n is None else n)):
        check_whole(name, count, 0)
    if n is not None and n < max(b + c, 1):
        raise InputError("n is smaller than b + c", param="n", got=f"n = {n}, b + c = {b + c}")
    out = _of_difference(difference_of_shares(c, b, max(b + c, 1) if n is None else n), method, alternative)
    return replace(out, difference=None, n=None) if n is None else out


def _of_difference(d: Estimate, method: McNemarMethod, alternative: Alternative) -> McNemarResult:
    """The test by any method, of the discordant cases that the difference of the error rates counts."""
    check_choice("method", method, NAMES, "The method is unknown")
    rule, df = d.interval, None
    assert isinstance(rule, Tango)
    statistic, p = mcnemar_p(rule.first, rule.second, method, alternative)
    notes = (NO_DISCORDANT,) * (rule.discordant == 0)
    if method in ("chi2", "chi2-cc"):
        df = 1
        if 0 < rule.discordant < MIN_DISCORDANT_FOR_CHI2:
            notes = (Note("few-discordant", discordant=rule.discordant, needed=MIN_DISCORDANT_FOR_CHI2),)
    known = (NAMES[method], statistic, p, df, alternative, d, (FIXED_RULES, JUDGED_BY_ALL), notes)
    return McNemarResult(*known, rule.second, rule.first, rule.n)


MIN_CELLS_FOR_CHI2 = 24  # discordant cases × rules


@comparison("right or wrong", "Same error rate of several rules?")
def cochran_q(correct: npt.ArrayLike | pd.DataFrame) -> TestResult:
    """Q = (k − 1)(k Σ_j C_j² − T²) / (k T − Σ_i R_i²), k − 1 degrees of freedom.

    C_j and R_i are the column and row sums of `correct`, T is its total. For two rules Q is McNemar's χ².

    Parameters
    ----------
    correct : array-like of shape (n, k)
        1 where rule j classifies case i correctly, else 0.

    Returns
    -------
    TestResult
    """
    x = values_of(correct, "correct", 2)
    if not np.isin(x, (0, 1)).all() or x.shape[1] < 2:
        raise InputError("correct must be 0 and 1 of at least 2 rules", param="correct", fix="Pass predictions == y")
    n, k = x.shape
    columns, rows, total = x.sum(axis=0), x.sum(axis=1), x.sum()
    scale = k * total - (rows**2).sum()
    q, p, notes = 0.0, 1.0, [NO_DISCORDANT]
    if scale > 0:
        q = float((k - 1) * (k * (columns**2).sum() - total**2) / scale)
        p = float(stats.chi2.sf(q, k - 1))
        notes = [Note("error-rates", values=(1 - columns / n).tolist())]
        discordant = int(((rows > 0) & (rows < k)).sum())
        if discordant * k < MIN_CELLS_FOR_CHI2:
            notes.append(Note("few-discordant", discordant=discordant, needed=-(-MIN_CELLS_FOR_CHI2 // k)))
    assumptions = (FIXED_RULES, JUDGED_BY_ALL, "the rules disagree on many cases.")
    return TestResult("Cochran's Q", q, p, df=k - 1, assumptions=assumptions, notes=tuple(notes))
