"""Gaussian naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.naive_bayes import GaussianNB

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features


def engine(model: Any, table: Table) -> Batched | None:
    """Priors from the sample; a scaler before it moves only the smoothing."""
    if type(model) is not GaussianNB or not covered(model, priors=None):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=False)
    return None if features is None else NaiveBayes(features, float(model.var_smoothing), table.scaled)


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """δ_c = log π_c − ½ Σ_j [log σ²_cj + (x_j − μ_cj)²/σ²_cj], σ² with divisor n_c plus the smoothing."""

    features: Features
    smoothing: float
    scaled: bool
    name: ClassVar[str] = "batched naive bayes"
    responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    def leave_one_out(self) -> Margins:
        """Mean and variance of the own class without the case."""
        f, n = self.features, len(self.features.x)
        (size, mean), d, own = f.centred_classes()
        total = ((f.x**2).sum(axis=0) - f.x**2) / (n - 1) - ((f.x.sum(axis=0) - f.x) / (n - 1)) ** 2  # (n, p)
        if self.scaled:
            extra = self.smoothing * total
        else:
            extra = self.smoothing * (total / f.scale**2).max(axis=1, keepdims=True) * f.scale**2
        values, decided = np.empty((n, len(size))), total.min(axis=1) > 1e-12
        for c, m in enumerate(size):
            rows = own == c
            squares = (d[rows] ** 2).sum(axis=0)  # (p,)
            count = np.where(rows, m - 1, m)
            with np.errstate(divide="ignore", invalid="ignore"):
                # Σ (x − μ)² without the case falls by d² m/(m − 1)
                var = np.where(rows[:, None], squares - d**2 * m / (m - 1), squares) / count[:, None] + extra
                away = np.where(rows[:, None], d * m / (m - 1), f.x - mean[c])
                values[:, c] = np.log(count / (n - 1)) - 0.5 * (np.log(var) + away**2 / var).sum(axis=1)
                decided &= (count > 0) & ((var / total).min(axis=1) > 1e-5)
        return f.of_each_case(values, decided)

    def margins(self, counts: np.ndarray) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        n = np.sum([m.size for m in classes], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = sum(m.size[:, None] * m.mean for m in classes) / n[:, None]
            total = sum(m.products for m in classes) / n[:, None] - mean**2  # (b, p) variance of the training set
            if self.scaled:  # every feature has variance 1 there, so the largest is 1
                extra = self.smoothing * total
            else:  # the largest variance in units of X, taken back to the units of x
                extra = self.smoothing * (total / f.scale**2).max(axis=1, keepdims=True) * f.scale**2
            weights = []
            good = total.min(axis=1) > 1e-12
            for m in classes:
                var = m.products / m.size[:, None] - m.mean**2 + extra
                good &= (m.size > 0) & (var.min(axis=1) > 0)
                w = np.empty((len(counts), f.phi.shape[1]))
                w[:, 0] = np.log(m.size / n) - 0.5 * (np.log(var) + m.mean**2 / var).sum(axis=1)
                w[:, 1 : 1 + f.p] = m.mean / var
                w[:, 1 + f.p :] = -0.5 / var
                # a variance far below the spread of x loses digits in products − mean²
                good &= (var / total).min(axis=1) > 1e-5
                weights.append(np.nan_to_num(w))
        undecided = np.flatnonzero(~good)
        if len(classes) == 2:
            return Margins(f.unsorted((weights[1] - weights[0]) @ f.phi.T), undecided)
        return Margins(f.unsorted(np.stack([w @ f.phi.T for w in weights], axis=2)), undecided)
