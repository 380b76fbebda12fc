"""half_samples: cross-validation with a standard error from random halves of the cases. For any metric.

Two disjoint halves are independent samples of n/2 cases. Their cross-validated values have the variance V(n/2) each, so
the mean squared difference estimates 2 V(n/2); with V(n) = V(n/2)/2,

    V = mean (value of half 1 − value of half 2)² / 4

over the halvings. It needs no influence function, so it serves scorers, F1 and any function of labels and scores too.
Cross-validation of all cases is the centre, and its corrected variance of Nadeau and Bengio a lower limit of V.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.estimators.conservative_z import values_of
from trueness.estimators.cv import mean_of_folds, nadeau_bengio, share_variance, skipped_folds
from trueness.estimators.cv_training import trials_rule
from trueness.estimators.influence import Contrast, paired
from trueness.estimators.registry import Method, Undefined
from trueness.metrics.metric import Metric
from trueness.result import Estimate
from trueness.result.named import CLASS_SIZES, INDEPENDENT_CASES, NADEAU_BENGIO, Estimand, StandardError
from trueness.result.note import Note
from trueness.sample.fits import Fits

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
SE = (HALF_MAX, HALF)
HALVES = Note(
    "half-sample-se",
    "The standard error comes from random halves of the cases and assumes that the variance halves when the number of "
    "cases doubles.",
)


def cv_and_halves(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """Centre and standard error."""
    values, differences = values_of(c, undefined)
    cv = c.fits.parts[0]
    out = mean_of_folds(values, cv.design.repeats())
    shares = share_variance(c.part(0))
    half = math.sqrt(float(np.mean(differences**2)) / 4 + shares)
    corrected = math.sqrt(nadeau_bengio(out, values, cv).require_se() ** 2 + shares)
    # the differences are squared around 0, which is known: as many degrees of freedom as halvings
    df = len(differences) if cv.sample.groups is None else min(len(differences), cv.design.n_units - 1)
    by = HALF if se == HALF else HALF_MAX
    return out.with_(
        se=half if se == HALF else max(half, corrected),
        se_method=by.plus(CLASS_SIZES) if shares else by,
        df=df,
        provenance={"variance": {"half": half**2, "nadeau_bengio": corrected**2}},
    ).noting(HALVES, skipped_folds(values))


@HALF_SAMPLES.on(se=SE, pairs=paired(cv_and_halves))
def half_samples(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Repeated cross-validation with a standard error from random halves of the cases.

    "half-max" is the larger of that standard error and Nadeau and Bengio's, "half" the former alone; Student's
    quantiles with as many degrees of freedom as halvings.
    """
    out = cv_and_halves(Contrast(fits, metric), se=se, undefined=undefined)
    return out.with_(interval=trials_rule(fits.design, metric))
