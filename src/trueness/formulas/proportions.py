"""Limits of a proportion p = x/n: ten methods with the signature (x, n, level) → (low, high), inside [0, 1].

Formulas as in Brown, Cai & DasGupta (2001), Statistical Science 16, unless cited otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from scipy import optimize, special

from trueness.formulas import intervals
from trueness.typing import Floats

Limits = tuple[float, float]

ProportionMethod = Literal[
    "wald", "wilson", "exact", "agresti-coull", "jeffreys", "uniform", "logit", "cloglog", "likelihood", "mid-p"
]
UNDEFINED_AT_EDGE = ("wald", "logit", "cloglog")  # no interval, or one without length, at x = 0 and x = n


def wald(x: float, n: float, level: float) -> Limits:
    """p ± z √(p(1 − p)/n); zero length at x = 0 and x = n, clipped to [0, 1]."""
    p = x / n
    return _inside(*intervals.wald(p, np.sqrt(p * (1 - p) / n), intervals.quantile(level)))


def wilson(x: float, n: float, level: float) -> Limits:
    """All p0 that the score test does not reject (Wilson 1927)."""
    return _inside(*intervals.wilson(x / n, n, intervals.quantile(level)))


def agresti_coull(x: float, n: float, level: float) -> Limits:
    """Wald's formula around the centre of Wilson's interval: z²/2 successes and z²/2 failures are added."""
    z = intervals.quantile(level)
    more = n + z * z
    p = (x + z * z / 2) / more
    return _inside(*intervals.wald(p, np.sqrt(p * (1 - p) / more), z))


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


def likelihood_boundary(x: tuple[int, int], n: tuple[int, int], level: float, n_points: int) -> Floats:
    """(n_points, 2) boundary of the region where the joint deviance of two proportions is at most χ²(level, 2 df).

    The joint deviance is a sum, so a boundary point spends cos² t of it on the first proportion and sin² t on the
    second, and t in [0, 2π] traces the boundary once.
    """
    most = -2 * np.log1p(-level)  # the χ² quantile in closed form
    points = np.empty((n_points, 2))
    for i, t in enumerate(np.linspace(0, 2 * np.pi, n_points)):
        for k, part in enumerate((np.cos(t), np.sin(t))):
            points[i, k] = by_deviance(x[k], n[k], most * part**2)[int(part >= 0)]
    return points


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
