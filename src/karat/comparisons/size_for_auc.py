"""How many cases for an AUC: an interval of a given width, a given power to see a difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import scores_of
from karat.comparisons.size_search import FIXED, check_inside, check_positive, smallest
from karat.errors import InputError
from karat.formulas.auc_moments import auc_covariance, auc_variance
from karat.formulas.delong import delong_influence
from karat.formulas.intervals import quantile
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.interval_rules import LOGIT
from karat.result.sample_size import SampleSize

BINORMAL = "scores that are normal in each class with one variance, up to any rising transformation."

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
    check_inside("auc", auc, 0, 1)
    check_inside("half_width", half_width, 0, 0.5)
    check_positive("ratio", ratio)
    check_inside("level", level, 0, 1)

    def half(n1: int) -> float:
        se = math.sqrt(auc_variance(auc, n1, _negatives(n1, ratio)))
        low, high = Estimate(auc, se, bounds=(0.0, 1.0), interval=LOGIT).ci(level)
        return (high - low) / 2

    n1 = smallest(lambda n: half(n) <= half_width, 2)
    return SampleSize(
        f"AUC of {auc:g} within ± {half_width:g}",
        n1 + _negatives(n1, ratio),
        n1,
        _negatives(n1, ratio),
        half_width=half(n1),
        level=level,
        assumptions=(FIXED, BINORMAL),
    )


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
    check_inside("power", power, 0, 1)
    variance, delta, assumptions, kind, ratio = _setting(auc1, auc2, correlation, ratio, pilot, positive)
    check_inside("level", level, 0, 1)
    if delta == 0:
        raise InputError("without a difference no number of cases will find one", got="Δ = 0", fix="Give auc1 and auc2")

    def reached(n1: int) -> float:
        return _power(delta, variance(n1, _negatives(n1, ratio)), level)

    n1 = smallest(lambda n: reached(n) >= power, 2)
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
    check_inside("level", level, 0, 1)
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
            raise InputError("the pilot has its own correlation", fix="Leave correlation out")
        return _from_pilot(auc1, auc2, ratio, pilot, positive)
    if auc1 is None or auc2 is None:
        raise InputError("auc1 and auc2 are needed", fix="Give both, or a pilot (y, s1, s2)")
    a, b = auc1, auc2
    check_inside("auc1", a, 0, 1)
    check_inside("auc2", b, 0, 1)
    r1, r2 = (0.0, 0.0) if correlation is None else np.broadcast_to(np.asarray(correlation, dtype=float), 2).tolist()
    for r in (r1, r2):
        if not -1 < r < 1:
            raise InputError("a correlation lies between −1 and 1", got=r)

    def variance(n1: int, n2: int) -> float:
        both = auc_variance(a, n1, n2) + auc_variance(b, n1, n2)
        return both if correlation is None else both - 2 * auc_covariance(a, b, n1, n2, r1, r2)

    kind = "unpaired" if correlation is None else "paired"
    if ratio is not None:
        check_positive("ratio", ratio)
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
            check_inside(name, value, 0, 1)
    delta = (a if auc1 is None else auc1) - (b if auc2 is None else auc2)
    if ratio is not None:
        check_positive("ratio", ratio)
    said = (FIXED, f"spread and correlation as in the pilot of {len(up)} cases, itself uncertain.")
    return lambda n1, n2: s10 / n1 + s01 / n2, delta, said, "paired", ratio or float((~up).sum() / up.sum())


def _power(delta: float, variance: float, level: float) -> float:
    """Both tails of a normal law about |Δ|/se."""
    z, gap = quantile(level), abs(delta) / math.sqrt(variance)
    return float(stats.norm.cdf(gap - z) + stats.norm.cdf(-gap - z))


def _negatives(n_positive: int, ratio: float) -> int:
    return max(2, math.ceil(n_positive * ratio - 1e-9))
