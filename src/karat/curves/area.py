"""Standard errors of the empirical AUC: DeLong's, by Q1 and Q2, and Hanley and McNeil's."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from karat.errors import InputError
from karat.formulas.auc_variance import hanley_mcneil_variance, q1q2_variance
from karat.formulas.intervals import clopper_pearson
from karat.result import Estimate, Interval
from karat.result.digits import shown
from karat.result.interval_rules import LOGIT, IntervalRule
from karat.sample.scored import Scored

DELONG = "delong"
FEW = 30  # overlapping cases of a class below which, where they are less than half, DeLong's se may be too small


@dataclasses.dataclass(frozen=True, eq=False)
class FewOverlap(IntervalRule):
    """The logit interval of an AUC with a wider standard error than its own, which rests on few overlapping cases.

    Near 1 (and 0) that interval grows without bound, so the limit on the far side is never beyond the exact one of
    `cases` disjoint pairs, a share `value` of them in order: at AUC = 1 it is the interval given there.

    Attributes
    ----------
    wider_se
        Hanley and McNeil's standard error, the larger of the two with the classes in either role.
    """

    wider_se: float
    name = "logit, hanley-mcneil"

    def limits(self, e: Estimate, level: float) -> Interval:
        low, high = LOGIT.limits(e.with_(se=self.wider_se), level)
        of_pairs = clopper_pearson(e.value * (e.cases or 1), e.cases or 1, level)
        if e.value >= 0.5:
            low = max(low, min(of_pairs[0], e.value))
        else:
            high = min(high, max(of_pairs[1], e.value))
        return self.clipped(e, low, high, level)


def variance_of_area(area: Estimate, data: Scored, se: str) -> Estimate:
    """The area with the standard error asked for, or with a note why there is none."""
    if se not in _VARIANCES:
        raise InputError(f"the AUC has no standard error {se!r}", fix=f"Choose one of {', '.join(_VARIANCES)}")
    low, high = data.range
    if low == high:
        return area.noting("No standard error: the scores are all the same.")
    return _VARIANCES[se](area, data)


def _delong(area: Estimate, data: Scored) -> Estimate:
    if data.n1 == 1 or data.n0 == 1:
        return area.noting(
            "No standard error: a class has one case, and one case has no variance (Hanley and McNeil's would borrow "
            "one from a model)."
        )
    _, g = data.delong
    return _safer(area.with_(se=float(np.linalg.norm(g)), se_method=DELONG, influence=g), data)


def _safer(area: Estimate, data: Scored) -> Estimate:
    """Where most cases of a class do not overlap the other one and few do, every standard error from the data rests on
    those few and is too small where rare ones were not drawn (docs/roc.md); the interval then takes Hanley and
    McNeil's, if that is the larger one."""
    ups, downs = _overlapping(data, turned=area.value < 0.5)
    # the formula takes one class for the one that reaches far into the other: here either may be
    models = (hanley_mcneil_variance(area.value, *sizes) for sizes in ((data.n1, data.n0), (data.n0, data.n1)))
    wider = math.sqrt(max(0.0, *models))
    few = 0 < min(ups, downs) < FEW and min(ups / data.n1, downs / data.n0) < 0.5
    if not few or wider <= (area.se or 0.0):
        return area
    return area.with_(interval=FewOverlap(wider)).noting(
        f"Of {data.n1} positives {ups} and of {data.n0} negatives {downs} overlap the other class: DeLong's standard "
        "error rests on these few and may be too small, so the interval takes Hanley and McNeil's, "
        f"{shown(wider, wider)}."
    )


def _overlapping(data: Scored, turned: bool) -> tuple[int, int]:
    """Positives at or below the highest negative, and negatives at or above the lowest positive; with scores negated
    where `turned`."""
    lowest, highest, low, high = data.extremes
    up, down = (data.scores >= low, data.scores <= highest) if turned else (data.scores <= high, data.scores >= lowest)
    ups = np.count_nonzero(up & data.positive)
    return int(ups), int(np.count_nonzero(down) - np.count_nonzero(down & data.positive))


def _q1q2(area: Estimate, data: Scored) -> Estimate:
    if data.n1 == 1 or data.n0 == 1:
        return area.noting("No standard error: Q1 and Q2 need two cases of each class.")
    variance = q1q2_variance(data.up, data.down)
    if variance <= 0 and 0 < area.value < 1:
        return area.noting("No standard error: the variance by Q1 and Q2 came out negative, as it can for few cases.")
    return area.with_(se=math.sqrt(max(variance, 0.0)), se_method="q1q2")


def _hanley_mcneil(area: Estimate, data: Scored) -> Estimate:
    variance = max(hanley_mcneil_variance(area.value, data.n1, data.n0), 0.0)
    return area.with_(se=math.sqrt(variance), se_method="hanley-mcneil")


_VARIANCES: dict[str, Callable[[Estimate, Scored], Estimate]] = {
    DELONG: _delong,
    "q1q2": _q1q2,
    "hanley-mcneil": _hanley_mcneil,
}
