"""The jackknife: each case deleted in turn."""

from __future__ import annotations

import math

import numpy as np

from trueness.result.named import JACKKNIFE
from trueness.result.note import Note
from trueness.statistics.cases import Cases, Data, Statistic, first_value, name_of, number
from trueness.statistics.results import ESTIMAND, JackknifeEstimate, Student
from trueness.statistics.smoothness import (
    NO_VARIATION,
    REPEATED,
    ROUNDING,
    bias_settles,
    fall,
    not_functional,
    smoothness,
)


def jackknife(statistic: Statistic, x: Data) -> JackknifeEstimate:
    """Jackknife estimates of bias and standard error.

    bias = (n − 1)(θ_(·) − θ),   se² = (n − 1)/n Σ (θ_(i) − θ_(·))²,   θ_(·) = mean θ_(i)

    (Yousef, ML Assessment, eq. 15–19; Efron & Tibshirani 1993, ch. 11.) From two samples cases are deleted one at a
    time; the biases and the squared errors add.

    Parameters
    ----------
    statistic : callable
        A function of the cases, in the form of `x`, that returns one number.
    x : array-like, Series, DataFrame, or a pair of them
        One sample, with one row per case, or two.

    Returns
    -------
    JackknifeEstimate
        `.value`, `.bias`, `.se`, `.influence` (its norm is the se), `.curve`, `.values` (θ_(i)), `.ci(level, method)`
        with "wald" and "t". Bias and se are None where the statistic is not smooth, and the bias where the statistic is
        not smooth in n; notes say so.

    Examples
    --------
    >>> import numpy as np
    >>> from trueness.statistics import jackknife
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
    values, spread = np.concatenate(deleted), max(float(np.ptp(theta)) for theta in deleted)
    out = JackknifeEstimate(
        value,
        metric=name_of(statistic),
        method="jackknife",
        estimand=ESTIMAND,
        alternatives=(Student(cases.df),),
        values=values,
        sizes=cases.sizes,
    )
    if spread <= ROUNDING * max(abs(value), float(np.abs(values).max())):
        return out.with_(influence=np.zeros(len(values))).noting(NO_VARIATION)
    influence = np.concatenate([math.sqrt((len(t) - 1) / len(t)) * (t.mean() - t) for t in deleted])
    se = float(np.linalg.norm(influence))
    out = out.with_(influence=influence).noting(
        not_functional(
            value,
            lambda: number(statistic(cases.repeated(2)), REPEATED),
            spread,
            "The jackknife assumes that its expectation is a series in 1/n.",
        )
    )
    slopes = np.concatenate([(len(t) - 1) * fall(value, t) for t in deleted])
    rough = smoothness(statistic, cases, slopes, se)
    out = out.noting(rough)
    if out.noted("not-smooth"):
        return out
    bias = sum((len(t) - 1) * (float(t.mean()) - value) for t in deleted)
    out = out.with_(bias=bias, se=se, se_method=JACKKNIFE)
    if rough or out.noted("not-functional") or bias_settles(statistic, cases, bias, se):
        return out
    message = (
        "No bias: the statistic is not smooth in n (a trimmed mean drops a whole number of cases), so the formula, "
        f"which gives {bias:.4g}, does not estimate it. Use the bootstrap."
    )
    return out.with_(bias=None).noting(Note("not-smooth-in-n", message, "warning", formula_bias=bias))
