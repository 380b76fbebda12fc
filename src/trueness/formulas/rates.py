"""Rates k/n and the numbers that stand for them: 0.1 + 0.2 is 3/10."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
import numpy.typing as npt

from trueness.typing import Floats

RATE_TOLERANCE = 4 * float(np.finfo(float).eps)
"""A requested rate this close to an attained one is that one. 1 − x of a rate x loses half of it."""


def count_within(rate: float, n: int) -> int:
    """Largest k with k/n ≤ rate, where a rate within RATE_TOLERANCE of k/n is k/n."""
    nearest = round(rate * n)
    return nearest if abs(rate - nearest / n) <= RATE_TOLERANCE else math.floor(rate * n)


@overload
def snapped(rate: float, n: int) -> float: ...
@overload
def snapped(rate: Floats, n: int) -> Floats: ...
def snapped(rate: float | Floats, n: int) -> float | Floats:
    """The rate, or k/n where it lies within RATE_TOLERANCE of it."""
    attained = np.rint(np.multiply(rate, n)) / n
    out = np.where(np.abs(rate - attained) <= RATE_TOLERANCE, attained, rate)
    return out if isinstance(rate, np.ndarray) else float(out)


def height(x: Floats, y: Floats, at: npt.ArrayLike) -> Floats:
    """The largest y of a rising curve from (0, 0) to (1, 1) at x = `at`, points joined by straight lines.

    A value of `at` within RATE_TOLERANCE of some x is that x.
    """
    at = np.asarray(at, dtype=float)
    left = np.maximum(np.searchsorted(x, at + RATE_TOLERANCE, side="right") - 1, 0)
    right = np.minimum(left + 1, len(x) - 1)
    return between(x[left], y[left], x[right], y[right], at)


def depth(x: Floats, y: Floats, at: npt.ArrayLike) -> Floats:
    """The smallest x at which a rising curve reaches y = `at`, points joined by straight lines; as `height`."""
    at = np.asarray(at, dtype=float)
    right = np.minimum(np.searchsorted(y, at - RATE_TOLERANCE, side="left"), len(y) - 1)
    left = np.maximum(right - 1, 0)
    return between(y[right], x[right], y[left], x[left], at)


def between(x0: Floats, y0: Floats, x1: Floats, y1: Floats, at: float | Floats) -> Floats:
    """y at `at` on the line from (x0, y0) to (x1, y1); y0 where `at` is x0 but for rounding."""
    length = x1 - x0
    on_point = (np.abs(at - x0) <= RATE_TOLERANCE) | (length == 0)
    share = np.where(on_point, 0.0, (at - x0) / np.where(on_point, 1.0, length))
    return np.asarray(y0 + share * (y1 - y0))
