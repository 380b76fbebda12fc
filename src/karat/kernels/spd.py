"""Inverses of many small symmetric positive definite matrices."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin


@twin
def spd_inverses(
    matrices: np.ndarray,  # (b, p, p) symmetric
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inverses (b, p, p), log determinants (b,), and which matrices are positive definite (b,).

    What is not positive definite gets the identity and 0, and does not spoil the others.
    """
    b, p, _ = matrices.shape
    inverse, logdet, good = np.empty((b, p, p)), np.zeros(b), np.ones(b, dtype=bool)
    inverse[:] = np.eye(p)
    for i, matrix in enumerate(matrices):
        try:
            upper = np.linalg.cholesky(matrix, upper=True)
        except np.linalg.LinAlgError:
            good[i] = False
            continue
        if not np.isfinite(upper).all():
            good[i] = False
            continue
        half = np.linalg.inv(upper)
        inverse[i], logdet[i] = half @ half.T, 2 * np.log(np.diagonal(upper)).sum()
    return inverse, logdet, good
