"""k nearest neighbours: the order of the neighbours once, walked with the counts of every training set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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
    # a Poisson variable of mean 3k + 17 is below k about once in 10^9: more neighbours are looked for when needed
    order = nearest(table.X, min(len(table.X), 3 * k + 17))
    if order is None:  # equal distances: scikit-learn's choice among them depends on its algorithm
        return None
    return Neighbours(table.X, order, table.codes, k, table.n_classes)


@dataclass(frozen=True, eq=False)
class Neighbours:
    X: np.ndarray
    order: np.ndarray  # (n, m) the nearest cases of each case, itself first
    codes: np.ndarray  # (n,)
    k: int
    n_classes: int
    name: ClassVar[str] = "batched k-nn"
    responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    @cached_property
    def farther(self) -> np.ndarray | None:
        """Four times as many neighbours."""
        return nearest(self.X, min(len(self.X), 4 * self.order.shape[1]))

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        found, enough = votes(counts, self.order, self.codes, self.k, self.n_classes)  # (C, b, n)
        short = np.flatnonzero(~enough)
        if len(short) and self.farther is not None:
            found[:, short], enough[short] = votes(counts[short], self.farther, self.codes, self.k, self.n_classes)
        per_class = counts @ np.eye(self.n_classes)[self.codes]
        undecided = np.flatnonzero(~(enough & (per_class > 0).all(axis=1)))
        if self.n_classes == 2:
            share = np.divide(found[1], self.k, out=out)
            return Margins(share, undecided, predictions=found[1] > found[0], probabilities=True)
        share = np.ascontiguousarray(found.transpose(1, 2, 0)) / self.k
        return Margins(share, undecided, predictions=share.argmax(axis=2), probabilities=True)
