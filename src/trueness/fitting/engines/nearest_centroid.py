"""Nearest centroid. scikit-learn decides by the Euclidean distance to the class means, and scores by the distance in
units of the standard deviations within classes:

    δ_c(x) = 2 log(1/C) − Σ_j (x_j − μ_cj)²/s_j²,   s_j² = Σ_i (x_ij − μ_cj)²/(n − C).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestCentroid

from trueness.fitting.engines import MAX_CONSTANT, MIN_KEPT, Engine, Rules, Table, has
from trueness.fitting.engines.moments import Classes, standardised
from trueness.typing import Bools, Floats, Integers

AGREES = 1e-9  # a tenth of what engines promise
ROUNDING = 1e-12  # share of the terms of a distance that rounding may take


def engine(model: BaseEstimator, table: Table) -> Engine | None:
    """Euclidean distances, no shrinking, equal priors; old versions of scikit-learn have no scores for it."""
    if type(model) is not NearestCentroid or not hasattr(model, "decision_function"):
        return None
    if not has(model, metric="euclidean", shrink_threshold=None, priors="uniform"):
        return None
    standard = standardised(table.X)
    return None if standard is None or _far_from_zero(table, standard[1]) else Centroids(*standard, table)


def _far_from_zero(table: Table, spread: Floats) -> bool:
    """Whether scikit-learn's distances, ‖x‖² − 2x·μ + ‖μ‖², lose so many digits that it differs from the closed form,
    which is exact: in units of the spread of each feature for scores, in those of X for decisions."""
    if table.scaled:  # the scaler takes the means off
        return False
    with np.errstate(over="ignore"):
        of_scores = ((table.X / spread) ** 2).sum(axis=1).max() + table.constants
        of_decisions = ((table.X**2).sum(axis=1).max() + table.constants) / spread.max() ** 2
    return bool(not 4 * np.finfo(float).eps * max(of_scores, of_decisions) < AGREES)


class Centroids:
    name: ClassVar[str] = "closed-form nearest centroid"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, x: Floats, spread: Floats, table: Table) -> None:
        self.x, self.spread, self.scaled = x, spread, table.scaled
        self.classes = Classes(x, table.codes, table.n_classes, products=False)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        moments = self.classes.moments(counts)
        size = np.stack([m.size for m in moments], axis=1)[:, :, None]  # (b, C, 1)
        shift = np.stack([m.shift for m in moments], axis=1)  # (b, C, p)
        variance = np.stack([m.covariance for m in moments], axis=1)
        square = np.stack([m.square for m in moments], axis=1)
        n, n_classes = size.sum(axis=1), size.shape[1]  # (b, 1)
        mean = self.classes.centres + shift
        away = mean - (size * mean).sum(axis=1, keepdims=True) / n[:, None]
        total = (size * (variance + away**2)).sum(axis=1) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            within = (size * variance).sum(axis=1) / (n - n_classes)
            values = self._distances(mean, 1 / within)
            unit = 1 / total if self.scaled else np.broadcast_to(1.0 * self.spread**2, total.shape)
            distance = self._distances(mean, unit)
        kept = within > MIN_KEPT * (size * square).sum(axis=1) / n
        trusted = (size > 0).all(axis=(1, 2)) & (n > n_classes)[:, 0] & kept.all(axis=1)
        trusted &= (total > MIN_KEPT * (size * (square + mean**2)).sum(axis=1) / n).all(axis=1) | (not self.scaled)
        trusted &= (values < MAX_CONSTANT).all(axis=(1, 2)) & self._clear(distance, mean, np.sqrt(square), unit)
        if n_classes == 2:
            values = values[:, 0] - values[:, 1]
        else:
            values = 2 * np.log(1 / n_classes) - np.swapaxes(values, 1, 2)
        return Rules(values, trusted, predictions=distance.argmin(axis=1))

    def _distances(self, mean: Floats, unit: Floats) -> Floats:
        """(b, C, n) Σ_j (x_j − μ_cj)² u_j."""
        slope = mean * unit[:, None]
        own = (unit @ (self.x**2).T)[:, None]
        return np.asarray(own - 2 * slope @ self.x.T + (slope * mean).sum(axis=2, keepdims=True))

    def _clear(self, distance: Floats, mean: Floats, spread: Floats, unit: Floats) -> Bools:
        """(b,) whether rounding cannot change which centroid is nearest to any case: equal distances are left to
        scikit-learn."""
        reach = np.sqrt((unit[:, None] * (np.abs(mean) + spread) ** 2).sum(axis=2, keepdims=True))  # (b, C, 1)
        error = ROUNDING * (reach + np.sqrt(unit @ (self.x**2).T)[:, None]) ** 2
        nearest = (distance + error).min(axis=1, keepdims=True)
        return np.asarray(((distance - error <= nearest).sum(axis=1) == 1).all(axis=1))
