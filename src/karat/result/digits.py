"""Digits follow the standard error: two significant ones of it, and the value to the same place."""

from __future__ import annotations

import math


def places(se: float | None, default: int = 4) -> int:
    """Decimal places at which the standard error has two significant digits."""
    if se is None or not math.isfinite(se) or se < 1e-10:  # nothing, or rounding
        return default
    return max(0, min(8, 1 - math.floor(math.log10(se))))


def shown(value: float | None, se: float | None = None) -> str:
    """The value, rounded where its standard error says; a blank for what does not exist."""
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    return f"{value:.{places(se)}f}"


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 case", "2 cases"; "1 case was", "2 cases were"."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"


def with_se(value: float, se: float | None) -> str:
    return shown(value) if se is None else f"{shown(value, se)} ± {shown(se, se)}"
