"""McNemar: two rules' decisions about the same cases (McNemar 1947)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy import optimize, special, stats

from karat.comparisons.delong import FIXED
from karat.comparisons.inputs import check_counts, correct_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, sided, tail
from karat.errors import InputError
from karat.formulas.intervals import clopper_pearson, quantile
from karat.result import Estimate, Interval
from karat.result.interval_rules import IntervalRule
from karat.result.test_result import TestResult

METHODS = {
    "exact": "McNemar, exact",
    "mid-p": "McNemar, mid-p",
    "chi2": "McNemar, χ²",
    "chi2-cc": "McNemar, χ² with continuity correction",
}
INDEPENDENT = "the cases are independent of each other; each is judged by both rules."


@dataclass(frozen=True, eq=False)
class Tango(IntervalRule):
    """Tango's score interval of error_1 − error_2 on the same n cases. It has length without a discordant case, too.

    Attributes
    ----------
    first, second
        Discordant cases: wrong by the first rule only, wrong by the second only.
    n
        All cases.
    """

    first: int
    second: int
    n: int
    name = "tango"
    needs_se = False

    @property
    def discordant(self) -> int:
        return self.first + self.second

    def limits(self, e: Estimate, level: float) -> Interval:
        return Interval(*tango(self.first, self.second, self.n, level), level=level, method=self.name)


@dataclass(frozen=True, eq=False)
class McNemarResult(TestResult):
    """McNemar's test with the intervals that belong to it.

    `b`: only the first rule is right, `c`: only the second; `n` all cases, or None where not told.
    """

    b: int = 0
    c: int = 0
    n: int | None = None
    method: str = "exact"

    def difference_ci(self, level: float = 0.95) -> Interval:
        """Tango's score interval of error_1 − error_2."""
        if self.n is None:
            raise InputError("the interval of the difference needs the number of cases", fix="Pass n=")
        low, high = tango(self.c, self.b, self.n, level)
        return Interval(low, high, level=level, method="tango")

    @property
    def odds_ratio(self) -> float:
        """b / c: how many times likelier the first rule is the one that is right, where one is."""
        if self.b == self.c:
            return 1.0
        return math.inf if self.c == 0 else self.b / self.c

    def odds_ratio_ci(self, level: float = 0.95) -> Interval:
        """From the exact interval of b/(b + c) (Clopper–Pearson); by mid-p where that was the test."""
        m = self.b + self.c
        if m == 0:
            return Interval(
                0.0, math.inf, level=level, method="exact", note="the rules never disagree about who is right"
            )
        if self.method == "mid-p":
            low, high, name = *_mid_p_limits(self.b, m, level), "mid-p"
        else:
            low, high, name = *clopper_pearson(self.b, m, level), "exact"
        return Interval(low / (1 - low), math.inf if high == 1 else high / (1 - high), level=level, method=name)


@comparison("decisions", "Do two rules have the same error rate, on one test set?")
def mcnemar(y: Any, p1: Any, p2: Any, method: str = "exact", alternative: str = "two-sided") -> McNemarResult:
    """Error rates of two rules on the same cases; only cases where exactly one is right speak.

    Parameters
    ----------
    y
        (n,) labels.
    p1, p2
        (n,) decisions of the two rules.
    method
        "exact" (binomial), "mid-p" (the exact one less half of the observed probability: nearer to 5 %),
        "chi2", or "chi2-cc" (continuity-corrected).
    alternative
        Of error_1 − error_2.

    Examples
    --------
    >>> from karat import comparisons
    >>> t = comparisons.mcnemar_counts(12, 2, method="mid-p")
    >>> round(t.p_value, 4)
    0.0074
    """
    first, second = correct_of(y, p1, p2)
    b, c = int((first & ~second).sum()), int((~first & second).sum())
    return mcnemar_counts(b, c, method=method, n=len(first), alternative=alternative)


@comparison("counts", "Do two rules have the same error rate? From the two counts of disagreement")
def mcnemar_counts(
    b: int, c: int, method: str = "exact", n: int | None = None, alternative: str = "two-sided"
) -> McNemarResult:
    """The same from counts: `b` cases only the first rule got right, `c` cases only the second did.

    Without a difference b is binomial(b + c, ½). χ² = (b − c)²/(b + c), corrected (|b − c| − 1)²/(b + c).
    """
    check_alternative(alternative)
    check_counts(b=b, c=c)
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}", got=repr(method))
    m = b + c
    if n is not None:
        check_counts(n=n)
        if n < max(m, 1):
            raise InputError("n is smaller than the cases that are told", got=f"n = {n}, b + c = {m}")
    notes: tuple[str, ...] = ()
    if m == 0:
        notes = ("No case is right by one rule and wrong by the other: nothing speaks for a difference.",)
        statistic, p = 0.0, 1.0
    elif method.startswith("chi2"):
        gap = max(abs(b - c) - (method == "chi2-cc"), 0)
        statistic = gap**2 / m
        p = tail(math.copysign(gap, c - b) / math.sqrt(m), alternative)
        if m < 25:
            notes = (f"χ² of {m} discordant cases is rough; the exact test or mid-p are made for it.",)
    else:
        statistic = float(min(b, c)) if alternative == "two-sided" else float(c)
        law = stats.binom(m, 0.5)
        half = 0.5 * law.pmf(c) if method == "mid-p" else 0.0
        p = sided(float(law.cdf(c) - half), float(law.sf(c - 1) - half), alternative)
    d = None if n is None else _difference(b, c, n)
    return McNemarResult(
        METHODS[method],
        statistic,
        p,
        df=1 if method.startswith("chi2") else None,
        alternative=alternative,
        difference=d,
        assumptions=(FIXED, INDEPENDENT),
        notes=notes,
        b=b,
        c=c,
        n=n,
        method=method,
    )


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
        return out.noting("No standard error: the formula gives 0 here; ci() is Tango's interval, which has length.")
    return out.with_(se=math.sqrt(variance), se_method="multinomial")


def tango(x: float, y: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Score interval of p_x − p_y of paired proportions (Tango 1998): all δ with |T(δ)| ≤ z.

    T(δ) = (x − y − nδ) / √(n (2 q + δ(1 − δ))), q the restricted estimate of p_y, the root of
    2n q² + (−x − y + (2n − x + y) δ) q − y δ (1 − δ) = 0. It never leaves (−1, 1), and has length at x = y = 0.
    """
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


def _root(f: Any, low: float, high: float) -> float:
    """Where f, which falls from + to −, is 0; the end where it does not change its sign."""
    if f(low) <= 0:
        return low
    if f(high) >= 0:
        return high
    # ±inf at the ends would break the secant steps: bisect
    return float(optimize.bisect(f, low, high, xtol=1e-13))


def _mid_p_limits(x: int, n: int, level: float) -> tuple[float, float]:
    """p at which the mid-p tail of x among n is (1 − level)/2 on either side."""
    half = (1 - level) / 2

    def upper(p: float) -> float:  # P(X > x) + ½ P(X = x), rising in p
        above = special.bdtrc(x, n, p)
        return float(above + 0.5 * (special.bdtr(x, n, p) - (special.bdtr(x - 1, n, p) if x else 0.0)))

    low = 0.0 if x == 0 else float(optimize.brentq(lambda p: upper(p) - half, 0.0, 1.0, xtol=1e-13))
    high = 1.0 if x == n else float(optimize.brentq(lambda p: upper(p) - (1 - half), 0.0, 1.0, xtol=1e-13))
    return low, high
