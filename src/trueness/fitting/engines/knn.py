"""k nearest neighbours: the order of the neighbours once, walked with the counts of all training sets.

Behind a StandardScaler every training set has distances of its own,

    d²_b(i, j) = Σ_f (x_if − x_jf)² u_bf,   u_bf = one over the variance of feature f in training set b,

in units of the standard deviations of all cases. Candidates are the nearest cases by the latter: a case that is no
candidate is at least min_f u_bf times the squared distance of the last candidate away.
"""

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from trueness.fitting.engines import Engine, Rules, TrainingTable, has, variances
from trueness.kernels.engines import nearest, votes, votes_by_distance
from trueness.typing import Array, Bools, Floats, Integers

MOST_FEATURES = 1000  # with more, and scaled in every training set, fits one by one are faster
EQUAL = 1e-9  # relative difference of two squared distances below which rounding decides their order


def knn(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """Equal weights and Euclidean distances. Where distances are equal, scikit-learn's choice depends on its search
    algorithm, so the generic path is taken."""
    covered = has(model, weights="uniform", metric=("minkowski", "euclidean"), p=2, metric_params=None)
    if not covered or model.n_neighbors > 1000 or (table.scaled and table.x.shape[1] > MOST_FEATURES):
        return None
    k, n = int(model.n_neighbors), len(table.x)
    if table.scaled:
        return ScaledNeighbours(table, k)
    x = table.x * (table.spread / table.spread.max())  # the proportions of X
    # a Poisson variable of mean 3k + 17 is below k about once in 10⁹
    order, squares = nearest(x, min(n, 3 * k + 18))
    return None if equal(squares).any() else Neighbours(x, order, table, k)


def equal(squares: Floats) -> Bools:
    """(n,) whether two neighbouring distances are equal but for rounding, of ascending squares (n, m)."""
    return np.asarray((np.diff(squares, axis=1) <= EQUAL * squares[:, 1:]).any(axis=1))


class Neighbours:
    name: ClassVar[str] = "closed-form k-nn"
    responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    def __init__(self, x: Floats, order: npt.NDArray[np.intp], table: TrainingTable, k: int) -> None:
        self.x, self.order, self.codes, self.n_classes, self.k = x, order, table.codes, table.n_classes, k
        self.member = np.eye(table.n_classes)[table.codes]
        self.of_targets = table.target is not None
        # what the vote of each case is worth: 1, or its target
        self.worth: Array = np.ones(len(x), dtype=np.int16) if table.target is None else table.target

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        found, enough = votes(_few(counts, self.k), self.order, self.codes, self.worth, self.k, self.n_classes)
        return self._rules(counts, found, enough)

    def _rules(self, counts: Integers, found: Array, enough: Bools) -> Rules:
        """From votes (C, b, n), or the sums of the targets (1, b, n) of the neighbours."""
        if self.of_targets:
            return Rules(found[0] / self.k, enough)
        trusted = enough & (counts @ self.member > 0).all(axis=1)
        predictions = found.argmax(axis=0) if self.n_classes > 2 else found[1] > found[0]
        values = found[1] / self.k if self.n_classes == 2 else np.moveaxis(found, 0, 2) / self.k
        return Rules(values, trusted, predictions=predictions.astype(np.int16), probabilities=True)


class ScaledNeighbours(Neighbours):
    def __init__(self, table: TrainingTable, k: int) -> None:
        x = table.x
        order, squares = nearest(x, min(len(x), 16 * k + 64))
        super().__init__(x, order, table, k)
        self.beyond = squares[:, -1] if order.shape[1] < len(x) else np.full(len(x), np.inf)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        variance = variances(counts, self.x)
        varies = np.asarray(~np.isnan(variance).any(axis=1))
        unit = 1 / np.where(varies[:, None], variance, 1.0)  # (b, p)
        found = np.zeros((self.n_classes, *counts.shape), dtype=self.worth.dtype)
        drawn, least, sure = _few(counts, self.k), unit.min(axis=1), varies
        for i, near in enumerate(self.order):
            away = unit @ ((self.x[near] - self.x[i]) ** 2).T  # (b, m) squared distances
            beyond = least * self.beyond[i] * (1 - EQUAL)
            into = found[:, :, i]
            sure = sure & votes_by_distance(away, beyond, drawn, near, self.codes, self.worth, self.k, EQUAL, into)
        return self._rules(counts, found, sure)


def _few(counts: Integers, k: int) -> npt.NDArray[np.int16]:
    """(n, b) counts, at most k."""
    return np.ascontiguousarray(np.minimum(counts, k).astype(np.int16).T)
