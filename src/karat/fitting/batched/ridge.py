"""Ridge classifier: least squares on ±1 with an L2 penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import RidgeClassifier

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features
from karat.kernels.spd import spd_inverses


def engine(model: Any, table: Table) -> Batched | None:
    """An intercept, no weights, no bounds, a solver that gives the exact minimum."""
    if type(model) is not RidgeClassifier:
        return None
    exact = ("auto", "cholesky", "svd")
    if not covered(model, fit_intercept=True, class_weight=None, positive=False, solver=exact):
        return None
    if not isinstance(model.alpha, (int, float, np.floating, np.integer)) or not model.alpha > 0:
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=True)
    return None if features is None else Ridge(features, float(model.alpha), table.scaled)


@dataclass(frozen=True, eq=False)
class Ridge:
    """γ = (S + α D)⁻¹ Σ (x − x̄)(y − ȳ), S the scatter about x̄; D takes the penalty to the units of the model."""

    features: Features
    alpha: float
    scaled: bool
    name: ClassVar[str] = "batched ridge"
    responses: ClassVar[tuple[str, ...]] = ("decision_function",)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        sizes = np.stack([m.size for m in classes], axis=1)  # (b, C)
        n = sizes.sum(axis=1, keepdims=True)
        sums = np.stack([np.nan_to_num(m.mean) * m.size[:, None] for m in classes], axis=1)  # (b, C, p)
        mean = sums.sum(axis=1) / n
        scatter = f.square(np.sum([m.products for m in classes], axis=0) - n * f.outer(mean))
        diagonal = np.einsum("bii->bi", scatter)
        scatter[:, np.arange(f.p), np.arange(f.p)] += self.alpha * (diagonal / n if self.scaled else f.scale**2)
        inverse, _, good = spd_inverses(scatter)
        good &= (sizes > 0).all(axis=1)
        # y is 1 for the class and −1 for the rest, so Σ (x − x̄) y = 2 (sum of the class − n_c x̄)
        product = 2 * (sums - sizes[:, :, None] * mean[:, None, :])
        gamma = product @ inverse  # (b, C, p)
        constant = (2 * sizes / n - 1) - (gamma * mean[:, None, :]).sum(axis=2)
        if len(classes) == 2:
            values = gamma[:, 1] @ f.x.T + constant[:, 1:]
            return Margins(f.unsorted(values), np.flatnonzero(~good))
        b, c, p = gamma.shape
        values = (gamma.reshape(b * c, p) @ f.x.T).reshape(b, c, -1) + constant[:, :, None]
        return Margins(f.unsorted(values.transpose(0, 2, 1)), np.flatnonzero(~good))
