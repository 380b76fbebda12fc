"""Calling a stranger's statistic: one finite number, or an error that says where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat.errors import InputError

Statistic = Callable[..., Any]

EXAMPLES = {
    "statistic(x)": "lambda x: x.mean(), or lambda pair: pair[0].mean() - pair[1].mean()",
    "statistic(x, weights)": "lambda x, w: w @ x, with masses w that sum to 1",
}


def number(value: Any, where: str) -> float:
    """`value` as one finite float."""
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "biuf":
        got = f"shape {found.shape}" if found.size != 1 else repr(value)
        raise InputError("the statistic must return one real number", got=got)
    out = float(found.reshape(()))
    if not np.isfinite(out):
        raise InputError(
            f"the statistic is not finite {where}",
            got=out,
            fix="Give it a value there (e.g. where all cases are the same), or use more cases",
        )
    return out


def first_value(statistic: Statistic, needs: str, *given: Any) -> float:
    """The statistic of the cases as they are; a call that does not fit is explained here, once."""
    if not callable(statistic):
        raise InputError("the statistic must be a function", got=repr(statistic))
    try:
        value = statistic(*given)
    except TypeError as error:
        raise InputError(
            f"the statistic cannot be called as {needs}",
            got=f"TypeError: {error}",
            fix=f"E.g. {EXAMPLES[needs]}; two samples arrive as one pair",
        ) from error
    return number(value, "for the cases themselves")


def name_of(statistic: Statistic) -> str:
    name = getattr(statistic, "__name__", "")
    return name if name.isidentifier() else "statistic"  # a lambda has none
