"""McNemar: two rules' decisions about the same cases (McNemar 1947)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from scipy import optimize, stats

from trueness.checks import check_level, check_whole, is_number, is_one_of
from trueness.comparisons.assumptions import FIXED_RULES, INDEPENDENT_GROUPS, JUDGED_BY_ALL
from trueness.comparisons.inputs import check_alternative, correct_of
from trueness.comparisons.p_values import from_tails, tail
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.groups import DesignEffect, count_groups, group_factor, group_sums, variance_of_mean
from trueness.formulas.intervals import clopper_pearson, quantile
from trueness.formulas.proportions import mid_p
from trueness.result import Estimate, Interval, IntervalRule, Note, TestResult
from trueness.result.digits import counted
from trueness.result.grouped import few_groups, groups_note, in_groups, share_in_groups
from trueness.result.named import GROUPS, Named, StandardError
from trueness.sample.labels import group_codes
from trueness.typing import Alternative, Bools, Ints, Labels

Method = Literal["exact", "mid-p", "chi2", "chi2-cc", "obuchowski"]
NAMES: dict[Method, str] = {
    "exact": "McNemar, exact",
    "mid-p": "McNemar, mid-p",
    "chi2": "McNemar, χ²",
    "chi2-cc": "McNemar, χ² with continuity correction",
}
MIN_DISCORDANT_FOR_CHI2 = 25
ZERO_VARIANCE = Note(
    "no-se-zero-variance",
    "No standard error: the formula gives 0. ci() is Tango's interval, which has positive length.",
)
NO_DISCORDANT = Note("no-discordant", "No case is classified correctly by one rule and wrongly by another.")


@dataclass(frozen=True, eq=False)
class Tango(IntervalRule):
    """Tango's score interval of error_1 − error_2 on the same n cases; it has positive length even without a
    discordant case.
    """

    first: int  # discordant cases: misclassified by the first rule only, by the second only
    second: int
    n: int  # all cases
    effect: DesignEffect | None = None  # where they come in groups: counts are divided by it
    name = Named("tango", "Tango's", "tango_1998")
    needs_se = False

    @property
    def discordant(self) -> int:
        return self.first + self.second

    def limits(self, e: Estimate, level: float) -> Interval:
        d = 1.0 if self.effect is None else self.effect.divisor(level)
        return Interval(*tango(self.first / d, self.second / d, self.n / d, level), level=level, method=self.name)


@dataclass(frozen=True, eq=False, repr=False)
class McNemarResult(TestResult):
    """McNemar's test with its intervals.

    Attributes
    ----------
    b, c : int
        Cases that only the first rule classifies correctly, and only the second.
    n : int, optional
        All cases.
    method : {"exact", "mid-p", "chi2", "chi2-cc", "obuchowski"}
        How the p-value was computed.
    share : Estimate, optional
        b/(b + c), where cases come in groups.
    """

    b: int = 0
    c: int = 0
    n: int | None = None
    method: Method = "exact"
    share: Estimate | None = None

    def difference_ci(self, level: float = 0.95) -> Interval:
        """Tango's score interval of error_1 − error_2."""
        if self.difference is None:
            raise InputError("The interval of the difference needs the number of cases", param="n", fix="Pass n=")
        return self.difference.ci(level)

    @property
    def odds_ratio(self) -> float:
        """b / c: how much more often the first rule is the one that is right, where only one is."""
        if self.b == self.c:
            return 1.0
        return math.inf if self.c == 0 else self.b / self.c

    def odds_ratio_ci(self, level: float = 0.95) -> Interval:
        """From the exact interval of b/(b + c) (Clopper–Pearson), with groups of the effective number; from the mid-p
        interval where that was the test."""
        m = self.b + self.c
        if m == 0:
            return Interval(0.0, math.inf, level=level, method="exact", note=NO_DISCORDANT)
        if self.share is not None:
            low, high, name = *self.share.ci(level, "exact"), "exact"
        elif self.method == "mid-p":
            low, high, name = *mid_p(self.b, m, level), "mid-p"
        else:
            low, high, name = *clopper_pearson(self.b, m, level), "exact"
        return Interval(low / (1 - low), math.inf if high == 1 else high / (1 - high), level=level, method=name)


@comparison("decisions", "Do two rules have the same error rate, on one test set?", "mcnemar_1947")
def mcnemar(
    y: Labels,
    p1: Labels,
    p2: Labels,
    method: Method | None = None,
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
    method : {"exact", "mid-p", "chi2", "chi2-cc", "obuchowski"}, optional
        Binomial, the default; binomial less half of the observed probability, which is closer to the nominal level; χ²;
        χ² with continuity correction. With groups it is "obuchowski".
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
    >>> t = comparisons.mcnemar_counts(12, 2, method="mid-p")
    >>> round(t.p_value, 4)
    0.0074
    """
    first, second = correct_of(y, p1, p2)
    b, c = int((first & ~second).sum()), int((~first & second).sum())
    units = group_codes(groups, y, len(first))
    if units is not None:
        if method is not None and not is_one_of(method, ("obuchowski",)):
            raise InputError(
                f"The method {method!r} assumes independent cases",
                param="method",
                fix="Use {method='obuchowski'}, which serves groups",
            )
        return _in_groups(first, second, units, alternative)
    if is_one_of(method, ("obuchowski",)):
        raise InputError("The method 'obuchowski' is for cases in groups", param="groups", fix="Pass {groups=}")
    return mcnemar_counts(b, c, method="exact" if method is None else method, n=len(first), alternative=alternative)


def _in_groups(first: Bools, second: Bools, groups: Ints, alternative: Alternative) -> McNemarResult:
    """Obuchowski's (1998) test of two correlated proportions over groups, and their difference.

    Her variance under the null hypothesis centres both numbers of correct cases of a group at n_g times the pooled
    share, so that the centres cancel: Σ_g (b_g − c_g)² remains. The standard error of the difference is centred at it.
    """
    check_alternative(alternative)
    d = second.astype(float) - first  # 1 where only the first rule errs
    n, g, b, c = len(d), count_groups(groups), int((d < 0).sum()), int((d > 0).sum())
    null = group_factor(groups) * float((group_sums(d, groups) ** 2).sum())
    z = float(d.sum()) / math.sqrt(null) if null > 0 else 0.0
    variance = variance_of_mean(d, groups)
    effect = DesignEffect.of(variance, float(d.var(ddof=1)) / n, n, g)
    difference = Estimate(
        float(d.mean()),
        se=math.sqrt(variance) if variance > 0 else None,
        se_method=GROUPS if variance > 0 else None,
        influence=(d - d.mean()) / n * math.sqrt(group_factor(groups)) if variance > 0 else None,
        metric="error difference",
        bounds=(-1.0, 1.0),
        estimand="these two rules",
        interval=Tango(c, b, n, effect),
    )
    difference = in_groups(difference, effect).noting(None if variance > 0 else ZERO_VARIANCE)
    share = share_in_groups(d < 0, groups, "exact", d != 0, metric="share of discordant cases") if b + c else None
    about_groups = (None if b + c else NO_DISCORDANT, groups_note(effect), few_groups(g))
    return McNemarResult(
        "McNemar, groups (Obuchowski)",
        z**2,
        tail(z, alternative) if null > 0 else 1.0,
        1,
        alternative,
        difference,
        (FIXED_RULES, INDEPENDENT_GROUPS),
        tuple(note for note in about_groups if note is not None),
        b,
        c,
        n,
        "obuchowski",
        share,
    )


@comparison("counts", "Do two rules have the same error rate? From the two counts of disagreement", "mcnemar_1947")
def mcnemar_counts(
    b: int, c: int, method: Method = "exact", n: int | None = None, alternative: Alternative = "two-sided"
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
    check_alternative(alternative)
    for name, count in (("b", b), ("c", c), ("n", 0 if n is None else n)):
        check_whole(name, count, 0)
    if not is_one_of(method, NAMES):
        raise InputError(f"method must be one of {', '.join(NAMES)}", param="method", got=repr(method))
    m = b + c
    if n is not None and n < max(m, 1):
        raise InputError("n is smaller than b + c", param="n", got=f"n = {n}, b + c = {m}")
    chi2 = method in ("chi2", "chi2-cc")
    notes: tuple[Note, ...] = ()
    if m == 0:
        statistic, p, notes = 0.0, 1.0, (NO_DISCORDANT,)
    elif chi2:
        gap = max(abs(b - c) - (method == "chi2-cc"), 0)
        statistic, p = gap**2 / m, tail(math.copysign(gap, c - b) / math.sqrt(m), alternative)
        if m < MIN_DISCORDANT_FOR_CHI2:
            notes = (few_discordant(m, MIN_DISCORDANT_FOR_CHI2),)
    else:
        statistic = float(min(b, c)) if alternative == "two-sided" else float(c)
        law = stats.binom(m, 0.5)
        half = 0.5 * law.pmf(c) if method == "mid-p" else 0.0
        p = from_tails(float(law.cdf(c) - half), float(law.sf(c - 1) - half), alternative)
    d = None if n is None else _difference(b, c, n)
    assumptions = (FIXED_RULES, JUDGED_BY_ALL)
    df = 1 if chi2 else None
    return McNemarResult(NAMES[method], statistic, p, df, alternative, d, assumptions, notes, b, c, n, method)


def few_discordant(discordant: int, needed: int) -> Note:
    """χ² with few cases on which the rules disagree."""
    message = f"Only {counted(discordant, 'discordant case')}; the χ² approximation needs about {needed}."
    return Note("few-discordant", message, discordant=discordant, needed=needed)


def _difference(b: int, c: int, n: int) -> Estimate:
    """error_1 − error_2 = (c − b)/n, Var = (b + c − (b − c)²/n)/n²."""
    out = Estimate(
        (c - b) / n,
        metric="error difference",
        bounds=(-1.0, 1.0),
        estimand="these two rules",
        interval=Tango(c, b, n),
        cases=n,
    )
    variance = (b + c - (b - c) ** 2 / n) / n**2
    if variance <= 0:
        return out.noting(ZERO_VARIANCE)
    return out.with_(se=math.sqrt(variance), se_method=StandardError("multinomial", "the multinomial standard error"))


def tango(x: float, y: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Score interval of p_x − p_y of paired proportions (Tango 1998): all δ with |T(δ)| ≤ z.

    T(δ) = (x − y − nδ) / √(n (2 q + δ(1 − δ))), with q the restricted estimate of p_y, the root of
    2n q² + (−x − y + (2n − x + y) δ) q − y δ (1 − δ) = 0. It stays within (−1, 1), and has length at x = y = 0.

    Parameters
    ----------
    x, y : float
        The two numbers of discordant cases.
    n : float
        All cases.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high.
    """
    numbers = all(is_number(value) for value in (x, y, n))
    if not (numbers and x >= 0 and y >= 0 and 0 < n < 2**53 and x + y <= n * (1 + 1e-9)):
        raise InputError(
            "x and y must be counts of different cases among n", param="n", got=f"x={x!r}, y={y!r}, n={n!r}"
        )
    check_level(level)
    x, y, n = float(x), float(y), float(n)  # unsigned numbers would wrap around
    z, top = quantile(level), (x - y) / n

    def score(delta: float) -> float:
        a, b, c = 2 * n, -x - y + (2 * n - x + y) * delta, -y * delta * (1 - delta)
        q = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
        variance = n * (2 * q + delta * (1 - delta))
        gap = x - y - n * delta
        if gap == 0:
            return 0.0
        return math.copysign(math.inf, gap) if variance <= 0 else gap / math.sqrt(variance)

    end = 1 - 1e-12
    low = -1.0 if top <= -end else _root(lambda t: score(t) - z, -end, top)
    high = 1.0 if top >= end else _root(lambda t: score(t) + z, top, end)
    return low, high


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, which falls from + to −, is 0; the end where it does not change its sign."""
    if f(low) <= 0:
        return low
    if f(high) >= 0:
        return high
    return float(optimize.bisect(f, low, high, xtol=1e-13))  # ±inf at the ends would break secant steps
