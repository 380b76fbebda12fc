"""The jackknife: each case deleted in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.statistics.call import Statistic, first_value, name_of, number
from karat.statistics.cases import Cases
from karat.statistics.checks import NO_VARIATION, ROUNDING, not_functional, not_smooth
from karat.statistics.results import ESTIMAND, JackknifeEstimate, Student, norm


def jackknife(statistic: Statistic, x: Any) -> JackknifeEstimate:
    """Jackknife estimates of bias and standard error  (seeds/000, eq. 15–19; Efron & Tibshirani 1993, ch. 11).

    bias = (n − 1)(θ_(·) − θ),   se² = (n − 1)/n Σ (θ_(i) − θ_(·))²,   θ_(·) = mean θ_(i)

    Two samples are deleted from one at a time; the biases and the squared errors add.

    Parameters
    ----------
    statistic
        A function of the cases, in the form of `x`, that returns one number.
    x
        One sample (an array or a pandas object; the rows of a matrix are the cases), or a pair of them.

    Returns
    -------
    JackknifeEstimate
        `.value`, `.bias`, `.se`, `.influence` (its norm is the se), `.curve`, `.values` (θ_(i)), `.ci(level, method)`
        with "wald" and "t". A note says where the statistic is not functional, or not smooth: there the jackknife
        fails, and bias and se are None.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.statistics import jackknife
    >>> j = jackknife(np.var, [1.0, 2.0, 4.0, 9.0])
    >>> round(j.value, 4), round(j.bias, 4), round(j.value - j.bias, 4)  # the corrected value divides by n - 1
    (9.5, -3.1667, 12.6667)
    """
    cases = Cases.of(x)
    value = first_value(statistic, "statistic(x)", cases.repeated(1))
    deleted = [
        np.array([number(statistic(cases.without(k, i)), f"without case {i}") for i in range(n)])
        for k, n in enumerate(cases.sizes)
    ]
    spread = max(float(np.ptp(theta)) for theta in deleted)
    out = JackknifeEstimate(
        value,
        metric=name_of(statistic),
        method="jackknife",
        se_method="jackknife",
        estimand=ESTIMAND,
        alternatives=(Student(cases.df),),
        values=np.concatenate(deleted),
        sizes=cases.sizes,
    )
    if spread <= ROUNDING * max(abs(value), float(np.abs(out.values).max())):
        return out.with_(se_method=None, influence=np.zeros(len(out.values))).noting(NO_VARIATION)
    scaled = [np.sqrt((len(t) - 1) / len(t)) * (t.mean() - t) for t in deleted]
    influence = np.concatenate(scaled)
    functional = not_functional(
        value,
        lambda: number(statistic(cases.repeated(2)), "where every case is doubled"),
        spread,
        "The jackknife assumes that its mean over samples is a series in 1/n.",
    )
    rough = not_smooth(statistic, cases, value, deleted)
    out = out.noting(functional, rough).with_(influence=influence)
    if rough.startswith("Not"):
        return out.with_(se_method=None).noting(
            f"No standard error: the jackknife's formula gives {norm(influence):.4g}, which is wrong for any n. "
            "Use the bootstrap."
        )
    bias = sum((len(t) - 1) * (float(t.mean()) - value) for t in deleted)
    return out.with_(bias=bias, se=norm(influence))
