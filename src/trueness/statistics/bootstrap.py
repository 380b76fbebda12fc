"""The bootstrap: the cases resampled with replacement."""

from __future__ import annotations

import numpy as np

from trueness.checks import check_whole
from trueness.result.named import BOOTSTRAP
from trueness.result.note import Note
from trueness.sample.seeds import DRAW, child, seed_sequence
from trueness.sample.spellings import refuses_foreign
from trueness.statistics.cases import Cases, Data, Statistic, first_value, name_of, number
from trueness.statistics.jackknife import jackknife
from trueness.statistics.results import BCA, ESTIMAND, PERCENTILE, BootstrapEstimate, Student
from trueness.statistics.smoothness import NO_VARIATION, REPEATED, ROUNDING, not_functional
from trueness.typing import Floats, Rng


@refuses_foreign
def bootstrap(statistic: Statistic, x: Data, n_resamples: int = 2000, rng: Rng = None) -> BootstrapEstimate:
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
    cases = Cases.of(x)
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
    functional = not_functional(
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
