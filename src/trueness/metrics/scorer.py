"""Any scikit-learn scorer, or a function of labels and scores, as a metric of a set."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from trueness.checks import quietly
from trueness.errors import InputError
from trueness.metrics.metric import Metric, Needs, SetMetric, Target, refuse_missing
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats, Ints

ScorerLike: TypeAlias = str | Callable[..., Any]
"""The name of a scikit-learn scorer, a scorer f(model, X, y), or a function f(y, score)."""

MetricLike: TypeAlias = str | Metric | ScorerLike
"""A name, a scikit-learn scorer name or scorer, a function f(y, score), or a Metric."""

PREDICTIONS = ("pred", "preds", "predicted", "prediction", "predictions", "hat")  # names of an argument, after y_
SHARES = (  # beginnings of scikit-learn's names of metrics between 0 and 1
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "f1",
    "fbeta",
    "jaccard",
    "precision",
    "recall",
    "roc_auc",
    "top_k_accuracy",
)
LOSS_SUFFIXES = ("_loss", "_error", "_deviance")  # how the names of losses end


@lru_cache(maxsize=1)
def scorer_names() -> tuple[str, ...]:
    """Names of scikit-learn's scorers."""
    return tuple(get_scorer_names())


@dataclass(frozen=True, eq=False)
class Scorer(SetMetric):
    """A scikit-learn scorer, or a function f(y, score) → number, as a metric.

    A function gets the labels as they are in y, and the scores: (m,) of the positive class with two classes, (m, C)
    with several; of a regression the targets and the predicted numbers. A scorer gets a model that answers with the
    stored scores and predictions, and these labels too; 0 and 1 (1 = positive) where it refuses them. Names of scorers
    and the functions of `sklearn.metrics` take 1 for the positive class, so they get 0 and 1 unless they have a
    `pos_label` of their own.

    Parameters
    ----------
    scorer : str or callable
        Name of a scorer, a scorer f(model, X, y), or a function f(y, score).
    sample, probabilities
        Set by `trueness.estimate`.
    higher_is_better : bool, optional
        Direction. By default larger is better for scorers; functions of `sklearn.metrics` and names that end in _loss
        or _error have the direction of their name; that of any other function is not known (None).
    limits : tuple of float, optional
        Range, which no interval leaves. By default that of scikit-learn's functions and scorers (0 to 1, as a part of an
        area or F1, or below 0 for "neg_..."); that of any other function is not known.

    Examples
    --------
    >>> def share_missed(y, score):
    ...     return ((score < 0.5) & (y == 1)).mean()
    >>> Scorer(share_missed).higher_is_better is None
    True
    >>> Scorer(share_missed, higher_is_better=False).higher_is_better
    False
    """

    scorer: ScorerLike
    sample: Sample | None = None
    probabilities: bool = False
    higher_is_better: bool | None = field(default=None, kw_only=True)  # type: ignore[misc]  # of one scorer
    limits: tuple[float, float] | None = field(default=None, kw_only=True)
    warned: set[str] = field(default_factory=set, repr=False, kw_only=True)  # shared by all readings of it
    name: ClassVar[str] = "scorer"
    needs: ClassVar[Needs] = "any"
    target: ClassVar[Target] = "any"
    called_per_fit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.scorer, str) and not callable(self.scorer):
            raise InputError("A scorer is a name or a function", param="metric", got=repr(self.scorer))
        if isinstance(self.scorer, str) and self.scorer not in scorer_names():
            fix = "sklearn.metrics.get_scorer_names() lists them"
            raise InputError("scikit-learn has no scorer of this name", param="metric", got=repr(self.scorer), fix=fix)
        if self.higher_is_better is None:
            object.__setattr__(self, "higher_is_better", direction_of(self.scorer))
        object.__setattr__(self, "name", self.called or _name(self.scorer))

    @property
    def bounds(self) -> tuple[float, float]:
        return range_of(self.scorer) if self.limits is None else self.limits

    def bound(self, sample: Sample) -> Self:
        if sample.n_classes == 2:
            sample.require_positive()
        return replace(self, sample=sample)

    def reading(self, probabilities: bool) -> Self:
        return replace(self, probabilities=probabilities)

    def rows(self, block: Block, weights: Floats) -> Floats:
        if self.sample is None:
            raise InputError("This metric needs a sample", param="metric", fix="Call metric.bind(sample) first")
        values, n_classes = np.full(len(weights), math.nan), self.sample.n_classes
        for b, weight in enumerate(weights.astype(np.intp)):
            cases = np.repeat(np.arange(len(weight)), weight)
            if len(cases) and (block.numbers is not None or len(np.unique(block.codes[cases])) == n_classes):
                values[b] = self._value(self.sample, block, b, cases)
        return values

    def _value(self, sample: Sample, block: Block, b: int, cases: Ints) -> float:
        """Of one rule and these cases, some of them more than once."""
        scores = None if block.scores is None else block.scores[b][cases]
        if scores is not None:
            refuse_missing(np.isnan(scores), self.name)
        scorer = get_scorer(self.scorer) if isinstance(self.scorer, str) else self.scorer
        none = np.zeros((len(cases), 1))
        if block.numbers is not None:
            truth = block.numbers[cases]
            if not is_scorer(scorer):
                return self._number(scorer, truth, scores)
            return self._number(scorer, _stored(RegressorMixin, {"predict": scores}), none, truth)
        predictions = None if block.predictions is None else block.predictions[b][cases]
        if predictions is not None and (predictions < 0).any():
            raise InputError(f"{self.name} needs predictions that are missing", param="predictions")

        def labels(codes: Ints, coded: bool) -> Array:
            """The labels of y; or 0 and 1, where there are two classes and 1 must be the positive one."""
            return np.asarray(codes == sample.positive, dtype=int) if coded else np.asarray(sample.classes[codes])

        def asked(coded: bool) -> float:
            coded = coded and sample.n_classes == 2
            model = self._model(sample, scores, None if predictions is None else labels(predictions, coded), coded)
            return self._number(scorer, model, none, labels(block.codes[cases], coded))

        if not is_scorer(scorer):
            coded = sample.n_classes == 2 and takes_one_for_positive(scorer)
            return self._number(scorer, labels(block.codes[cases], coded), scores)
        try:
            if not isinstance(self.scorer, str):
                try:
                    return asked(coded=False)
                except InputError:  # e.g. labels "yes" and "no", and a scorer whose pos_label is 1
                    pass
            return asked(coded=True)
        except AttributeError as error:
            problem, fix = f"{self.name} needs probabilities or predictions", "Use models that have predict_proba"
            raise InputError(problem, param="metric", reason=str(error), fix=fix) from None

    def _model(self, sample: Sample, scores: Floats | None, predicted: Array | None, coded: bool) -> object:
        """A fitted classifier, as far as a scorer can tell, that answers with stored values."""
        answers = {"predict": predicted}
        turned = sample.n_classes == 2 and not coded and sample.positive == 0  # the scores are of the first class
        if scores is not None and self.probabilities:
            columns = np.stack([1 - scores, scores], axis=1) if scores.ndim == 1 else scores
            answers["predict_proba"] = columns[:, ::-1] if turned else columns
        elif scores is not None:
            answers["decision_function"] = -scores if turned else scores
        return _stored(ClassifierMixin, answers, classes_=np.array([0, 1]) if coded else sample.classes)

    def _number(self, function: Callable[..., Any], *arguments: object) -> float:
        try:
            with quietly() as caught:
                value = float(function(*arguments))
            for warning in caught:  # once, not for every training set
                if str(warning) not in self.warned:
                    self.warned.add(str(warning))
                    warnings.warn(f"{self.name}: {warning}", type(warning), stacklevel=2)
            return value
        except (ValueError, TypeError) as error:
            fix = "A function gets y and scores; for predicted labels pass make_scorer(function)"
            problem = f"{self.name} cannot be computed from these scores and predictions"
            raise InputError(problem, param="metric", reason=str(error), fix=fix) from None


def _stored(kind: type, answers: Mapping[str, Array | None], **members: object) -> object:
    """A fitted estimator, as far as a scorer can tell, whose methods return stored values."""
    methods = {name: _answering(name, values) for name, values in answers.items() if values is not None}
    return type("Stored", (kind, BaseEstimator), {**methods, **members, "__sklearn_is_fitted__": lambda self: True})()


def _answering(name: str, values: Array) -> Callable[[object, object], Array]:
    """A method of this name, which scikit-learn looks at, that returns stored values."""

    def method(self: object, X: object) -> Array:
        return values

    method.__name__ = name
    return method


def _name(scorer: ScorerLike) -> str:
    """Its name; that of a partial function includes the arguments, which tell it from others."""
    if isinstance(scorer, partial):
        given = [repr(v) for v in scorer.args] + [f"{k}={v!r}" for k, v in scorer.keywords.items()]
        return f"{_name(scorer.func)}({', '.join(given)})"
    return scorer if isinstance(scorer, str) else str(getattr(scorer, "__name__", scorer))


def asks_for_predictions(function: ScorerLike) -> bool:
    """Whether a function of the user's own names its second argument as predictions; it gets scores.

    >>> asks_for_predictions(lambda y_true, y_pred: 0.0), asks_for_predictions(lambda y, score: 0.0)
    (True, False)
    """
    if isinstance(function, str) or is_scorer(function) or takes_one_for_positive(function):
        return False
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return len(names) > 1 and names[1].removeprefix("y_") in PREDICTIONS


def direction_of(scorer: ScorerLike) -> bool | None:
    """True where larger is better, False where smaller is, None where it is not known.

    A scorer (a name, or made by make_scorer) is larger where the model is better, by scikit-learn's convention. Names
    of the functions of `sklearn.metrics` tell their direction; a function of the user's own whose name ends like that
    of a loss counts as one.

    >>> from sklearn.metrics import brier_score_loss, accuracy_score
    >>> direction_of(brier_score_loss), direction_of(accuracy_score), direction_of(max)
    (False, True, None)
    """
    if isinstance(scorer, str) or is_scorer(scorer):
        return True
    name, of_sklearn = _origin(scorer)
    return False if f"_{name}".endswith(LOSS_SUFFIXES) else of_sklearn or None


def _origin(scorer: ScorerLike) -> tuple[str, bool]:
    """The name of a scorer or function, and whether it is one of scikit-learn."""
    if isinstance(scorer, str):
        return scorer, True
    function = scorer.func if isinstance(scorer, partial) else scorer
    return getattr(function, "__name__", ""), str(getattr(function, "__module__", "")).startswith("sklearn.metrics")


def range_of(scorer: ScorerLike) -> tuple[float, float]:
    """Range of a scorer or function of scikit-learn by its name; infinite where it is not known.

    >>> from sklearn.metrics import roc_auc_score
    >>> range_of("jaccard"), range_of(partial(roc_auc_score, max_fpr=0.2)), range_of("neg_log_loss"), range_of(max)
    ((0.0, 1.0), (0.0, 1.0), (-inf, 0.0), (-inf, inf))
    """
    name, of_sklearn = _origin(scorer)
    if of_sklearn and name.startswith("neg_"):
        return -math.inf, 0.0
    return (0.0, 1.0) if of_sklearn and name.startswith(SHARES) else (-math.inf, math.inf)


def takes_one_for_positive(function: ScorerLike) -> bool:
    """Whether a function is one of `sklearn.metrics` that was not told its positive label.

    >>> from sklearn.metrics import average_precision_score, roc_auc_score
    >>> takes_one_for_positive(roc_auc_score), takes_one_for_positive(max)
    (True, False)
    >>> takes_one_for_positive(partial(average_precision_score, pos_label="yes"))
    False
    """
    return _origin(function)[1] and "pos_label" not in getattr(function, "keywords", ())


def is_scorer(function: object) -> bool:
    """Whether a callable has scikit-learn's form of a scorer, f(model, X, y), rather than f(y, score).

    >>> from sklearn.metrics import accuracy_score, make_scorer
    >>> is_scorer(make_scorer(accuracy_score)), is_scorer(accuracy_score)
    (True, False)
    """
    if not callable(function):
        return False
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-in functions have no signature
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 3
