"""What the tests are given, values and options: checked once, here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import get_args

import numpy as np
import numpy.typing as npt

from trueness.checks import is_number, is_one_of
from trueness.errors import InputError
from trueness.sample.labels import check_same_index
from trueness.sample.scores import numbers
from trueness.typing import Alternative

NO_SPREAD = 1e-12  # differences that differ by less than this share of their size are the same
CELLS_PER_BLOCK = 4_000_000


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
