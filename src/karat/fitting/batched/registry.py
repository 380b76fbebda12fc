"""Which engine takes a model."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from karat.fitting.batched import knn, lda, logistic, naive_bayes, nearest_centroid, qda, ridge
from karat.fitting.batched.base import Batched, Table, covered, parameter_names
from karat.sample.sample import Sample

ENGINES = (
    lda.engine,
    qda.engine,
    naive_bayes.engine,
    nearest_centroid.engine,
    ridge.engine,
    logistic.engine,
    knn.engine,
)


def find(model: Any, sample: Sample) -> Batched | None:
    """The engine for this model on these cases; None: the generic way."""
    scaled = False
    if type(model) is Pipeline:
        steps = [step for _, step in model.steps]
        if len(steps) == 2 and type(steps[0]) is StandardScaler and covered(steps[0], with_mean=True, with_std=True):
            scaled, model = True, steps[1]
        elif len(steps) == 1:
            model = steps[0]
    X = numbers(sample.X)
    if X is None or not valid(model) or (scaled and almost_constant(X)):
        return None
    for engine in ENGINES:
        found = engine(model, Table(X, sample, scaled))
        if found is not None:
            return found
    return None


def valid(model: Any) -> bool:
    """Whether scikit-learn would accept the parameters; where not, the generic way says so in its words."""
    kind: type = type(model)
    if isinstance(model, BaseEstimator) and kind.__module__.startswith("sklearn."):
        values = [getattr(model, name) for name in parameter_names(kind)]
        if all(value is None or isinstance(value, (bool, int, float, str)) for value in values):
            return _accepted(kind, *values)  # asked once: it takes longer than the fits of a small design
    return _accepts(model)


@lru_cache(maxsize=256, typed=True)
def _accepted(kind: type, *values: Any) -> bool:
    return _accepts(kind(**dict(zip(parameter_names(kind), values, strict=True))))


def _accepts(model: Any) -> bool:
    try:
        model._validate_params()
    except (AttributeError, ValueError, TypeError):
        return False
    return True


def almost_constant(X: np.ndarray) -> bool:
    """Whether a StandardScaler may take a feature for a constant, and leave it as it is: by its rounding error."""
    eps, n = np.finfo(float).eps, len(X)
    return bool((X.var(axis=0) <= 100 * (n * eps * X.mean(axis=0)) ** 2).any())


def numbers(X: Any) -> np.ndarray | None:
    """(n, p) float64, or None where scikit-learn would compute with something else (float32, sparse, text, NaN)."""
    if isinstance(X, pd.DataFrame):
        if not all(isinstance(t, np.dtype) and t.kind in "iufb" for t in X.dtypes):
            return None
        X = X.to_numpy()
    elif hasattr(X, "to_numpy"):  # polars
        X = X.to_numpy()
    if not isinstance(X, np.ndarray) or (X.dtype.kind not in "iub" and X.dtype != np.float64):
        return None
    X = X.astype(float, order="C")  # one layout, one order of sums
    return X if np.isfinite(X).all() else None
