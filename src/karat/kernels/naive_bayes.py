"""From the moments of many training sets to their Gaussian naive Bayes rules; the replicates are the last axis."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin


@twin
def naive_bayes_weights(
    sums: np.ndarray,  # (C, 1 + 2p, b) Σ N [1, d, d²] of each class
    centres: np.ndarray,  # (C, p) x = centre + d
    units: np.ndarray,  # (p,) variance of x for a variance of 1 in units of X
    smoothing: float,
    scaled: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights on [1, x, x²] of log π_c − ½ Σ_j [log σ²_cj + (x_j − μ_cj)²/σ²_cj]: (C, 1 + 2p, b).

    σ² = Σ N d²/n_c − δ² + smoothing · the largest variance of a feature in the training set, in units of X; behind a
    scaler all of them are 1 there. The second and third results are σ² (C, p, b), and the variance of every feature in
    the training set, all classes together (p, b). An empty class counts as one case; its weights mean nothing.
    """
    p = centres.shape[1]
    sizes, safe = sums[:, 0], np.maximum(sums[:, 0], 1)
    n = sizes.sum(axis=0)
    delta = sums[:, 1 : 1 + p] / safe[:, None]
    mean = delta + centres[:, :, None]
    variance = sums[:, 1 + p :] / safe[:, None] - delta**2
    first, second = ((sizes[:, None] * part).sum(axis=0) / n for part in (mean, variance + mean**2))
    total = second - first**2
    variance = variance + smoothing * (total if scaled else (total / units[:, None]).max(axis=0) * units[:, None])
    weights, held = np.empty(sums.shape), np.maximum(variance, 1e-300)
    weights[:, 1 : 1 + p] = mean / held
    weights[:, 1 + p :] = -0.5 / held
    weights[:, 0] = np.log(safe / n) - 0.5 * (np.log(held) + weights[:, 1 : 1 + p] * mean).sum(axis=1)
    return weights, variance, total
