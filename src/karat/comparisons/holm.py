"""Holm's adjustment of several p-values (Holm 1979)."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.comparisons.inputs import values_of
from karat.errors import InputError


def holm(p_values: Any) -> np.ndarray:
    """p_(i) adjusted = max_{j ≤ i} min(1, (m − j + 1) p_(j)), in the order given.

    The probability of any false finding stays below the level, whatever the dependence.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = values_of(p_values, "p_values", 1)
    if ((p < 0) | (p > 1)).any():
        raise InputError("p-values lie between 0 and 1", got=f"{p.min():g} to {p.max():g}")
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order])
    out = np.empty_like(p)
    out[order] = np.maximum.accumulate(stepped)
    return out
