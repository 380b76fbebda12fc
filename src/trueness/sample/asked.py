"""What a fitted rule says about cases: scores of the positive class (or of every class) and predicted classes; and the
table of what all rules say, one row per fit or one row per repeat of a cross-validation."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.sample.design import Design
from trueness.sample.fits import Failure, Fits
from trueness.sample.labels import Task, codes_among
from trueness.sample.rows import Rows, empty_rows
from trueness.sample.sample import Sample
from trueness.sample.scores import probabilities, refuse_merged
from trueness.typing import AnyModel, Array, Features, Floats, Integers

RESPONSES = ("decision_function", "log_odds", "predict_proba")
COPIED_ROWS = 256  # at a time: they may be in a file
SCORES = "Return probabilities, one column per class, from predict_proba; other scores are for decision_function"
LARGEST = float(np.finfo(float).max)  # log-odds of probabilities of exactly 0 and 1


def rows_of(X: Features, rows: Array) -> Any:
    """Rows of a table, or texts: NumPy, pandas, polars, scipy sparse or a list."""
    if isinstance(X, (pd.DataFrame, pd.Series)):
        return X.iloc[rows]
    return [X[i] for i in rows] if isinstance(X, (list, tuple)) else X[rows]


def _copied(X: Features) -> Features:
    """All rows: a step of a model may write into the table that it is given, and all fits share this one."""
    if isinstance(X, np.ndarray):
        return X.copy(order="K")
    return X.copy() if hasattr(X, "copy") else X


def has_log_odds(model: AnyModel) -> bool:
    """Whether a model, or the last step of a pipeline or search, computes log-densities and makes probabilities of them
    (scikit-learn's naive Bayes): p rounds to 1 where the odds are above 2⁵³, and cases tie that the model tells apart.

    For other models `predict_log_proba` is the logarithm of the rounded probability, and tells no more.
    """
    last = model
    while inner := _inner(last):
        last = inner[0]
    if not (hasattr(last, "predict_joint_log_proba") and hasattr(model, "predict_log_proba")):
        return False
    names = ("predict_proba", "predict_joint_log_proba")
    owners = [next((kind for kind in type(last).__mro__ if name in vars(kind)), None) for name in names]
    return owners[0] is owners[1]  # not where a subclass has probabilities of its own


def _inner(model: AnyModel) -> list[AnyModel]:
    """The last step of a pipeline, the best model of a search (the searched one before the fit)."""
    if getattr(model, "steps", None):
        return [model.steps[-1][1]]
    if hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        return [getattr(model, "best_estimator_", model.estimator)]
    return []


def predicts_numbers(model: AnyModel) -> bool:
    """Whether a model, or the last step of a pipeline, declares itself a regressor, as scikit-learn's do."""
    if getattr(model, "_estimator_type", None) == "regressor":
        return True
    try:
        return bool(model.__sklearn_tags__().estimator_type == "regressor")
    except (AttributeError, TypeError, NotImplementedError):  # no tags, or of another library
        return False


def task_of(models: Iterable[AnyModel]) -> Task:
    """What these models predict; an error where some predict numbers and others classes."""
    kinds = {predicts_numbers(model): type(model).__name__ for model in models}
    if len(kinds) > 1:
        got = f"{kinds[True]} and {kinds[False]}"
        fix = "Compare regressors with regressors"
        raise InputError("Some models predict numbers and others classes", param="models", got=got, fix=fix)
    return "regression" if True in kinds else "classification"


def offers_of(rule: AnyModel) -> list[str]:
    """What a fitted rule can answer with."""
    return [name for name in RESPONSES if (has_log_odds(rule) if name == "log_odds" else hasattr(rule, name))]


def response_of(offers: Iterable[str], wanted: str, sample: Sample) -> str:
    """Which method of the fitted rule gives the scores; "none" where it has none."""
    if sample.numbers is not None:
        if not is_one_of(wanted, ("auto",)):
            problem = "A model of numbers has one answer, its prediction"
            raise InputError(problem, param="scores", got=wanted, fix="Leave scores= out")
        return "predict"
    order = RESPONSES if sample.n_classes == 2 else ("predict_proba", "decision_function")
    offered = [name for name in order if name in offers]
    if is_one_of(wanted, ("auto",)):
        return [*offered, "none"][0]
    known = [name for name in offered if name != "log_odds"]
    if not is_one_of(wanted, known):
        fix = f'scores must be "auto" or a method of the model: {", ".join(known) or "it has none"}'
        raise InputError(f"The model has no {wanted}", param="scores", fix=fix)
    return wanted


def answers(rule: AnyModel, sample: Sample, cases: Array | None, response: str) -> tuple[Floats | None, Array | None]:
    """Scores and predicted classes of a fitted rule, or predicted numbers; `cases` None asks about all of them."""

    def table() -> Features:
        return _copied(sample.X) if cases is None else rows_of(sample.X, cases)

    if sample.numbers is not None:
        return _like(_numbers(rule, table(), sample.n if cases is None else len(cases)), sample, cases), None
    named = getattr(rule, "classes_", None)
    known = np.sort(sample.classes) if named is None else np.asarray(named)
    if len(known) < sample.n_classes:
        raise ValueError(f"the training set lacks a class; the fitted model knows {known.tolist()}")
    code = {label: i for i, label in enumerate(sample.classes.tolist())}
    if set(known.tolist()) != set(code):
        got = f"{known.tolist()} and {sample.classes.tolist()}"
        fix = "Pass y with the labels that the model was trained with"
        raise InputError("The classes of the fitted model are not the labels of y", param="model", got=got, fix=fix)
    codes = np.array([code[label] for label in known.tolist()])
    n = sample.n if cases is None else len(cases)
    predicted = np.asarray(rule.predict(table())).reshape(-1)  # CatBoost answers with a column
    if len(predicted) != n:
        got = f"{len(predicted)} predictions for {n} cases"
        raise InputError("predict of the model must have one class per case", param="model", got=got)
    predictions = codes_among(predicted, sample.classes, "predictions", "The model must predict a class for every case")
    if response == "none":
        return None, predictions
    asked = partial(log_odds, rule) if response == "log_odds" else getattr(rule, response)
    given = np.asarray(asked(table()))
    if given.dtype.kind == "c":
        raise ValueError(f"{response} gives complex numbers")
    scores = given.astype(float)
    refuse_merged(given, scores, "model", f"{response} of the model")
    of_one, of_each = (n,), (n, len(codes))
    if scores.shape != of_each and (scores.shape != of_one or len(codes) > 2 or response == "predict_proba"):
        got = f"shape {scores.shape} for {n} cases of {len(codes)} classes"
        raise InputError(f"{response} of the model must have one column per class", param="model", got=got, fix=SCORES)
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


def _numbers(rule: AnyModel, X: Features, n: int) -> Floats:
    """(n,) the predicted numbers."""
    predicted = np.asarray(rule.predict(X), dtype=float)
    if predicted.shape not in ((n,), (n, 1)):
        raise ValueError(f"predict gives an array of shape {predicted.shape} for {n} cases")
    if not np.isfinite(predicted).all():
        raise ValueError(f"{int((~np.isfinite(predicted)).sum())} predictions are NaN or infinite")
    return predicted.reshape(-1)


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
    joint = hasattr(rule, "predict_joint_log_proba")
    logs = np.asarray((rule.predict_joint_log_proba if joint else rule.predict_log_proba)(X), dtype=float)
    return np.asarray(np.clip(logs[:, 1] - logs[:, 0], -LARGEST, LARGEST))


class AnswerTable:
    """Scores (F, n) or (F, n, C) and predictions (F, n) of all rules of a design; None and −1 where there are none.

    For a design of folds there is one row per repeat, which holds for each case the answer of the rule that did not see
    it.
    """

    def __init__(self, design: Design, sample: Sample, scored: bool = True) -> None:
        self.design = design
        self.scores: Rows | None = None
        self.predictions: Rows | None = None
        cell, decided = (sample.n,) if sample.n_classes <= 2 else (sample.n, sample.n_classes), sample.numbers is None
        if design.folds is None:
            self.scores = empty_rows((design.n_fits, *cell)) if scored else None
            self.predictions = empty_rows((design.n_fits, sample.n), np.int16) if decided else None
        else:  # as many rows as repeats: these fit in memory
            self.scores = np.empty((len(design.folds), *cell)) if scored else None
            self.predictions = np.empty((len(design.folds), sample.n), dtype=np.int16) if decided else None

    def put(self, f: int, scores: Floats | None, predictions: Integers | None) -> None:
        """The answers of one rule about all cases, or about those that it did not see; None where the fit failed."""
        for table, values, missing in ((self.scores, scores, np.nan), (self.predictions, predictions, -1)):
            if table is None:
                continue
            if self.design.folds is None:
                table[f : f + 1] = np.full((1, *table.shape[1:]), missing) if values is None else values[None]
                continue
            tested = self.design.tested(f)
            if values is not None and len(values) == self.design.n:
                values = values[tested]
            row = table[f // self.design.n_folds : f // self.design.n_folds + 1][0]
            row[tested] = missing if values is None else values

    def copy(self, held: Rows | None, predictions: Rows | None) -> None:
        """The rows of a design that this one begins with; those that are fitted again replace them."""
        for table, earlier in ((self.scores, held), (self.predictions, predictions)):
            if table is not None and earlier is not None:
                for start in range(0, earlier.shape[0], COPIED_ROWS):
                    stop = min(start + COPIED_ROWS, earlier.shape[0])
                    table[start:stop] = earlier[start:stop]

    def rows(self, fits: range) -> Floats | None:
        """The scores (b, n) of some rules to be written in place, where they are kept in memory one row per fit."""
        if self.design.folds is not None or not isinstance(self.scores, np.ndarray) or self.scores.ndim > 2:
            return None
        return self.scores[fits.start : fits.stop]

    def put_block(self, fits: range, scores: Floats, predictions: Integers | None) -> None:
        """The answers of some rules in a row, about all cases."""
        if self.design.folds is not None:
            for row, f in enumerate(fits):
                self.put(f, scores[row], None if predictions is None else predictions[row])
            return
        assert self.scores is not None
        if scores.base is None or scores.base is not self.scores:  # not written in place
            self.scores[fits.start : fits.stop] = scores
        if self.predictions is not None and predictions is not None:
            self.predictions[fits.start : fits.stop] = predictions

    def fits(
        self,
        response: str,
        failed: tuple[Failure, ...] = (),
        warned: tuple[Failure, ...] = (),
        design: Design | None = None,
    ) -> Fits:
        """The Fits of the whole design, or of a shorter one that it begins with."""
        scores, predictions = self.scores, self.predictions
        if design is not None and design is not self.design:
            rows = design.n_fits if design.folds is None else len(design.folds)
            scores, predictions = (None if t is None else t[:rows] for t in (scores, predictions))
        return Fits(
            design=design or self.design,
            held=scores,
            held_predictions=predictions,
            probabilities=response == "predict_proba",
            log_odds=response == "log_odds",
            failed=failed,
            warned=warned,
            engine="generic",
        )


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
    last = model
    while inner := _inner(last):
        last = inner[0]
    ours = type(last).__module__.partition(".")[0] in ("lightgbm", "sklearn") and type(last).__name__ in LOG_ODDS_MODELS
    if not ours or not hasattr(last, "predict_proba"):  # SGDClassifier has it with some losses only
        return False
    by_loss = {"SGDClassifier": ("log_loss",), "GradientBoostingClassifier": ("log_loss",)}
    return getattr(last, "loss", "") in by_loss.get(type(last).__name__, (getattr(last, "loss", ""),))


def with_log_odds(fits: Fits, model: AnyModel) -> Fits:
    """The fits of a model whose decision function is log-odds, marked so."""
    if fits.probabilities or fits.log_odds or fits.sample.n_classes != 2 or not decides_by_log_odds(model):
        return fits
    parts = tuple(replace(part, log_odds=part.held is not None) for part in fits.parts)
    return replace(fits, log_odds=fits.held is not None or any(part.log_odds for part in parts), parts=parts)
