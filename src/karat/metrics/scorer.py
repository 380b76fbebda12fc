"""Any scikit-learn scorer, or a function of labels and scores, as a metric of a set."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.metrics.direction import direction_of
from karat.metrics.metric import SetMetric, known

if TYPE_CHECKING:
    from karat.sample.block import Block
    from karat.sample.sample import Sample


@lru_cache(maxsize=1)
def scorer_names() -> tuple[str, ...]:
    from sklearn.metrics import get_scorer_names

    return tuple(get_scorer_names())


@dataclass(frozen=True, eq=False)
class Scorer(SetMetric):
    """A scorer's name, a scorer object, or a function f(y, score) → number.

    With two classes a function gets y as 0 and 1 (1 = positive) and the scores (m,); with several, the
    labels and the scores (m, C). A scorer sees a model that answers with the stored values.

    Larger is better for every scorer. Of a function `higher_is_better` says it; left out, the functions of
    `sklearn.metrics` and names that end in _loss or _error are known, and of any other it is not.

    Examples
    --------
    >>> def share_missed(y, score):
    ...     return ((score < 0.5) & (y == 1)).mean()
    >>> Scorer(share_missed).higher_is_better is None
    True
    >>> Scorer(share_missed, higher_is_better=False).higher_is_better
    False
    """

    scorer: Any = None
    sample: Any = None
    probabilities: bool = False
    higher_is_better: bool | None = None  # type: ignore[misc]  # of one scorer, not of the class
    name: ClassVar[str] = "scorer"

    @property
    def label(self) -> str:
        return _called(self.scorer)

    def __init__(
        self, scorer: Any, sample: Any = None, probabilities: bool = False, higher_is_better: bool | None = None
    ) -> None:
        object.__setattr__(self, "scorer", scorer)
        object.__setattr__(self, "sample", sample)
        object.__setattr__(self, "probabilities", probabilities)
        way = direction_of(scorer) if higher_is_better is None else higher_is_better
        object.__setattr__(self, "higher_is_better", way)
        object.__setattr__(self, "name", self.label)

    def bind(self, sample: Sample) -> Scorer:
        if sample.n_classes == 2:
            sample.require_positive()
        return replace(self, sample=sample)

    def rows(self, block: Block, weights: np.ndarray) -> np.ndarray:
        function = self._function()
        labels = self._labels(block.codes)
        values = np.full(len(weights), math.nan)
        for b, weight in enumerate(weights.astype(np.intp)):
            cases = np.repeat(np.arange(len(weight)), weight)
            if len(np.unique(block.codes[cases])) == self.sample.n_classes:
                scores = None if block.scores is None else block.scores[b]
                if scores is not None:
                    used = (weight > 0) if scores.ndim == 1 else (weight > 0)[:, None]
                    scores = known(scores, used, self.label)[cases]
                predictions = None if block.predictions is None else block.predictions[b][cases]
                if predictions is not None and (predictions < 0).any():
                    raise InputError(f"{self.label} needs a prediction that is not there", got=f"rule {block.fits[b]}")
                values[b] = function(labels[cases], scores, predictions)
        return values

    def _number(self, function: Callable[..., Any], *arguments: Any) -> float:
        try:
            return float(function(*arguments))
        except (ValueError, TypeError) as error:
            raise InputError(f"{self.label} cannot be computed from these answers", got=str(error)) from None

    def _labels(self, codes: np.ndarray) -> np.ndarray:
        if self.sample.n_classes == 2:
            return (codes == self.sample.positive).astype(int)
        return self.sample.classes[codes]

    def _function(self) -> Callable[[np.ndarray, Any, Any], float]:
        from sklearn.metrics import get_scorer

        if not isinstance(self.scorer, str) and not hasattr(self.scorer, "_score_func"):
            return lambda y, scores, predictions: self._number(self.scorer, y, scores)
        scorer = get_scorer(self.scorer) if isinstance(self.scorer, str) else self.scorer

        def of_stored(y: np.ndarray, scores: Any, predictions: Any) -> float:
            model = stored_model(self.sample, scores, predictions, self._labels, self.probabilities)
            try:
                return self._number(scorer, model, np.zeros((len(y), 1)), y)
            except AttributeError as error:
                raise InputError(
                    f"{self.label} needs answers that these Fits do not hold (probabilities, or decisions)",
                    got=str(error),
                    fix='Use models that have predict_proba (with karat.fit: scores="predict_proba"); '
                    "Fits.from_arrays takes predictions=",
                ) from None

        return of_stored


def stored_model(sample: Sample, scores: Any, predictions: Any, labels: Callable, probabilities: bool) -> Any:
    """A fitted classifier, as far as a scorer can tell, that answers with stored values."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    methods: dict[str, Any] = {
        "classes_": np.array([0, 1]) if sample.n_classes == 2 else sample.classes,
        "__sklearn_is_fitted__": lambda self: True,
    }
    if predictions is not None:

        def predict(self: Any, X: Any) -> np.ndarray:
            return labels(predictions)

        methods["predict"] = predict
    if scores is not None and probabilities:
        columns = np.stack([1 - scores, scores], axis=1) if scores.ndim == 1 else scores

        def predict_proba(self: Any, X: Any) -> np.ndarray:
            return columns

        methods["predict_proba"] = predict_proba
    elif scores is not None:

        def decision_function(self: Any, X: Any) -> np.ndarray:
            return scores

        methods["decision_function"] = decision_function
    return type("Stored", (ClassifierMixin, BaseEstimator), methods)()


def _called(scorer: Any) -> str:
    """Its name; of a partial function with the values it was given, which tell it from others."""
    if isinstance(scorer, partial):
        given = [repr(v) for v in scorer.args] + [f"{k}={v!r}" for k, v in scorer.keywords.items()]
        return f"{_called(scorer.func)}({', '.join(given)})"
    return scorer if isinstance(scorer, str) else getattr(scorer, "__name__", str(scorer))
