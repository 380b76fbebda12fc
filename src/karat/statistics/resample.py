"""The bootstrap: the cases drawn again, with replacement."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.sample.seeds import DRAW, child, seed_sequence
from karat.statistics.call import Statistic, first_value, name_of, number
from karat.statistics.cases import Cases
from karat.statistics.checks import NO_VARIATION, ROUNDING, not_functional, whole_number
from karat.statistics.delete import jackknife
from karat.statistics.results import ESTIMAND, Bca, BootstrapEstimate, Percentile, Student


def bootstrap(statistic: Statistic, x: Any, n_resamples: int = 2000, rng: Any = None) -> BootstrapEstimate:
    """Bootstrap estimates of bias and standard error, with percentile and BCa intervals.

    bias = θ*_mean − θ,   se² = Σ_b (θ*_b − θ*_mean)² / (B − 1)                        (seeds/000, eq. 10–13)

    Two samples are drawn independently of each other, each of its own size.

    Parameters
    ----------
    statistic
        A function of the cases, in the form of `x`, that returns one number.
    x
        One sample (an array or a pandas object; the rows of a matrix are the cases), or a pair of them.
    n_resamples
        B; 200 do for a standard error, 1000 and more are needed for the limits of an interval.
    rng
        None, an int, a SeedSequence or a Generator. The same seed gives the same bits, and a longer bootstrap
        begins with the shorter one.

    Returns
    -------
    BootstrapEstimate
        `.value`, `.bias`, `.se`, `.mc_se`, `.se_mc_se`, `.distribution`, `.acceleration`, and `.ci(level, method)`
        with "percentile" (default), "bca" (n further calls of the statistic, for its acceleration), "wald", "t".
        A note says where the statistic is not functional.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.statistics import bootstrap
    >>> b = bootstrap(np.median, np.arange(21.0), n_resamples=500, rng=0)
    >>> b.value, b.ci().low < 10 < b.ci().high
    (10.0, True)
    """
    cases, b = Cases.of(x), whole_number(n_resamples)
    value = first_value(statistic, "statistic(x)", cases.repeated(1))
    generator = np.random.default_rng(child(seed_sequence(rng), DRAW))
    distribution = np.empty(b)
    for resample in range(b):
        rows = [generator.integers(0, n, size=n) for n in cases.sizes]
        distribution[resample] = number(statistic(cases.take(rows)), f"in resample {resample}")
    out = summary(value, distribution).with_(
        metric=name_of(statistic),
        alternatives=(Bca(), Student(cases.df)),
        delete=lambda: jackknife(statistic, x),
        provenance={"cases": cases.sizes, "resamples": b},
    )
    functional = not_functional(
        value,
        lambda: number(statistic(cases.repeated(2)), "where every case is doubled"),
        out.se or 0.0,
        "The bootstrap's bias measures the distance from the plug-in statistic, which this is not.",
    )
    return out.noting(functional, _suspicious(out, len(cases.sizes)))


def _suspicious(out: BootstrapEstimate, samples: int) -> str:
    """A note where the resamples lie far from the value, as they do when pairs are torn apart."""
    if out.se is None or out.bias is None or abs(out.bias) < 3 * out.se:
        return ""
    torn = " Two samples are resampled independently; paired data are the columns of one array." if samples > 1 else ""
    return f"The bias is more than three standard errors: do not trust the interval.{torn}"


def summary(value: float, distribution: np.ndarray) -> BootstrapEstimate:
    """Bias, standard error and their Monte-Carlo errors, from the resamples' values."""
    b = len(distribution)
    out = BootstrapEstimate(
        value,
        distribution=distribution,
        method="bootstrap",
        estimand=ESTIMAND,
        interval=Percentile(),
        alternatives=(Bca(),),
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
        se_method="bootstrap",
        mc_se=se / b**0.5,
        se_mc_se=(spare / b) ** 0.5 / (2 * se),
    )
