"""Ridge classifier: least squares on ±1 with an L2 penalty,

    w = (S + α D)⁻¹ Σ_i (x_i − x̄)(y_i − ȳ),

S the scatter about x̄; D expresses the penalty in the units of x.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import RidgeClassifier

from trueness.fitting.engines import MIN_KEPT, Engine, Rules, Table, has
from trueness.fitting.engines.moments import Phi, standardised, symmetric
from trueness.kernels.spd import inverses
from trueness.typing import Floats, Integers


def engine(model: BaseEstimator, table: Table) -> Engine | None:
    """An intercept, no weights, no bounds, a solver that gives the exact minimum."""
    exact = ("auto", "cholesky", "svd")
    if type(model) is not RidgeClassifier or not model.alpha > 0:
        return None
    if not has(model, fit_intercept=True, class_weight=None, positive=False, solver=exact):
        return None
    standard = standardised(table.X)
    return None if standard is None else Ridge(*standard, table, float(model.alpha))


class Ridge:
    name: ClassVar[str] = "closed-form ridge"
    responses: ClassVar[tuple[str, ...]] = ("decision_function",)

    def __init__(self, x: Floats, spread: Floats, table: Table, alpha: float) -> None:
        self.spread, self.alpha, self.scaled = spread, alpha, table.scaled
        self.phi = Phi(x)
        self.ones = np.column_stack([np.ones(len(x)), x])
        self.targets = [c for c in range(table.n_classes) if table.n_classes > 2 or c == 1]
        self.of_class = np.concatenate([self.ones * (table.codes == c)[:, None] for c in self.targets], axis=1)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        b, p, drawn = len(counts), self.phi.p, counts.astype(float)
        sums = self.phi.sums(drawn)
        n, mean = sums[:, :1], sums[:, 1 : 1 + p] / sums[:, :1]
        second = symmetric(sums[:, 1 + p :], p)
        scatter = second - n[:, :, None] * mean[:, :, None] * mean[:, None, :]
        variance = np.diagonal(scatter, axis1=1, axis2=2) / n
        penalty = self.alpha * (variance if self.scaled else 1 / self.spread**2)
        scatter[:, range(p), range(p)] += penalty
        inverse, _ = inverses(scatter)
        # y is 1 for the class and −1 for the rest, so that Σ (x − x̄) y = 2 (sum over the class − n_c x̄)
        own = (drawn @ self.of_class).reshape(b, len(self.targets), 1 + p)
        size = own[:, :, 0]
        slope = 2 * (own[:, :, 1:] - size[:, :, None] * mean[:, None]) @ inverse  # (b, C or 1, p)
        constant = 2 * size / n - 1 - (slope * mean[:, None]).sum(axis=2)
        weights = np.concatenate([constant[:, :, None], slope], axis=2)
        square = np.diagonal(second, axis1=1, axis2=2)
        kept = np.diagonal(inverse, axis1=1, axis2=2) * (square + penalty) * MIN_KEPT < 1
        kept &= variance > MIN_KEPT * square / n
        trusted = kept.all(axis=1) & ((size > 0) & (size < n)).all(axis=1)
        if len(self.targets) == 1:
            return Rules(np.matmul(weights[:, 0], self.ones.T, out=out), trusted)
        return Rules(np.swapaxes(weights @ self.ones.T, 1, 2), trusted)
