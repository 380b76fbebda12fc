"""The jackknife: each case deleted in turn. The bootstrap: the cases resampled with replacement. The influence function: a
little mass moved to each case."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from trueness.checks import DRAW, check_whole, child, seed_sequence
from trueness.result.notes import NO_VARIANCE, Note
from trueness.result.words import BOOTSTRAP, INFLUENCE, JACKKNIFE
from trueness.statistics.cases import (
    BCA,
    ESTIMAND,
    PERCENTILE,
    REPEATED,
    ROUNDING,
    BootstrapEstimate,
    Data,
    InfluenceEstimate,
    JackknifeEstimate,
    Samples,
    Statistic,
    Student,
    bias_settles,
    fall,
    first_value,
    functionality,
    most_moving,
    name_of,
    number,
    settles,
    smoothness,
)
from trueness.typing import Floats, Ints, Rng


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
        return out.with_(influence=np.zeros(len(values))).noting(NO_VARIANCE)
    influence = np.concatenate([math.sqrt((len(t) - 1) / len(t)) * (t.mean() - t) for t in deleted])
    se = float(np.linalg.norm(influence))
    functional, note = functionality(
        value,
        lambda: number(statistic(cases.repeated(2)), REPEATED),
        spread,
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
    return out.with_(bias=None).noting(Note("not-smooth-in-n", formula_bias=bias))


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
    _, note = functionality(value, lambda: number(statistic(cases.repeated(2)), REPEATED), out.se or 0.0)
    if out.se is not None and out.bias is not None and abs(out.bias) >= 3 * out.se:  # as of pairs drawn independently
        return out.noting(note, Note("large-bias", bias=out.bias, se=out.se))
    return out.noting(note)


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
        return out.with_(bias=float(distribution[0]) - value).noting(NO_VARIANCE)
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


At = Callable[[tuple[int, int], float], float]  # the statistic where a case's mass moves by ε

STEP = 0.02  # h, in units of the mass of a case: ε = h/n and h/2n


def influence(statistic: Statistic, x: Data) -> InfluenceEstimate:
    """Empirical influence function, and the bias and standard error that follow from it.

    U_i = d s(F_ε,i)/dε at 0,   F_ε,i has mass (1 − ε)/n + ε at case i and (1 − ε)/n elsewhere
    se² = Σ U_i²/n²,   bias = Σ V_i / (2n²) with the second derivatives V_i

    (Yousef, ML Assessment, eq. 73–78; Jaeckel 1972; Efron 1982, ch. 6.) With two samples the mass moves within a
    sample, and squared errors and biases add.

    Parameters
    ----------
    statistic : callable
        A function statistic(x, weights) that returns one number; the weights are the masses of F_ε and sum to 1.
        With two samples both arguments are pairs.
    x : array-like, Series, DataFrame, or a pair of them
        One sample, with one row per case, or two.

    Returns
    -------
    InfluenceEstimate
        `.value`, `.bias`, `.se`, `.curve` (U_i), `.influence` (U_i/n: its norm is the se), `.ci(level, method)` with
        "wald" and "t". Bias and se are None where the statistic is not smooth; a note says so.

    Notes
    -----
    Central differences at ε = h/n and h/(2n), extrapolated (Richardson), h = 0.02: exact, but for rounding, for
    anything up to the fourth degree in the masses (mean, variance, AUC); else the error is h⁴ n⁻⁴ s⁽⁵⁾/480. In the
    worst case, where the mass of a case itself is the scale on which s bends (w log w), that is 2·10⁻⁹ of U.
    Rounding adds about 10⁻¹⁴ n |s|.

    Examples
    --------
    >>> import numpy as np
    >>> from trueness.statistics import influence
    >>> influence(lambda x, w: w @ x, [1.0, 2.0, 6.0]).curve.round(9)
    array([-2., -1.,  3.])
    """
    cases = Samples.of(x)
    whole, even = cases.locked(), [np.full(n, 1 / n) for n in cases.sizes]
    value = first_value(statistic, "statistic(x, weights)", whole, cases.formed(even))

    def at(place: tuple[int, int], eps: float) -> float:
        (k, i), masses = place, list(even)
        masses[k] = np.full(cases.sizes[k], (1 - eps) / cases.sizes[k])  # F_ε,i (Yousef, ML Assessment, eq. 75)
        masses[k][i] += eps
        return number(
            statistic(whole, cases.formed(masses)), f"where case {i} of sample {k + 1} gets the mass {masses[k][i]:.3g}"
        )

    def doubled() -> float:
        masses = cases.formed([np.full(2 * m, 0.5 / m) for m in cases.sizes])
        return number(statistic(cases.repeated(2), masses), REPEATED)

    places = cases.places
    n = np.array([cases.sizes[k] for k, _ in places])  # (n,) size of each case's own sample
    wide, half = (Differences(at, places, value, h / n) for h in (STEP, STEP / 2))
    curve = (4 * half.slope - wide.slope) / 3  # errors of order ε² cancel
    se = float(np.linalg.norm(curve / n))
    out = InfluenceEstimate(
        value,
        metric=name_of(statistic),
        method="influence",
        estimand=ESTIMAND,
        alternatives=(Student(cases.df),),
        curve=curve,
        influence=curve / n,
    ).noting(functionality(value, doubled, se)[1])
    if depends_on_step(wide, half) or not settles(*losses_of_mass(at, places, value, n)):
        return out.noting(Note("not-smooth", formula_se=se))
    if float(np.linalg.norm(half.slope)) <= half.noise:  # no case changes the statistic, to first order
        return out.noting(NO_VARIANCE)
    bias = float(((4 * half.bend - wide.bend) / 3 / (2 * n**2)).sum())
    return out.with_(bias=bias, se=se, se_method=INFLUENCE)


class Differences:
    """The statistic with a little more mass on each case, and with a little less: slopes and second derivatives."""

    def __init__(self, at: At, places: list[tuple[int, int]], value: float, eps: Floats) -> None:
        more, less = (np.array([at(p, s * e) for p, e in zip(places, eps, strict=True)]) for s in (1, -1))
        self.eps, self.slope = eps, (more - less) / (2 * eps)
        self.bend = (more - 2 * value + less) / eps**2
        largest = float(np.abs([*more, *less, value]).max())
        self.noise = ROUNDING * largest * float(np.linalg.norm(1 / eps))  # what rounding alone may add to the slopes


def depends_on_step(wide: Differences, half: Differences) -> bool:
    """Whether the slope depends on the size of the step, or on its sign whatever its size: no derivative.

    For a smooth statistic the slopes at ε and ε/2 differ by at most h² of themselves (with a jump at 0: by all of the
    slope), and the slopes upwards and downwards by an amount that halves with ε (with a kink at 0 it stays).
    """
    size, change = float(np.linalg.norm(half.slope)), float(np.linalg.norm(wide.slope - half.slope))
    kinks = [float(np.linalg.norm(d.bend * d.eps)) for d in (wide, half)]  # slope upwards minus slope downwards
    return change > max(0.05 * size, half.noise) or kinks[1] > max(1e-3 * size, 0.75 * kinks[0], 4 * half.noise)


def losses_of_mass(at: At, places: list[tuple[int, int]], value: float, n: Ints) -> tuple[Floats, Floats, Floats]:
    """The slopes S_1, S_2, S_4 of `smoothness.settles`, for the cases that move the statistic most."""

    def slopes(times: int, tried: Ints) -> Floats:
        masses = times * n[tried] - 1  # 1/|ε|
        less = np.array([at(places[j], -1 / m) for j, m in zip(tried, masses, strict=True)])
        return masses * fall(value, less)

    try:
        one = slopes(1, np.arange(len(places)))
        tried = most_moving(one)
        return one[tried], slopes(2, tried), slopes(4, tried)
    except Exception:  # a smooth statistic, too, may fail where a case has no mass (0 log 0)
        return np.zeros(1), np.zeros(1), np.zeros(1)
