"""Nearest centroid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.neighbors import NearestCentroid

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features


def engine(model: Any, table: Table) -> Batched | None:
    """Euclidean distances, no shrinking, equal priors."""
    if type(model) is not NearestCentroid:
        return None
    if not covered(model, metric="euclidean", shrink_threshold=None, priors="uniform"):
        return None
    if not hasattr(model, "decision_function"):  # older versions of scikit-learn have no scores for it
        return None
    given = table.sample.X
    if (
        given.to_numpy() if hasattr(given, "to_numpy") else given
    ).dtype.kind == "b":  # scikit-learn cannot subtract them
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=False)
    return None if features is None else Centroids(features, table.scaled)


@dataclass(frozen=True, eq=False)
class Centroids:
    """It scores by the distance in units of the SD within classes, and decides by the plain distance."""

    features: Features
    scaled: bool
    name: ClassVar[str] = "batched nearest centroid"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        n = np.sum([m.size for m in classes], axis=0)[:, None]
        good = np.min([m.size for m in classes], axis=0) > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            within = sum(m.products - m.size[:, None] * m.mean**2 for m in classes) / (n - len(classes))
            mean = np.sum([m.size[:, None] * m.mean for m in classes], axis=0) / n
            total = np.sum([m.products for m in classes], axis=0) / n - mean**2
            # a variance far below the spread of x has lost its digits, or is 0
            good &= (within.min(axis=1) > 1e-5) & (total.min(axis=1) > 1e-5)
            means = [np.nan_to_num(m.mean) for m in classes]
            scores = self._minus_distances(means, np.where(good[:, None], 1 / within, 1.0))
            units = 1 / total if self.scaled else np.broadcast_to(1 / f.scale**2, total.shape)
            nearest = self._minus_distances(means, np.where(good[:, None], units, 1.0))
        if len(classes) == 2:
            values, decided = scores[1] - scores[0], (nearest[1] > nearest[0]).astype(np.int16)
        else:
            prior = 2 * np.log(1 / len(classes))  # equal ones, which scikit-learn adds
            values, decided = np.stack(scores, axis=2) + prior, np.argmax(nearest, axis=0).astype(np.int16)
        return Margins(f.unsorted(values), np.flatnonzero(~good), predictions=f.unsorted(decided))

    def _minus_distances(self, means: list[np.ndarray], units: np.ndarray) -> list[np.ndarray]:
        """(b, n) −Σ_j (x_j − μ_j)² u_j of each class, without the term Σ x² u that all classes share where only two
        are compared; kept here, since several classes are shown with it."""
        f = self.features
        squares = units @ (f.x**2).T
        return [2 * (m * units) @ f.x.T - (m**2 * units).sum(axis=1, keepdims=True) - squares for m in means]
