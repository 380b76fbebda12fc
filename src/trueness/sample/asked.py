"""What a fitted rule says about cases: scores of the positive class (or of every class) and predicted classes; and the
table of what all rules say, one row per fit or one row per repeat of a cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.sample.design import Design
from trueness.sample.labels import Task, codes_among
from trueness.sample.rows import Rows, empty_rows
from trueness.sample.sample import Sample
from trueness.sample.scores import probabilities, refuse_merged
from trueness.typing import AnyModel, Array, Features, Floats, Integers

if TYPE_CHECKING:
    from trueness.sample.fits import Fits

RESPONSES = ("decision_function", "log_odds", "predict_proba")
COPIED_ROWS = 256  # at a time: they may be in a file
SCORES = "Return probabilities, one column per class, from predict_proba; other scores are for decision_function"
LARGEST = float(np.finfo(float).max)  # log-odds of probabilities of exactly 0 and 1


def rows_of(X: Features, rows: Array | None) -> Any:
    """Rows of a table, or texts: NumPy, pandas, polars, scipy sparse or a list. None is all of them, in a copy: a step of
    a model may write into the table that it is given, and all fits share this one."""
    if rows is None:
        return X.copy(**{"order": "K"} if isinstance(X, np.ndarray) else {}) if hasattr(X, "copy") else X
    if isinstance(X, (pd.DataFrame, pd.Series)):
        return X.iloc[rows]
    return [X[i] for i in rows] if isinstance(X, (list, tuple)) else X[rows]


def _last(model: AnyModel) -> AnyModel:
    """The last step of pipelines, and the best model of searches (the searched one before the fit)."""
    while True:
        if getattr(model, "steps", None):
            model = model.steps[-1][1]
        elif hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
            model = getattr(model, "best_estimator_", model.estimator)
        else:
            return model


def has_log_odds(model: AnyModel) -> bool:
    """Whether a model, or the last step of a pipeline or search, computes log-densities and makes probabilities of them
    (scikit-learn's naive Bayes): p rounds to 1 where the odds are above 2⁵³, and cases tie that the model tells apart.

    For other models `predict_log_proba` is the logarithm of the rounded probability, and tells no more.
    """
    last, names = _last(model), ("predict_proba", "predict_joint_log_proba")
    if not (hasattr(last, names[1]) and hasattr(model, "predict_log_proba")):
        return False
    owners = [next((kind for kind in type(last).__mro__ if name in vars(kind)), None) for name in names]
    return owners[0] is owners[1]  # not where a subclass has probabilities of its own


def task_of(models: Iterable[AnyModel]) -> Task:
    """What these models predict; an error where some predict numbers and others classes."""
    kinds = {}
    for model in models:
        numbers = getattr(model, "_estimator_type", None) == "regressor"
        with suppress(AttributeError, TypeError, NotImplementedError):  # no tags, or of another library
            numbers |= model.__sklearn_tags__().estimator_type == "regressor"
        kinds[numbers] = type(model).__name__
    if len(kinds) > 1:
        raise InputError(
            "Some models predict numbers and others classes",
            param="models",
            got=f"{kinds[True]} and {kinds[False]}",
            fix="Compare regressors with regressors",
        )
    return "regression" if True in kinds else "classification"


def offers_of(rule: AnyModel) -> list[str]:
    """What a fitted rule can answer with."""
    return [name for name in RESPONSES if (has_log_odds(rule) if name == "log_odds" else hasattr(rule, name))]


def response_of(offers: Iterable[str], wanted: str, sample: Sample) -> str:
    """Which method of the fitted rule gives the scores; "none" where it has none."""
    if sample.numbers is not None:
        if not is_one_of(wanted, ("auto",)):
            fix = "Leave scores= out"
            raise InputError("A model of numbers has one answer, its prediction", param="scores", got=wanted, fix=fix)
        return "predict"
    order = RESPONSES if sample.n_classes == 2 else ("predict_proba", "decision_function")
    offered = [name for name in order if name in offers]
    if is_one_of(wanted, ("auto",)):
        return [*offered, "none"][0]
    known = [name for name in offered if name != "log_odds"]
    if not is_one_of(wanted, known):
        raise InputError(
            f"The model has no {wanted}",
            param="scores",
            fix=f'scores must be "auto" or a method of the model: {", ".join(known) or "it has none"}',
        )
    return wanted


def answers(rule: AnyModel, sample: Sample, cases: Array | None, response: str) -> tuple[Floats | None, Array | None]:
    """Scores and predicted classes of a fitted rule, or predicted numbers; `cases` None asks about all of them."""
    n = sample.n if cases is None else len(cases)
    if sample.numbers is not None:
        predicted = np.asarray(rule.predict(rows_of(sample.X, cases)), dtype=float)
        if predicted.shape not in ((n,), (n, 1)):
            raise ValueError(f"predict gives an array of shape {predicted.shape} for {n} cases")
        if not np.isfinite(predicted).all():
            raise ValueError(f"{int((~np.isfinite(predicted)).sum())} predictions are NaN or infinite")
        return _like(predicted.reshape(-1), sample, cases), None
    named = getattr(rule, "classes_", None)
    known = np.sort(sample.classes) if named is None else np.asarray(named)
    if len(known) < sample.n_classes:
        raise ValueError(f"the training set lacks a class; the fitted model knows {known.tolist()}")
    if set(known.tolist()) != set(sample.classes.tolist()):
        raise InputError(
            "The classes of the fitted model are not the labels of y",
            param="model",
            got=f"{known.tolist()} and {sample.classes.tolist()}",
            fix="Pass y with the labels that the model was trained with",
        )
    codes = codes_among(known, sample.classes)
    if hasattr(rule, "predict"):
        predicted = np.asarray(rule.predict(rows_of(sample.X, cases))).reshape(-1)  # CatBoost answers with a column
    else:
        predicted = known[np.argmax(rule.predict_proba(rows_of(sample.X, cases)), axis=1)]
    if len(predicted) != n:
        raise InputError(
            "predict of the model must have one class per case",
            param="model",
            got=f"{len(predicted)} predictions for {n} cases",
        )
    predictions = codes_among(predicted, sample.classes, "predictions", "The model must predict a class for every case")
    if response == "none":
        return None, predictions
    asked = partial(log_odds, rule) if response == "log_odds" else getattr(rule, response)
    given = np.asarray(asked(rows_of(sample.X, cases)))
    if given.dtype.kind == "c":
        raise ValueError(f"{response} gives complex numbers")
    scores = given.astype(float)
    refuse_merged(given, scores, "model", f"{response} of the model")
    of_one, of_each = (n,), (n, len(codes))
    if scores.shape != of_each and (scores.shape != of_one or len(codes) > 2 or response == "predict_proba"):
        raise InputError(
            f"{response} of the model must have one column per class",
            param="model",
            got=f"shape {scores.shape} for {n} cases of {len(codes)} classes",
            fix=SCORES,
        )
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are NaN or infinite")
    if response == "predict_proba":
        scores = probabilities(scores, "predict_proba", SCORES)
    positive = 1 if sample.positive is None else sample.positive
    if scores.ndim == 2:
        scores = scores[:, np.argsort(codes)]  # the model may have its classes in another order
        scores = scores[:, positive] if len(codes) == 2 else scores
    elif codes[1] != positive:  # decision_function is high for the second class
        scores = -scores
    return _like(scores, sample, cases), _like(predictions, sample, cases)


def _like(values: Array, sample: Sample, cases: Array | None) -> Array:
    """Cases with the same features have the answer of the first: the last bits of a matrix product depend on the place
    of a row in it, and an AUC would see them."""
    if sample.alike is None:
        return values
    same = sample.alike if cases is None else sample.alike[cases]
    _, first, kind = np.unique(same, return_index=True, return_inverse=True)
    return np.asarray(values[first[kind]])


def log_odds(rule: AnyModel, X: Features) -> Floats:
    """(m,) log p₁ − log p₀ of the second class against the first."""
    asked = getattr(rule, "predict_joint_log_proba", None) or rule.predict_log_proba
    logs = np.asarray(asked(X), dtype=float)
    return np.asarray(np.clip(logs[:, 1] - logs[:, 0], -LARGEST, LARGEST))


@dataclass(frozen=True)
class Failure:
    """A fit that failed, or gave a warning."""

    fit: int  # index of the training set
    error: str  # message of the model's library


@dataclass(frozen=True)
class Answer:
    """What one rule said about the cases it was asked about, or why it could not."""

    scores: Floats | None
    predictions: Integers | None
    error: str = ""
    warned: str = ""  # the first warning of the fit
    try_again: bool = False  # too little time or memory: another run may succeed, and a store does not keep it


class AnswerTable:
    """What all rules of a design say: scores (F, n) or (F, n, C) and predictions (F, n), None and −1 where there are none,
    and which fits failed or gave a warning. The first `done` fits are those of `earlier` ones.

    For a design of folds there is one row per repeat, which holds for each case the answer of the rule that did not see
    it.
    """

    def __init__(
        self, design: Design, sample: Sample, scored: bool = True, earlier: Fits | None = None, done: int = 0
    ) -> None:
        self.design, rows = design, design.n_fits
        make: Callable[..., Rows] = empty_rows
        if design.folds is not None:  # as many rows as repeats: these fit in memory
            rows, make = len(design.folds), np.empty
        cell = (sample.n,) if sample.n_classes <= 2 else (sample.n, sample.n_classes)
        self.scores: Rows | None = make((rows, *cell)) if scored else None
        self.predictions: Rows | None = make((rows, sample.n), np.int16) if sample.numbers is None else None
        self.failed: dict[int, str] = {}
        self.warned: dict[int, str] = {}
        if earlier is None:
            return
        self.failed = {f.fit: f.error for f in earlier.failed if f.fit < done}
        self.warned = {f.fit: f.error for f in earlier.warned if f.fit < done}
        for table, known in ((self.scores, earlier.held), (self.predictions, earlier.held_predictions)):
            if table is not None and known is not None:
                for start in range(0, known.shape[0], COPIED_ROWS):
                    block = slice(start, min(start + COPIED_ROWS, known.shape[0]))
                    table[block] = known[block]

    def put(self, f: int, answer: Answer) -> None:
        """The answer of one rule about all cases; of folds about those that it did not see."""
        if answer.error:
            self.failed[f] = answer.error
        if answer.warned:
            self.warned[f] = answer.warned
        for table, values, missing in (
            (self.scores, answer.scores, np.nan),
            (self.predictions, answer.predictions, -1),
        ):
            if table is None:
                continue
            found = missing if values is None else values
            if self.design.folds is None:
                table[f : f + 1] = np.full((1, *table.shape[1:]), found)
            else:
                row = f // self.design.n_folds
                table[row : row + 1][0][self.design.tested(f)] = found

    def rows(self, fits: range) -> Floats | None:
        """The scores (b, n) of some rules to be written in place, where they are kept in memory one row per fit."""
        if self.design.folds is not None or not isinstance(self.scores, np.ndarray) or self.scores.ndim > 2:
            return None
        return self.scores[fits.start : fits.stop]

    def put_block(self, fits: range, scores: Floats, predictions: Integers | None) -> None:
        """The answers of some rules in a row, about all cases."""
        for table, values in ((self.scores, scores), (self.predictions, predictions)):
            if table is None or values is None:
                continue
            if self.design.folds is None:
                if values.base is None or values.base is not table:  # not written in place
                    table[fits.start : fits.stop] = values
                continue
            for f, row in zip(fits, values, strict=True):
                cases, repeat = self.design.tested(f), f // self.design.n_folds
                table[repeat : repeat + 1][0][cases] = row[cases]


LOG_ODDS_MODELS = frozenset(  # classes whose decision_function of two classes is ln p/(1 − p)
    {
        "GradientBoostingClassifier",
        "HistGradientBoostingClassifier",
        "LGBMClassifier",
        "LinearDiscriminantAnalysis",
        "LogisticRegression",
        "LogisticRegressionCV",
        "QuadraticDiscriminantAnalysis",
        "SGDClassifier",
    }
)


def decides_by_log_odds(model: AnyModel) -> bool:
    """Whether the decision function of a model, or of the last step of a pipeline or search, is the log-odds of its
    predict_proba: probabilities then follow from stored scores."""
    last = _last(model)
    ours = type(last).__module__.partition(".")[0] in ("lightgbm", "sklearn") and type(last).__name__ in LOG_ODDS_MODELS
    return ours and getattr(last, "loss", "log_loss") == "log_loss"


def with_log_odds(fits: Fits, model: AnyModel) -> Fits:
    """The fits of a model whose decision function is log-odds, marked so."""
    if fits.probabilities or fits.log_odds or fits.sample.n_classes != 2 or not decides_by_log_odds(model):
        return fits
    parts = tuple(replace(part, log_odds=part.held is not None) for part in fits.parts)
    return replace(fits, log_odds=fits.held is not None or any(part.log_odds for part in parts), parts=parts)
