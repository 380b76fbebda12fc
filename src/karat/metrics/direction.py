"""Whether larger values of a function are better: known for scorers and scikit-learn's functions only."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.metrics.scorer import ScorerLike

LOSS_SUFFIXES = ("_loss", "_error", "_deviance")  # how the names of losses end


def direction_of(scorer: ScorerLike) -> bool | None:
    """True where larger is better, False where smaller is, None where it is not known.

    A scorer (a name, or made by make_scorer) is larger where the model is better, by scikit-learn's convention. Names
    of the functions of `sklearn.metrics` tell their direction; a function of the user's own whose name ends like that
    of a loss counts as one.

    >>> from sklearn.metrics import brier_score_loss, accuracy_score
    >>> direction_of(brier_score_loss), direction_of(accuracy_score), direction_of(max)
    (False, True, None)
    """
    if isinstance(scorer, str) or is_scorer(scorer):
        return True
    while isinstance(scorer, partial):
        scorer = scorer.func
    name = getattr(scorer, "__name__", "")
    if f"_{name}".endswith(LOSS_SUFFIXES):
        return False
    return True if str(getattr(scorer, "__module__", "")).startswith("sklearn.metrics") else None


def is_scorer(function: object) -> bool:
    """Whether a callable has scikit-learn's form of a scorer, f(model, X, y), rather than f(y, score).

    >>> from sklearn.metrics import accuracy_score, make_scorer
    >>> is_scorer(make_scorer(accuracy_score)), is_scorer(accuracy_score)
    (True, False)
    """
    if not callable(function):
        return False
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-in functions have no signature
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 3
