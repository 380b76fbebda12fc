"""From the moments of many training sets to their discriminant rules.

The replicates are the last axis, so that compiled code works on many of them side by side: p features, b replicates,
and the t = p(p+1)/2 products d_i d_j, i ≤ j, row by row. d is measured from a centre near the mean of its class.
"""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin


@twin
def sorted_counts(counts: np.ndarray, order: np.ndarray) -> np.ndarray:
    """(b, n) counts of the cases in this order, as float64."""
    return counts[:, order].astype(float)


@twin
def lda_factors(
    sizes: np.ndarray,  # (C, b) cases of each class in each training set
    sums: np.ndarray,  # (C, p, b) Σ N d
    products: np.ndarray,  # (t, b) Σ N d dᵀ over all classes
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pooled covariances Σ = (Σ N d dᵀ − Σ_c n_c δ_c δ_cᵀ)/n = UᵀU, δ_c = Σ N d / n_c.

    Returns U (t, b), a lower bound of the least eigenvalue of Σ over the greatest (b,), and whether Σ is positive
    definite and no class is empty (b,). The bound is λ_min ≥ det Σ / (trace/(p − 1))^(p−1): arithmetic and geometric
    mean of the other eigenvalues.
    """
    _, p, b = sums.shape
    rows, cols = np.triu_indices(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = sums / sizes[:, None, :]
        sigma = products - (sizes[:, None, :] * delta[:, rows] * delta[:, cols]).sum(axis=0)
        sigma /= sizes.sum(axis=0)
    square = np.empty((b, p, p))
    square[:, rows, cols] = square[:, cols, rows] = sigma.T
    factor, bound = np.zeros_like(sigma), np.zeros(b)
    good: np.ndarray = np.all(sizes > 0, axis=0)
    for r in np.flatnonzero(good):
        try:
            upper = np.linalg.cholesky(square[r], upper=True)
        except np.linalg.LinAlgError:
            good[r] = False
            continue
        factor[:, r] = upper[rows, cols]
        bound[r] = _least_over_greatest(2 * np.log(np.diagonal(upper)).sum(), np.trace(square[r]), p)
    return factor, bound, good


def _least_over_greatest(logdet: float, trace: float, p: int) -> float:
    if p == 1:
        return 1.0
    return float(np.exp(logdet - (p - 1) * np.log(trace / (p - 1))) / trace)


@twin
def factored(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """U (t, b) with UᵀU = the matrices (t, b), upper triangles row by row; and which are positive definite (b,)."""
    t, b = matrices.shape
    p = int((np.sqrt(8 * t + 1) - 1) / 2)
    rows, cols = np.triu_indices(p)
    factor, good = np.zeros((t, b)), np.ones(b, dtype=bool)
    square = np.empty((p, p))
    for r in range(b):
        square[rows, cols] = square[cols, rows] = matrices[:, r]
        try:
            factor[:, r] = np.linalg.cholesky(square, upper=True)[rows, cols]
        except np.linalg.LinAlgError:
            good[r] = False
    return factor, good


@twin
def solve_factored(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(k, p, b) Σ⁻¹ r for right sides r (k, p, b), Σ = UᵀU with U (t, b)."""
    _, p, b = right.shape
    rows, cols = np.triu_indices(p)
    upper = np.zeros((b, p, p))
    upper[:, rows, cols] = factor.T
    good = np.einsum("bii->bi", upper).all(axis=1)
    out = np.zeros_like(right)
    half = np.linalg.inv(upper[good])
    out[:, :, good] = np.einsum("bij,blj,klb->kib", half, half, right[:, :, good], optimize=True)
    return out


@twin
def quadratic_weights(
    sums: np.ndarray,  # (1 + p + t, b) Σ N [1, d, d dᵀ] of one class
    centre: np.ndarray,  # (p,) of the class: x = centre + d
    ridge: np.ndarray,  # (p,) added to the diagonal of (1 − shrink) Σ
    shrink: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights on [1, x, x xᵀ] of −½ log|Σ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ), Σ = (1 − shrink) Σ̂ + ridge: (1 + p + t, b).

    The second and third results are the diagonal of Σ⁻¹ (p, b), and whether Σ is positive definite (b,).
    """
    p = len(centre)
    rows, cols = np.triu_indices(p)
    size = sums[0]
    b = len(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = sums[1 : 1 + p] / size
        sigma = (1 - shrink) * (sums[1 + p :] / size - delta[rows] * delta[cols])
    square = np.empty((b, p, p))
    square[:, rows, cols] = square[:, cols, rows] = sigma.T
    square[:, np.arange(p), np.arange(p)] += ridge
    weights, diagonal, good = np.zeros(sums.shape), np.ones((p, b)), size > 0
    for r in np.flatnonzero(good):
        try:
            upper = np.linalg.cholesky(square[r], upper=True)
        except np.linalg.LinAlgError:
            good[r] = False
            continue
        half = np.linalg.inv(upper)
        inverse, mu = half @ half.T, centre + delta[:, r]
        weights[1 : 1 + p, r] = inverse @ mu
        weights[0, r] = -np.log(np.diagonal(upper)).sum() - 0.5 * mu @ inverse @ mu
        weights[1 + p :, r] = -np.where(rows == cols, 0.5, 1.0) * inverse[rows, cols]
        diagonal[:, r] = np.diagonal(inverse)
    return weights, diagonal, good
