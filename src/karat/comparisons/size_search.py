"""How many cases? The search for the smallest number that will do, and the checks of what it is asked."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from karat.errors import InputError

FIXED = "rules that are fixed, judged on a test set they never saw."
MOST = 10**8


def smallest(good: Callable[[int], bool], start: int) -> int:
    """The smallest whole number from `start` on that is good, where all larger ones are."""
    high = start
    while not good(high):
        high *= 2
        if high > MOST:
            raise InputError("no sensible number of cases reaches this", got=f"more than {MOST:.0e}")
    low = max(start, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle + 1, high)
    return low


def check_inside(name: str, value: float, low: float, high: float, ends: bool = False) -> None:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    inside = number and (low <= value <= high if ends else low < value < high)
    if not inside:
        raise InputError(f"{name} must lie between {low:g} and {high:g}", got=repr(value))


def check_positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise InputError(f"{name} must be a positive number", got=value)
