"""Labels and decisions as codes: the checks that a table needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.sample.sample import _OBVIOUS, Sample, _labels, _positive

UNKNOWN = -1  # the code of a case whose truth is not known


@dataclass(frozen=True, eq=False)
class Decided:
    """Cases with a true class and a decision.

    Attributes
    ----------
    truth
        (n,) index of the true class; −1 where it is not known.
    said
        (n,) index of the decided class.
    classes
        The labels, sorted; two of them in the order negative, positive where `positive_last` was called.
    """

    truth: np.ndarray
    said: np.ndarray
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, y: Any, predictions: Any, *, classes: Any = None, unknown: bool = False) -> Decided:
        """Check and build; `unknown` allows missing labels in y."""
        _check_indexes(y, predictions)
        missing = missing_labels(y) if unknown else None
        labels = _labels(_known(y, missing) if missing is not None and missing.any() else y)
        said = _labels(predictions, "predictions")
        n = len(labels) if missing is None else len(missing)
        if n != len(said):
            raise InputError("y and predictions have different lengths", got=f"{n} labels and {len(said)} predictions")
        known = _classes(labels, said, classes)
        truth = _codes(labels, known, "y")
        if missing is not None and missing.any():
            full = np.full(n, UNKNOWN, dtype=np.intp)
            full[~missing] = truth
            truth = full
        return cls(truth, _codes(said, known, "predictions"), known)

    def positive_last(self, positive: Any) -> Decided:
        """Two classes in the order negative, positive; an error where nobody can tell which is which."""
        labels = np.asarray(self.classes)
        empty = np.empty(0, dtype=np.intp)
        code = Sample(empty, labels, _positive(labels, positive)).require_positive()
        if code == 1:
            return self
        swap = np.array([1, 0, UNKNOWN])  # index −1 stays −1
        return Decided(swap[self.truth], swap[self.said], self.classes[::-1])

    def counts(self) -> np.ndarray:
        """(C, C) cases of each true class and decision."""
        c, known = len(self.classes), self.truth >= 0
        return np.bincount(self.truth[known] * c + self.said[known], minlength=c * c).reshape(c, c)

    def unknown_counts(self) -> np.ndarray:
        """(C,) cases of each decision whose truth is not known."""
        return np.bincount(self.said[self.truth < 0], minlength=len(self.classes))

    def cells(self) -> np.ndarray:
        """(n,) place of every case in the flattened table, the row of unknown truth last."""
        row = np.where(self.truth >= 0, self.truth, len(self.classes))
        return row * len(self.classes) + self.said


def _classes(labels: np.ndarray, said: np.ndarray, classes: Any) -> tuple[Any, ...]:
    if classes is not None:
        known = list(np.asarray(classes).tolist())
        if len(set(known)) != len(known) or len(known) < 2:
            raise InputError("classes must name two or more different labels", got=classes)
        return tuple(known)
    found = np.unique(labels).tolist()
    both = set(found) | set(np.unique(said).tolist())
    if both in _OBVIOUS:  # 0 and 1: a table of them is one of two classes even where y has one only
        return tuple(sorted(both))
    if len(found) == 1 and both == set(found):
        raise InputError(
            "there is one class only; there is nothing to tell apart",
            got=found,
            fix="Pass classes= to name the others",
        )
    return tuple(found)


def _codes(labels: np.ndarray, classes: tuple[Any, ...], name: str) -> np.ndarray:
    codes = np.full(len(labels), UNKNOWN, dtype=np.intp)
    for index, label in enumerate(classes):
        codes[labels == label] = index
    strangers = np.unique(labels[codes == UNKNOWN]).tolist()
    if strangers:
        raise InputError(
            f"{name} holds a label that is not among the classes",
            got=f"{', '.join(map(repr, strangers[:5]))}; the classes are {list(classes)}",
            fix="Pass classes= with all labels if it belongs to them",
        )
    return codes


def _check_indexes(y: Any, predictions: Any) -> None:
    if isinstance(y, pd.Series) and isinstance(predictions, pd.Series) and not y.index.equals(predictions.index):
        raise InputError(
            "y and predictions are pandas objects with different indexes, so their rows may not belong together",
            fix="Align them, or pass predictions.to_numpy() if the order is right as it is",
        )


def missing_labels(y: Any) -> np.ndarray:
    return np.asarray(pd.isna(np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)))


def _known(y: Any, missing: np.ndarray) -> np.ndarray:
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y, dtype=object)[~missing]
    if not len(values):
        raise InputError("the truth is known for no case at all")
    return np.array(values.tolist())
