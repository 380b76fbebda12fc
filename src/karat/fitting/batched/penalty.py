"""The L2 penalty in the units that scikit-learn sees."""

from __future__ import annotations

import numpy as np

from karat.fitting.batched.moments import Features


def penalty_of(counts: np.ndarray, features: Features, z: np.ndarray, scaled: bool) -> np.ndarray:
    """(b, 1 + p): what takes the penalty to the units that scikit-learn sees, 0 for the intercept."""
    out = np.zeros((len(counts), z.shape[1]))
    if not scaled:
        out[:, 1:] = features.scale**2
        return out
    n = counts.sum(axis=1, keepdims=True)
    mean = counts @ z[:, 1:] / n
    out[:, 1:] = counts @ z[:, 1:] ** 2 / n - mean**2  # StandardScaler divides by the SD of the training set
    return out
