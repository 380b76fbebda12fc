"""How many cases McNemar's exact test needs, and what it finds among so many."""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import optimize, special, stats

from trueness.errors import InputError

MAX_CASES = 10**8
MAX_DISCORDANT_FOR_EXACT = 2000  # beyond, the normal approximation is as good


def smallest(sufficient: Callable[[int], bool], start: int) -> int:
    """The smallest whole number from `start` on that is sufficient, where all larger ones are too."""
    high = start
    while not sufficient(high):
        high *= 2
        if high > MAX_CASES:
            raise InputError("No realistic number of cases is sufficient", got=f"more than {MAX_CASES:.0e}")
    low = max(start, high // 2)
    return low + bisect_left(range(low, high), True, key=sufficient)


def mcnemar_power(n: int, only_first: float, only_second: float, alpha: float) -> float:
    """Σ_m Pr[m discordant] Pr[p < α | m], both binomial; with many discordant cases the normal approximation."""
    psi = only_first + only_second
    low, high = map(int, stats.binom.interval(1 - 2e-10, n, psi))
    if high > MAX_DISCORDANT_FOR_EXACT:
        gap = abs(only_first - only_second)
        away = gap * math.sqrt(n) + special.ndtri(alpha / 2) * math.sqrt(psi)
        return float(special.ndtr(away / math.sqrt(max(psi - gap**2, 1e-16))))
    m = np.arange(max(low, 1), high + 1)
    most = stats.binom.ppf(alpha / 2, m, 0.5) - 1  # of the smaller count with 2 Pr[X <= count] < α; −1 for none
    found = special.bdtr(most, m, share := min(only_first / psi, 1.0)) + special.bdtrc(m - most - 1, m, share)
    return float(stats.binom.pmf(m, n, psi) @ np.nan_to_num(found))  # none of −1


@cache  # many systems differ in equally many items
def detectable_by_mcnemar(n: int, discordant: float, level: float, power: float) -> float | None:
    """The smallest difference of two shares that McNemar's exact test finds with this power among n cases; None where it
    would not find any.

    `discordant` is the share of cases on which the two differ. A larger difference needs more of them, so that it is the
    share of discordant cases itself.
    """

    def lacking(difference: float) -> float:
        psi = max(discordant, difference)
        return mcnemar_power(n, (psi + difference) / 2, (psi - difference) / 2, 1 - level) - power

    return float(optimize.brentq(lacking, 1e-9, 1.0, xtol=1e-6)) if lacking(1.0) >= 0 else None
