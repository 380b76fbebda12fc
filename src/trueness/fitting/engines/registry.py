"""Which engine takes a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from functools import lru_cache
from importlib import import_module

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from trueness.fitting.engines import Engine, Table, has
from trueness.result.note import Note
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Floats

ENGINES = {  # class of scikit-learn → the file of its engine, which is loaded when it is needed
    "LinearDiscriminantAnalysis": "lda",
    "QuadraticDiscriminantAnalysis": "qda",
    "GaussianNB": "naive_bayes",
    "NearestCentroid": "nearest_centroid",
    "RidgeClassifier": "ridge",
    "LogisticRegression": "logistic",
    "KNeighborsClassifier": "knn",
}


def find(model: Classifier, sample: Sample) -> Engine | Note | None:
    """The engine for this model on these cases; None, or a note that says why, where the generic path is taken."""
    scaled = False
    if isinstance(model, Pipeline) and type(model) is Pipeline:
        steps = [step for _, step in model.steps]
        if len(steps) == 2 and type(steps[0]) is StandardScaler and has(steps[0], with_mean=True, with_std=True):
            scaled, model = True, steps[1]
        elif len(steps) == 1:
            model = steps[0]
    name = ENGINES.get(type(model).__name__)
    if name is None or not isinstance(model, BaseEstimator) or not accepted(model):
        return None
    table = tabulated(sample, scaled)
    if table is None:
        return None
    engine: Callable[[BaseEstimator, Table], Engine | Note | None] = import_module(f"{__package__}.{name}").engine
    return engine(model, table)


def accepted(model: BaseEstimator) -> bool:
    """Whether scikit-learn accepts the parameters; otherwise the generic path reports its error.

    Only parameters that are plain values are asked about: no engine takes others.
    """
    params = model.get_params(deep=False)
    if not type(model).__module__.startswith("sklearn."):
        return False
    if not all(v is None or isinstance(v, (bool, int, float, str, np.number)) for v in params.values()):
        return False
    return _fits(type(model), tuple(params), *params.values())  # type: ignore[arg-type]  # a class is hashable


@lru_cache(maxsize=256, typed=True)
def _fits(kind: type[BaseEstimator], names: tuple[str, ...], *values: Hashable) -> bool:
    """Whether the model can be fitted on a tiny table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kind(**dict(zip(names, values, strict=True))).fit([[-1.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
        except Exception:
            return False
    return True


def tabulated(sample: Sample, scaled: bool) -> Table | None:
    """The features as float64, without constant columns; None where scikit-learn would compute with something else
    (float32, sparse, text, missing values), or with the rounding errors of a constant."""
    X = numbers(sample.X)
    if X is None:
        return None
    constant = np.ptp(X, axis=0) == 0
    if constant.all() or not _exact_sums(X[0, constant], len(X)):
        return None
    eps, kept = np.finfo(float).eps, X[:, ~constant]
    with np.errstate(over="ignore", invalid="ignore"):
        # StandardScaler takes a feature for a constant by its rounding error
        if scaled and (kept.var(axis=0) <= 100 * (len(X) * eps * kept.mean(axis=0)) ** 2).any():
            return None
    with np.errstate(over="ignore"):
        constants = float((X[0, constant] ** 2).sum())
    return Table(kept, sample.codes, sample.n_classes, scaled, bool(constant.any()), constants)


def _exact_sums(values: Floats, n: int) -> bool:
    """Whether sums of up to n copies are exact, so that scikit-learn sees no variance in a constant column."""
    fraction = np.frexp(values)[0] * 2.0**53 / 2.0 ** np.ceil(np.log2(n))
    return bool((fraction == np.round(fraction)).all())


def numbers(X: object) -> Floats | None:
    """(n, p) float64, finite; or None."""
    if isinstance(X, pd.DataFrame):
        if not all(isinstance(t, np.dtype) and t.kind in "iuf" for t in X.dtypes):
            return None
        X = X.to_numpy()
    elif hasattr(X, "to_numpy"):  # polars
        X = X.to_numpy()
    if not isinstance(X, np.ndarray) or (X.dtype.kind not in "iu" and X.dtype != np.float64):
        return None
    out: Floats = X.astype(np.float64, order="C")  # one layout, one order of sums
    return out if np.isfinite(out).all() else None
