"""Models by name, in a pipeline that suits the table: everything in it is fitted inside every resample."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from trueness.errors import InputError
from trueness.sample.labels import Task, looks_numeric

Maker = Callable[[], BaseEstimator]

# name → (maker of a classifier, of a regressor, whether the scale of a feature matters: to distances, penalties, or the
# tolerance of rank of QDA and of least squares)
MODELS: dict[str, tuple[Maker | None, Maker | None, bool]] = {
    "lda": (LinearDiscriminantAnalysis, None, False),
    "qda": (QuadraticDiscriminantAnalysis, None, True),
    "logistic": (lambda: LogisticRegression(max_iter=1000), None, True),
    "logit": (lambda: LogisticRegression(C=np.inf, tol=1e-8, max_iter=10_000), None, True),  # maximum likelihood
    "naive-bayes": (GaussianNB, None, False),
    "ols": (None, LinearRegression, True),
    "knn": (KNeighborsClassifier, KNeighborsRegressor, True),
    "ridge": (RidgeClassifier, Ridge, True),
    "svm": (SVC, SVR, True),
    "forest": (RandomForestClassifier, RandomForestRegressor, False),
    "boosting": (HistGradientBoostingClassifier, HistGradientBoostingRegressor, False),
    "tree": (DecisionTreeClassifier, DecisionTreeRegressor, False),
}


def model_by_name(name: str, X: pd.DataFrame, kind: Task = "classification") -> BaseEstimator:
    """A model such as "lda" or "knn:5" behind the preprocessing that the columns of X need.

    Numbers: the median where values are missing, scaled where the scale matters to the model. Text: the most frequent
    value where one is missing, then one column per value; values not seen in training give zeros. "module:object" is
    a model of the user's own, which gets the table as it is. `kind` says whether it predicts a class or a number.
    """
    base, _, argument = name.partition(":")
    if base not in MODELS:
        if is_own(name):
            return imported_model(base, argument)
        raise InputError("Unknown model", param="model", got=repr(name), fix=f"Available: {', '.join(MODELS)}")
    of_classes, of_numbers, scaled = MODELS[base]
    make = of_classes if kind == "classification" else of_numbers
    if make is None:
        raise InputError(f"The model is not one for {kind}", param="model", got=repr(name))
    model = make()
    if argument:
        if base != "knn" or not argument.isdigit() or int(argument) < 1:
            raise InputError("Only knn takes a number, e.g. knn:5", param="model", got=repr(name))
        model.set_params(n_neighbors=int(argument))
    numbers = list(X.select_dtypes("number").columns)
    text = [c for c in X.columns if c not in set(numbers)]
    steps = (X[numbers].isna().any(axis=None), SimpleImputer(strategy="median")), (scaled, StandardScaler())
    for_numbers = [step for needed, step in steps if needed]
    if not text:
        return make_pipeline(*for_numbers, model) if for_numbers else model
    if base == "qda":  # a value that no case of a class has makes that class's covariance singular
        model.set_params(reg_param=0.01)
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop="if_binary")
    for_text = (make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), text)
    others = (make_pipeline(*for_numbers) if for_numbers else "passthrough", numbers)
    return make_pipeline(make_column_transformer(*[others] * bool(numbers), for_text), model)


def models_by_name(
    names: Sequence[str], X: pd.DataFrame, y: pd.Series, kind: Task | None = None, positive: object = None
) -> dict[str, BaseEstimator]:
    """The models by name, one of the user's own by that of its object. Without `kind` the target holds labels where a
    positive one is named or all models are of classes, else what it looks like."""
    makers = [MODELS[base] for name in names if (base := name.partition(":")[0]) in MODELS]
    if kind is None:
        only = {(classes is None, numbers is None) for classes, numbers, _ in makers}
        either = positive is None and only != {(False, True)}
        kind = "regression" if either and (only == {(True, False)} or looks_numeric(y)) else "classification"
    chosen = list(names) or ["lda" if kind == "classification" else "ols"]
    if twice := sorted({name for name in chosen if chosen.count(name) > 1}):
        raise InputError("The same model is given twice", param="model", got=", ".join(twice))
    short = [name.rpartition(":")[2] if is_own(name) else name for name in chosen]
    called = [own if short.count(own) == 1 else name for own, name in zip(short, chosen, strict=True)]
    return {own: model_by_name(name, X, kind) for own, name in zip(called, chosen, strict=True)}


def is_own(name: str) -> bool:
    """Whether a name is "module:object", a model of the user's own."""
    module, _, found = name.partition(":")
    return module not in MODELS and found.isidentifier() and all(part.isidentifier() for part in module.split("."))


def imported_model(module: str, name: str) -> BaseEstimator:
    """A model, or a class of them, from a module that the user named: of an installed package, or a file here."""
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), name)
        model = found() if isinstance(found, type) else found
        if not isinstance(model, BaseEstimator) or not hasattr(model, "fit") or not hasattr(type(model), "predict"):
            raise TypeError("it is not a model of scikit-learn's kind")
    except (Exception, SystemExit) as error:  # a module may raise anything
        why = f"{module}:{name} ({type(error).__name__}: {error})"
        raise InputError("The model cannot be imported", param="model", got=why) from None
    finally:
        sys.path.remove("")
    return model
