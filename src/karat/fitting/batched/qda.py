"""Quadratic discriminant analysis, as scikit-learn's svd solver gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features, Moments
from karat.kernels.spd import spd_inverses


def engine(model: Any, table: Table) -> Batched | None:
    """Default parameters with any regularisation; behind a scaler for two classes only, without regularisation.

    A scaler shifts the log-determinants of all classes alike: it cancels in the margin of two classes, not in
    the decision values of several.
    """
    if type(model) is not QuadraticDiscriminantAnalysis:
        return None
    if not covered(model, solver="svd", shrinkage=None, priors=None, covariance_estimator=None):
        return None
    if table.scaled and (table.n_classes > 2 or model.reg_param != 0):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=True)
    return None if features is None else QDA(features, float(model.reg_param), model.tol, table.scaled)


@dataclass(frozen=True, eq=False)
class QDA:
    """δ_c = log π_c − ½ log|Σ_c| − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c), Σ_c with divisor n_c: one row of weights on Φ."""

    features: Features
    reg_param: float
    tol: float
    scaled: bool
    name: ClassVar[str] = "batched qda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def margins(self, counts: np.ndarray) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        n = np.sum([m.size for m in classes], axis=0)
        good = np.ones(len(counts), dtype=bool)
        weights = []
        units = self._units(classes, n)
        for m in classes:
            w, ok = self._weights(m, n, units)
            weights.append(w)
            good &= ok
        undecided = np.flatnonzero(~good)
        if len(classes) == 2:
            return Margins(f.unsorted((weights[1] - weights[0]) @ f.phi.T), undecided)
        return Margins(f.unsorted(np.stack([w @ f.phi.T for w in weights], axis=2)), undecided)

    def leave_one_out(self) -> Margins:
        """Only the own class changes: its scatter is S − k d dᵀ and x − μ becomes k d, k = n_c/(n_c − 1)."""
        f, n, p = self.features, len(self.features.x), self.features.p
        (size, mean), d, own = f.centred_classes()
        values = np.empty((n, len(size)))
        decided = np.ones(n, dtype=bool)
        units = f.scale
        if self.scaled:  # the SD of the features without the case
            total = ((f.x**2).sum(axis=0) - f.x**2) / (n - 1) - ((f.x.sum(axis=0) - f.x) / (n - 1)) ** 2
            units = np.sqrt(np.maximum(total, 0))
        for c, m in enumerate(size):
            rows = own == c
            inverse, logdet, good = spd_inverses((d[rows].T @ d[rows])[None])
            away = np.where(rows[:, None], d, f.x - mean[c])
            a = away @ inverse[0]
            q = (a * away).sum(axis=1)  # dᵀ S⁻¹ d
            k = m / (m - 1)
            left = np.where(rows, 1 - k * q, 1.0)
            count = np.where(rows, m - 1, m)
            with np.errstate(divide="ignore", invalid="ignore"):
                form = np.where(rows, k**2 * q / left, q) * count
                determinant = logdet[0] + np.log(left) - p * np.log(count)
                values[:, c] = np.log(count / (n - 1)) - 0.5 * (determinant + form) + np.log(f.scale).sum()
                trace = (np.diagonal(inverse[0]) * units**2).sum(axis=-1)
                trace = count * (trace + np.where(rows, k / left * (a**2 * units**2).sum(axis=1), 0.0))
                decided &= good[0] & (left > 1e-6) & (trace * self.tol * 1.01 < 1) & (count > 1)
        if self.reg_param:  # the regularised scatter has no rank-one form: fitted one by one
            decided[:] = False
        return f.of_each_case(values, decided)

    def _units(self, classes: list[Moments], n: np.ndarray) -> np.ndarray:
        """(b, p) or (p,): one unit of what scikit-learn sees, in units of x. Its tolerance is absolute there."""
        if not self.scaled:
            return self.features.scale
        diagonal = np.einsum("ii->i", self.features.pairs)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = sum(m.size[:, None] * m.mean for m in classes) / n[:, None]
            total = sum(m.products[:, diagonal] for m in classes) / n[:, None] - mean**2
        return np.sqrt(np.maximum(total, 0))

    def _weights(self, m: Moments, n: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(b, 1 + p + q) weights on Φ, and which rows scikit-learn would accept with room to spare."""
        f, p = self.features, self.features.p
        with np.errstate(divide="ignore", invalid="ignore"):
            triangle = m.products / m.size[:, None] - f.outer(m.mean)
            sigma = f.square(triangle)
            if self.reg_param:
                sigma = (1 - self.reg_param) * sigma
                sigma[:, np.arange(p), np.arange(p)] += self.reg_param * f.scale**2
            inverse, logdet, good = spd_inverses(sigma)
            # in scikit-learn's units: λ_min ≥ 1/trace(Σ⁻¹)
            trace = (np.einsum("bii->bi", inverse) * units**2).sum(axis=1)
            good &= (trace > 0) & (trace * self.tol * 1.01 < 1) & (m.size > 1)
            linear = np.einsum("bpq,bq->bp", inverse, m.mean)
            constant = np.log(m.size / n) - 0.5 * logdet - 0.5 * np.einsum("bp,bp->b", linear, m.mean)
            constant = constant + np.log(f.scale).sum()  # the determinant in the units of X
        rows, cols = np.triu_indices(p)
        w = np.empty((len(linear), f.phi.shape[1]))
        w[:, 0], w[:, 1 : 1 + p] = constant, linear
        w[:, 1 + p :] = -np.where(rows == cols, 0.5, 1.0) * inverse[:, rows, cols]
        return np.nan_to_num(w), good
