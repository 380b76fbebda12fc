"""Cost matrices: c[i][j] is the cost of deciding j where the truth is i."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.errors import InputError
from karat.typing import Floats


def cost_matrix(matrix: npt.ArrayLike, n_classes: int | None = None, param: str = "costs") -> Floats:
    """(C, C) finite costs; an error where the shape is wrong. `param` is the parameter that errors name."""
    try:
        costs = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("The cost matrix must hold numbers", param=param, got=repr(matrix)) from None
    wanted = "C × C" if n_classes is None else f"{n_classes} × {n_classes}"
    square = costs.ndim == 2 and costs.shape[0] == costs.shape[1] and costs.shape[0] >= 2
    if not square or (n_classes is not None and len(costs) != n_classes):
        raise InputError(
            f"The cost matrix must be {wanted}: one row per true class, one column per decision",
            param=param,
            got=f"shape {costs.shape}",
        )
    if not np.isfinite(costs).all():
        raise InputError("The costs must be finite", param=param, got=costs.tolist())
    if np.ptp(costs) == 0:
        raise InputError("All costs are equal, so no decision is better than another", param=param, got=costs.tolist())
    return costs
