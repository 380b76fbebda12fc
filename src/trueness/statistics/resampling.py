"""The jackknife: each case deleted in turn. The bootstrap: the cases resampled with replacement."""

import math

import numpy as np

from trueness.checks import DRAW, check_whole, child, refuses_foreign, seed_sequence
from trueness.result.words import BOOTSTRAP, JACKKNIFE, Note
from trueness.statistics.cases import (
    BCA,
    ESTIMAND,
    NO_VARIATION,
    PERCENTILE,
    REPEATED,
    ROUNDING,
    BootstrapEstimate,
    Data,
    JackknifeEstimate,
    Samples,
    Statistic,
    Student,
    bias_settles,
    fall,
    first_value,
    functionality,
    name_of,
    number,
    smoothness,
)
from trueness.typing import Floats, Rng


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
    cases = Samples.of(x)
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
    functional, note = functionality(
        value,
        lambda: number(statistic(cases.repeated(2)), REPEATED),
        spread,
        "The jackknife assumes that its expectation is a series in 1/n.",
    )
    slopes = np.concatenate([(len(t) - 1) * fall(value, t) for t in deleted])
    smooth, rough = smoothness(statistic, cases, slopes, se)
    out = out.with_(influence=influence).noting(note, rough)
    if smooth is False:
        return out
    bias = sum((len(t) - 1) * (float(t.mean()) - value) for t in deleted)
    out = out.with_(bias=bias, se=se, se_method=JACKKNIFE)
    if smooth is None or functional is False or bias_settles(statistic, cases, bias, se):
        return out
    message = (
        "No bias: the statistic is not smooth in n (a trimmed mean drops a whole number of cases), so the formula, "
        f"which gives {bias:.4g}, does not estimate it. Use the bootstrap."
    )
    return out.with_(bias=None).noting(Note("not-smooth-in-n", message, "warning", formula_bias=bias))


@refuses_foreign
def bootstrap(statistic: Statistic, x: Data, *, n_resamples: int = 2000, rng: Rng = None) -> BootstrapEstimate:
    """Bootstrap estimates of bias and standard error, with percentile and BCa intervals.

    bias = θ*_mean − θ,   se² = Σ_b (θ*_b − θ*_mean)² / (B − 1)        (Yousef, ML Assessment, eq. 10–13)

    Two samples are drawn independently of each other, each of its own size.

    Parameters
    ----------
    statistic : callable
        A function of the cases, in the form of `x`, that returns one number.
    x : array-like, Series, DataFrame, or a pair of them
        One sample, with one row per case, or two.
    n_resamples : int, default 2000
        B; 200 suffice for a standard error, at least 1000 are needed for the limits of an interval.
    rng : int, SeedSequence or Generator, optional
        Seed. A longer bootstrap with the same seed begins with the shorter one.

    Returns
    -------
    BootstrapEstimate
        `.value`, `.bias`, `.se`, `.mc_se`, `.se_mc_se`, `.distribution`, `.acceleration`, and `.ci(level, method)`
        with "percentile" (default), "bca" (n further calls of the statistic, for its acceleration), "wald", "t".
        A note says where the statistic is not functional.

    Examples
    --------
    >>> import numpy as np
    >>> from trueness.statistics import bootstrap
    >>> b = bootstrap(np.median, np.arange(21.0), n_resamples=500, rng=0)
    >>> b.value, b.ci().low < 10 < b.ci().high
    (10.0, True)
    """
    check_whole("n_resamples", n_resamples, 2)
    cases = Samples.of(x)
    value = first_value(statistic, "statistic(x)", cases.repeated(1))
    generator = np.random.default_rng(child(seed_sequence(rng), DRAW))
    distribution = np.empty(n_resamples)
    for b in range(n_resamples):
        rows = [generator.integers(0, n, size=n) for n in cases.sizes]
        distribution[b] = number(statistic(cases.take(rows)), f"in resample {b}")
    out = summary(value, distribution).with_(
        metric=name_of(statistic),
        alternatives=(BCA, Student(cases.df)),
        delete=lambda: jackknife(statistic, x),
        provenance={"cases": cases.sizes, "resamples": n_resamples},
    )
    _, functional = functionality(
        value,
        lambda: number(statistic(cases.repeated(2)), REPEATED),
        out.se or 0.0,
        "The bootstrap's bias is relative to the plug-in statistic, which this is not.",
    )
    return out.noting(functional, _large_bias(out, len(cases.sizes)))


def _large_bias(out: BootstrapEstimate, samples: int) -> Note | None:
    """A note where the resamples lie far from the value, as they do when pairs are resampled independently."""
    if out.se is None or out.bias is None or abs(out.bias) < 3 * out.se:
        return None
    pairs = " Two samples are resampled independently; pass paired data as the columns of one array."
    message = f"The bias exceeds three standard errors, so the interval is unreliable.{pairs if samples > 1 else ''}"
    return Note("large-bias", message, "warning", bias=out.bias, se=out.se)


def summary(value: float, distribution: Floats) -> BootstrapEstimate:
    """Bias, standard error and their Monte-Carlo errors, from the values of the resamples."""
    b = len(distribution)
    out = BootstrapEstimate(
        value,
        distribution=distribution,
        method="bootstrap",
        estimand=ESTIMAND,
        interval=PERCENTILE,
        alternatives=(BCA,),
    )
    if np.ptp(distribution) <= ROUNDING * np.abs(distribution).max():
        return out.with_(bias=float(distribution[0]) - value).noting(NO_VARIATION)
    centred = distribution - distribution.mean()
    variance = float((centred**2).sum() / (b - 1))  # eq. 12
    se = variance**0.5
    spare = max(float((centred**4).mean()) - variance**2, 0.0)  # B · Var of the variance
    return out.with_(
        bias=float(distribution.mean()) - value,  # eq. 11
        se=se,
        se_method=BOOTSTRAP,
        mc_se=se / b**0.5,
        se_mc_se=(spare / b) ** 0.5 / (2 * se),
    )
