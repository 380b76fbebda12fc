"""Sums over pairs (one case of each class) that a replicate left out: what the LPOB is made of.

Shapes: n1 positives, n2 negatives, b replicates. `out` is True where a case was left out of training.
"""

from __future__ import annotations

import numpy as np


def psi(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """ψ_ij = 1, ½, 0 for up_i >, =, < down_j   (seeds/000, eq. 6b)."""
    return 0.5 * ((up[:, None] > down[None, :]).astype(float) + (up[:, None] >= down[None, :]))


def left_out_together(out_up: np.ndarray, out_down: np.ndarray) -> np.ndarray:
    """(n1, n2) D_ij = Σ_b I_i I_j."""
    return out_up.T.astype(float) @ out_down.astype(float)


def psi_sums(up: np.ndarray, down: np.ndarray, out_up: np.ndarray, out_down: np.ndarray) -> np.ndarray:
    """(n1, n2) Σ_b I_i I_j ψ_ij of a block of replicates."""
    total = np.zeros((up.shape[1], down.shape[1]))
    for u, d, iu, id_ in zip(up, down, out_up, out_down, strict=True):
        rows, cols = np.flatnonzero(iu), np.flatnonzero(id_)
        total[np.ix_(rows, cols)] += psi(u[rows], d[cols])
    return total


def residual_margins(
    up: np.ndarray,  # (b, n1) scores
    down: np.ndarray,  # (b, n2)
    out_up: np.ndarray,
    out_down: np.ndarray,
    mean: np.ndarray,  # (n1, n2) A_ij
    weight: np.ndarray,  # (n1, n2) 1/D_ij, or 1/(D_ij − 1)
) -> tuple[np.ndarray, np.ndarray]:
    """Row and column sums of ρ_bij = I_i I_j (ψ_ij − A_ij) w_ij: (b, n1) and (b, n2)."""
    rows_out = np.zeros(up.shape)
    cols_out = np.zeros(down.shape)
    for b, (u, d, iu, id_) in enumerate(zip(up, down, out_up, out_down, strict=True)):
        rows, cols = np.flatnonzero(iu), np.flatnonzero(id_)
        block = np.ix_(rows, cols)
        rho = (psi(u[rows], d[cols]) - mean[block]) * weight[block]
        rows_out[b, rows] = rho.sum(axis=1)
        cols_out[b, cols] = rho.sum(axis=0)
    return rows_out, cols_out
