"""How many times as many cases would show a difference, or equivalence, if the difference stays the same."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from trueness.comparisons.p_values import critical_value
from trueness.formulas.paired_shares import tango
from trueness.result import Estimate
from trueness.result.paired import Tango

TOO_MANY_TIMES = 100  # beyond this factor the number itself does not matter
MAX_DISCORDANT_FOR_MID_P = 200  # with more discordant cases the normal approximation is good


def for_a_difference(d: Estimate, alpha: float) -> float:
    """Factor on the number of cases at which p < α: (c · se / |d|)², as se falls like 1/√n; inf where none will do.

    With Tango's interval and few discordant cases, McNemar's mid-p is searched instead.
    """
    if d.value == 0:
        return math.inf
    if isinstance(d.interval, Tango) and 0 < d.interval.discordant <= MAX_DISCORDANT_FOR_MID_P:
        return _by_mid_p(d.interval, alpha)
    return math.inf if not d.se else (critical_value(1 - alpha, d.df) * d.se / abs(d.value)) ** 2


def for_equivalence(d: Estimate, margin: float, alpha: float) -> float:
    """Factor on the number of cases at which the 1 − 2α interval lies within ± margin: (c · se / (margin − |d|))².

    α is the level of each of the two one-sided tests; inf where no number of cases would do.
    """
    room = margin - abs(d.value)
    if room <= 0:
        return math.inf
    if isinstance(d.interval, Tango):
        return _by_tango(d.interval, margin, alpha)
    return math.inf if not d.se else (critical_value(1 - alpha, d.df, "greater") * d.se / room) ** 2


def _by_mid_p(d: Tango, alpha: float) -> float:
    """The fewest discordant cases in the observed proportion (the smaller count rounded up) with a mid-p below α."""
    m, less = d.discordant, min(d.first, d.second)
    every = np.arange(m + 1, TOO_MANY_TIMES * m + 1)
    fewer = np.ceil(less * every / m - 1e-9)
    p = 2 * stats.binom.cdf(fewer, every, 0.5) - stats.binom.pmf(fewer, every, 0.5)
    found = np.flatnonzero(p < alpha)
    return float(every[found[0]] / m) if found.size else math.inf


def _by_tango(d: Tango, margin: float, alpha: float) -> float:
    """The same by bisection over Tango's interval of counts scaled up."""
    x, y, n = d.first, d.second, d.n

    def within(times: float) -> bool:
        low, high = tango(x * times, y * times, n * times, 1 - 2 * alpha)
        return -margin < low and high < margin

    low, high = 1.0, float(TOO_MANY_TIMES)
    if not within(high):
        return math.inf
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if within(middle) else (middle, high)
    return high
