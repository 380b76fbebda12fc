"""Prevalence: the probability of the positive class, known from outside the table, with its standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from trueness.errors import InputError
from trueness.formulas.intervals import quantile
from trueness.result import Estimate, Interval
from trueness.typing import Floats

LEVEL_OF_BARE_LIMITS = 0.95

PrevalenceLike = float | Sequence[float] | Floats | Estimate
"""A number, the two limits of a 95 % interval (or an Interval), an Estimate, or one share per class."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """P(class), one share per class in the order of the table, and the standard error of logit P(positive).

    Examples
    --------
    >>> Prevalence.of(0.1).shares
    array([0.9, 0.1])
    >>> round(float(Prevalence.of((0.05, 0.2)).shares[1]), 4)  # the midpoint on the logit scale
    0.1029
    """

    shares: Floats
    logit_se: float = 0.0

    @property
    def logit(self) -> float:
        return float(special.logit(self.shares[1]))

    @classmethod
    def of(cls, given: PrevalenceLike, n_classes: int = 2, param: str = "prevalence") -> Prevalence:
        """Check and build; `param` is the parameter that errors name."""
        if isinstance(given, Estimate):
            if n_classes > 2:
                raise InputError(
                    f"An Estimate is the prevalence of one class, and there are {n_classes} classes",
                    param=param,
                    got=f"{given.value:.4g}",
                    fix="Pass one share per class, with sum 1",
                )
            p, se = _inside(given.value, param), 0.0 if given.se is None else given.se
            if not 0 <= se < np.inf:
                raise InputError(f"The standard error of {param} must be finite and ≥ 0", param=param, got=se)
            return cls(np.array([1 - p, p]), se / (p * (1 - p)))
        wrong = InputError(f"{param} must be a number or the two limits of an interval", param=param, got=repr(given))
        try:
            numbers = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise wrong from None
        if n_classes > 2:
            return cls(_shares(numbers, n_classes, param))
        if numbers.ndim == 0:
            p = _inside(float(numbers), param)
            return cls(np.array([1 - p, p]))
        if numbers.shape != (2,):
            raise wrong
        low, high = _inside(float(numbers[0]), param), _inside(float(numbers[1]), param)
        if low > high:
            raise InputError(f"The lower limit of {param} exceeds the upper limit", param=param, got=given)
        # logit ρ is taken as normal, with this central interval
        level = given.level if isinstance(given, Interval) else LEVEL_OF_BARE_LIMITS
        p = float(special.expit((special.logit(low) + special.logit(high)) / 2))
        se = float(special.logit(high) - special.logit(low)) / (2 * quantile(level))
        return cls(np.array([1 - p, p]), se)


def _inside(p: float, param: str) -> float:
    if not 0 < p < 1:
        raise InputError(f"{param} must lie between 0 and 1", param=param, got=p, fix="Use e.g. 0.1 for 10 %")
    return p


def _shares(numbers: Floats, n_classes: int, param: str) -> Floats:
    if numbers.shape != (n_classes,) or not (numbers > 0).all() or not np.isclose(numbers.sum(), 1):
        raise InputError(
            f"{param} must have one share per class, with sum 1",
            param=param,
            got=f"{numbers.tolist()} for {n_classes} classes",
        )
    return numbers
