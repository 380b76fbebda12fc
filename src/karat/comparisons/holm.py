"""Holm's adjustment of several p-values (Holm 1979)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.comparisons.inputs import values_of
from karat.errors import InputError
from karat.typing import Floats


def holm(p_values: npt.ArrayLike) -> Floats:
    """p_(i) adjusted = max_{j ≤ i} min(1, (m − j + 1) p_(j)), in the order given.

    The probability of any false rejection stays below the level, whatever the dependence.

    Parameters
    ----------
    p_values : array-like of shape (m,)

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = values_of(p_values, "p_values", 1)
    if ((p < 0) | (p > 1)).any():
        raise InputError("p_values must be between 0 and 1", param="p_values", got=f"{p.min():g} to {p.max():g}")
    order = np.argsort(p, kind="stable")
    adjusted: Floats = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order]))
    return adjusted
