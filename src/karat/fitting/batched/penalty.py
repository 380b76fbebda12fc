"""The L2 penalty in the units that scikit-learn sees."""

from __future__ import annotations

import numpy as np

from karat.fitting.batched.moments import DIGITS, Features
from karat.fitting.batched.newton import CLOSE


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


def lost_feature(penalty: np.ndarray, scaled: bool) -> np.ndarray:
    """(b,) whether a feature hardly varies in a training set, and a scaler stands before the model."""
    least: np.ndarray = penalty[:, 1:].min(axis=1)
    return scaled & (least < DIGITS)


def short_step(z: np.ndarray) -> float:
    """A last step in γ that moves no score by much: shorter where a case lies far out."""
    return CLOSE * min(1.0, 8 / float(np.abs(z).max()))
