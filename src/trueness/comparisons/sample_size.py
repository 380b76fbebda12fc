"""How many cases a comparison or an interval needs, and what power it has: AUCs and error rates."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from trueness.checks import MOST, check_level, check_whole, number_array
from trueness.comparisons.registry import FIXED_AND_UNSEEN, check_inside
from trueness.errors import InputError
from trueness.formulas.auc import auc_covariance, auc_variance
from trueness.formulas.intervals import quantile, wilson
from trueness.formulas.mcnemar import mcnemar_power, smallest
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT
from trueness.result.test_result import SampleSize
from trueness.sample.answers import Answers
from trueness.typing import Label, Labels, Scores


def check_difference(difference: float, param: str) -> None:
    if difference == 0:
        raise InputError("No sample size can detect a difference of 0", param=param)


BINORMAL = "scores are normal in each class with equal variances, up to an increasing transformation."
LIKE_PILOT = "the rules differ as in the pilot."

PAIRED = ("unpaired, in each set", "paired")

Pilot = tuple[Labels, Scores, Scores]


def size_for_auc(auc: float, half_width: float, *, ratio: float = 1.0, level: float = 0.95) -> SampleSize:
    """Number of cases for an interval of an AUC, by the logit interval at this AUC.

    Parameters
    ----------
    auc : float
        The expected AUC.
    half_width : float
        Half the length that the interval may have.
    ratio : float, default 1
        Negatives per positive.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    SampleSize

    Examples
    --------
    >>> size_for_auc(0.8, 0.05).answer()
    'AUC of 0.8 within ± 0.05: 292 cases.'
    """
    check_inside("auc", auc, 0, 1)
    check_inside("half_width", half_width, 0, 0.5)
    check_inside("ratio", ratio)
    check_level(level)

    def half(n1: int) -> float:
        se = math.sqrt(auc_variance(auc, n1, _negatives(n1, ratio)))
        low, high = Estimate(auc, se, bounds=(0.0, 1.0), interval=LOGIT).ci(level)
        return (high - low) / 2

    n1 = smallest(lambda n: half(n) <= half_width, 2)
    n2 = _negatives(n1, ratio)
    goal = f"AUC of {auc:g} within ± {half_width:g}"
    assumptions = (FIXED_AND_UNSEEN, BINORMAL)
    return SampleSize(goal, n1 + n2, n1, n2, half_width=half(n1), level=level, assumptions=assumptions)


def size_for_auc_difference(
    auc1: float | None = None,
    auc2: float | None = None,
    *,
    power: float = 0.8,
    correlation: float | tuple[float, float] | None = None,
    ratio: float | None = None,
    level: float = 0.95,
    pilot: Pilot | None = None,
    positive: Label | None = None,
) -> SampleSize:
    """Number of cases for DeLong's test to detect a difference of two AUCs.

    The smallest n with |Δ| ≥ (z_{1−α/2} + z_power) se(n), with the exact variance of the empirical AUCs under the
    binormal model, or with DeLong's variance of a pilot, scaled.

    Parameters
    ----------
    auc1, auc2 : float, optional
        The expected AUCs; those of the pilot by default.
    power : float, default 0.8
        Probability of detecting the difference.
    correlation : float or tuple of float, optional
        Correlation of the two rules' scores within a class: one number, or (positives, negatives). Without it and
        without a pilot the test sets are different (unpaired), and n is for each of them.
    ratio : float, optional
        Negatives per positive; 1, or that of the pilot, by default.
    level : float, default 0.95
        1 − α of the test.
    pilot : tuple, optional
        (y, s1, s2): spread and correlation are taken from these cases.
    positive : label, optional
        The positive label of the pilot.

    Returns
    -------
    SampleSize
    """
    check_inside("power", power, 0, 1)
    check_level(level)
    if ratio is not None:
        check_inside("ratio", ratio)
    study = _study(auc1, auc2, correlation, pilot, positive)
    check_difference(study.delta, "auc1")
    per_positive = ratio or study.ratio

    def reached(n1: int) -> float:
        return study.power(n1, _negatives(n1, per_positive), level)

    n1 = smallest(lambda n: reached(n) >= power, 2)
    n2 = _negatives(n1, per_positive)
    goal = f"AUC difference of {study.delta:.3g}, {PAIRED[study.paired]}"
    return SampleSize(goal, n1 + n2, n1, n2, reached(n1), level=level, assumptions=study.assumptions)


def power_for_auc_difference(
    n_positive: int,
    n_negative: int,
    *,
    auc1: float | None = None,
    auc2: float | None = None,
    correlation: float | tuple[float, float] | None = None,
    level: float = 0.95,
    pilot: Pilot | None = None,
    positive: Label | None = None,
) -> float:
    """Power of DeLong's test with this many cases; α without a difference.

    Parameters
    ----------
    n_positive, n_negative : int
        Cases of each class (per test set, where unpaired).
    auc1, auc2, correlation, level, pilot, positive
        As in `size_for_auc_difference`.

    Returns
    -------
    float
    """
    check_whole("n_positive", n_positive, 2)
    check_whole("n_negative", n_negative, 2)
    check_level(level)
    return _study(auc1, auc2, correlation, pilot, positive).power(n_positive, n_negative, level)


@dataclass(frozen=True)
class _Study:
    """The difference to detect, and its variance as a function of (n_positive, n_negative)."""

    delta: float
    variance: Callable[[int, int], float]
    paired: bool
    ratio: float
    assumptions: tuple[str, ...]

    def power(self, n1: int, n2: int, level: float) -> float:
        """Both tails of a normal distribution about |Δ|/se."""
        z, gap = quantile(level), abs(self.delta) / math.sqrt(self.variance(n1, n2))
        return float(stats.norm.cdf(gap - z) + stats.norm.cdf(-gap - z))


def _study(
    auc1: float | None,
    auc2: float | None,
    correlation: float | tuple[float, float] | None,
    pilot: Pilot | None,
    positive: Label | None,
) -> _Study:
    for name, value in (("auc1", auc1), ("auc2", auc2)):
        if pilot is None or value is not None:
            check_inside(name, value, 0, 1)
    if pilot is not None:
        if correlation is not None or not isinstance(pilot, (tuple, list)) or len(pilot) != 3:
            problem, param = "pilot must be (y, s1, s2), which have their own correlation", "pilot"
            raise InputError(problem, param=param, got=f"{type(pilot).__name__}, correlation {correlation}")
        y, *scores = pilot
        aucs = Answers.of_scores(y, scores, positive).aucs()
        up, g = aucs.codes == 1, aucs.alone[0] - aucs.alone[1]
        # DeLong: Var = S10/n1 + S01/n2; the pilot's vector holds S10/n1 in its positive and S01/n2 in its negative part
        s10, s01 = float((g[up] ** 2).sum()) * up.sum(), float((g[~up] ** 2).sum()) * (~up).sum()
        if s10 + s01 <= 0:
            raise InputError("The pilot has no spread: the two rules do not differ in any case", param="pilot")
        a, b = (own if e is None else e for own, e in zip(aucs.values.tolist(), (auc1, auc2), strict=True))
        ratio, assumptions = float((~up).sum() / up.sum()), (FIXED_AND_UNSEEN, LIKE_PILOT)
        return _Study(a - b, lambda n1, n2: s10 / n1 + s01 / n2, True, ratio, assumptions)
    assert auc1 is not None and auc2 is not None  # noqa: PT018 - for mypy
    a, b = auc1, auc2
    given = number_array("correlation", 0.0 if correlation is None else correlation)
    if given.shape not in ((), (2,)) or not (np.abs(given) < 1).all():
        fix = "Pass one number between -1 and 1, or two"
        raise InputError("The correlation is unknown", param="correlation", got=repr(correlation), fix=fix)
    r1, r2 = np.broadcast_to(given, 2).tolist()

    def variance(n1: int, n2: int) -> float:
        both = auc_variance(a, n1, n2) + auc_variance(b, n1, n2)
        return both if correlation is None else both - 2 * auc_covariance(a, b, n1, n2, r1, r2)

    return _Study(a - b, variance, correlation is not None, 1.0, (FIXED_AND_UNSEEN, BINORMAL))


def _negatives(n_positive: int, ratio: float) -> int:
    check_inside("ratio", ratio, 0, MOST / n_positive)
    return max(2, math.ceil(n_positive * ratio - 1e-9))


def size_for_proportion(p: float, half_width: float, *, level: float = 0.95) -> SampleSize:
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
    assumptions = ("cases are independent.",)
    return SampleSize(goal, n, half_width=half(n), level=level, assumptions=assumptions)


def size_for_error_difference(
    error1: float, error2: float, *, power: float = 0.8, discordant: float | None = None, level: float = 0.95
) -> SampleSize:
    """Number of cases to detect a difference of two error rates: the smallest with this `power_for_error_difference`.

    Paired, that is the exact power of McNemar's exact test: about n = (z_{α/2} √ψ + z_β √(ψ − δ²))² / δ² (Connor 1987),
    with ψ the share of discordant cases. Where ψ is near 1 the power is not quite monotone in n, and a slightly smaller
    number may suffice. Unpaired, n per set is (z_{α/2} √(2 p̄ q̄) + z_β √(p_1 q_1 + p_2 q_2))² / δ².

    Parameters
    ----------
    error1, error2 : float
        The expected error rates.
    power : float, default 0.8
        Probability of detecting the difference.
    discordant : float, optional
        ψ, the share of cases that exactly one rule misclassifies. Without it the test sets are different
        (unpaired).
    level : float, default 0.95
        1 − α of the test.

    Returns
    -------
    SampleSize
    """
    check_inside("power", power, 0, 1)
    check_level(level)
    _check_rates(error1, error2, discordant)
    check_difference(error1 - error2, "error1")

    def reached(n: int) -> float:
        return power_for_error_difference(n, error1, error2, discordant=discordant, level=level)

    # slightly less than asked, so that a power of exactly that is not missed by its last bits
    n = smallest(lambda m: reached(m) >= power - 1e-12, 2)
    goal = f"Error difference of {error1 - error2:.3g}, {PAIRED[discordant is not None]}"
    return SampleSize(goal, n, power=reached(n), level=level, assumptions=(FIXED_AND_UNSEEN, "cases are independent."))


def power_for_error_difference(
    n: int, error1: float, error2: float, *, discordant: float | None = None, level: float = 0.95
) -> float:
    """Power to detect a difference of two error rates with n cases.

    Parameters
    ----------
    n : int
        Cases; per test set, where unpaired.
    error1, error2 : float
        The error rates.
    discordant : float, optional
        Share of cases that exactly one rule misclassifies: the exact power of McNemar's exact test. Without it, the
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
        return mcnemar_power(n, (discordant + delta) / 2, (discordant - delta) / 2, 1 - level)
    mean = (error1 + error2) / 2
    gap = abs(error1 - error2) * math.sqrt(n) - quantile(level) * math.sqrt(2 * mean * (1 - mean))
    return float(stats.norm.cdf(gap / math.sqrt(error1 * (1 - error1) + error2 * (1 - error2))))


def _check_rates(error1: float, error2: float, discordant: float | None) -> None:
    check_inside("error1", error1, 0, 1)
    check_inside("error2", error2, 0, 1)
    if discordant is not None:
        least, most = abs(error1 - error2), min(error1 + error2, 2 - error1 - error2)
        check_inside("discordant", discordant, max(least - 1e-12, 0), most + 1e-12)
