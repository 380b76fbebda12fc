"""Prevalence: the probability of the positive class from outside the table, with what is known of its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from karat.errors import InputError
from karat.formulas.intervals import quantile
from karat.result import Estimate, Interval

LEVEL = 0.95  # of an interval that was given as two bare numbers


@dataclass(frozen=True, eq=False)
class Prevalence:
    """P(class), one share a class in the order of the table, and the standard error of logit P(positive).

    >>> Prevalence.of(0.1).shares
    array([0.9, 0.1])
    >>> round(float(Prevalence.of((0.05, 0.2)).shares[1]), 4)  # the middle of the two on the logit scale
    0.1029
    """

    shares: np.ndarray
    logit_se: float = 0.0

    @property
    def logit(self) -> float:
        return float(special.logit(self.shares[1]))

    @classmethod
    def of(cls, given: Any, n_classes: int = 2) -> Prevalence:
        """A number, the two limits of a 95 % interval, an Interval, an Estimate, or one share a class."""
        if isinstance(given, Prevalence):
            return given
        if isinstance(given, Estimate):
            if n_classes > 2:
                raise InputError(
                    "an Estimate is the prevalence of one class, and here are several",
                    got=f"{given.value:.4g} for {n_classes} classes",
                    fix="Give one share a class, with sum 1",
                )
            p, se = _inside(given.value), 0.0 if given.se is None else given.se
            if not 0 <= se < np.inf:
                raise InputError("the standard error of the prevalence must be a number, 0 or more", got=se)
            return cls(np.array([1 - p, p]), se / (p * (1 - p)))
        try:
            numbers = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise InputError("the prevalence must be a number or the two limits of an interval", got=given) from None
        if n_classes > 2:
            return cls(_shares(numbers, n_classes))
        if numbers.ndim == 0:
            p = _inside(float(numbers))
            return cls(np.array([1 - p, p]))
        if numbers.shape != (2,):
            raise InputError("the prevalence must be a number or the two limits of an interval", got=given)
        low, high = _inside(float(numbers[0])), _inside(float(numbers[1]))
        if low > high:
            raise InputError("the limits of the prevalence are in the wrong order", got=given)
        # a normal distribution of logit ρ whose central interval these are
        level = given.level if isinstance(given, Interval) else LEVEL
        p = float(special.expit((special.logit(low) + special.logit(high)) / 2))
        se = float(special.logit(high) - special.logit(low)) / (2 * quantile(level))
        return cls(np.array([1 - p, p]), se)


def _inside(p: float) -> float:
    if not 0 < p < 1:
        raise InputError("the prevalence must lie between 0 and 1", got=p, fix="Give a share, e.g. 0.1 for 10 %")
    return p


def _shares(numbers: np.ndarray, n_classes: int) -> np.ndarray:
    if numbers.shape != (n_classes,) or not (numbers > 0).all() or not np.isclose(numbers.sum(), 1):
        raise InputError(
            "the prevalence of several classes must be one share a class, with sum 1",
            got=f"{numbers.tolist()} for {n_classes} classes",
        )
    return numbers
