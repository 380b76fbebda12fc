"""Sample: the cases. Every check of data lives here."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError, KaratWarning
from karat.result.digits import counted
from karat.sample.alike import first_alike

# Labels whose positive class nobody doubts. Anything else must be named: the alphabetically last of
# "sick" and "well" is "well", and the AUC would silently become 1 − AUC.
_OBVIOUS = ({0, 1}, {-1, 1}, {False, True})

GIVE_LABELS = "karat is about classification: give class labels (are y and the scores swapped?)"
MANY_CLASSES = 10  # beyond so many, whole numbers of which most stand alone or in twos are no labels
FEW = 5  # labels that a message names


@dataclass(frozen=True, eq=False)
class Sample:
    """Cases with their labels.

    Attributes
    ----------
    codes
        (n,) index of each case's class in `classes`.
    classes
        The labels, sorted.
    positive
        Index of the positive class, or None where it was not given and is not obvious.
    groups
        (n,) index of each case's group, or None where every case stands for itself.
    X
        The features, as given; None where only labels are known.
    """

    codes: np.ndarray
    classes: np.ndarray
    positive: int | None
    groups: np.ndarray | None = None
    X: Any = field(default=None, repr=False)

    @classmethod
    def of(
        cls, y: Any, *, X: Any = None, positive: Any = None, groups: Any = None, classes: Any = None, least: int = 2
    ) -> Sample:
        """Check and build; `least` cases a class. See the errors for what is not accepted."""
        labels = _labels(y)
        if hasattr(X, "tocsr"):  # rows of some sparse formats cannot be taken
            X = X.tocsr()
        if X is not None:
            _check_rows(X, y, len(labels))
        found, codes = _told_apart(labels)
        known = found
        if classes is not None:
            known = np.asarray(classes)
            if len(set(known.tolist())) < len(known):
                raise InputError("classes names a class twice", got=known.tolist())
            strangers = [c for c in found.tolist() if c not in known.tolist()]
            if strangers:
                raise InputError("y has labels that are not in classes", got=strangers)
            codes = np.array([known.tolist().index(c) for c in found.tolist()])[codes]
        if len(found) < 2:
            raise InputError(
                "y has one class only; there is nothing to tell apart", got=f"{found.tolist()} for {len(labels)} cases"
            )
        sizes = np.bincount(codes, minlength=len(known))
        if least > 1 and (sizes == 1).any():
            _refuse_numbers(known, sizes)
            raise InputError(
                f"{single(known[sizes == 1].tolist())}: left out, no rule can know the class",
                fix="Collect more cases of such a class, or leave it out",
            )
        return cls(codes.astype(np.intp), known, _positive(known, positive), _groups(groups, y, len(labels)), X)

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(C,) cases of each class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @cached_property
    def alike(self) -> np.ndarray | None:
        """(n,) the first case with the same features as each, or None  (see `first_alike`)."""
        return first_alike(self.X)

    @cached_property
    def majority_error(self) -> float:
        """The error rate of always answering the commonest class."""
        return float(1 - self.sizes.max() / self.n)

    def is_positive(self) -> np.ndarray:
        """(n,) bool; an error where the positive class is not known."""
        return self.codes == self.require_positive()

    def require_positive(self) -> int:
        if self.n_classes != 2:
            raise InputError("this needs two classes", got=f"{self.n_classes}: {self.classes.tolist()}")
        if self.positive is None:
            a, b = self.classes.tolist()
            raise InputError(
                "which class is positive was not said, and the labels do not tell",
                got=f"{a!r} and {b!r}",
                fix=f"Pass positive={a!r} or positive={b!r}",
            )
        return self.positive

    def labels_only(self) -> Sample:
        """The same cases without their features."""
        return Sample(self.codes, self.classes, self.positive, self.groups)


def _labels(y: Any, name: str = "y") -> np.ndarray:
    if isinstance(y, (list, tuple)) and len({isinstance(v, str) for v in y if v is not None}) == 2:
        y = np.array(y, dtype=object)  # or NumPy would make strings of the numbers
    labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"{name} must hold one label a case", got=f"an array of shape {labels.shape}")
    if labels.size == 0:
        raise InputError("there are no cases", got=f"{name} with 0 rows")
    if labels.dtype.kind not in "iub" and (missing := pd.isna(labels)).any():
        raise InputError(
            f"{name} has {counted(int(missing.sum()), 'missing label')}",
            got=f"the first at row {int(np.flatnonzero(missing)[0])}, counting from 0",
            fix="Drop such cases; a case without a label cannot be judged",
        )
    if labels.dtype.kind == "f":
        if (labels != np.round(labels)).any() or np.abs(labels).max() > 2**53:
            raise InputError(
                f"{name} holds numbers that are not labels",
                got=f"e.g. {float(labels[labels != np.round(labels)][0])!r}",
                fix=GIVE_LABELS,
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind == "c":
        raise InputError(f"{name} holds complex numbers, which are no labels")
    if labels.dtype.kind == "O":
        kinds = {type(v) for v in labels.tolist()}
        if len(kinds) > 1:
            names = ", ".join(sorted(k.__name__ for k in kinds))
            raise InputError(f"{name} mixes labels of different types", got=names, fix="Make them all of one type")
        labels = np.array(labels.tolist())
    return labels


def _refuse_numbers(classes: np.ndarray, sizes: np.ndarray) -> None:
    """An error where whole numbers look measured: many different ones, most of them in one or two cases."""
    if classes.dtype.kind in "iu" and len(classes) > MANY_CLASSES and np.median(sizes[sizes > 0]) <= 2:
        raise InputError(
            "y looks like a number to be predicted, not like class labels",
            got=f"{len(classes)} different values in {sizes.sum()} cases, most of them in one or two",
            fix=GIVE_LABELS,
        )


def single(labels: list) -> str:
    """Which classes have a single case, in words; of many the first few."""
    if len(labels) == 1:
        return f"class {labels[0]!r} has a single case"
    more = f" and {len(labels) - FEW} more" if len(labels) > FEW else ""
    return f"{len(labels)} classes have a single case each ({', '.join(map(repr, labels[:FEW]))}{more})"


def _told_apart(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes, sorted, and the class of each case."""
    if labels.dtype.kind in "iu" and labels.dtype != np.uint64 and labels.min() == 0 and labels.max() < len(labels):
        sizes = np.bincount(labels)
        if sizes.all():  # labels 0, 1, ... need no sorting
            return np.arange(len(sizes), dtype=labels.dtype), labels
    found, codes = np.unique(labels, return_inverse=True)
    return found, codes


def _check_rows(X: Any, y: Any, n: int) -> None:
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != n:
        raise InputError("X and y have different lengths", got=f"{rows} rows and {n} labels")
    if hasattr(X, "shape") and len(X.shape) != 2:
        raise InputError("X must be a table: one row a case, one column a feature", got=f"shape {X.shape}")
    name = getattr(y, "name", None)
    if isinstance(y, pd.Series) and isinstance(X, pd.DataFrame) and name is not None and name in X.columns:
        raise InputError("the target is also a feature", got=f"X has the column {name!r}", fix="Drop it from X")
    if getattr(X, "ndim", 2) == 2 and 0 in X.shape:
        raise InputError("X has no features", got=f"shape {X.shape}")
    indexed = isinstance(X, (pd.DataFrame, pd.Series)) and isinstance(y, (pd.DataFrame, pd.Series))
    if indexed and not X.index.equals(y.index):
        raise InputError(
            "X and y are pandas objects with different indexes, so their rows may not belong together",
            fix="Align them (y = y.loc[X.index]), or pass y.to_numpy() if the order is right as it is",
        )


def warn_of_duplicates(sample: Sample) -> int:
    """Number of rows of X that are copies of another one (of another group); a warning where there are any."""
    if sample.alike is None:
        return 0
    kinds = len(np.unique(sample.alike))
    if sample.groups is not None:  # copies within a group stay on one side
        copies = len(np.unique(np.stack([sample.alike, sample.groups]), axis=1).T) - kinds
    else:
        copies = sample.n - kinds
    if copies:
        are = "is a copy" if copies == 1 else "are copies"
        warnings.warn(
            f"{copies} of {sample.n} rows of X {are} of another one: copies on both sides of a split make a model look "
            "better than it is. Drop copies, or give groups= so that they stay together.",
            KaratWarning,
            stacklevel=3,
        )
    return copies


def _positive(classes: np.ndarray, positive: Any) -> int | None:
    labels = classes.tolist()
    if positive is not None and len(labels) != 2:
        raise InputError(
            "a positive class is for two classes",
            got=f"{len(labels)} classes: {labels}",
            fix="Leave positive out, or mend y",
        )
    if positive is None:
        if len(labels) == 2 and set(labels) in _OBVIOUS:
            return labels.index(max(labels))
        return None
    spoken = str(positive).capitalize() if isinstance(labels[0], bool) else str(positive)  # a file's true is True
    matches = [i for i, label in enumerate(labels) if label == positive or str(label) == spoken]
    if not matches:
        raise InputError("the positive label is not among the classes", got=f"{positive!r}; the classes are {labels}")
    return matches[0]


def _groups(groups: Any, y: Any, n: int) -> np.ndarray | None:
    if groups is None:
        return None
    if isinstance(groups, pd.Series) and isinstance(y, pd.Series) and not groups.index.equals(y.index):
        raise InputError(
            "groups and y are pandas objects with different indexes, so their rows may not belong together",
            fix="Align them (groups = groups.loc[y.index]), or pass groups.to_numpy()",
        )
    values = np.asarray(groups.to_numpy() if hasattr(groups, "to_numpy") else groups)
    if values.shape != (n,):
        raise InputError("groups must hold one value a case", got=f"shape {values.shape} for {n} cases")
    if pd.isna(values).any():
        raise InputError("groups has missing values", fix="Give every case a group (its own if it stands alone)")
    try:
        _, codes = np.unique(values, return_inverse=True)
    except TypeError:
        raise InputError("groups mixes values of different types", fix="Make them all of one type") from None
    if codes.max() == 0:
        raise InputError("there is one group only; no split can keep it on one side")
    return codes.astype(np.intp)
