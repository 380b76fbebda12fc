"""The Gaussian detector of seeds/002: a normal density fitted to one class, thresholded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from karat.sample.populations import normal_log_density


class GaussianDetector(ClassifierMixin, BaseEstimator):
    """Log density of N(μ̂, Σ̂) of the target class, from the training cases of that class alone  (seeds/002, 4.1).

    The log has the same order as the density, so the same ROC, and does not underflow. `predict` calls a case
    of the target class where its density is at least the lowest that a training case of the class has.
    """

    def __init__(self, target: Any = 1) -> None:
        self.target = target

    def fit(self, X: np.ndarray, y: np.ndarray) -> GaussianDetector:
        self.classes_ = np.unique(y)
        own = np.asarray(X, dtype=float)[np.asarray(y) == self.target]
        self.mean_, self.root_ = own.mean(axis=0), np.linalg.cholesky(np.atleast_2d(np.cov(own, rowvar=False)))
        self.lowest_ = self.decision_function(own).min()
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return normal_log_density(np.asarray(X, dtype=float), self.mean_, self.root_)

    def predict(self, X: np.ndarray) -> np.ndarray:
        other = self.classes_[self.classes_ != self.target][0]
        return np.where(self.decision_function(X) >= self.lowest_, self.target, other)
