"""Two shares of the same cases: McNemar's tests (1947) and Tango's interval (1998), from the discordant cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from scipy import optimize, special

from trueness.checks import check_level, is_number
from trueness.errors import InputError
from trueness.formulas.intervals import from_tails, quantile, tail
from trueness.typing import Alternative

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
