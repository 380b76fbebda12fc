"""What a fitted rule says about cases: scores of the positive class (or of every class) and predicted classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from karat.checks import is_one_of
from karat.errors import InputError
from karat.sample.sample import Sample
from karat.typing import AnyModel, Array, Features, Floats

RESPONSES = ("decision_function", "log_odds", "predict_proba")
LARGEST = float(np.finfo(float).max)  # log-odds of probabilities of exactly 0 and 1


def rows_of(X: Features, rows: Array) -> Any:
    """Rows of a table, or texts: NumPy, pandas, polars, scipy sparse or a list."""
    if isinstance(X, (pd.DataFrame, pd.Series)):
        return X.iloc[rows]
    return [X[i] for i in rows] if isinstance(X, (list, tuple)) else X[rows]


def has_log_odds(model: AnyModel) -> bool:
    """Whether a model, or the last step of a pipeline or search, computes log-densities and makes probabilities of them
    (scikit-learn's naive Bayes): p rounds to 1 where the odds are above 2⁵³, and cases tie that the model tells apart.

    For other models `predict_log_proba` is the logarithm of the rounded probability, and tells no more.
    """
    last = model
    while inner := _inner(last):
        last = inner[0]
    return hasattr(last, "predict_joint_log_proba") and hasattr(model, "predict_log_proba")


def _inner(model: AnyModel) -> list[AnyModel]:
    """The last step of a pipeline, the best model of a search (the searched one before the fit)."""
    if getattr(model, "steps", None):
        return [model.steps[-1][1]]
    if hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        return [getattr(model, "best_estimator_", model.estimator)]
    return []


def offers_of(rule: AnyModel) -> list[str]:
    """What a fitted rule can answer with."""
    return [name for name in RESPONSES if (has_log_odds(rule) if name == "log_odds" else hasattr(rule, name))]


def response_of(offers: Iterable[str], wanted: str, sample: Sample) -> str:
    """Which method of the fitted rule gives the scores; "none" where it has none."""
    order = RESPONSES if sample.n_classes == 2 else ("predict_proba", "decision_function")
    offered = [name for name in order if name in offers]
    if is_one_of(wanted, ("auto",)):
        return offered[0] if offered else "none"
    offered = [name for name in offered if name != "log_odds"]
    if not is_one_of(wanted, ("decision_function", "predict_proba")):
        raise InputError(
            'scores must be "auto", "decision_function" or "predict_proba"', param="scores", got=repr(wanted)
        )
    if wanted not in offered:
        fix = f"It has {', '.join(offered) or 'no method that gives scores'}"
        raise InputError(f"The model has no {wanted}", param="scores", fix=fix)
    return wanted


def answers(rule: AnyModel, sample: Sample, cases: Array | None, response: str) -> tuple[Floats | None, Array]:
    """Scores and predicted classes of a fitted rule; `cases` None asks about all of them."""
    X = sample.X if cases is None else rows_of(sample.X, cases)
    if not hasattr(rule, "classes_"):
        raise InputError(
            "The fitted model has no classes_; a classifier is required", param="model", got=type(rule).__name__
        )
    known = np.asarray(rule.classes_)
    if len(known) < sample.n_classes:
        raise ValueError(f"the training set lacks a class; the fitted model knows {known.tolist()}")
    code = {label: i for i, label in enumerate(sample.classes.tolist())}
    if set(known.tolist()) != set(code):
        raise InputError(
            "The classes of the fitted model are not the labels of y",
            param="model",
            got=f"{known.tolist()} and {sample.classes.tolist()}",
            fix="Pass y with the labels that the model was trained with",
        )
    codes, order = np.array([code[label] for label in known.tolist()]), np.argsort(known)
    predicted = np.asarray(rule.predict(X)).reshape(-1)  # CatBoost answers with a column
    predictions = codes[order[np.searchsorted(known, predicted, sorter=order)]]
    if response == "none":
        return None, predictions
    scores = log_odds(rule, X) if response == "log_odds" else np.asarray(getattr(rule, response)(X), dtype=float)
    positive = 1 if sample.positive is None else sample.positive
    if scores.ndim == 2 and scores.shape[1] == len(codes):
        scores = scores[:, np.argsort(codes)]  # the model may have its classes in another order
    if sample.n_classes == 2:
        if scores.ndim == 2:
            scores = scores[:, positive]
        elif codes[1] != positive:  # decision_function is high for the second class
            scores = -scores
    elif scores.shape != (len(predictions), sample.n_classes):
        raise ValueError(f"scores have shape {scores.shape} instead of one column per class")
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are NaN or infinite")
    if sample.alike is not None:
        # the last bits of a matrix product depend on the place of a row in it, and an AUC would see them
        same = sample.alike if cases is None else sample.alike[cases]
        _, first, kind = np.unique(same, return_index=True, return_inverse=True)
        scores, predictions = scores[first[kind]], predictions[first[kind]]
    return scores, predictions


def log_odds(rule: AnyModel, X: Features) -> Floats:
    """(m,) log p₁ − log p₀ of the second class against the first."""
    joint = hasattr(rule, "predict_joint_log_proba")
    logs = np.asarray((rule.predict_joint_log_proba if joint else rule.predict_log_proba)(X), dtype=float)
    return np.asarray(np.clip(logs[:, 1] - logs[:, 0], -LARGEST, LARGEST))
