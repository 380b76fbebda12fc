"""The area under an empirical ROC curve over a range of FPF: its standard error, and how far to trust it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat.curves.curve import SCORES
from karat.curves.fixed_point import few_beyond
from karat.curves.rates import ROUNDING, mcclish, snapped
from karat.formulas.partial_auc import partial_area, partial_components
from karat.result import Estimate, Interval
from karat.result.interval_rules import LOGIT, IntervalRule

if TYPE_CHECKING:
    from karat.curves.empirical import EmpiricalRoc

FEW = 3  # negatives expected in the range, below which no lower limit holds (docs/roc.md)
ENOUGH = 6  # … from which on the interval holds


@dataclass(frozen=True, eq=False)
class LogitOfRange(IntervalRule):
    """The logit interval of a partial area, never shorter than that of an area without an error: few cases in the
    range may all but agree.

    Attributes
    ----------
    open_end
        Fewer than three negatives are expected in the range: the data cannot exclude a small area, and the interval
        reaches the lower end.
    """

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


def range_area(curve: EmpiricalRoc, low: float, high: float, standardized: bool, axis: str) -> Estimate:
    """Area under a curve with all its points, FPF from `low` to `high`; `axis` is what the caller calls the range."""
    data = curve.data
    value = partial_area(curve.fpf, curve.tpf, low, high)
    out = Estimate(
        snapped(value, (0.0, high - low)),
        metric="partial auc",
        method=curve.method,
        estimand=SCORES,
        bounds=(0.0, high - low),
        interval=LogitOfRange(open_end=high * data.n0 < FEW - ROUNDING),
        # of the negatives only those in the range speak
        cases=max(1, min(data.n1, math.floor(data.n0 * (high - low) + 1e-9))),
    )
    if data.n1 == 1 or data.n0 == 1:
        out = out.noting("No standard error: a class has one case, and one case has no variance.")
    elif data.range[0] == data.range[1]:
        out = out.noting("No standard error: the scores are all the same.")
    else:
        out = _with_se(out, curve, low, high)
    below = value < (high**2 - low**2) / 2
    out = out.noting(f"The curve is below the diagonal in this range of {axis.upper()}." if below else "")
    out = out.noting(few_beyond(high, data.n0, FEW, ENOUGH))
    return mcclish(out, low, high) if standardized else out


def _with_se(out: Estimate, curve: EmpiricalRoc, low: float, high: float) -> Estimate:
    """DeLong's standard error of the range, with Satterthwaite's degrees of freedom:

        df = (V1 + V0)² / (V1²/(n1 − 1) + V0²/(n0·high − 1)),

    V1 and V0 the parts of the positives and of the negatives. Negatives below the range all contribute the same, so
    that only the n0·high in it tell how much they vary (ours; docs/roc.md shows what it does).
    """
    data = curve.data
    v10, v01 = partial_components(curve.fpf, curve.tpf, low, high)
    g = np.where(data.positive, v10[curve.places], v01[curve.places])
    for of, m in ((data.positive, data.n1), (~data.positive, data.n0)):
        g[of] = (g[of] - g[of].mean()) / math.sqrt(m * (m - 1))
    g[np.abs(g) < ROUNDING] = 0.0
    ups, downs = (float(g[of] @ g[of]) for of in (data.positive, ~data.positive))
    df = None
    if ups + downs > 0:
        df = (ups + downs) ** 2 / (ups**2 / (data.n1 - 1) + downs**2 / max(data.n0 * high - 1, 1.0))
    return out.with_(se=float(np.linalg.norm(g)), se_method="delong", influence=g, df=df)
