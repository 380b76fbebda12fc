"""What sample sizes share: the search for the smallest sufficient number of cases, and a pilot study."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import TypeVar

from trueness.errors import InputError

MAX_CASES = 10**8

Pilot = TypeVar("Pilot")  # (y, s1, s2) or (y, p1, p2)


def smallest(sufficient: Callable[[int], bool], start: int) -> int:
    """The smallest whole number from `start` on that is sufficient, where all larger ones are too."""
    high = start
    while not sufficient(high):
        high *= 2
        if high > MAX_CASES:
            raise InputError("No realistic number of cases is sufficient", got=f"more than {MAX_CASES:.0e}")
    low = max(start, high // 2)
    return low + bisect_left(range(low, high), True, key=sufficient)


def check_difference(difference: float, param: str) -> None:
    if difference == 0:
        raise InputError("The expected difference is 0; no sample size can detect it", param=param)


def three_arrays(pilot: Pilot, names: str) -> Pilot:
    """The parts of a pilot study."""
    if not isinstance(pilot, (tuple, list)) or len(pilot) != 3:
        raise InputError(f"pilot must be {names}", param="pilot", got=type(pilot).__name__)
    return pilot


def both_given(name: str, first: float | None, second: float | None, pilot: str) -> tuple[float, float]:
    """The expected values of two rules, which are required without a pilot."""
    if first is None or second is None:
        fix = f"Pass both, or {{pilot=}}{pilot}"
        missing = f"{name}{1 if first is None else 2}"
        raise InputError(f"{name}1 and {name}2 are required without a pilot", param=missing, fix=fix)
    return first, second
