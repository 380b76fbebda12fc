"""Standard errors from random halves of the cases: conservative_z and half_samples, for any metric.

Two disjoint halves are independent samples of n/2 cases. Their values have the variance V(n/2) each, so the mean squared
difference estimates 2 V(n/2). conservative_z takes V(n/2) itself, which is too large on purpose. half_samples takes
V(n) = V(n/2)/2,

    V = mean (value of half 1 − value of half 2)² / 4

over the halvings, with the corrected variance of Nadeau and Bengio as its lower limit. Neither needs an influence function,
so they serve scorers, F1 and any function of labels and scores too.
"""

import math

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import fold_values, mean_of_folds, nadeau_bengio, share_variance
from trueness.estimators.cv_training import trials_rule
from trueness.estimators.influence import Contrast
from trueness.estimators.method import Method
from trueness.metrics.metric import Metric
from trueness.result.estimate import Estimate
from trueness.result.words import CLASS_SIZES, INDEPENDENT_CASES, NADEAU_BENGIO, Estimand, StandardError
from trueness.typing import Floats

CONSERVATIVE_Z = Method(
    "conservative_z",
    "paired subsampling",
    "nadeau_bengio_2003",
    kinds={"paired"},
    estimand=Estimand.FOLD_SETS,
    order=30,
    recommended={"paired"},
)
OF_HALF_THE_CASES = StandardError(
    "conservative-z",
    "Nadeau and Bengio's conservative standard error",
    "nadeau_bengio_2003",
    assumes=(
        INDEPENDENT_CASES,
        "the standard error of a half-sized sample is estimated without bias; for all cases it is usually too large.",
    ),
)
CONSERVATIVE_SE = (OF_HALF_THE_CASES,)


def values_of(c: Contrast) -> tuple[Floats, Floats]:
    """The values of the splits of all cases, and (first half − second half) of the mean values within halves."""
    values, within = (fold_values(c.part(k)) for k in (0, 1))
    repeats, known = c.fits.parts[1].design.repeats, ~np.isnan(within)
    with np.errstate(invalid="ignore"):
        means = np.bincount(repeats, np.where(known, within, 0.0)) / np.bincount(repeats, known)
    return values, differences_of(means, c.metric)


def differences_of(means: Floats, metric: Metric) -> Floats:
    """(first half − second half) of each halving that has a value in both."""
    differences = means[0::2] - means[1::2]
    if np.isnan(differences).all():
        problem = f"No halves of the cases have a value of {metric.name}"
        raise UndefinedError(problem, param="undefined", fix="Use stratified=True")
    return differences[~np.isnan(differences)]


def se_of_halves(differences: Floats) -> float:
    """The root of σ² = Σ (mean of half 1 − mean of half 2)²/(2 · halvings)."""
    return math.sqrt(float((differences**2).sum() / (2 * len(differences))))


@CONSERVATIVE_Z.on(se=CONSERVATIVE_SE, pairs=True)
def conservative_z(c: Contrast) -> Estimate:
    """Mean of the splits' values, with the standard error of disjoint halves of the cases and normal quantiles.

    σ² = Σ (mean of half 1 − mean of half 2)²/(2 · halvings), which estimates the variance at n/2 cases without bias
    (Nadeau & Bengio 2003, "conservative Z"). `ci(method="wald")` gives the published limits.
    """
    values, differences = values_of(c)
    out = mean_of_folds(values, c.fits.parts[0].design.repeats)
    rule = trials_rule(c.fits.design, c.metric)
    return out.with_(se=se_of_halves(differences), se_method=OF_HALF_THE_CASES, interval=rule)


HALF_SAMPLES = Method(
    "half_samples",
    "the mean of the cross-validation, and random halves of the cases",
    kinds={"cv+halves"},
    estimand=Estimand.N_CASES,
    order=20,
    recommended={"cv+halves"},
)
OF_HALVES = (INDEPENDENT_CASES, "the variance of the difference is half as large with twice as many cases.")
HALF = StandardError("half", "the standard error of random halves", assumes=OF_HALVES)
HALF_MAX = StandardError(
    "half-max",
    "the larger of the standard error of random halves and Nadeau and Bengio's",
    *NADEAU_BENGIO.sources,
    assumes=(*OF_HALVES, *NADEAU_BENGIO.assumes[1:]),
)
HALF_SE = (HALF_MAX, HALF)


@HALF_SAMPLES.on(se=HALF_SE, pairs=True)
def half_samples(c: Contrast) -> Estimate:
    """Repeated cross-validation with a standard error from random halves of the cases.

    "half-max" is the larger of that standard error and Nadeau and Bengio's, "half" the former alone; Student's
    quantiles with as many degrees of freedom as halvings.
    """
    values, differences = values_of(c)
    out = mean_of_folds(values, c.fits.parts[0].design.repeats)
    shares = share_variance(c.part(0))
    out = with_halves(out, c, differences, values, shares)
    by = out.se_method.plus(CLASS_SIZES) if out.se_method and shares else out.se_method
    return out.with_(se_method=by, interval=trials_rule(c.fits.design, c.metric))


def with_halves(out: Estimate, c: Contrast, differences: Floats, folds: Floats, shares: float = 0.0) -> Estimate:
    """With the standard error of the differences of halves, or where that is larger of the folds."""
    cv = c.fits.parts[0]
    half = math.sqrt(float(np.mean(differences**2)) / 4 + shares)
    corrected = math.sqrt(nadeau_bengio(out, folds, cv).require_se() ** 2 + shares)
    # the differences are squared around 0, which is known: as many degrees of freedom as halvings
    df = len(differences) if cv.sample.groups is None else min(len(differences), cv.design.n_units - 1)
    variances = {"variance": {"half": half**2, "nadeau_bengio": corrected**2}}
    if c.se == HALF:
        corrected = half
    return out.with_(se=max(half, corrected), se_method=c.se or HALF_MAX, df=df, provenance=variances)
