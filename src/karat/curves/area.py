"""Standard errors of the empirical AUC: DeLong's, by Q1 and Q2, and Hanley and McNeil's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from karat.errors import InputError
from karat.kernels.auc_variance import hanley_mcneil_variance, q1q2_variance
from karat.result import Estimate
from karat.sample.scored import Scored

DELONG = "delong"
FEW = 10  # overlapping cases of a class below which DeLong's standard error is noted as shaky


def variance_of_area(area: Estimate, data: Scored, se: str) -> Estimate:
    """The area with the standard error asked for, or with a note why there is none."""
    if se not in _VARIANCES:
        raise InputError(f"the AUC has no standard error {se!r}", do=f"Choose one of {', '.join(_VARIANCES)}")
    low, high = data.range
    if low == high:
        return area.noting("No standard error: the scores are all the same.")
    return _VARIANCES[se](area, data)


def _delong(area: Estimate, data: Scored) -> Estimate:
    if data.n1 == 1 or data.n0 == 1:
        return area.noting(
            "No standard error: a class has one case, and one case has no variance "
            '(auc_with("hanley-mcneil") borrows one from a model).'
        )
    _, g = data.delong
    out = area.with_(se=float(np.linalg.norm(g)), se_method=DELONG, influence=g)
    few = _overlapping(data, turned=area.value < 0.5)
    if 0 < few < FEW:
        return out.noting(
            f"Only {few} cases of a class overlap the other class: DeLong's standard error rests on them and may be "
            'too small; auc_with("hanley-mcneil") is safer here.'
        )
    return out


def _overlapping(data: Scored, turned: bool) -> int:
    """The smaller of two numbers: positives at or below the highest negative, negatives at or above the lowest
    positive; with scores negated where `turned`."""
    lowest, highest, low, high = data.extremes
    up, down = (data.scores >= low, data.scores <= highest) if turned else (data.scores <= high, data.scores >= lowest)
    ups = np.count_nonzero(up & data.positive)
    return int(min(ups, np.count_nonzero(down) - np.count_nonzero(down & data.positive)))


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
