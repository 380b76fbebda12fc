"""What a batched engine is given, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit, softmax

from karat.sample.sample import Sample


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

    def margins(self, counts: np.ndarray) -> Margins:
        """Of all cases under the rules trained on counts (b, n)."""
        ...


@runtime_checkable
class LeavesOneOut(Protocol):
    """An engine that can take one case out of its moments, about as dear as one fit."""

    def leave_one_out(self) -> Margins:
        """(n,) or (n, C): of each case under the rule trained on all the others; `undecided` are cases."""
        ...


def scores_of(margins: np.ndarray, response: str, sample: Sample, probabilities: bool = False) -> np.ndarray:
    """What scikit-learn's `response` gives, turned to the positive class  (see fitting.one.answers)."""
    positive = 1 if sample.positive is None else sample.positive
    if probabilities:
        return margins if sample.n_classes > 2 or positive == 1 else 1 - margins
    if sample.n_classes == 2:
        turned = margins if positive == 1 else -margins
        return expit(turned) if response == "predict_proba" else turned
    return softmax(margins, axis=2) if response == "predict_proba" else margins


def predictions_of(margins: np.ndarray, sample: Sample) -> np.ndarray:
    """The likeliest class, the first of equal ones."""
    if sample.n_classes == 2:
        return (margins > 0).astype(np.int16)
    return margins.argmax(axis=2).astype(np.int16)


def covered(model: Any, **defaults: Any) -> bool:
    """Whether the model's parameters are these."""
    given = model.get_params(deep=False)
    return all(name not in given or _equal(given[name], value) for name, value in defaults.items())


def _equal(a: Any, b: Any) -> bool:
    if isinstance(b, tuple):
        return a in b
    return a is b or (type(a) is type(b) and a == b)
