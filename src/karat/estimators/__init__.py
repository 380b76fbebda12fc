"""Estimators: pure functions (Fits, metric) → Estimate, one file each, with the literature's name.

A new estimator is one file here with an `@estimator(...)` function, imported below; `estimate`, the command line and
the tables find it by its name.
"""

from karat.estimators import (  # noqa: F401 - importing registers them
    apparent,
    conservative_z,
    cv,
    cv_pairs,
    cv_pooled,
    cv_training,
    half_samples,
    holdout,
    loob,
    lpob,
    nested_cv,
    point632,
    point632plus,
    rb,
    sb,
    star,
    table_measures,
)
from karat.estimators.estimation import difference, estimate
from karat.estimators.registry import Estimator, available, find

__all__ = ["Estimator", "available", "difference", "estimate", "find"]
