"""Scored: cases of two classes with one score each. The checks that ROC and PR curves need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.formulas.delong import class_extremes, delong_influence
from karat.kernels.auc import auc_rows
from karat.result.digits import counted
from karat.sample.sample import Sample, _labels, _positive


@dataclass(frozen=True, eq=False)
class Scored:
    """Two classes and one score a case; high scores speak for the positive class.

    Unlike a Sample it may hold a single case of a class: no rule is trained here.

    Attributes
    ----------
    scores
        (n,) ±inf is legal, NaN is not.
    positive
        (n,) True for the cases of the positive class.
    classes
        The labels: negative, positive.
    """

    scores: np.ndarray
    positive: np.ndarray
    classes: tuple[Any, Any] = (0, 1)

    @classmethod
    def of(cls, y: Any, scores: Any, positive: Any = None) -> Scored:
        """Check and build. See the errors for what is not accepted."""
        labels = _labels(y)
        values = _scores(scores, len(labels))
        if isinstance(y, pd.Series) and isinstance(scores, pd.Series) and not y.index.equals(scores.index):
            raise InputError(
                "y and scores are pandas objects with different indexes, so their rows may not belong together",
                fix="Align them (scores = scores.loc[y.index]), or pass scores.to_numpy() if the order is right",
            )
        known, codes = distinct(labels)
        if len(known) < 2:
            raise InputError("y has one class only; there is nothing to tell apart", got=f"{known.tolist()}")
        if len(known) > 2:
            raise InputError(
                "a ROC or PR curve needs two classes",
                got=f"{len(known)}: {known.tolist()[:10]}",
                fix="Set one class against the rest; for several at once Python has karat.multiclass_roc",
            )
        code = Sample(codes, known, _positive(known, positive)).require_positive()
        positives = codes if code == 1 else ~codes
        return cls(values, positives, (known[1 - code].item(), known[code].item()))

    @property
    def n(self) -> int:
        return len(self.scores)

    @cached_property
    def up(self) -> np.ndarray:
        """(n1,) scores of the positives."""
        return self.scores[self.positive]

    @cached_property
    def down(self) -> np.ndarray:
        """(n0,) scores of the negatives."""
        return self.scores[~self.positive]

    @cached_property
    def n1(self) -> int:
        return int(np.count_nonzero(self.positive))

    @property
    def n0(self) -> int:
        return self.n - self.n1

    @cached_property
    def delong(self) -> tuple[float, np.ndarray]:
        """Mann–Whitney's AUC, and the vector (n,) of DeLong's variance."""
        return delong_influence(self.scores, self.positive)

    @cached_property
    def area(self) -> float:
        """Mann–Whitney's AUC alone."""
        return self.delong[0] if "delong" in self.__dict__ else float(auc_rows(self.scores[None], self.positive)[0])

    @cached_property
    def extremes(self) -> tuple[float, float, float, float]:
        """The lowest and the highest score of a positive, and of a negative."""
        return class_extremes(self.scores, self.positive)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest score and the highest."""
        lowest, highest, low, high = self.extremes
        return min(lowest, low), max(highest, high)

    def turned(self) -> Scored:
        """Classes swapped and scores negated: TPF becomes 1 − FPF and FPF becomes 1 − TPF."""
        return Scored(-self.scores, ~self.positive, (self.classes[1], self.classes[0]))

    def rows(self, up: np.ndarray, down: np.ndarray) -> Scored:
        """The positives and negatives at these places of `up` and `down` (drawn again, or some left out)."""
        scores = np.concatenate([self.up[up], self.down[down]])
        return Scored(scores, np.arange(len(scores)) < len(up), self.classes)


def distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels, sorted, and for two of them which cases (n,) have the second; without a sort."""
    first = labels[0]
    other = labels != first
    second = labels[int(other.argmax())]  # again the first where there is no other
    if not (other == (labels == second)).all():
        return np.unique(labels, return_inverse=True)
    known = np.array([first, second] if first < second else [second, first])
    return known, other if known[-1] == second else ~other


def _scores(scores: Any, n: int) -> np.ndarray:
    label = getattr(scores, "name", None)  # of a column
    name = "scores" if label is None else f"score {label}"
    try:
        # a copy: curves are worked out when they are asked for, and the caller may change the scores until then
        values = np.array(scores.to_numpy() if hasattr(scores, "to_numpy") else scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {_not_a_number(scores) or f'must be numbers, and {error}'}") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        do = "Pass the column of the positive class" if values.ndim == 2 and values.shape[1] == 2 else ""
        raise InputError(f"{name} must hold one number a case", got=f"an array of shape {values.shape}", fix=do)
    if len(values) != n:
        raise InputError(f"y and {name} have different lengths", got=f"{n} labels and {len(values)} scores")
    missing = np.isnan(values)
    if missing.any():
        raise InputError(
            f"{name}: {_counted(missing)} NaN, {_first(missing)}",
            fix="Drop those cases or give them a score; ±inf is a legal score, NaN is none",
        )
    return values


def _not_a_number(scores: Any) -> str:
    """Which values are no numbers; nothing where they have other faults."""
    column = pd.Series(list(scores), dtype=object)
    wrong = (pd.to_numeric(column, errors="coerce").isna() & column.notna()).to_numpy()
    if not wrong.any():
        return ""
    return f"{_counted(wrong)} not a number, {_first(wrong)}: {column[int(wrong.argmax())]!r}"


def _counted(which: np.ndarray) -> str:
    return counted(int(which.sum()), "value is", "values are")


def _first(which: np.ndarray) -> str:
    return f"the first at row {int(which.argmax())} (counting from 0)"
