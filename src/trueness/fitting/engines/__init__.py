"""Closed-form engines: all training sets of a design at once.

An engine is one file with a function `engine(model, table)` that returns an `Engine` where it covers the parameters of
the model, and None otherwise. Models without one are fitted one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from sklearn.base import BaseEstimator

from trueness.typing import Bools, Floats, Integers, Ints

MIN_KEPT = 1e-4
"""The conditioning test of the engines: the least share of its mean square that a feature must keep in a training set
once the class means and all other features are taken off. Digits are lost in proportion to its inverse."""

MAX_CONSTANT = 1e6
"""A constant of a rule above this is a difference of numbers that leave too few digits."""


@dataclass(frozen=True, eq=False)
class Table:
    """The training data of an engine."""

    X: Floats  # (n, p) finite float64 features without constant columns
    codes: Ints  # (n,) class of each case
    n_classes: int  # number of classes
    scaled: bool = False  # whether a StandardScaler with its default parameters precedes the model
    dropped: bool = False  # whether X had constant columns
    constants: float = 0.0  # sum of the squares of their values


@dataclass(frozen=True, eq=False)
class Rules:
    """The answers of b fitted rules about all n cases."""

    # (b, n) or (b, n, C) log-posteriors up to a constant per case: second class minus first, or one column per class
    values: Floats
    # (b,) False where the closed form may differ from scikit-learn (a singular covariance, an empty class): these
    # training sets are fitted by scikit-learn, and succeed or fail there
    trusted: Bools
    predictions: Integers | None = None  # (b, n) for models that do not decide by the largest value
    probabilities: bool = False  # whether the values are probabilities already


class Engine(Protocol):
    """A model with a closed form for many training sets."""

    name: ClassVar[str]
    responses: ClassVar[tuple[str, ...]]
    """Methods of the fitted scikit-learn model that give scores."""

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        """Fit on the training sets of `counts` (b, n), and score all cases; of two classes `out` (b, n) may take the
        values."""
        ...


@runtime_checkable
class LeavesOneOut(Protocol):
    """An engine that takes single cases out of the moments of all cases, at about the cost of one fit."""

    def leave_one_out(self) -> Rules | None:
        """`values` (1, n) or (1, n, C): each case by the rule trained on all others; `trusted` (n,) per case."""
        ...


def has(model: BaseEstimator, **expected: object) -> bool:
    """Whether the parameters of a model have these values; a tuple lists what is accepted.

    Parameters that the installed scikit-learn does not have are ignored.
    """
    for name, value in expected.items():
        listed = value if isinstance(value, tuple) else (value,)
        given = getattr(model, name, listed[0])
        if not any(given is v or (type(given) is type(v) and given == v) for v in listed):
            return False
    return True
