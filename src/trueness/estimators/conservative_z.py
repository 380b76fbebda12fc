"""conservative_z: random splits with the standard error of half as many cases, which is too large on purpose."""

from __future__ import annotations

import math

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.cv import contrast_of_folds, mean_of_folds, skipped_folds
from trueness.estimators.cv_training import trials_rule
from trueness.estimators.influence import Contrast, paired
from trueness.estimators.registry import Method, Undefined
from trueness.metrics.metric import Metric
from trueness.result import Estimate
from trueness.result.named import INDEPENDENT_CASES, Estimand, StandardError
from trueness.result.note import Note
from trueness.sample.fits import Fits
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
SE = (OF_HALF_THE_CASES,)
CONSERVATIVE = Note(
    "conservative-se",
    "The standard error is that of a sample of half as many cases, so the interval is usually too wide.",
)


def values_of(c: Contrast, undefined: Undefined) -> tuple[Floats, Floats]:
    """The values of the splits of all cases, and (first half − second half) of the mean values within halves."""
    values, within = (contrast_of_folds(c.part(k), undefined) for k in (0, 1))
    repeats, known = c.fits.parts[1].design.repeats(), ~np.isnan(within)
    with np.errstate(invalid="ignore"):
        means = np.bincount(repeats, np.where(known, within, 0.0)) / np.bincount(repeats, known)
    differences = means[0::2] - means[1::2]
    if np.isnan(values).all() or np.isnan(differences).all():
        raise UndefinedError(
            f"No halves of the cases have a value of {c.metric.name}", param="undefined", fix="Use {stratified=True}"
        )
    return values, differences[~np.isnan(differences)]


def splits_and_halves(c: Contrast, *, se: str | None, undefined: Undefined) -> Estimate:
    """σ² = Σ (mean of half 1 − mean of half 2)²/(2 · halvings), which estimates the variance at n/2 cases without
    bias (Nadeau & Bengio 2003, "conservative Z")."""
    values, differences = values_of(c, undefined)
    variance = float((differences**2).sum() / (2 * len(differences)))
    out = mean_of_folds(values, c.fits.parts[0].design.repeats())
    out = out.with_(se=math.sqrt(variance), se_method=OF_HALF_THE_CASES)
    return out.noting(CONSERVATIVE, skipped_folds(values))


@CONSERVATIVE_Z.on(se=SE, pairs=paired(splits_and_halves))
def conservative_z(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean of the splits' values, with the standard error of disjoint halves of the cases and normal quantiles.

    `ci(method="wald")` gives the published limits.
    """
    out = splits_and_halves(Contrast(fits, metric), se=se, undefined=undefined)
    return out.with_(interval=trials_rule(fits.design, metric))
