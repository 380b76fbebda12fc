"""How many times the cases would settle what these do not, if the difference stays as it is."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from karat.comparisons.mcnemar import Tango, tango
from karat.comparisons.p_values import critical_value
from karat.result import Estimate

NOT_WORTH = 100  # more than this many times the cases is "far more"
COUNTED = 200  # discordant cases: up to so many McNemar's mid-p is counted, beyond a normal law will do


def for_a_difference(d: Estimate, alpha: float) -> float:
    """Times the cases after which p < α. se falls like 1/√n: (c · se / |d|)²; of counts, mid-p itself."""
    if d.value == 0:
        return math.inf
    if isinstance(d.interval, Tango) and 0 < d.interval.discordant <= COUNTED:
        return _by_mid_p(d.interval, alpha)
    return math.inf if not d.se else (critical_value(1 - alpha, d.df) * d.se / abs(d.value)) ** 2


def for_equivalence(d: Estimate, margin: float, alpha: float) -> float:
    """Times the cases after which the 1 − 2α interval lies within ± margin: (c · se / (margin − |d|))²."""
    room = margin - abs(d.value)
    if room <= 0:
        return math.inf
    if isinstance(d.interval, Tango):
        return _by_tango(d.interval, margin, alpha)
    return math.inf if not d.se else (critical_value(1 - alpha, d.df, "greater") * d.se / room) ** 2


def _by_mid_p(d: Tango, alpha: float) -> float:
    """The fewest discordant cases, in the proportion that was seen (the fewer rounded up), whose mid-p is below α."""
    m, less = d.discordant, min(d.first, d.second)
    every = np.arange(m + 1, NOT_WORTH * m + 1)
    fewer = np.ceil(less * every / m - 1e-9)
    p = 2 * stats.binom.cdf(fewer, every, 0.5) - stats.binom.pmf(fewer, every, 0.5)
    found = np.flatnonzero(p < alpha)
    return float(every[found[0]] / m) if found.size else math.inf


def _by_tango(d: Tango, margin: float, alpha: float) -> float:
    x, y, n = d.first, d.second, d.n

    def within(times: float) -> bool:
        low, high = tango(x * times, y * times, n * times, 1 - 2 * alpha)
        return -margin < low and high < margin

    low, high = 1.0, float(NOT_WORTH)
    if not within(high):
        return math.inf
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if within(middle) else (middle, high)
    return high
