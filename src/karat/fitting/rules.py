"""A model trained once more: what studies of single rules need."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from karat.fitting.one import seeded


def retrained(model: Any, X: Any, y: Any, seed: np.random.SeedSequence) -> Any:
    """A fitted copy: scikit-learn's models are cloned and their open random states filled, others are copied."""
    fresh = seeded(model, seed) if hasattr(model, "__sklearn_tags__") else copy.deepcopy(model)
    return fresh.fit(X, y)
