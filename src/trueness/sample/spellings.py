"""Parameters as scikit-learn, or another function of trueness, spells them: an error that names ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from trueness.errors import InputError, setting

# a name of scikit-learn → ours, and what to do where a function has none of them
SPELLINGS: dict[str, tuple[tuple[str, ...], str]] = {
    "cv": (("plan", "design", "splits"), "Nothing is split here; trueness.assess has plan"),
    "scoring": (("metrics", "metric"), "trueness.assess has metrics"),
    "metric": (("metrics",), "trueness.assess has metrics"),
    "metrics": (("metric",), "trueness.assess has metrics"),
    "pos_label": (("positive",), "No class is special here; trueness.assess has positive"),
    "random_state": (("rng",), "Nothing is drawn at random"),
    "seed": (("rng",), "Nothing is drawn at random"),
    "train_sizes": (("sizes",), "trueness.learning_curve has sizes"),
    "sample_weight": ((), "Every case counts once; weights are not supported"),
}
STUDY_DESIGN = ("design", "cohort")  # of diagnose, where nothing is split

P = ParamSpec("P")
T = TypeVar("T")


def refuses_foreign(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public function: a call with scikit-learn's name of a parameter gets an error that names ours.

    >>> @refuses_foreign
    ... def assess(plan=None):
    ...     "Assess."
    >>> assess(cv=5)
    Traceback (most recent call last):
    ...
    trueness.errors.InputError: assess() has no parameter cv. Pass plan=5.
    """
    ours = [p.name for p in signature(function).parameters.values() if (p.name, p.default) != STUDY_DESIGN]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        refuse_foreign(function.__name__, kwargs, ours)
        return function(*args, **kwargs)

    return checked


def refuse_foreign(
    function: str, given: Mapping[str, object], ours: Collection[str], advice: Mapping[str, str] | None = None
) -> None:
    """An error where a call of `function` was `given` scikit-learn's name of one of its parameters, which are `ours`;
    `advice` of its own says what to do where it has no such parameter.
    """
    for name, (spelled, otherwise) in SPELLINGS.items():
        if name in given and name not in ours:
            mine = next((param for param in spelled if param in ours), None)
            fix = f"Pass {setting(mine, given[name])}" if mine else (advice or {}).get(name, otherwise)
            raise InputError(f"{function}() has no parameter {name}", param=name, fix=fix)
