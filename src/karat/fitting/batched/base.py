"""What a batched engine is given, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from scipy.special import softmax

from karat.kernels.answers import two_class_answers
from karat.sample.sample import Sample

ROWS = 64


@dataclass(frozen=True, eq=False)
class Table:
    """The features as numbers, and what stands before the model in its pipeline."""

    X: np.ndarray  # (n, p) float64, finite
    sample: Sample
    scaled: bool = False  # a StandardScaler with its defaults stands before the model

    @property
    def codes(self) -> np.ndarray:
        return self.sample.codes

    @property
    def n_classes(self) -> int:
        return self.sample.n_classes


@dataclass(frozen=True, eq=False)
class Margins:
    """Log-posteriors up to a constant a case: (b, n) second class minus first, or (b, n, C).

    Where a model decides otherwise than by the largest of them, `predictions` (b, n) are given; where the
    values are probabilities already, (b, n) of the second class, `probabilities` says so.
    `undecided` are rows that the closed form cannot answer as scikit-learn would (a singular covariance, a
    lost class): they are fitted one by one, the generic way, and fail or work there.
    """

    values: np.ndarray
    undecided: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    predictions: np.ndarray | None = None
    probabilities: bool = False


class Batched(Protocol):
    """A model with a closed form for many training sets."""

    name: ClassVar[str]
    responses: ClassVar[tuple[str, ...]]  # methods of the fitted rule that give scores, the preferred first

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        """Of all cases under the rules trained on counts (b, n); of two classes they may be written to `out`."""
        ...


@runtime_checkable
class LeavesOneOut(Protocol):
    """An engine that can take one case out of its moments, about as dear as one fit."""

    def leave_one_out(self) -> Margins:
        """(n,) or (n, C): of each case under the rule trained on all the others; `undecided` are cases."""
        ...


def write_answers(margins: Margins, response: str, sample: Sample, scores: np.ndarray, predictions: np.ndarray) -> None:
    """What scikit-learn's predict and `response` give, turned to the positive class  (see fitting.one.answers).

    `scores` (b, n) or (b, n, C) may be the memory of the margins themselves; a few rows at a time stay in the cache.
    """
    two, turned = sample.n_classes == 2, sample.positive == 0
    if two and not margins.probabilities:
        if scores is not margins.values:
            np.copyto(scores, margins.values)
        two_class_answers(scores, predictions, turned, response == "predict_proba")
        if margins.predictions is not None:
            np.copyto(predictions, margins.predictions)
        return
    for start in range(0, len(scores), ROWS):
        rows = slice(start, start + ROWS)
        values = margins.values[rows]
        # the first of equal ones
        predictions[rows] = values.argmax(axis=2) if margins.predictions is None else margins.predictions[rows]
        if not margins.probabilities and response == "predict_proba":
            values = softmax(values, axis=2)
        np.copyto(scores[rows], 1 - values if two and turned else values)


def covered(model: Any, **defaults: Any) -> bool:
    """Whether the parameters of a scikit-learn model are these."""
    kind: type = type(model)
    given = parameter_names(kind)
    return all(name not in given or _equal(getattr(model, name), value) for name, value in defaults.items())


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """Of a class of scikit-learn's: reading them off its signature takes longer than most checks."""
    return tuple(kind._get_param_names())  # type: ignore[attr-defined]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(b, tuple):
        return a in b
    return a is b or (type(a) is type(b) and a == b)
