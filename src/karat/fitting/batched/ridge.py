"""Ridge classifier: least squares on ±1 with an L2 penalty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import RidgeClassifier

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import DIGITS, Features, diagonal_places
from karat.kernels.discriminants import factored, solve_factored


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
        f, p = self.features, self.features.p
        drawn = counts.astype(float)
        moments = f.phi_of_cases @ drawn.T  # (1 + p + t, b)
        n, mean = moments[0], moments[1 : 1 + p] / moments[0]
        rows, cols = np.triu_indices(p)
        scatter = moments[1 + p :]
        scatter -= n * mean[rows] * mean[cols]
        diagonal = diagonal_places(p)
        varies = (scatter[diagonal] > DIGITS * n).all(axis=0)
        scatter[diagonal] += self.alpha * (scatter[diagonal] / n if self.scaled else f.scale[:, None] ** 2)
        factor, good = factored(scatter)
        good &= varies & (factor[diagonal] ** 2 > DIGITS * scatter[diagonal]).all(axis=0)
        sums = np.stack([one @ drawn.T for one in self.classes])  # (C or 1, 1 + p, b)
        sizes = sums[:, 0]
        # y is 1 for the class and −1 for the rest, so Σ (x − x̄) y = 2 (sum of the class − n_c x̄)
        gamma = solve_factored(factor, 2 * (sums[:, 1:] - sizes[:, None] * mean))
        constant = (2 * sizes / n - 1) - (gamma * mean).sum(axis=1)
        weights = np.concatenate([constant[:, None], gamma], axis=1)  # (C or 1, 1 + p, b)
        good &= ((sizes > 0) & (sizes < n)).all(axis=0)
        cases = f.phi_of_cases[: 1 + p]
        if len(f.ends) == 2:
            return Margins(np.matmul(weights[0].T, cases, out=out), np.flatnonzero(~good))
        return Margins(np.stack([w.T @ cases for w in weights], axis=2), np.flatnonzero(~good))

    @cached_property
    def classes(self) -> list[np.ndarray]:
        """(1 + p, n) 1 and x where a case is of the class, else 0: of every class, or of the second of two."""
        ends = self.features.ends
        own = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))[self.features.back]
        cases = self.features.phi_of_cases[: 1 + self.features.p]
        return [cases * (own == c) for c in (range(len(ends)) if len(ends) > 2 else [1])]
