"""The area under an empirical ROC curve over a range of FPF: its standard error, and how far to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trueness.curves.inputs import Axis
from trueness.curves.notes import MIN_IN_RANGE, MIN_IN_RANGE_FOR_LIMIT, ROUNDED_AREA, SCORES, few_beyond
from trueness.formulas.roc import count_within, partial_area, partial_components, snapped
from trueness.result import Estimate, Interval, Note
from trueness.result.interval import LOGIT, IntervalRule
from trueness.result.named import DELONG
from trueness.sample.auc_estimate import ONE_CASE, delong_of_groups
from trueness.sample.scores import CONSTANT

if TYPE_CHECKING:
    from trueness.curves.empirical import EmpiricalRoc


@dataclass(frozen=True, eq=False)
class LogitOfRange(IntervalRule):
    """The logit interval of a partial area, never shorter than that of an area without an error: few cases in the
    range may all but agree.
    """

    # fewer than three negatives are expected in the range: the data cannot exclude a small area, and the interval
    # reaches the lower end
    open_end: bool
    name = "logit"

    def limits(self, e: Estimate, level: float) -> Interval:
        found = LOGIT.limits(e, level)
        low, high = found
        best = e.with_(value=e.bounds[1], se=0.0)
        if e.value > sum(e.bounds) / 2:
            low = min(low, LOGIT.limits(best, level).low)
        else:
            high = max(high, LOGIT.limits(best.with_(value=e.bounds[0]), level).high)
        if self.open_end:
            low = e.bounds[0]
        return Interval(low, high, level=level, method=found.method, note=found.note)


def partial_area_of(curve: EmpiricalRoc, low: float, high: float, standardized: bool, axis: Axis) -> Estimate:
    """Area under a curve with all its points, FPF from `low` to `high`; `axis` is what the caller calls the range."""
    data = curve.data
    low, high = snapped(low, data.n0), snapped(high, data.n0)
    value = float(partial_area(curve.fpf, curve.tpf, low, high))
    out = Estimate(
        at_end(value, (0.0, high - low)),
        metric="partial auc",
        method=curve.method,
        estimand=SCORES,
        bounds=(0.0, high - low),
        interval=LogitOfRange(open_end=False),
        cases=max(1, min(data.n1, count_within(high - low, data.n0))),  # only the negatives in the range count
    )
    if data.n1 == 1 or data.n0 == 1:
        out = out.noting(ONE_CASE)
    elif data.range[0] == data.range[1]:
        out = out.noting(CONSTANT)
    else:
        out = _with_se(out, curve, low, high)
    if value < (high**2 - low**2) / 2:
        message = f"The curve is below the diagonal in this range of {axis.upper()}."
        out = out.noting(Note("below-diagonal", message, "warning", axis=axis))
    effect = max(1.0, out.provenance.get("design_effect") or 1.0)  # of groups: so many cases count as one
    beyond = few_beyond(high, round(data.n0 / effect), MIN_IN_RANGE_FOR_LIMIT, MIN_IN_RANGE)
    if beyond is not None and beyond.data["open_end"]:
        out = out.with_(interval=LogitOfRange(open_end=True))
    out = out.noting(beyond)
    return mcclish(out, low, high) if standardized else out


def _with_se(out: Estimate, curve: EmpiricalRoc, low: float, high: float) -> Estimate:
    """DeLong's standard error of the range, with Satterthwaite's degrees of freedom:

        df = (V1 + V0)² / (V1²/(n1 − 1) + V0²/(n0·high − 1)),

    V1 and V0 the parts of the positives and of the negatives. Negatives below the range all contribute the same, so
    that only the n0·high in it show how much they vary (docs/roc.md has the coverage).
    """
    data = curve.data
    v10, v01 = partial_components(curve.fpf, curve.tpf, low, high)
    g = np.where(data.positive, v10[curve.places], v01[curve.places])
    for of, m in ((data.positive, data.n1), (~data.positive, data.n0)):
        g[of] = (g[of] - g[of].mean()) / math.sqrt(m * (m - 1))
    g[np.abs(g) < ROUNDED_AREA] = 0.0
    ups, downs = (float(g[of] @ g[of]) for of in (data.positive, ~data.positive))
    df = None
    if ups + downs > 0:
        df = (ups + downs) ** 2 / (ups**2 / (data.n1 - 1) + downs**2 / max(data.n0 * high - 1, 1.0))
    if data.groups is None:
        return out.with_(se=float(np.linalg.norm(g)), se_method=DELONG, influence=g, df=df)
    grouped = delong_of_groups(out, g, data.positive.astype(np.intp), data.groups)
    few = [d for d in (df, grouped.df) if d is not None]
    return grouped.with_(cases=min(out.cases or 1, grouped.cases or 1), df=min(few, default=None))


def at_end(value: float, bounds: tuple[float, float]) -> float:
    """The value; an end of its range where it is that but for rounding."""
    for bound in bounds:
        value = bound if abs(value - bound) < ROUNDED_AREA else value
    return value


def mcclish(area: Estimate, low: float, high: float) -> Estimate:
    """½ (1 + (A − A_chance)/(A_best − A_chance)): ½ is chance and 1 is best, in any range (McClish 1989).

    `low` and `high` are in the terms of an FPF range: the diagonal covers (high² − low²)/2 of high − low.
    """
    best, chance = high - low, (high**2 - low**2) / 2
    scale = 0.5 / (best - chance)

    def standard(value: float) -> float:
        return 0.5 + scale * (value - chance)

    return area.with_(
        value=at_end(standard(area.value), (standard(0.0), 1.0)),
        se=None if area.se is None else area.se * scale,
        influence=None if area.influence is None else area.influence * scale,
        bounds=(standard(0.0), 1.0),
        metric="standardized partial auc",
    )
