"""A model trained once more: what studies of single rules need."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from karat.fitting.one import Model, seeded


def retrained(model: Model, X: npt.ArrayLike, y: npt.ArrayLike, seed: np.random.SeedSequence) -> Any:
    """A fitted copy: scikit-learn's models are cloned and their open random states filled, others are copied."""
    fresh = seeded(model, seed) if isinstance(model, BaseEstimator) else copy.deepcopy(model)
    return fresh.fit(X, y)
