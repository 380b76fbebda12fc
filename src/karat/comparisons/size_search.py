"""The search for the smallest sufficient number of cases."""

from __future__ import annotations

from collections.abc import Callable

from karat.errors import InputError

MAX_CASES = 10**8


def smallest(sufficient: Callable[[int], bool], start: int) -> int:
    """The smallest whole number from `start` on that is sufficient, where all larger ones are too."""
    high = start
    while not sufficient(high):
        high *= 2
        if high > MAX_CASES:
            raise InputError("No realistic number of cases is sufficient", got=f"more than {MAX_CASES:.0e}")
    low = max(start, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if sufficient(middle) else (middle + 1, high)
    return low


def check_difference(difference: float, param: str) -> None:
    if difference == 0:
        raise InputError("The expected difference is 0; no sample size can detect it", param=param)
