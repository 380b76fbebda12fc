"""Cost matrices: c[i][j] is the cost of deciding j where the truth is i."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import InputError


def cost_matrix(matrix: Any, n_classes: int | None = None) -> np.ndarray:
    """(C, C) finite costs; an error where the shape is another."""
    try:
        costs = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("the cost matrix must hold numbers, one row a true class", got=matrix) from None
    wanted = "C × C" if n_classes is None else f"{n_classes} × {n_classes}"
    square = costs.ndim == 2 and costs.shape[0] == costs.shape[1] and costs.shape[0] >= 2
    if not square or (n_classes is not None and len(costs) != n_classes):
        raise InputError(
            f"the cost matrix must be {wanted}: a row a true class, a column a decision", got=f"shape {costs.shape}"
        )
    if not np.isfinite(costs).all():
        raise InputError("the costs must be finite numbers", got=costs.tolist())
    if np.ptp(costs) == 0:
        raise InputError("all costs are the same, so no decision matters", got=costs.tolist())
    return costs
