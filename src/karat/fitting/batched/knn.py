"""k nearest neighbours: the order of the neighbours once, walked with the counts of every training set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.kernels.neighbours import nearest, votes


def engine(model: Any, table: Table) -> Batched | None:
    """Equal weights and Euclidean distances, without a scaler (distances would change with every training set)."""
    if type(model) is not KNeighborsClassifier or table.scaled:
        return None
    if not covered(model, weights="uniform", metric=("minkowski", "euclidean"), p=2, metric_params=None):
        return None
    k = int(model.n_neighbors)
    n = len(table.X)
    found = nearest(table.X, min(n, 6 * k + 40))
    if found is None:  # equal distances: scikit-learn's choice among them depends on its algorithm
        return None
    return Neighbours(found, table.codes, k, table.n_classes)


@dataclass(frozen=True, eq=False)
class Neighbours:
    order: np.ndarray  # (n, m) the nearest cases of each case, itself first
    codes: np.ndarray  # (n,)
    k: int
    n_classes: int
    name: ClassVar[str] = "batched k-nn"
    responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        found, enough = votes(counts, self.order, self.codes, self.k, self.n_classes)  # (b, n, C)
        per_class = counts @ np.eye(self.n_classes)[self.codes]
        good = enough & (per_class > 0).all(axis=1)
        decided = found.argmax(axis=2).astype(np.int16)
        share = found / self.k
        values = share[:, :, 1] if self.n_classes == 2 else share
        return Margins(values, np.flatnonzero(~good), predictions=decided, probabilities=True)
