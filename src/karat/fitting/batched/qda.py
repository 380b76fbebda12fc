"""Quadratic discriminant analysis, as scikit-learn's svd solver gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import DIGITS, FAR, Features
from karat.fitting.batched.summands import DOUBLE, EXACT, Rules, Sums
from karat.kernels.discriminants import quadratic_weights
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

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.features.classes, self._rules)

    @cached_property
    def limit(self) -> float:
        """Of the square of the least share of variance: below it even double precision loses too much (see Rules)."""
        least, farthest = zip(*(c.form for c in self.features.classes), strict=True)
        return DOUBLE * max(farthest) * min(least) / EXACT

    def margins(self, counts: np.ndarray, out: np.ndarray | None = None) -> Margins:
        scores = self.features.scores
        *weights, good, _ = self.rules.of(counts)
        undecided = np.flatnonzero(~good)
        if len(weights) == 2:
            weights[1] -= weights[0]
            return Margins(scores(weights[1], out), undecided)
        return Margins(np.stack([scores(w) for w in weights], axis=2), undecided)

    def _rules(self, sums: Sums, _: np.ndarray) -> tuple[np.ndarray, ...]:
        """Weights of every class on Φ (1 + p + t, b), whether they can be trusted, and the least share of variance."""
        f = self.features
        sizes = np.stack([s[0] for s in sums])  # (C, b)
        units = self._units(sums)
        # scikit-learn looks for as many singular values as features, also where regularisation would make up for them
        good = (sizes >= (f.p if self.reg_param else 2)).all(axis=0)
        least, weights = np.ones(sizes.shape[1]), []
        for s, c, centre in zip(sums, f.classes, f.centres, strict=True):
            w, diagonal, ok = quadratic_weights(s, centre, self.reg_param * f.scale**2, self.reg_param)
            # in scikit-learn's units: λ_min ≥ 1/trace(Σ⁻¹)
            good &= ok & ((diagonal * units**2).sum(axis=0) * self.tol * 1.01 < 1) & (np.abs(w[0]) < FAR)
            least = np.minimum(least, 1 / np.maximum((diagonal * c.squares[:, None]).max(axis=0), 1))
            w[0] += np.log(np.maximum(s[0], 1) / sizes.sum(axis=0)) + np.log(f.scale).sum()
            weights.append(w)
        return *weights, good & (least > DIGITS) & (least**2 > self.limit), least

    def leave_one_out(self) -> Margins:
        """Only the own class changes: its scatter is S − k d dᵀ and x − μ becomes k d, k = n_c/(n_c − 1)."""
        f, n, p = self.features, len(self.features.x), self.features.p
        (size, mean), d, own = f.centred
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
                # what is lost when the case is taken out, and what collinear features lose, multiply
                lost = (np.diagonal(inverse[0]) * (d[rows] ** 2).sum(axis=0)).max()
                decided &= good[0] & (left > 1e-6 * lost) & (trace * self.tol * 1.01 < 1) & (count > 1)
                decided &= lost * DIGITS < 1
        if self.reg_param:  # the regularised scatter has no rank-one form: fitted one by one
            decided[:] = False
        return f.of_each_case(values, decided)

    def _units(self, sums: list[np.ndarray]) -> np.ndarray:
        """(p, 1) or (p, b): one unit of what scikit-learn sees, in units of x. Its tolerance is absolute there."""
        f = self.features
        if not self.scaled:
            return f.scale[:, None]
        n = np.sum([s[0] for s in sums], axis=0)
        first, second = np.zeros((f.p, len(n))), np.zeros((f.p, len(n)))
        squares = 1 + f.p + np.einsum("ii->i", f.pairs)
        for s, centre in zip(sums, f.centres[:, :, None], strict=True):  # x = centre + d
            first += s[1 : 1 + f.p] + centre * s[0]
            second += s[squares] + 2 * centre * s[1 : 1 + f.p] + centre**2 * s[0]
        return np.sqrt(np.maximum(second / n - (first / n) ** 2, 0))
