"""Models by name, in a pipeline that suits the table: everything in it is fitted inside every resample."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from karat.errors import InputError

# name → (maker, whether distances or penalties make the scale of a feature matter)
MODELS: dict[str, tuple[Any, bool]] = {
    "lda": (LinearDiscriminantAnalysis, False),
    "qda": (QuadraticDiscriminantAnalysis, False),
    "logistic": (lambda: LogisticRegression(max_iter=1000), True),
    "naive-bayes": (GaussianNB, False),
    "knn": (KNeighborsClassifier, True),
    "ridge": (RidgeClassifier, True),
    "svm": (SVC, True),
    "forest": (RandomForestClassifier, False),
    "boosting": (HistGradientBoostingClassifier, False),
    "tree": (DecisionTreeClassifier, False),
}


def model_by_name(name: str, X: pd.DataFrame) -> Any:
    """A model such as "lda" or "knn:5" behind the preprocessing that the columns of X ask for.

    Numbers: the median where values are missing, scaled where the model minds. Text: the commonest
    value where one is missing, then one column a value; values not seen in training give zeros.
    """
    base, _, argument = name.partition(":")
    if base not in MODELS:
        raise InputError(
            f"there is no model {name!r}", fix=f"Choose one of {', '.join(MODELS)} (knn:5 for 5 neighbours)"
        )
    make, scaled = MODELS[base]
    model = make()
    if argument:
        if base != "knn" or not argument.isdigit() or int(argument) < 1:
            raise InputError(f"{name!r} is not understood", fix="Only knn takes a number, e.g. knn:5")
        model.set_params(n_neighbors=int(argument))
    numbers = X.select_dtypes("number").columns
    text = [c for c in X.columns if c not in set(numbers)]
    for_numbers: list[Any] = []
    if X[numbers].isna().any(axis=None):
        for_numbers.append(SimpleImputer(strategy="median"))
    if scaled:
        for_numbers.append(StandardScaler())
    if not text:
        return make_pipeline(*for_numbers, model) if for_numbers else model
    if base == "qda":  # a value that no case of a class has makes that class's covariance singular
        model.set_params(reg_param=0.01)
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop="if_binary")
    transformers: list[Any] = [(make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), list(text))]
    if len(numbers):
        number_step = make_pipeline(*for_numbers) if for_numbers else "passthrough"
        transformers.insert(0, (number_step, list(numbers)))
    return make_pipeline(make_column_transformer(*transformers), model)
