"""How many cases for a proportion or two error rates: an interval of a given width, or power for a difference."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from trueness.checks import check_level, check_whole, is_number
from trueness.comparisons.assumptions import FIXED_AND_UNSEEN
from trueness.comparisons.inputs import check_inside
from trueness.comparisons.size_search import both_given, check_difference, smallest, three_arrays
from trueness.errors import InputError
from trueness.formulas.intervals import quantile, wilson
from trueness.result import SampleSize
from trueness.sample.answers import Answers
from trueness.typing import Labels

MAX_DISCORDANT_FOR_EXACT = 2000  # beyond, the normal approximation is as good


def size_for_proportion(p: float, half_width: float, level: float = 0.95) -> SampleSize:
    """Number of cases for Wilson's interval of a proportion (an error rate, a TPF, a predictive value).

    Parameters
    ----------
    p : float
        The expected proportion.
    half_width : float
        Half the length that the interval may have.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    SampleSize

    Examples
    --------
    >>> size_for_proportion(0.1, 0.05).n
    141
    """
    check_inside("p", p, 0, 1, ends=True)
    check_inside("half_width", half_width, 0, 0.5)
    check_level(level)
    z = quantile(level)

    def half(n: int) -> float:
        low, high = wilson(p, n, z)
        return (high - low) / 2

    n = smallest(lambda m: half(m) <= half_width, 1)
    goal = f"Proportion of {p:g} within ± {half_width:g}"
    assumptions = ("cases are independent, and the proportion is as expected.",)
    return SampleSize(goal, n, half_width=half(n), level=level, assumptions=assumptions)


def size_for_error_difference(
    error1: float | None = None,
    error2: float | None = None,
    power: float = 0.8,
    discordant: float | None = None,
    level: float = 0.95,
    pilot: tuple[Labels, Labels, Labels] | None = None,
) -> SampleSize:
    """Number of cases to detect a difference of two error rates: the smallest with this `power_for_error_difference`.

    Paired, that is the exact power of McNemar's mid-p test: about n = (z_{α/2} √ψ + z_β √(ψ − δ²))² / δ² (Connor 1987),
    with ψ the share of discordant cases. Where ψ is near 1 the power is not quite monotone in n, and a slightly smaller
    number may suffice. Unpaired, n per set is (z_{α/2} √(2 p̄ q̄) + z_β √(p_1 q_1 + p_2 q_2))² / δ².

    Parameters
    ----------
    error1, error2 : float, optional
        The expected error rates; those of the pilot by default.
    power : float, default 0.8
        Probability of detecting the difference.
    discordant : float, optional
        ψ, the share of cases that exactly one rule misclassifies. Without it and without a pilot the test sets are
        different (unpaired).
    level : float, default 0.95
        1 − α of the test.
    pilot : tuple, optional
        (y, p1, p2), predicted classes: ψ, and the error rates where they are not given.

    Returns
    -------
    SampleSize
    """
    check_inside("power", power, 0, 1)
    check_level(level)
    assumptions: tuple[str, ...] = (FIXED_AND_UNSEEN, "cases are independent.")
    if pilot is not None:
        y, *decisions = three_arrays(pilot, "(y, p1, p2)")
        right1, right2 = Answers.of_decisions(y, decisions).values[:, 0].astype(bool)
        discordant = float((right1 != right2).mean()) if discordant is None else discordant
        error1 = float(1 - right1.mean()) if error1 is None else error1
        error2 = float(1 - right2.mean()) if error2 is None else error2
        assumptions += (f"rules disagree as in the pilot of {len(right1)} cases, which is itself uncertain.",)
    p1, p2 = both_given("error", error1, error2, "(y, p1, p2)")
    psi = discordant
    _check_rates(p1, p2, psi)
    check_difference(p1 - p2, "error1")
    # slightly less than asked, so that a power of exactly that is not missed by its last bits
    n = smallest(lambda m: power_for_error_difference(m, p1, p2, psi, level) >= power - 1e-12, 2)
    goal = f"Error difference of {p1 - p2:.3g}, {'unpaired, in each set' if psi is None else 'paired'}"
    reached = power_for_error_difference(n, p1, p2, psi, level)
    return SampleSize(goal, n, power=reached, level=level, assumptions=assumptions)


def power_for_error_difference(
    n: int, error1: float, error2: float, discordant: float | None = None, level: float = 0.95
) -> float:
    """Power to detect a difference of two error rates with n cases.

    Parameters
    ----------
    n : int
        Cases; per test set, where unpaired.
    error1, error2 : float
        The error rates.
    discordant : float, optional
        Share of cases that exactly one rule misclassifies: the exact power of McNemar's mid-p test. Without it, the
        power of the unpaired test by its normal approximation.
    level : float, default 0.95
        1 − α of the test.

    Returns
    -------
    float
    """
    check_whole("n", n, 2)
    check_level(level)
    _check_rates(error1, error2, discordant)
    if discordant is not None:
        delta = error1 - error2
        return _mcnemar_power(n, (discordant + delta) / 2, (discordant - delta) / 2, 1 - level)
    mean = (error1 + error2) / 2
    gap = abs(error1 - error2) * math.sqrt(n) - quantile(level) * math.sqrt(2 * mean * (1 - mean))
    return float(stats.norm.cdf(gap / math.sqrt(error1 * (1 - error1) + error2 * (1 - error2))))


def _mcnemar_power(n: int, only_first: float, only_second: float, alpha: float) -> float:
    """Σ_m Pr[m discordant] Pr[mid-p < α | m], both binomial; with many discordant cases the normal approximation."""
    psi = only_first + only_second
    law = stats.binom(n, psi)
    low, high = int(law.ppf(1e-10)), int(law.isf(1e-10))
    if high > MAX_DISCORDANT_FOR_EXACT:
        gap = abs(only_first - only_second)
        away = gap * math.sqrt(n) - float(stats.norm.isf(alpha / 2)) * math.sqrt(psi)
        return float(stats.norm.cdf(away / math.sqrt(psi - gap**2)))
    total = 0.0
    for m in range(max(low, 1), high + 1):
        k = np.arange(m + 1)
        fair = stats.binom(m, 0.5)
        tails = fair.cdf(k) - 0.5 * fair.pmf(k)
        p = 2 * np.minimum(tails, tails[::-1])
        reject = stats.binom.pmf(k, m, only_first / psi)[p < alpha].sum()
        total += float(law.pmf(m) * reject)
    return total


def _check_rates(error1: float, error2: float, discordant: float | None) -> None:
    check_inside("error1", error1, 0, 1)
    check_inside("error2", error2, 0, 1)
    if discordant is None:
        return
    least, most = abs(error1 - error2), min(error1 + error2, 2 - error1 - error2)
    if not (is_number(discordant) and discordant > 0 and least - 1e-12 <= discordant <= most + 1e-12):
        raise InputError(
            f"discordant must be between {least:g} and {most:g} with these error rates",
            param="discordant",
            got=repr(discordant),
        )
