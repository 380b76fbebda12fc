"""How many cases for an AUC: an interval of a given width, or a given power to detect a difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from trueness.checks import MOST, check_level, check_whole, number_array, refuses_foreign
from trueness.comparisons.assumptions import FIXED_AND_UNSEEN
from trueness.comparisons.inputs import check_inside, check_positive
from trueness.comparisons.size_search import both_given, check_difference, smallest, three_arrays
from trueness.errors import InputError
from trueness.formulas.auc import auc_covariance, auc_variance
from trueness.formulas.intervals import quantile
from trueness.result import Estimate, SampleSize
from trueness.result.interval import LOGIT
from trueness.sample.answers import Answers
from trueness.typing import Label, Labels, Scores

BINORMAL = "scores are normal in each class with equal variances, up to an increasing transformation."

Pilot = tuple[Labels, Scores, Scores]


def size_for_auc(auc: float, half_width: float, ratio: float = 1.0, level: float = 0.95) -> SampleSize:
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
    >>> print(str(size_for_auc(0.8, 0.05)).split(",")[0])
    AUC of 0.8 within ± 0.05: 292 cases (146 positive
    """
    check_inside("auc", auc, 0, 1)
    check_inside("half_width", half_width, 0, 0.5)
    check_positive("ratio", ratio)
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


@refuses_foreign
def size_for_auc_difference(
    auc1: float | None = None,
    auc2: float | None = None,
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
        check_positive("ratio", ratio)
    study = _study(auc1, auc2, correlation, pilot, positive)
    check_difference(study.delta, "auc1")
    per_positive = ratio or study.ratio

    def reached(n1: int) -> float:
        return study.power(n1, _negatives(n1, per_positive), level)

    n1 = smallest(lambda n: reached(n) >= power, 2)
    n2 = _negatives(n1, per_positive)
    kind = "paired" if study.paired else "unpaired, in each set"
    goal = f"AUC difference of {study.delta:.3g}, {kind}"
    return SampleSize(goal, n1 + n2, n1, n2, reached(n1), level=level, assumptions=study.assumptions)


@refuses_foreign
def power_for_auc_difference(
    n_positive: int,
    n_negative: int,
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
        if value is not None:
            check_inside(name, value, 0, 1)
    if pilot is not None:
        if correlation is not None:
            raise InputError("correlation cannot be combined with a pilot, which has its own", param="correlation")
        return _from_pilot(auc1, auc2, pilot, positive)
    a, b = both_given("auc", auc1, auc2, "(y, s1, s2)")
    given = number_array("correlation", 0.0 if correlation is None else correlation)
    if given.shape not in ((), (2,)):
        raise InputError("correlation must be one number, or two", param="correlation", got=repr(correlation))
    r1, r2 = np.broadcast_to(given, 2).tolist()
    for r in (r1, r2):
        check_inside("correlation", r, -1, 1)

    def variance(n1: int, n2: int) -> float:
        both = auc_variance(a, n1, n2) + auc_variance(b, n1, n2)
        return both if correlation is None else both - 2 * auc_covariance(a, b, n1, n2, r1, r2)

    return _Study(a - b, variance, correlation is not None, 1.0, (FIXED_AND_UNSEEN, BINORMAL))


def _from_pilot(auc1: float | None, auc2: float | None, pilot: Pilot, positive: Label | None) -> _Study:
    y, *scores = three_arrays(pilot, "(y, s1, s2)")
    aucs = Answers.of_scores(y, scores, positive).aucs()
    up, g = aucs.codes == 1, aucs.alone[0] - aucs.alone[1]
    # DeLong: Var = S10/n1 + S01/n2; the pilot's vector holds S10/n1 in its positive and S01/n2 in its negative part
    s10, s01 = float((g[up] ** 2).sum()) * up.sum(), float((g[~up] ** 2).sum()) * (~up).sum()
    if s10 + s01 <= 0:
        raise InputError("The two rules do not differ in any case of the pilot, so it has no spread", param="pilot")
    a, b = (float(value) if auc is None else auc for value, auc in zip(aucs.values, (auc1, auc2), strict=True))
    like_pilot = f"spread and correlation are those of the pilot of {len(up)} cases, which are themselves uncertain."
    return _Study(
        a - b, lambda n1, n2: s10 / n1 + s01 / n2, True, float((~up).sum() / up.sum()), (FIXED_AND_UNSEEN, like_pilot)
    )


def _negatives(n_positive: int, ratio: float) -> int:
    if n_positive * ratio > MOST:
        raise InputError(f"The study would have more than {MOST} negatives", param="ratio", got=f"{ratio:g}")
    return max(2, math.ceil(n_positive * ratio - 1e-9))
