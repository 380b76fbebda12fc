"""Plans from words: bootstrap:1000, kfold:10x5, loo, monte-carlo:100, holdout:0.3, nested:10."""

from __future__ import annotations

from typing import Any

from karat.errors import InputError

HELP = "bootstrap:B, kfold:K or kfold:KxR (R repeats), loo, monte-carlo:N, holdout:SHARE, nested:K or nested:KxR"


def plan_by_name(text: str) -> Any:
    """The plan that a word such as "bootstrap:1000" or "kfold:10x5" stands for."""
    from karat import plans

    name, _, argument = text.partition(":")
    try:
        if name == "bootstrap":
            return plans.Bootstrap(int(argument or 1000))
        if name == "kfold":
            folds, repeats = _times(argument or "10", 1)
            return plans.KFold(folds, repeats=repeats)
        if name == "loo" and not argument:
            return plans.LeaveOneOut()
        if name == "monte-carlo":
            return plans.MonteCarlo(int(argument or 100))
        if name == "holdout":
            return plans.Holdout(float(argument or 0.3))
        if name == "nested":
            folds, repeats = _times(argument or "10", 20)
            return plans.NestedKFold(folds, repeats=repeats)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the plan {text!r} is not understood", fix=f"Use {HELP}") from None
    raise InputError(f"there is no plan {text!r}", fix=f"Use {HELP}")


def _times(argument: str, repeats: int) -> tuple[int, int]:
    """ "10x5" → (10, 5); "10" → (10, repeats)."""
    first, times, second = argument.partition("x")
    return int(first), int(second) if times else repeats
