"""Whether more of a function's value is better: known of scorers and of scikit-learn's functions, of others not."""

from __future__ import annotations

from functools import partial
from typing import Any

LESS = ("_loss", "_error", "_deviance")  # how the names of losses end


def direction_of(scorer: Any) -> bool | None:
    """True: larger is better. False: smaller is. None: nobody has said.

    A scorer (a name, or made by make_scorer) is larger where the model is better, by scikit-learn's convention. The
    functions of `sklearn.metrics` have their direction in their names, and a function of the user's own whose name ends
    like a loss is taken for one.

    >>> from sklearn.metrics import brier_score_loss, accuracy_score
    >>> direction_of(brier_score_loss), direction_of(accuracy_score), direction_of(max)
    (False, True, None)
    """
    if isinstance(scorer, str) or hasattr(scorer, "_score_func"):
        return True
    while isinstance(scorer, partial):
        scorer = scorer.func
    name = getattr(scorer, "__name__", "")
    if f"_{name}".endswith(LESS):
        return False
    return True if str(getattr(scorer, "__module__", "")).startswith("sklearn.metrics") else None
