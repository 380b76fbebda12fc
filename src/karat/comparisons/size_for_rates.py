"""How many cases for a proportion or two error rates: for an interval of a given width, or to see a difference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import correct_of
from karat.comparisons.size_search import FIXED, check_inside, smallest
from karat.errors import InputError
from karat.formulas.intervals import quantile, wilson
from karat.plans.plan import whole
from karat.result.sample_size import SampleSize

MANY = 2000  # discordant cases: with more the normal law is as good


def size_for_proportion(p: float, half_width: float, level: float = 0.95) -> SampleSize:
    """Cases for Wilson's interval of a proportion (an error rate, a TPF, a predictive value).

    Examples
    --------
    >>> size_for_proportion(0.1, 0.05).n
    141
    """
    check_inside("p", p, 0, 1, ends=True)
    check_inside("half_width", half_width, 0, 0.5)
    check_inside("level", level, 0, 1)
    z = quantile(level)

    def half(n: int) -> float:
        low, high = wilson(p, n, z)
        return (high - low) / 2

    n = smallest(lambda m: half(m) <= half_width, 1)
    return SampleSize(
        f"Proportion of {p:g} within ± {half_width:g}",
        n,
        half_width=half(n),
        level=level,
        assumptions=("cases are independent, and the proportion is what it is thought to be.",),
    )


def size_for_error_difference(
    error1: float | None = None,
    error2: float | None = None,
    power: float = 0.8,
    discordant: float | None = None,
    level: float = 0.95,
    pilot: tuple[Any, Any, Any] | None = None,
) -> SampleSize:
    """Cases to find a difference of two error rates with this power.

    The smallest number that `power_for_error_difference` says has it. Paired, that is the exact power of McNemar's
    mid-p test: about n = (z_{α/2} √ψ + z_β √(ψ − δ²))² / δ² (Connor 1987), ψ the share of cases that exactly one rule
    gets wrong; where that is nearly all, the power goes up and down a little from n to n + 1, and a slightly smaller
    number may have it, too. Unpaired, n of each set: (z_{α/2} √(2 p̄ q̄) + z_β √(p_1 q_1 + p_2 q_2))² / δ².

    Parameters
    ----------
    discordant
        ψ; None without a pilot: different test sets (unpaired).
    pilot
        (y, p1, p2) decisions: ψ, and the error rates where they are not given.
    """
    check_inside("power", power, 0, 1)
    check_inside("level", level, 0, 1)
    p1, p2, psi, said = _errors(error1, error2, discordant, pilot)
    delta = p1 - p2
    if delta == 0:
        raise InputError("without a difference no number of cases will find one", got="δ = 0")
    # a hair less than asked, so that a power of exactly that is not missed by its last bits
    n = smallest(lambda m: power_for_error_difference(m, p1, p2, psi, level) >= power - 1e-12, 2)
    kind = "paired" if psi is not None else "unpaired, in each set"
    return SampleSize(
        f"Error difference of {delta:.3g}, {kind}",
        n,
        power=power_for_error_difference(n, p1, p2, psi, level),
        level=level,
        assumptions=(FIXED, *said),
    )


def power_for_error_difference(
    n: int, error1: float, error2: float, discordant: float | None = None, level: float = 0.95
) -> float:
    """Power with n cases (of each set, where unpaired). Paired: exact, of McNemar's mid-p test; else by formula."""
    whole("n", n, 2)
    check_inside("level", level, 0, 1)
    p1, p2, psi, _ = _errors(error1, error2, discordant, None)
    if psi is not None:
        return _mcnemar_power(n, (psi + p1 - p2) / 2, (psi - p1 + p2) / 2, 1 - level)
    mean = (p1 + p2) / 2
    gap = abs(p1 - p2) * math.sqrt(n) - quantile(level) * math.sqrt(2 * mean * (1 - mean))
    return float(stats.norm.cdf(gap / math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))))


def _mcnemar_power(n: int, only_first: float, only_second: float, alpha: float) -> float:
    """Σ_m Pr[m discordant] Pr[mid-p < α | m], both binomial; with very many discordant cases by the normal law."""
    psi = only_first + only_second
    law = stats.binom(n, psi)
    low, high = int(law.ppf(1e-10)), int(law.isf(1e-10))
    if high > MANY:
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


def _errors(
    error1: float | None, error2: float | None, discordant: float | None, pilot: tuple[Any, Any, Any] | None
) -> tuple[float, float, float | None, tuple[str, ...]]:
    said: tuple[str, ...] = ("cases are independent.",)
    if pilot is not None:
        right1, right2 = correct_of(*pilot)
        discordant = float((right1 != right2).mean()) if discordant is None else discordant
        error1 = float(1 - right1.mean()) if error1 is None else error1
        error2 = float(1 - right2.mean()) if error2 is None else error2
        said = (*said, f"rules disagree as in the pilot of {len(right1)} cases, itself uncertain.")
    if error1 is None or error2 is None:
        raise InputError("error1 and error2 are needed", fix="Give both, or a pilot (y, p1, p2)")
    check_inside("error1", error1, 0, 1)
    check_inside("error2", error2, 0, 1)
    if discordant is not None:
        least, most = abs(error1 - error2), min(error1 + error2, 2 - error1 - error2)
        if not least - 1e-12 <= discordant <= most + 1e-12 or discordant <= 0:
            raise InputError(
                "the rules cannot disagree in this share of cases",
                got=f"{discordant:g}",
                fix=f"With these error rates it lies between {least:g} and {most:g}",
            )
    return error1, error2, discordant, said
