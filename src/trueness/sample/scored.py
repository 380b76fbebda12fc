"""Scored: cases of two classes with one score each, as ROC and PR curves need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trueness.errors import InputError
from trueness.formulas.auc import class_extremes, delong_influence
from trueness.formulas.groups import count_groups
from trueness.kernels.auc import auc
from trueness.sample.labels import (
    check_same_index,
    classes_of,
    group_codes,
    label_array,
    one_spelling,
    positive_code,
    require_positive,
    require_two_labels,
)
from trueness.sample.scores import score_array
from trueness.typing import Bools, Floats, Ints, Label, Labels, Scores


@dataclass(frozen=True, eq=False, repr=False)
class Scored:
    """Cases of two classes with one score each; high scores indicate the positive class.

    Unlike a Sample it may hold a single case of a class, since no rule is trained here.
    """

    scores: Floats  # (n,) ±inf is allowed, NaN is not
    positive: Bools  # (n,)
    classes: tuple[object, object] = (0, 1)  # negative, positive
    groups: Ints | None = None  # (n,) the group of each case, where only whole groups are independent

    @classmethod
    def of(cls, y: Labels, scores: Scores, positive: Label | None = None, groups: object = None) -> Scored:
        """Check labels and scores; an error names the parameter at fault."""
        labels = label_array(y)
        values = score_array(scores, len(labels))
        check_same_index("scores", scores, "y", y)
        known, codes = classes_of(labels)
        require_two_labels(known, len(labels))
        if len(known) > 2:
            raise InputError(
                "ROC and PR curves need exactly two classes",
                param="y",
                got=f"{len(known)}: {known.tolist()[:10]}",
                fix=one_spelling(known.tolist())
                or "Compare one class with the rest, or use trueness.curves.multiclass_roc",
            )
        code = require_positive(known, positive_code(known, positive))
        units = group_codes(groups, y, len(labels))
        return cls(values, codes == code, (known.tolist()[1 - code], known.tolist()[code]), units)

    @property
    def described(self) -> str:
        """ "60 cases, 20 of class b (positive) and 40 of class a"."""
        negative, positive = self.classes
        return f"{self.n} cases, {self.n1} of class {positive} (positive) and {self.n0} of class {negative}"

    def __repr__(self) -> str:
        return f"<Scores of {self.described}>"

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.scores)

    @cached_property
    def up(self) -> Floats:
        """(n1,) scores of the positives."""
        return self.scores[self.positive]

    @cached_property
    def down(self) -> Floats:
        """(n0,) scores of the negatives."""
        return self.scores[~self.positive]

    @cached_property
    def n1(self) -> int:
        """Number of positives."""
        return int(np.count_nonzero(self.positive))

    @property
    def n0(self) -> int:
        """Number of negatives."""
        return self.n - self.n1

    @cached_property
    def independent(self) -> tuple[int, int]:
        """Number of independent positives and negatives: cases, or groups with a case of the class."""
        if self.groups is None:
            return self.n1, self.n0
        return count_groups(self.groups[self.positive]), count_groups(self.groups[~self.positive])

    @cached_property
    def delong(self) -> tuple[float, Floats]:
        """The Mann–Whitney AUC, and the vector (n,) whose squared norm is DeLong's variance."""
        value, influence = delong_influence(self.scores, self.positive)
        return float(value), influence

    @cached_property
    def area(self) -> float:
        """The Mann–Whitney AUC alone."""
        return (
            self.delong[0]
            if "delong" in self.__dict__
            else auc(self.scores[self.positive], self.scores[~self.positive])
        )

    @cached_property
    def extremes(self) -> tuple[float, float, float, float]:
        """The lowest and the highest score of a positive, and of a negative."""
        lowest, highest, low, high = class_extremes(self.scores, self.positive)
        return lowest, highest, low, high

    @property
    def range(self) -> tuple[float, float]:
        """The lowest score and the highest."""
        lowest, highest, low, high = self.extremes
        return min(lowest, low), max(highest, high)

    def turned(self) -> Scored:
        """Classes swapped and scores negated: TPF becomes 1 − FPF and FPF becomes 1 − TPF."""
        return Scored(-self.scores, ~self.positive, (self.classes[1], self.classes[0]), self.groups)

    def rows(self, up: Ints, down: Ints) -> Scored:
        """The positives and negatives at these places of `up` and `down` (resampled, or some left out)."""
        scores = np.concatenate([self.up[up], self.down[down]])
        return Scored(scores, np.arange(len(scores)) < len(up), self.classes)
