"""Limits of a proportion p = x/n: ten methods with the signature (x, n, level) → (low, high), inside [0, 1]; and two shares
of the same cases, McNemar's tests (1947) and Tango's interval (1998), from the discordant cases.

Formulas as in Brown, Cai & DasGupta (2001), Statistical Science 16, unless cited otherwise.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from scipy import optimize, special

from trueness.checks import check_level, is_number
from trueness.errors import InputError
from trueness.formulas import intervals
from trueness.formulas.intervals import from_tails, quantile, tail
from trueness.typing import Alternative, Floats

Limits = tuple[float, float]

ProportionMethod = Literal[
    "wald", "wilson", "exact", "agresti-coull", "jeffreys", "uniform", "logit", "cloglog", "likelihood", "mid-p"
]
UNDEFINED_AT_EDGE = ("wald", "logit", "cloglog")  # no interval, or one without length, at x = 0 and x = n


def wald(x: float, n: float, level: float) -> Limits:
    """p ± z √(p(1 − p)/n); zero length at x = 0 and x = n, clipped to [0, 1]."""
    p = x / n
    half = intervals.quantile(level) * np.sqrt(p * (1 - p) / n)
    return _inside(p - half, p + half)


def wilson(x: float, n: float, level: float) -> Limits:
    """All p0 that the score test does not reject (Wilson 1927)."""
    return _inside(*intervals.wilson(x / n, n, intervals.quantile(level)))


def agresti_coull(x: float, n: float, level: float) -> Limits:
    """Wald's formula around the centre of Wilson's interval: z²/2 successes and z²/2 failures are added."""
    z = intervals.quantile(level)
    more = n + z * z
    p = (x + z * z / 2) / more
    half = z * np.sqrt(p * (1 - p) / more)
    return _inside(p - half, p + half)


def posterior(x: float, n: float, level: float, prior: float) -> Limits:
    """Equal tails of the posterior under the prior Beta(`prior`, `prior`): ½ is Jeffreys', 1 the uniform one."""
    tail = (1 - level) / 2
    a, b = x + prior, n - x + prior
    # Brown, Cai & DasGupta, sec. 4.1.1: x = 0 cannot exclude p = 0, nor x = n exclude p = 1
    low = 0.0 if x == 0 else float(special.betaincinv(a, b, tail))
    high = 1.0 if x == n else float(special.betainccinv(a, b, tail))
    return low, high


def logit(x: float, n: float, level: float) -> Limits:
    """Wald on ln(p/(1 − p)), se 1/√(n p (1 − p)); the exact interval at x = 0 and x = n, where it is undefined."""
    if x in (0, n):
        return intervals.clopper_pearson(x, n, level)
    p = x / n
    return intervals.logit(p, np.sqrt(p * (1 - p) / n), intervals.quantile(level))


def cloglog(x: float, n: float, level: float) -> Limits:
    """Wald on ln(−ln p), the link of survival analysis and of R's binom, se √((1 − p)/(n p))/|ln p|.

    The exact interval at x = 0 and x = n, where it is undefined. Not symmetric in successes and failures.
    """
    if x in (0, n):
        return intervals.clopper_pearson(x, n, level)
    p = x / n
    centre = np.log(-np.log(p))
    half = intervals.quantile(level) * np.sqrt((1 - p) / (n * p)) / -np.log(p)
    return float(np.exp(-np.exp(centre + half))), float(np.exp(-np.exp(centre - half)))


def likelihood(x: float, n: float, level: float) -> Limits:
    """All p with 2 (ℓ(x/n) − ℓ(p)) ≤ z²."""
    return by_deviance(x, n, intervals.quantile(level) ** 2)


def mid_p(x: float, n: float, level: float) -> Limits:
    """As the exact interval, with half of the observed outcome's probability in each tail (Berry & Armitage 1995)."""
    tail = (1 - level) / 2  # at low levels both limits may lie on one side of x/n, as for the posterior intervals
    low = 0.0 if x == 0 else _root(lambda p: _upper_mid(x, n, p) - tail, 0.0, 1.0)
    high = 1.0 if x == n else _root(lambda p: 1 - _upper_mid(x, n, p) - tail, 0.0, 1.0)
    return low, high


def _upper_mid(x: float, n: float, p: float) -> float:
    """P(X > x) + ½ P(X = x), by the incomplete beta function."""
    at_least = 1.0 if x == 0 else special.betainc(x, n - x + 1, p)
    more = 0.0 if x == n else special.betainc(x + 1, n - x, p)
    return float(at_least + more) / 2


METHODS: dict[str, Callable[[float, float, float], Limits]] = {  # one per ProportionMethod
    "wald": wald,
    "wilson": wilson,
    "exact": intervals.clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": partial(posterior, prior=0.5),
    "uniform": partial(posterior, prior=1.0),
    "logit": logit,
    "cloglog": cloglog,
    "likelihood": likelihood,
    "mid-p": mid_p,
}


def deviance(x: float, n: float, p: float) -> float:
    """2 (ℓ(x/n) − ℓ(p)) = 2 [x ln(x/(np)) + (n − x) ln((n − x)/(n(1 − p)))]."""
    return 2 * float(special.rel_entr(x, n * p) + special.rel_entr(n - x, n * (1 - p)))


def by_deviance(x: float, n: float, most: float) -> Limits:
    """The two p on either side of x/n whose deviance is `most`; 0 and 1 where a side has none."""
    if most <= 1e-12:  # below the rounding of the deviance itself
        return x / n, x / n
    if x == 0:  # −2n ln(1 − p) = most
        return 0.0, float(-np.expm1(-most / (2 * n)))
    if x == n:
        return float(np.exp(-most / (2 * n))), 1.0
    low = _root(lambda p: deviance(x, n, p) - most, 0.0, x / n)
    high = _root(lambda p: deviance(x, n, p) - most, x / n, 1.0)
    return low, high


def coverage(method: str, n: int, p: Floats, level: float) -> Floats:
    """(m,) P(low(X) ≤ p ≤ high(X)) for X ~ Binomial(n, p): an exact sum over all n + 1 outcomes."""
    x = np.arange(n + 1)
    limits = np.array([METHODS[method](int(k), n, level) for k in x])
    inside = (limits[:, :1] <= p) & (p <= limits[:, 1:])  # (n + 1, m)
    with np.errstate(divide="ignore"):
        chance = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
        log = chance[:, None] + special.xlogy(x[:, None], p) + special.xlog1py(n - x[:, None], -p)
    return np.asarray((np.exp(log) * inside).sum(axis=0))


def _inside(low: float, high: float) -> Limits:
    return max(0.0, float(low)), min(1.0, float(high))


def _root(f: Callable[[float], float], a: float, b: float) -> float:
    """The p in (a, b) where f changes sign, or the end next to it; f may be infinite at the ends 0 and 1."""
    a, b = max(a, 1e-300), min(b, 1 - 1e-16)
    at_a, at_b = f(a), f(b)
    if (at_a > 0) == (at_b > 0):  # a level near 0 or 1: the change is beyond what floats tell from the end
        return a if abs(at_a) < abs(at_b) else b
    return float(optimize.brentq(f, a, b, xtol=1e-15, rtol=1e-14))


McNemarMethod = Literal["exact", "mid-p", "chi2", "chi2-cc"]
DEFAULT: McNemarMethod = "exact"  # never above its level, and what R and other programs give (decision 017)
NAMES: dict[McNemarMethod, str] = {
    "exact": "McNemar, exact",
    "mid-p": "McNemar, mid-p",
    "chi2": "McNemar, χ²",
    "chi2-cc": "McNemar, χ² with continuity correction",
}


def mcnemar_p(
    x: int, y: int, method: McNemarMethod = DEFAULT, alternative: Alternative = "two-sided"
) -> tuple[float, float]:
    """Statistic and p-value of p_x − p_y = 0, from the cases that count for the first share only, and for the second
    only.

    Without a difference x is binomial(x + y, ½). χ² = (x − y)²/(x + y), corrected (|x − y| − 1)²/(x + y).
    """
    m = x + y
    if m == 0:
        return 0.0, 1.0
    if method in ("chi2", "chi2-cc"):
        gap = max(abs(x - y) - (method == "chi2-cc"), 0)
        return gap**2 / m, tail(math.copysign(gap, x - y) / math.sqrt(m), alternative)
    at_most, fewer = (float(special.bdtr(k, m, 0.5)) if k >= 0 else 0.0 for k in (x, x - 1))
    at_least, more = (float(special.bdtrc(k, m, 0.5)) if k >= 0 else 1.0 for k in (x - 1, x))
    if method == "mid-p":
        at_most, at_least = (at_most + fewer) / 2, (at_least + more) / 2
    return float(min(x, y) if alternative == "two-sided" else x), from_tails(at_most, at_least, alternative)


def tango(x: float, y: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
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
    z, top, end = quantile(level), (x - y) / n, 1 - 1e-12
    low = -1.0 if top <= -end else _falls_to_zero(lambda t: tango_score(x, y, n, t) - z, -end, top)
    high = 1.0 if top >= end else _falls_to_zero(lambda t: tango_score(x, y, n, t) + z, top, end)
    return low, high


def tango_score(x: float, y: float, n: float, delta: float) -> float:
    """T(δ) of `tango`; it grows as √n does where x, y and n are scaled up together."""
    a, b, c = 2 * n, -x - y + (2 * n - x + y) * delta, -y * delta * (1 - delta)
    q = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = n * (2 * q + delta * (1 - delta))
    gap = x - y - n * delta
    if gap == 0:
        return 0.0
    return math.copysign(math.inf, gap) if variance <= 0 else gap / math.sqrt(variance)


def _falls_to_zero(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, which falls from + to −, is 0; the end where it does not change its sign."""
    if f(low) <= 0:
        return low
    if f(high) >= 0:
        return high
    return float(optimize.bisect(f, low, high, xtol=1e-13))  # ±inf at the ends would break secant steps
