"""DeLong's variance of an AUC, as a vector with one entry a case."""

from __future__ import annotations

import numpy as np

from karat.kernels.auc import placements
from karat.kernels.compiled import twin


@twin
def delong_influence(scores: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """AUC and a vector g (n,) with Σ g_i² = DeLong's variance (DeLong, DeLong & Clarke-Pearson 1988).

    V10_i = share of negatives below positive i, V01_j = share of positives above negative j;
    Var = S10/n1 + S01/n2 with S the sample variances (n − 1). Scaled by √(n_k/(n_k − 1)) within a
    class, the differences of the vectors of two curves give DeLong's covariance too.
    """
    up, down = scores[positive], scores[~positive]
    v10, v01 = placements.reference(up, down), 1 - placements.reference(down, up)  # type: ignore[attr-defined]
    value = float(v10.mean())
    g = np.empty(len(scores))
    g[positive] = _scaled(v10 - value)
    g[~positive] = _scaled(v01 - value)
    return value, g


@twin
def class_extremes(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float, float, float]:
    """The lowest and the highest score of a positive, and of a negative."""
    up, down = scores[positive], scores[~positive]
    return float(up.min()), float(up.max()), float(down.min()), float(down.max())


def _scaled(centred: np.ndarray) -> np.ndarray:
    m = len(centred)
    # one case has no sample variance: its vector is NaN, and so is the standard error
    return centred / np.sqrt(m * (m - 1)) if m > 1 else np.full(m, np.nan)
