"""Rates and ranges of rates: what is accepted, and McClish's scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import InputError
from karat.result import Estimate

ROUNDING = 1e-12


def fraction(name: str, value: Any) -> float:
    """A number from 0 to 1, or an error that says so."""
    if isinstance(value, (int, float, np.number)) and 0 <= value <= 1:
        return float(value)
    raise InputError(f"{name} must be a number from 0 to 1", got=repr(value))


def ranges(fpf: tuple[float, float] | None, tpf: tuple[float, float] | None) -> tuple[str, float, float]:
    """Which axis a partial area is over, and from where to where."""
    if (fpf is None) == (tpf is None):
        raise InputError("a partial area is over a range of FPF or of TPF", fix="Give fpf=(0, .1), or tpf=(.9, 1)")
    name, given = ("fpf", fpf) if fpf is not None else ("tpf", tpf)
    try:
        low, high = given  # type: ignore[misc]
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a range, two numbers", got=repr(given)) from None
    low, high = fraction(name, low), fraction(name, high)
    if low == high:
        raise InputError(
            f"the range of {name} has no length", got=repr(given), fix=f"Give e.g. {name}=(0, {high or 0.1:g})"
        )
    if low > high:
        raise InputError(f"the range of {name} must rise", got=repr(given), fix=f"Give ({high:g}, {low:g})")
    return name, low, high


def snapped(value: float, bounds: tuple[float, float]) -> float:
    """A value that misses an end of its range by a rounding error is that end."""
    for bound in bounds:
        value = bound if abs(value - bound) < ROUNDING else value
    return value


def mcclish(area: Estimate, low: float, high: float) -> Estimate:
    """½ (1 + (A − A_chance)/(A_best − A_chance)): ½ is chance and 1 is best, in any range (McClish 1989).

    `low` and `high` are in the terms of an FPF range: the diagonal covers (high² − low²)/2 of high − low.
    """
    best, chance = high - low, (high**2 - low**2) / 2
    scale = 0.5 / (best - chance)

    def standard(value: float) -> float:
        return 0.5 + scale * (value - chance)

    return area.with_(
        value=snapped(standard(area.value), (standard(0.0), 1.0)),
        se=None if area.se is None else area.se * scale,
        influence=None if area.influence is None else area.influence * scale,
        bounds=(standard(0.0), 1.0),
        metric="standardized partial auc",
    )
