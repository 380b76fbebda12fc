"""Intervals of a proportion, and how often they hold."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.formulas import proportions
from karat.result import Interval


def proportion_interval(x: int, n: int, method: str = "wilson", level: float = 0.95) -> Interval:
    """Confidence interval of a proportion, x of n.

    Parameters
    ----------
    x, n
        Successes and trials.
    method
        "wald", "wilson", "exact" (Clopper & Pearson), "agresti-coull", "jeffreys", "uniform" (equal tails of the
        posterior under the uniform prior), "logit", "cloglog", "likelihood" or "mid-p".
    level
        Coverage asked for.

    Returns
    -------
    Interval
        (low, high), inside [0, 1]; around x/n at all usual levels. (Those of jeffreys, uniform and mid-p are drawn
        towards ½: at a level of .1 1 of 1000 may lie below both limits.)

    Notes
    -----
    Where a method has no interval, or one without length (wald, logit and cloglog at x = 0 and x = n), the exact
    one is given and a note says so. `coverage` tells how often each holds.

    Examples
    --------
    >>> low, high = proportion_interval(24, 85)
    >>> round(low, 3), round(high, 3)
    (0.198, 0.386)
    >>> proportion_interval(0, 20, "wald")
    Interval(0, 0.168433, level=0.95, method='exact', note='wald has no interval at 0 of 20: the exact one is given')
    """
    x, n = whole(x, "x"), whole(n, "n")
    if n == 0:
        raise InputError("a proportion of no trials is undefined", got="n = 0")
    if x > n:
        raise InputError("there are more successes than trials", got=f"x = {x}, n = {n}")
    check_method(method)
    check_level(level)
    if x in (0, n) and method in ("wald", "logit", "cloglog"):
        note = f"{method} has no interval at {x} of {n}: the exact one is given"
        return Interval(*proportions.METHODS["exact"](x, n, level), level=level, method="exact", note=note)
    return Interval(*proportions.METHODS[method](x, n, level), level=level, method=method)


def coverage(method: str, n: int, p: Any, level: float = 0.95) -> np.ndarray:
    """How often the formula of `method` holds p: P(low ≤ p ≤ high) summed over all outcomes of n trials.

    Wald stands here as textbooks have it, without length at x = 0 and x = n.

    Examples
    --------
    >>> [round(float(c), 3) for c in coverage("wald", 10, [0.1, 0.5])]  # a 95 % interval by its name
    [0.65, 0.891]
    """
    check_method(method)
    check_level(level)
    n = whole(n, "n")
    shares = np.atleast_1d(np.asarray(p, dtype=float))
    if n == 0 or shares.ndim != 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise InputError("coverage needs n ≥ 1 and shares p in [0, 1]", got=f"n = {n}, p = {p}")
    return proportions.coverage(method, n, shares, level)


def check_method(method: str) -> None:
    if method not in proportions.METHODS:
        raise InputError(
            f"there is no interval {method!r} of a proportion", fix=f"Choose one of {', '.join(proportions.METHODS)}"
        )


def check_level(level: float) -> None:
    if not isinstance(level, numbers.Real) or not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=repr(level), fix="Use e.g. level=0.95")


def whole(value: Any, name: str) -> int:
    """A count: a whole number ≥ 0."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise InputError(f"{name} must be a whole number", got=repr(value))
    if not math.isfinite(number) or number != int(number):
        raise InputError(f"{name} must be a whole number", got=repr(value), fix="Give counts of cases, not shares")
    if number < 0:
        raise InputError(f"{name} must not be negative", got=repr(value))
    return int(number)
