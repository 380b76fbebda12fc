"""Labels and decisions as codes, as a table needs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.sample.labels import (
    OBVIOUS_LABELS,
    array_of,
    check_same_index,
    check_same_length,
    classes_of,
    codes_among,
    given_array,
    label_array,
    positive_code,
    require_positive,
)
from trueness.typing import Array, Bools, Ints, Label, Labels

UNKNOWN = -1  # the code of a case whose truth is not known


@dataclass(frozen=True, eq=False)
class Decided:
    """Cases with a true class and a decision."""

    truth: Ints  # (n,) index of the true class; −1 where it is not known
    said: Ints  # (n,) index of the decided class
    # the labels, sorted; two of them in the order negative, positive where `positive_last` was called
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, y: Labels, predictions: Labels, *, classes: Labels | None = None, unknown: bool = False) -> Decided:
        """Check labels and decisions; `unknown` allows missing labels in y."""
        check_same_index("predictions", predictions, "y", y)
        missing = missing_labels(y) if unknown else np.zeros(0, dtype=bool)
        labels = label_array(_without(y, missing) if missing.any() else y)
        said = label_array(predictions, "predictions")
        check_same_length("predictions", len(said), len(missing) if missing.any() else len(labels))
        known = _classes(labels, said, classes)
        truth = codes_among(labels, known)
        if missing.any():
            whole = np.full(len(missing), UNKNOWN, dtype=np.intp)
            whole[~missing] = truth
            truth = whole
        return cls(
            truth, codes_among(said, known, "predictions", "Pass predicted labels, or all labels as {classes=}"), known
        )

    def positive_last(self, positive: Label | None) -> Decided:
        """Two classes in the order negative, positive; an error where the positive class is not known."""
        if require_positive(self.classes, positive_code(self.classes, positive)) == 1:
            return self
        swap = np.array([1, 0, UNKNOWN])  # index −1 stays −1
        return Decided(swap[self.truth], swap[self.said], self.classes[::-1])

    def counts(self) -> Ints:
        """(C, C) cases of each true class and decision."""
        c, known = len(self.classes), self.truth >= 0
        return np.bincount(self.truth[known] * c + self.said[known], minlength=c * c).reshape(c, c)

    def unknown_counts(self) -> Ints:
        """(C,) cases of each decision whose truth is not known."""
        return np.bincount(self.said[self.truth < 0], minlength=len(self.classes))

    def cells(self) -> Ints:
        """(n,) place of every case in the flattened table, the row of unknown truth last."""
        row = np.where(self.truth >= 0, self.truth, len(self.classes))
        return row * len(self.classes) + self.said


def _classes(labels: Array, said: Array, classes: Labels | None) -> tuple[Label, ...]:
    if classes is not None:
        known = label_array(classes, "classes").tolist()
        if len(set(known)) != len(known) or len(known) < 2:
            raise InputError("classes must hold two or more different labels", param="classes", got=classes)
        return tuple(known)
    found = classes_of(labels)[0].tolist()
    both = {*found, *classes_of(said)[0].tolist()}
    if both in OBVIOUS_LABELS:  # 0 and 1: two classes even where y has only one of them
        return tuple(sorted(both))
    if len(found) == 1 and both == set(found):
        raise InputError(
            "y has one class only; at least 2 are required", param="y", got=found, fix="Pass all labels as {classes=}"
        )
    return tuple(found)


def missing_labels(y: Labels) -> Bools:
    """(n,) where a label is missing."""
    return np.asarray(pd.isna(given_array("y", y)))


def _without(y: Labels, missing: Bools) -> Array:
    values = np.asarray(array_of(y), dtype=object)[~missing]
    if not len(values):
        raise InputError("y has no label that is not missing", param="y")
    return np.array(values.tolist())
