"""Nearest centroid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.neighbors import NearestCentroid

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features, Moments

LOST = 1e-12  # share of each term of a distance that rounding may take
VARIES = 1e-5  # a variance below this share of the mean square has lost its digits, or is 0, or others are far off


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

    @cached_property
    def cases(self) -> np.ndarray:
        """(1 + p, n) 1 and x, cases in their own order."""
        f = self.features
        return np.concatenate([np.ones((1, len(f.x))), f.x[f.back].T])

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        n = np.sum([m.size for m in classes], axis=0)[:, None]
        good = (np.min([m.size for m in classes], axis=0) > 0) & (n[:, 0] > len(classes))
        means = [np.nan_to_num(m.mean) for m in classes]
        with np.errstate(divide="ignore", invalid="ignore"):
            raw = np.sum([m.products for m in classes], axis=0) / n
            mean = np.sum([m.size[:, None] * m.mean for m in classes], axis=0) / n
            within = (n * raw - np.sum([m.size[:, None] * m.mean**2 for m in classes], axis=0)) / (n - len(classes))
            total = raw - mean**2
            enough = VARIES * np.maximum(raw, 1)  # 1: of all cases
            good &= ((within > enough) & (total > enough)).all(axis=1)
            within, total, raw = (np.where(good[:, None], part, 1.0) for part in (within, total, raw))
        units = 1 / total if self.scaled else np.broadcast_to(1 / f.scale**2, total.shape)
        lost = LOST * (raw / total).max(axis=1) if self.scaled else np.full(len(counts), LOST)
        predictions, clear = self._nearest(classes, means, units, lost)
        scores = self._closeness(means, 1 / within)
        if len(classes) == 2:
            values = scores[1]
        else:
            prior = 2 * np.log(1 / len(classes))  # equal ones, which scikit-learn adds
            values = np.stack(scores, axis=2) + (prior - (1 / within) @ self.cases[1:] ** 2)[:, :, None]
        return Margins(values, np.flatnonzero(~(good & clear)), predictions=predictions)

    def _closeness(self, means: list[np.ndarray], units: np.ndarray) -> list[np.ndarray]:
        """(b, n) of each class: Σ_j x_j² u_j − (x_j − μ_j)² u_j; of two classes by how much more than the first."""
        if len(means) == 2:
            apart = (means[1] - means[0]) * units
            return [np.zeros((len(units), 1)), self._affine(apart, (apart * (means[0] + means[1])).sum(axis=1))]
        return [self._affine(m * units, (m**2 * units).sum(axis=1)) for m in means]

    def _affine(self, slope: np.ndarray, constant: np.ndarray) -> np.ndarray:
        """(b, n) 2 slope · x − constant."""
        return np.concatenate([-constant[:, None], 2 * slope], axis=1) @ self.cases

    def _nearest(
        self, classes: list[Moments], means: list[np.ndarray], units: np.ndarray, lost: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(b, n) the class whose centroid is nearest, and (b,) whether that is sure for every case.

        Rounding takes a share `lost` of |μ_j| (2 |x_j| + |μ_j|) u_j, and of the sums that μ_j is made of; equal
        distances are scikit-learn's to choose among.
        """
        close = self._closeness(means, units)
        first, second = np.maximum(close[0], close[1]), np.minimum(close[0], close[1])
        nearest = (close[1] > close[0]).astype(np.int16)
        for c, this in enumerate(close[2:], start=2):
            nearest[this > first] = c
            np.maximum(second, np.minimum(first, this), out=second)
            np.maximum(first, this, out=first)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = [np.sqrt(np.nan_to_num(m.products / m.size[:, None])) for m in classes]  # ≥ |μ|
        slopes = [2 * lost[:, None] * units * s for s in spread]
        constants = [(slope * s).sum(axis=1, keepdims=True) for slope, s in zip(slopes, spread, strict=True)]
        x = np.abs(self.cases[1:])
        most = np.max([slope @ x.max(axis=1) + c[:, 0] for slope, c in zip(slopes, constants, strict=True)], axis=0)
        clear = (first - second).min(axis=1) > 2 * most
        ask = np.flatnonzero(~clear)  # case by case: a rival may be as near as the nearest is at least
        errors = [slope[ask] @ x + c[ask] for slope, c in zip(slopes, constants, strict=True)]
        least = np.max([g[ask] - e for g, e in zip(close, errors, strict=True)], axis=0)
        rivals = np.sum([g[ask] + e >= least for g, e in zip(close, errors, strict=True)], axis=0)
        clear[ask] = (rivals == 1).all(axis=1)
        return nearest, clear
