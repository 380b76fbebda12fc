"""Least squares of numbers, ordinary and with an L2 penalty: all training sets from sums of products, leave-one-out from the
hat matrix."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from trueness.fitting.engines import MIN_KEPT, Engine, Rules, TrainingTable, has
from trueness.fitting.engines.moments import Phi, symmetric
from trueness.kernels.engines import inverses
from trueness.typing import Bools, Floats, Integers

MOST_FEATURES = 300  # with more, the inverses take longer than the model itself
LEAST_LEFT = 1e-6  # 1 − h below which a case determines its own prediction


def ols(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """An intercept, no bounds, and more cases than features."""
    covered = has(model, fit_intercept=True, positive=False) and table.x.shape[1] + 1 < len(table.x)
    return LeastSquares(table, 0.0) if covered and table.x.shape[1] <= MOST_FEATURES else None


def ridge_regression(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """An intercept, no bounds, a solver that gives the exact minimum."""
    covered = has(model, fit_intercept=True, positive=False, solver=("auto", "cholesky", "svd"))
    few = table.x.shape[1] <= MOST_FEATURES
    return LeastSquares(table, float(model.alpha)) if covered and few and model.alpha > 0 else None


class LeastSquares:
    """Least squares with an L2 penalty α (0 for ordinary least squares):

        w = (S + α D)⁻¹ Σ_i (x_i − x̄)(y_i − ȳ),

    S the scatter about x̄; D expresses the penalty in the units of x. Without case i, with the penalty unchanged,

        ŷ_(−i) = y_i − (y_i − ŷ_i)/(1 − h_i),   h_i = 1/n + (x_i − x̄)' (S + α D)⁻¹ (x_i − x̄)

    (Allen 1974), exact for one penalty in the units of X; behind a scaler the penalty depends on the training set.
    """

    name: ClassVar[str] = "closed-form least squares"
    responses: ClassVar[tuple[str, ...]] = ("predict",)

    def __init__(self, table: TrainingTable, alpha: float) -> None:
        assert table.target is not None
        self.spread, self.alpha, self.scaled = table.spread, alpha, table.scaled
        self.x, self.phi = table.x, Phi(table.x)
        self.ones = np.column_stack([np.ones(len(table.x)), table.x])
        self.centre = float(table.target.mean())
        self.y = table.target - self.centre  # so that no digits are lost
        self.with_target = self.ones * self.y[:, None]

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        drawn, p = counts.astype(float), self.phi.p
        inverse, mean, n, trusted = self._inverse(drawn)
        sums = drawn @ self.with_target  # (b, 1 + p) Σ y and Σ y x
        centre = sums[:, :1] / n
        slope = np.einsum("bp,bpq->bq", sums[:, 1:] - sums[:, :1] * mean, inverse)
        constant = centre[:, 0] - (slope * mean).sum(axis=1) + self.centre
        enough = (counts > 0).sum(axis=1) > (p + 1 if self.alpha == 0 else 1)
        weights = np.concatenate([constant[:, None], slope], axis=1)
        return Rules(np.matmul(weights, self.ones.T, out=out), trusted & enough)

    def _inverse(self, drawn: Floats) -> tuple[Floats, Floats, Floats, Bools]:
        """(b, p, p) (S + α D)⁻¹, the means (b, p), sizes (b, 1), and which training sets are well conditioned (b,)."""
        p, sums = self.phi.p, self.phi.sums(drawn)
        n, mean = sums[:, :1], sums[:, 1 : 1 + p] / sums[:, :1]
        scatter = symmetric(sums[:, 1 + p :], p)
        square = np.diagonal(scatter, axis1=1, axis2=2).copy()
        scatter -= (n * mean)[:, :, None] * mean[:, None, :]
        variance = np.diagonal(scatter, axis1=1, axis2=2) / n
        penalty = self.alpha * (variance if self.scaled else 1 / self.spread**2)
        scatter[:, range(p), range(p)] += penalty
        inverse, _ = inverses(scatter)
        kept = np.diagonal(inverse, axis1=1, axis2=2) * (square + penalty) * MIN_KEPT < 1
        kept &= variance > MIN_KEPT * square / n
        return inverse, mean, n, np.asarray(kept.all(axis=1))

    def leave_one_out(self) -> Rules | None:
        """Each case by the rule trained on all others, from the fit on all cases."""
        if self.scaled and self.alpha > 0:
            return None
        everyone = np.ones((1, len(self.x)))
        inverse, mean, n, trusted = self._inverse(everyone)
        if not trusted[0]:
            return None
        d = self.x - mean[0]
        leverage = 1 / n[0, 0] + np.einsum("np,pq,nq->n", d, inverse[0], d)
        fitted = self.rules(everyone.astype(np.uint8)).values[0]
        left = 1 - leverage
        sure = left > LEAST_LEFT
        truth = self.y + self.centre
        values = truth - (truth - fitted) / np.where(sure, left, 1.0)
        return Rules(values[None], sure)
