"""How many cases? For an interval of a given width, and for a given power to see a difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.delong import delong
from karat.comparisons.inputs import correct_of, generator_of, scores_of
from karat.errors import InputError
from karat.kernels.auc_moments import auc_covariance, auc_variance
from karat.kernels.delong import delong_influence
from karat.kernels.intervals import quantile, wilson
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.sample_size import SampleSize
from karat.result.test_result import TestResult

FIXED = "rules that are fixed, judged on a test set they never saw."
BINORMAL = "scores that are normal in each class with one variance, up to any rising transformation."
MOST = 10**8

Variance = Callable[[int, int], float]  # (n_positive, n_negative) → variance of the AUC difference


def size_for_auc(auc: float, half_width: float, ratio: float = 1.0, level: float = 0.95) -> SampleSize:
    """Cases for an interval of an AUC: half the length of the logit interval at this AUC.

    Parameters
    ----------
    auc
        What the AUC is thought to be.
    half_width
        Half the length that the interval may have.
    ratio
        Negatives for each positive.

    Examples
    --------
    >>> print(str(size_for_auc(0.8, 0.05)).split(",")[0])
    AUC of 0.8 within ± 0.05: 292 cases (146 positive
    """
    _inside("auc", auc, 0, 1)
    _inside("half_width", half_width, 0, 0.5)
    _positive("ratio", ratio)
    _inside("level", level, 0, 1)

    def half(n1: int) -> float:
        se = math.sqrt(auc_variance(auc, n1, _negatives(n1, ratio)))
        low, high = Estimate(auc, se, bounds=(0.0, 1.0), interval="logit").ci(level)
        return (high - low) / 2

    n1 = _smallest(lambda n: half(n) <= half_width, 2)
    return SampleSize(
        f"AUC of {auc:g} within ± {half_width:g}",
        n1 + _negatives(n1, ratio),
        n1,
        _negatives(n1, ratio),
        half_width=half(n1),
        level=level,
        assumptions=(FIXED, BINORMAL),
    )


def size_for_proportion(p: float, half_width: float, level: float = 0.95) -> SampleSize:
    """Cases for Wilson's interval of a proportion (an error rate, a TPF, a predictive value).

    Examples
    --------
    >>> size_for_proportion(0.1, 0.05).n
    141
    """
    _inside("p", p, 0, 1, ends=True)
    _inside("half_width", half_width, 0, 0.5)
    _inside("level", level, 0, 1)
    z = quantile(level)

    def half(n: int) -> float:
        low, high = wilson(p, n, z)
        return (high - low) / 2

    n = _smallest(lambda m: half(m) <= half_width, 1)
    return SampleSize(
        f"Proportion of {p:g} within ± {half_width:g}",
        n,
        half_width=half(n),
        level=level,
        assumptions=("cases are independent, and the proportion is what it is thought to be.",),
    )


# -- two AUCs ---------------------------------------------------------------------------------------------------


def size_for_auc_difference(
    auc1: float | None = None,
    auc2: float | None = None,
    power: float = 0.8,
    correlation: float | tuple[float, float] | None = None,
    ratio: float | None = None,
    level: float = 0.95,
    pilot: tuple[Any, Any, Any] | None = None,
    positive: Any = None,
) -> SampleSize:
    """Cases for DeLong's test to find a difference of two AUCs with this power.

    n: |Δ| ≥ (z_{1−α/2} + z_power) se(n), with the exact variance of the empirical AUCs under the binormal
    model, or with DeLong's variance of a pilot, scaled.

    Parameters
    ----------
    auc1, auc2
        What they are thought to be; None: the pilot's.
    correlation
        Of the two rules' scores within a class: one number, or (positives, negatives). None without a
        pilot: different test sets (unpaired), and n is of each set.
    ratio
        Negatives for each positive; None: 1, or the pilot's.
    pilot
        (y, s1, s2): the spread and the correlation are taken from these cases.
    """
    _inside("power", power, 0, 1)
    variance, delta, assumptions, kind, ratio = _setting(auc1, auc2, correlation, ratio, pilot, positive)
    _inside("level", level, 0, 1)
    if delta == 0:
        raise InputError("without a difference no number of cases will find one", got="Δ = 0", do="Give auc1 and auc2")

    def reached(n1: int) -> float:
        return _power(delta, variance(n1, _negatives(n1, ratio)), level)

    n1 = _smallest(lambda n: reached(n) >= power, 2)
    n2 = _negatives(n1, ratio)
    where = ", in each set" if kind == "unpaired" else ""
    return SampleSize(
        f"AUC difference of {delta:.3g}, {kind}{where}",
        n1 + n2,
        n1,
        n2,
        reached(n1),
        level=level,
        assumptions=assumptions,
    )


def power_for_auc_difference(
    n_positive: int,
    n_negative: int,
    auc1: float | None = None,
    auc2: float | None = None,
    correlation: float | tuple[float, float] | None = None,
    level: float = 0.95,
    pilot: tuple[Any, Any, Any] | None = None,
    positive: Any = None,
) -> float:
    """Power of DeLong's test with this many cases (of each set, where unpaired); α without a difference."""
    whole("n_positive", n_positive, 2)
    whole("n_negative", n_negative, 2)
    _inside("level", level, 0, 1)
    variance, delta, *_ = _setting(auc1, auc2, correlation, None, pilot, positive)
    return _power(delta, variance(n_positive, n_negative), level)


def _setting(
    auc1: float | None,
    auc2: float | None,
    correlation: float | tuple[float, float] | None,
    ratio: float | None,
    pilot: tuple[Any, Any, Any] | None,
    positive: Any,
) -> tuple[Variance, float, tuple[str, ...], str, float]:
    if pilot is not None:
        if correlation is not None:
            raise InputError("the pilot has its own correlation", do="Leave correlation out")
        return _from_pilot(auc1, auc2, ratio, pilot, positive)
    if auc1 is None or auc2 is None:
        raise InputError("auc1 and auc2 are needed", do="Give both, or a pilot (y, s1, s2)")
    a, b = auc1, auc2
    _inside("auc1", a, 0, 1)
    _inside("auc2", b, 0, 1)
    r1, r2 = (0.0, 0.0) if correlation is None else np.broadcast_to(np.asarray(correlation, dtype=float), 2).tolist()
    for r in (r1, r2):
        if not -1 < r < 1:
            raise InputError("a correlation lies between −1 and 1", got=r)

    def variance(n1: int, n2: int) -> float:
        both = auc_variance(a, n1, n2) + auc_variance(b, n1, n2)
        return both if correlation is None else both - 2 * auc_covariance(a, b, n1, n2, r1, r2)

    kind = "unpaired" if correlation is None else "paired"
    if ratio is not None:
        _positive("ratio", ratio)
    return variance, a - b, (FIXED, BINORMAL), kind, ratio or 1.0


def _from_pilot(
    auc1: float | None, auc2: float | None, ratio: float | None, pilot: tuple[Any, Any, Any], positive: Any
) -> tuple[Variance, float, tuple[str, ...], str, float]:
    y, s1, s2 = pilot
    up, first, second = scores_of(y, s1, s2, positive=positive)
    (a, ga), (b, gb) = delong_influence(first, up), delong_influence(second, up)
    g = ga - gb
    # DeLong: Var = S10/n1 + S01/n2; the pilot's vector holds S10/n1 in its positive and S01/n2 in its negative part
    s10, s01 = float((g[up] ** 2).sum()) * up.sum(), float((g[~up] ** 2).sum()) * (~up).sum()
    if s10 + s01 <= 0:
        raise InputError("the two rules of the pilot do not differ in any case: it has no spread to go by")
    for name, value in (("auc1", auc1), ("auc2", auc2)):
        if value is not None:
            _inside(name, value, 0, 1)
    delta = (a if auc1 is None else auc1) - (b if auc2 is None else auc2)
    if ratio is not None:
        _positive("ratio", ratio)
    said = (FIXED, f"spread and correlation as in the pilot of {len(up)} cases, itself uncertain.")
    return lambda n1, n2: s10 / n1 + s01 / n2, delta, said, "paired", ratio or float((~up).sum() / up.sum())


# -- two error rates ----------------------------------------------------------------------------------------------


def size_for_error_difference(
    error1: float | None = None,
    error2: float | None = None,
    power: float = 0.8,
    discordant: float | None = None,
    level: float = 0.95,
    pilot: tuple[Any, Any, Any] | None = None,
) -> SampleSize:
    """Cases to find a difference of two error rates with this power.

    Paired (McNemar; Connor 1987): n = (z_{α/2} √ψ + z_β √(ψ − δ²))² / δ², ψ the share of cases that exactly one
    rule gets wrong, raised where the exact power of the mid-p test is short of what was asked. Unpaired, n of each
    set: (z_{α/2} √(2 p̄ q̄) + z_β √(p_1 q_1 + p_2 q_2))² / δ².

    Parameters
    ----------
    discordant
        ψ; None without a pilot: different test sets (unpaired).
    pilot
        (y, p1, p2) decisions: ψ, and the error rates where they are not given.
    """
    _inside("power", power, 0, 1)
    _inside("level", level, 0, 1)
    p1, p2, psi, said = _errors(error1, error2, discordant, pilot)
    delta = p1 - p2
    if delta == 0:
        raise InputError("without a difference no number of cases will find one", got="δ = 0")
    a, b = quantile(level), float(stats.norm.ppf(power))
    if psi is None:
        mean = (p1 + p2) / 2
        root = a * math.sqrt(2 * mean * (1 - mean)) + b * math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
        n = math.ceil((root / delta) ** 2)
        kind = "unpaired, in each set"
    else:
        n = math.ceil(((a * math.sqrt(psi) + b * math.sqrt(psi - delta**2)) / delta) ** 2)
        kind = "paired"
    n = max(n, 2)
    while (
        power_for_error_difference(n, p1, p2, psi, level) < power - 1e-12
    ):  # the exact power may be short of the formula's
        n += max(1, n // 200)
        if n > MOST:
            raise InputError("no sensible number of cases reaches this", got=f"more than {MOST:.0e}")
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
    _inside("level", level, 0, 1)
    p1, p2, psi, _ = _errors(error1, error2, discordant, None)
    if psi is not None:
        return _mcnemar_power(n, (psi + p1 - p2) / 2, (psi - p1 + p2) / 2, 1 - level)
    mean = (p1 + p2) / 2
    gap = abs(p1 - p2) * math.sqrt(n) - quantile(level) * math.sqrt(2 * mean * (1 - mean))
    return float(stats.norm.cdf(gap / math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))))


def _mcnemar_power(n: int, only_first: float, only_second: float, alpha: float) -> float:
    """Σ_m Pr[m discordant] Pr[mid-p < α | m], both binomial."""
    psi = only_first + only_second
    law = stats.binom(n, psi)
    low, high = int(law.ppf(1e-10)), int(law.isf(1e-10))
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
        raise InputError("error1 and error2 are needed", do="Give both, or a pilot (y, p1, p2)")
    _inside("error1", error1, 0, 1)
    _inside("error2", error2, 0, 1)
    if discordant is not None:
        least, most = abs(error1 - error2), min(error1 + error2, 2 - error1 - error2)
        if not least - 1e-12 <= discordant <= most + 1e-12 or discordant <= 0:
            raise InputError(
                "the rules cannot disagree in this share of cases",
                got=f"{discordant:g}",
                do=f"With these error rates it lies between {least:g} and {most:g}",
            )
    return error1, error2, discordant, said


# -- by simulation --------------------------------------------------------------------------------------------------


def simulated_power(
    pilot: tuple[Any, Any, Any],
    n_positive: int,
    n_negative: int,
    test: Callable[[np.ndarray, np.ndarray, np.ndarray], TestResult] = delong,
    level: float = 0.95,
    trials: int = 500,
    positive: Any = None,
    rng: Any = None,
) -> Estimate:
    """Power of any test of two rules' scores: cases of a pilot drawn with replacement, the test made anew.

    Parameters
    ----------
    test
        f(y, s1, s2) → TestResult, e.g. `karat.comparisons.venkatraman`, or a lambda with options.

    Returns
    -------
    Estimate
        Share of trials that reject, with its binomial error; `mc_se` is the same: more trials shrink it.
    """
    whole("n_positive", n_positive, 2)
    whole("n_negative", n_negative, 2)
    whole("trials", trials, 10)
    _inside("level", level, 0, 1)
    up, first, second = scores_of(*pilot, positive=positive)
    generator = generator_of(rng)
    pools, sizes = (np.flatnonzero(up), np.flatnonzero(~up)), (n_positive, n_negative)
    found = 0
    for _ in range(trials):
        cases = np.concatenate([generator.choice(pool, size) for pool, size in zip(pools, sizes, strict=True)])
        found += test(up[cases].astype(int), first[cases], second[cases]).p_value < 1 - level
    share = found / trials
    se = math.sqrt(share * (1 - share) / trials)
    return Estimate(
        share, se, mc_se=se, metric="power", bounds=(0.0, 1.0), interval="wilson", cases=trials, plain=True
    ).noting("Copies of cases make ties, so a test that minds ties looks a little different than it would.")


# -- small helpers ---------------------------------------------------------------------------------------------------


def _power(delta: float, variance: float, level: float) -> float:
    """Both tails of a normal law about |Δ|/se."""
    z, gap = quantile(level), abs(delta) / math.sqrt(variance)
    return float(stats.norm.cdf(gap - z) + stats.norm.cdf(-gap - z))


def _negatives(n_positive: int, ratio: float) -> int:
    return max(2, math.ceil(n_positive * ratio - 1e-9))


def _smallest(good: Callable[[int], bool], start: int) -> int:
    """The smallest whole number from `start` on that is good, where all larger ones are."""
    high = start
    while not good(high):
        high *= 2
        if high > MOST:
            raise InputError("no sensible number of cases reaches this", got=f"more than {MOST:.0e}")
    low = max(start, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle + 1, high)
    return low


def _inside(name: str, value: float, low: float, high: float, ends: bool = False) -> None:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    inside = number and (low <= value <= high if ends else low < value < high)
    if not inside:
        raise InputError(f"{name} must lie between {low:g} and {high:g}", got=repr(value))


def _positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise InputError(f"{name} must be a positive number", got=value)
