"""What the tests are given, values and options: checked once, here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from trueness.checks import is_number, is_one_of
from trueness.errors import InputError
from trueness.sample.labels import check_same_index, check_same_length, codes_among, group_codes, label_array
from trueness.sample.sample import Sample
from trueness.sample.scores import numbers, score_array
from trueness.typing import Alternative, Bools, Floats, Ints, Label, Labels, Scores

NO_SPREAD = 1e-12  # differences that differ by less than this share of their size are the same
CELLS_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class TwoRules:
    """The cases of one test set, scored by two rules."""

    up: Bools  # (n,) which cases are positive
    first: Floats  # (n,) scores
    second: Floats
    groups: Ints | None  # (n,) group of each case

    @classmethod
    def of(cls, y: Labels, s1: Scores, s2: Scores, positive: Label | None, groups: Labels | None = None) -> TwoRules:
        up, first, second = scores_of(y, s1, s2, positive=positive)
        return cls(up, first, second, groups_of(groups, y, up))

    @property
    def identical(self) -> bool:
        return np.array_equal(self.first, self.second)


def scores_of(
    y: Labels, *scores: Scores, positive: Label | None = None, names: tuple[str, ...] = ()
) -> tuple[np.ndarray, ...]:
    """(n,) which cases are positive, and each model's scores as floats (n,)."""
    sample = Sample.of(y, positive=positive)
    out: list[np.ndarray] = [sample.is_positive()]
    for k, given in enumerate(scores):
        param = names[k] if names else f"s{k + 1}"
        out.append(score_array(given, sample.n, param))
        check_same_index(param, given, "y", y)
    return tuple(out)


def groups_of(groups: Labels | None, y: Labels, up: np.ndarray, param: str = "groups") -> np.ndarray | None:
    """(n,) the group of each case, two or more in each class; None where no groups are given."""
    codes = group_codes(groups, y, len(up), param)
    if codes is not None:
        for of, name in ((up, "positive"), (~up, "negative")):
            if len(np.unique(codes[of])) < 2:
                raise InputError(
                    f"All {name} cases are in one group; at least 2 groups per class are required", param=param
                )
    return codes


def correct_of(y: Labels, *predictions: Labels) -> tuple[np.ndarray, ...]:
    """For each model (n,) bool: which cases it predicted correctly."""
    truth = label_array(y)
    out = []
    for k, given in enumerate(predictions):
        param = f"p{k + 1}"
        predicted = label_array(given, param)
        check_same_length(param, len(predicted), len(truth))
        check_same_index(param, given, "y", y)
        if truth.dtype.kind in "iub" and predicted.dtype.kind not in "iub":
            raise InputError(
                f"{param} and y hold labels of different types", param=param, got=f"{predicted.dtype} and {truth.dtype}"
            )
        known = np.unique(truth)
        if len(known) > 1:  # cases of one class do not tell the name of the other
            codes_among(predicted, known, param, fix="Use the same labels as in y")
        out.append(np.asarray(predicted == truth))
    return tuple(out)


def paired_values(e1: npt.ArrayLike, e2: npt.ArrayLike, least: int = 2) -> np.ndarray:
    """(n,) e1 − e2 of values that belong together pair by pair."""
    a, b = (values_of(e, name, 1) for e, name in ((e1, "e1"), (e2, "e2")))
    if a.shape != b.shape:
        raise InputError(
            "e1 and e2 must be paired: the same data sets in the same order",
            param="e2",
            got=f"{len(a)} and {len(b)} values",
        )
    check_same_index("e2", e2, "e1", e1)
    if len(a) < least:
        raise InputError(f"At least {least} pairs are required", param="e1", got=len(a))
    size = np.maximum(np.abs(a), np.abs(b)).max()
    return np.where(np.abs(a - b) <= NO_SPREAD * size, 0.0, a - b)  # 0 where they are the same but for the last bits


def split_values(given: npt.ArrayLike, name: str, ndim: int = 1) -> np.ndarray:
    """(k,) or (k, f): two or more splits of a data set, one row each."""
    values = values_of(given, name, ndim)
    if len(values) < 2:
        raise InputError("At least 2 splits are required", param=name, got=len(values))
    return values


def values_of(given: npt.ArrayLike, name: str, ndim: int) -> np.ndarray:
    """Finite numbers."""
    values = numbers(given, name)
    if values.ndim != ndim or not values.size:
        raise InputError(
            f"{name} must have {ndim} {'dimension' if ndim == 1 else 'dimensions'}",
            param=name,
            got=f"shape {values.shape}",
        )
    if not np.isfinite(values).all():
        wrong = int((~np.isfinite(values)).sum())
        raise InputError(f"{name} has missing or infinite values", param=name, got=f"{wrong} of them")
    return values


def constant(values: np.ndarray) -> bool:
    """Whether the values are all the same, up to rounding."""
    return bool(np.ptp(values) <= NO_SPREAD * np.abs(values).max(initial=0.0))


def check_alternative(alternative: Alternative) -> None:
    if not is_one_of(alternative, get_args(Alternative)):
        raise InputError(
            'alternative must be "two-sided", "less" or "greater"', param="alternative", got=repr(alternative)
        )


def check_inside(name: str, value: float, low: float, high: float, ends: bool = False) -> None:
    """An error unless low < value < high, or ≤ where the `ends` are allowed."""
    if not (is_number(value) and (low <= value <= high if ends else low < value < high)):
        raise InputError(f"{name} must be between {low:g} and {high:g}", param=name, got=repr(value))


def check_positive(name: str, value: float) -> None:
    if not (is_number(value) and 0 < value < math.inf):
        raise InputError(f"{name} must be a positive number", param=name, got=repr(value))


def blocks(resamples: int, cells: int) -> Iterator[int]:
    """Sizes of the blocks in which resamples of this many cells each are drawn, so that memory stays bounded."""
    step = max(1, CELLS_PER_BLOCK // cells)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
