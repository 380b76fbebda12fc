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

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        f, p = self.features, self.features.p
        sums = f.sums(counts)
        sizes = np.stack([s[0] for s in sums])
        n, safe = sizes.sum(axis=0), np.maximum(sizes, 1)
        first, second, parts = np.zeros((p, len(n))), np.zeros((p, len(n))), []
        for s, c, size in zip(sums, f.classes, safe, strict=True):  # x = centre + d
            delta, centre = s[1 : 1 + p] / size, c.centre[:, None]
            mean = delta + centre
            variance = s[1 + p :] / size - delta**2
            first += s[0] * mean
            second += s[0] * (variance + mean**2)
            parts.append((mean, variance))
        total = second / n - (first / n) ** 2  # (p, b) variance of the training set
        if self.scaled:  # every feature has variance 1 there, so the largest is 1
            extra = self.smoothing * total
        else:  # the largest variance in units of X, taken back to the units of x
            units = f.scale[:, None] ** 2
            extra = self.smoothing * (total / units).max(axis=0) * units
        good = (sizes > 0).all(axis=0) & (total.min(axis=0) > 1e-12)
        weights = []
        for (mean, variance), size, c in zip(parts, safe, f.classes, strict=True):
            w = np.empty((1 + 2 * p, len(n)))
            variance += extra
            # a variance far below that of the whole class has lost its digits
            good &= (variance > 1e-5 * c.squares[:, None]).all(axis=0) & (variance.min(axis=0) > 0)
            np.maximum(variance, 1e-300, out=variance)
            np.divide(mean, variance, out=w[1 : 1 + p])
            np.divide(-0.5, variance, out=w[1 + p :])
            w[0] = np.log(size / n) - 0.5 * (np.log(variance) + w[1 : 1 + p] * mean).sum(axis=0)
            weights.append(w)
        if len(weights) == 2:
            weights[1] -= weights[0]
            return Margins(np.matmul(weights[1].T, f.phi_of_cases, out=out), np.flatnonzero(~good))
        return Margins(np.stack([w.T @ f.phi_of_cases for w in weights], axis=2), np.flatnonzero(~good))
