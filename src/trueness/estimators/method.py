"""What an estimator declares: a `Method`, what is known about it whatever the metric, and its forms, an `Estimator` for
each class of metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, get_args

from trueness.metrics.metric import Metric
from trueness.result.estimate import Estimate
from trueness.result.words import Estimand, Named
from trueness.sample.design import Kind

ANY = frozenset(get_args(Kind)) - {"halves"}
WITHIN: dict[Kind, tuple[Kind, ...]] = {  # kinds of its parts
    "cv+bootstrap": ("cv+bootstrap", "cv", "bootstrap"),
    "paired": ("paired", "cv"),
    "cv+halves": ("cv+halves", "cv"),
}

Undefined = Literal["raise", "skip", "failed"]
"""What is done with folds, cases and pairs that cannot be evaluated: an error, skip them, or skip those that owe it to
a fit that failed."""
Function = Callable[..., Estimate]


class Method(Named):
    """An estimator: its name in `estimate(fits, metric, method)`, its words and sources, and what it reads.

    Examples
    --------
    >>> from trueness.estimators.loob import LOOB
    >>> LOOB, LOOB.words, sorted(LOOB.kinds)
    ('loob', 'the leave-one-out bootstrap', ['bootstrap'])
    """

    kinds: frozenset[Kind]  # designs that it can read
    estimand: Estimand  # what is estimated
    order: int  # its place in tables: estimators of designs with parts, then from optimistic to pessimistic
    recommended: frozenset[Kind]  # designs for which `assess` and `compare` choose it, where it is the first with an se
    not_within: frozenset[Kind]  # designs that have a part it could read, with too few splits for it

    def __new__(
        cls,
        name: str,
        words: str,
        *sources: str,
        kinds: Set[Kind],
        estimand: Estimand,
        order: int = 1000,
        recommended: Set[Kind] = frozenset(),
        not_within: Set[Kind] = frozenset(),
    ) -> Self:
        designs = {"kinds": kinds, "recommended": recommended, "not_within": not_within}
        more = {key: frozenset(value) for key, value in designs.items()}
        return super().__new__(cls, name, words, *sources, estimand=estimand, order=order, **more)

    def on(
        self,
        *metrics: type[Any],
        se: tuple[str, ...] = ("none",),
        estimand: Estimand | None = None,
        options: tuple[str, ...] = (),
        pairs: bool = False,
    ) -> Callable[[Function], Estimator]:
        """Function decorator: the function becomes the estimator of metrics of these classes, by default of all."""
        return lambda function: Estimator(
            self, function, metrics or (Metric,), se, estimand or self.estimand, options, pairs
        )


@dataclass(frozen=True)
class Estimator:
    """A method for some classes of metrics, called as its function is."""

    method: Method
    function: Function  # (contrast, **options) → Estimate
    metrics: tuple[type[Metric], ...]  # classes of metrics that it is defined for
    se: tuple[str, ...]  # standard errors that it offers, the default first; "none" where it has none by default
    estimand: Estimand
    options: tuple[str, ...] = ()  # further keyword arguments of `function`
    pairs: bool = False  # whether the function takes two rules; else two influence vectors are subtracted

    def __call__(self, *args: Any, **options: Any) -> Estimate:
        return self.function(*args, **options)

    @cached_property
    def name(self) -> str:
        return self.method
