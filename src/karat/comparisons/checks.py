"""Checks of options that several tests share, and the size of a block of resamples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import get_args

from karat.checks import is_number, is_one_of
from karat.errors import InputError, Setting
from karat.typing import Alternative

CELLS_PER_BLOCK = 4_000_000


def check_alternative(alternative: Alternative) -> None:
    if not is_one_of(alternative, get_args(Alternative)):
        raise InputError(
            'alternative must be "two-sided", "less" or "greater"', param="alternative", got=repr(alternative)
        )


def check_inside(name: str, value: float, low: float, high: float, ends: bool = False) -> None:
    """An error unless low < value < high, or ≤ where the `ends` are allowed."""
    if not (is_number(value) and (low <= value <= high if ends else low < value < high)):
        fix = ("Use e.g. ", Setting("level", 0.95)) if name == "level" else ""
        raise InputError(f"{name} must be between {low:g} and {high:g}", param=name, got=repr(value), fix=fix)


def check_positive(name: str, value: float) -> None:
    if not (is_number(value) and 0 < value < math.inf):
        raise InputError(f"{name} must be a positive number", param=name, got=repr(value))


def blocks(resamples: int, cells: int) -> Iterator[int]:
    """Sizes of the blocks in which resamples of this many cells each are drawn, so that memory stays bounded."""
    step = max(1, CELLS_PER_BLOCK // cells)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
