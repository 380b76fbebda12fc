"""The one 2-D problem of the figures of seeds/003, and two rules that scikit-learn does not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.sample.populations import Gaussians


def tilted() -> Gaussians:
    """Two normal classes with one covariance, features correlated .7: LDA is right, diagonal LDA is not."""
    return Gaussians([[0.0, 0.0], [1.4, 0.2]], [[1.0, 0.7], [0.7, 1.0]])


class LinearRule:
    """Class 1 where w'x + w0 > 0; the children say how w and w0 are found."""

    coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        return np.asarray(X, dtype=float) @ self.coef_[0] + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **params: Any) -> LinearRule:
        return self

    def _parts(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means (2, p) of the classes, scatter within them S_W (p, p), and log prior odds."""
        X, self.classes_ = np.asarray(X, dtype=float), np.unique(y)
        of = [X[np.asarray(y) == c] for c in self.classes_]
        means = np.stack([x.mean(axis=0) for x in of])
        scatter = np.sum([(x - m).T @ (x - m) for x, m in zip(of, means, strict=True)], axis=0)
        return means, scatter, np.log(len(of[1]) / len(of[0]))

    def _cut(self, w: np.ndarray, means: np.ndarray, odds: np.ndarray) -> None:
        """w'x + w0 with the cut half-way between the projected means, moved by the prior odds."""
        self.coef_ = w[None]
        self.intercept_ = np.array([-w @ means.mean(axis=0) + odds])


class DiagonalLDA(LinearRule):
    """LDA that takes the features for uncorrelated: Σ = diag(σ_1², …)  (seeds/003)."""

    def fit(self, X: Any, y: Any) -> DiagonalLDA:
        means, scatter, odds = self._parts(X, y)
        self._cut((means[1] - means[0]) / (np.diag(scatter) / len(y)), means, odds)
        return self


class Fisher(LinearRule):
    """Fisher's direction w ∝ S_W⁻¹(m2 − m1), cut where the projected means meet half-way  (seeds/003)."""

    def fit(self, X: Any, y: Any) -> Fisher:
        means, scatter, _ = self._parts(X, y)
        self._cut(np.linalg.solve(scatter, means[1] - means[0]), means, np.array(0.0))
        return self
