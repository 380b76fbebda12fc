"""Fisher's linear rule of two classes in many training sets, from their moments in one pass."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin
from karat.kernels.discriminants import lda_factors, solve_factored


@twin
def two_class_rules(
    first: np.ndarray,  # (1 + p + t, b) Σ N [1, d, d dᵀ] of the first class
    second: np.ndarray,  # likewise
    centres: np.ndarray,  # (2, p): x = centre of the class + d
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weights (1 + p, b) on [1, x] of log n_1/n_0 + (x − (μ_0 + μ_1)/2)ᵀ Σ⁻¹ (μ_1 − μ_0), and what `lda_factors` gives.

    They are 0 where a class is empty, or Σ is not positive definite.
    """
    p = centres.shape[1]
    sizes, sums = np.stack([first[0], second[0]]), np.stack([first[1 : 1 + p], second[1 : 1 + p]])
    products = first[1 + p :] + second[1 + p :]
    factor, bound, good = lda_factors.reference(sizes, sums, products)  # type: ignore[attr-defined]
    means = sums / np.maximum(sizes, 1)[:, None] + centres[:, :, None]
    coef = solve_factored.reference(factor, (means[1] - means[0])[None])[0]  # type: ignore[attr-defined]
    share = np.log(np.maximum(sizes[1], 1) / np.maximum(sizes[0], 1))
    constant = share - 0.5 * (coef * (means[0] + means[1])).sum(axis=0)
    return np.where(good, np.concatenate([constant[None], coef]), 0.0), factor, bound, good
