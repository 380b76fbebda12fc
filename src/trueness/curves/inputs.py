"""Checks of what users give: rates and ranges of rates."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trueness.checks import check_flag, fraction
from trueness.errors import InputError, setting

Axis = Literal["fpf", "tpf"]
Range = tuple[float, float]


RATE_NAMES: dict[str, tuple[Axis, bool]] = {
    **dict.fromkeys(("tpf", "tpr", "sensitivity", "recall"), ("tpf", False)),
    **dict.fromkeys(("fpf", "fpr"), ("fpf", False)),
    **dict.fromkeys(("specificity", "tnf", "tnr"), ("fpf", True)),
    **dict.fromkeys(("fnf", "fnr"), ("tpf", True)),
}
"""Names of rates: the axis of the curve, and whether it is 1 − the rate on it."""


def ranges(fpf: Range | None, tpf: Range | None, standardized: bool) -> tuple[Axis, float, float]:
    """Which axis a partial area is over, and from where to where."""
    check_flag("standardized", standardized)
    if fpf is not None and tpf is None:
        return "fpf", *rate_range("fpf", fpf)
    if tpf is not None and fpf is None:
        return "tpf", *rate_range("tpf", tpf)
    raise InputError(
        "A partial area needs a range of either FPF or TPF", param="fpf", fix="Pass {fpf=(0, 0.1)} or {tpf=(0.9, 1)}"
    )


def rate_range(name: Axis, given: object) -> Range:
    """Two rates, the lower first."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise InputError(f"{name} must be a range of two numbers", param=name, got=repr(given))
    low, high = (fraction(name, end) for end in given)
    if low == high:
        raise InputError(
            f"The range of {name} has length 0",
            param=name,
            got=repr(given),
            fix=f"Use e.g. {setting(name, (0, high or 0.1))}",
        )
    if low > high:
        raise InputError(
            f"The range of {name} must be given as (low, high)",
            param=name,
            got=repr(given),
            fix=f"Use {setting(name, (high, low))}",
        )
    return low, high
