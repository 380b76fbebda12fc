"""The rate at a given rate (TPF at an FPF) on an empirical ROC curve of cases that come in groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trueness.curves.notes import MIN_BEYOND_FOR_LIMIT, SCORES, few_beyond
from trueness.curves.rate_at_rate import HarrellDavis
from trueness.formulas.groups import DesignEffect, count_groups, group_factor, group_sums, variance_of_mean
from trueness.formulas.intervals import quantile
from trueness.formulas.roc import RATE_TOLERANCE
from trueness.result import Estimate, Interval, Note
from trueness.result.grouped import in_groups
from trueness.result.interval import Wilson
from trueness.result.named import DELTA, EMPIRICAL, GROUPS
from trueness.typing import Floats

if TYPE_CHECKING:
    from trueness.curves.empirical import EmpiricalRoc

ROUNDING = 1e-12  # a standard error below it is 0
WINDOW = quantile(0.95)  # standard errors of the FPF, each way, over which the slope of the curve is taken


@dataclass(frozen=True, eq=False)
class WilsonToEnd(Wilson):
    """Wilson's interval with the number of trials that has this standard error; it reaches `open_end` where the data
    cannot exclude a rate as far as that."""

    open_end: float | None

    def turned(self) -> WilsonToEnd:
        """The rule for 1 − the rate."""
        return WilsonToEnd(None if self.open_end is None else 1 - self.open_end)

    def limits(self, e: Estimate, level: float) -> Interval:
        found = super().limits(e, level)
        if self.open_end is None:
            return found
        low, high = min(found.low, self.open_end), max(found.high, self.open_end)
        return Interval(low, high, level=level, method=found.method, note=found.note)


def rate_in_groups(curve: EmpiricalRoc, t: float, name: str) -> Estimate:
    """TPF at FPF t with a standard error by the delta method, its influence summed within groups.

    With h_i the share of case i that is called positive at FPF t (1 above the threshold, 0 below it, between them at a
    score that both classes share), the TPF moves by (h_i − TPF)/n1 with a positive and by −ROC'(t) (h_i − t)/n0 with a
    negative, which moves the threshold (Pepe 2003, section 5.2). ROC'(t) is the slope of the curve between t ± 1.96
    standard errors of the FPF at a fixed threshold, as Woodruff (1952) has it for a quantile.
    """
    data, all_points = curve.data, curve.all_points
    groups, up = data.groups, data.positive
    assert groups is not None
    h = called_positive(all_points.fpf, t)[curve.places]
    value = float(h[up].mean())
    variance_fpf = variance_of_mean(h[~up], groups[~up])
    effect_fpf = DesignEffect.of(variance_fpf, t * (1 - t) / max(data.n0 - 1, 1), data.n0, data.independent[1])
    influence = np.where(up, (h - value) / data.n1, -_slope(curve, t, variance_fpf) * (h - t) / data.n0)
    variance_alone = float((influence**2).sum())
    for of in (up, ~up):
        influence[of] *= math.sqrt(group_factor(groups[of]))
    variance = float((group_sums(influence, groups) ** 2).sum())
    if variance < ROUNDING**2 and ROUNDING < value < 1 - ROUNDING:  # at the ends Wilson's interval knows what to do
        zero = Note("no-se-zero-variance", "No standard error: the formula gives 0, as where all scores are equal.")
        return Estimate(value, metric=name, method=EMPIRICAL, estimand=SCORES, bounds=(0.0, 1.0)).noting(zero)
    effective = max(1, round(data.n0 / max(1.0, effect_fpf.value)))
    note = few_beyond(t, effective, MIN_BEYOND_FOR_LIMIT, MIN_BEYOND_FOR_LIMIT)
    out = Estimate(
        value,
        se=math.sqrt(variance),
        se_method=DELTA.plus(GROUPS),
        influence=influence,
        metric=name,
        method=EMPIRICAL,
        estimand=SCORES,
        bounds=(0.0, 1.0),
        interval=WilsonToEnd(None if note is None else 0.0),
    )
    effect = DesignEffect.of(variance, variance_alone, data.n, min(data.independent))
    return in_groups(out, effect, count_groups(groups)).noting(note)


def turned(e: Estimate) -> Estimate:
    """1 − the rate, of `rate_in_groups` or `rate_at_rate`."""
    rule = e.interval.turned() if isinstance(e.interval, (HarrellDavis, WilsonToEnd)) else e.interval
    return e.with_(value=1 - e.value, influence=None if e.influence is None else -e.influence, interval=rule)


def called_positive(fpf: Floats, t: float) -> Floats:
    """(v,) by distinct score, high to low: the share of its cases that are called positive at FPF t."""
    low, high = fpf[:-1], fpf[1:]
    length = high - low
    share = np.where(length > 0, (t - low) / np.where(length > 0, length, 1.0), t + RATE_TOLERANCE >= low)
    share = np.where(np.abs(t - high) <= RATE_TOLERANCE, 1.0, share)
    return np.asarray(share.clip(0.0, 1.0))


def _slope(curve: EmpiricalRoc, t: float, variance: float) -> float:
    """Slope of the curve around FPF t, at least one case each way."""
    half = max(WINDOW * math.sqrt(variance) if variance > 0 else 0.0, 1 / curve.data.n0)
    low, high = max(0.0, t - half), min(1.0, t + half)
    below, above = curve.all_points([low, high])
    return float(above - below) / (high - low)
