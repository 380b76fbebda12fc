"""Parameters as scikit-learn, or another function of karat, spells them: an error that names ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from karat.errors import InputError, Setting, Text

SPELLINGS: dict[str, tuple[str, ...]] = {
    "cv": ("plan", "design", "splits"),
    "scoring": ("metrics", "metric"),
    "metric": ("metrics",),
    "metrics": ("metric",),
    "pos_label": ("positive",),
    "random_state": ("rng",),
    "seed": ("rng",),
    "train_sizes": ("sizes",),
    "sample_weight": (),
}
OTHERWISE = {
    "cv": "Nothing is split here; karat.assess has plan",
    "scoring": "karat.assess has metrics",
    "metric": "karat.assess has metrics",
    "metrics": "karat.assess has metrics",
    "pos_label": "No class is special here; karat.assess has positive",
    "random_state": "Nothing is drawn at random",
    "seed": "Nothing is drawn at random",
    "train_sizes": "karat.learning_curve has sizes",
    "sample_weight": "Every case counts once; weights are not supported",
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
    karat.errors.InputError: assess() has no parameter cv. Pass plan=5.
    """
    ours = [p.name for p in signature(function).parameters.values() if (p.name, p.default) != STUDY_DESIGN]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        refuse_foreign(function.__name__, kwargs, ours)
        return function(*args, **kwargs)

    return checked


def refuse_foreign(
    function: str, given: Mapping[str, object], ours: Collection[str], otherwise: Mapping[str, str] = OTHERWISE
) -> None:
    """An error where a call of `function` was `given` scikit-learn's name of one of its parameters, which are `ours`;
    `otherwise` says what to do where it has no such parameter.
    """
    for name in SPELLINGS:
        if name in given and name not in ours:
            mine = next((param for param in SPELLINGS[name] if param in ours), None)
            fix: Text = otherwise.get(name, OTHERWISE[name]) if mine is None else ("Pass ", Setting(mine, given[name]))
            raise InputError(f"{function}() has no parameter {name}", param=name, fix=fix)
