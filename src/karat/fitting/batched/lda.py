"""Linear discriminant analysis, as scikit-learn's svd solver gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from karat.fitting.batched.base import Batched, Margins, Table, covered
from karat.fitting.batched.moments import Features
from karat.kernels.spd import spd_inverses


def engine(model: Any, table: Table) -> Batched | None:
    """Default parameters; a StandardScaler before it changes nothing, since the rule is affine invariant."""
    if type(model) is not LinearDiscriminantAnalysis:
        return None
    if not covered(model, solver="svd", shrinkage=None, priors=None, n_components=None, covariance_estimator=None):
        return None
    features = Features.of(table.X, table.codes, table.n_classes, products=True)
    return None if features is None else LDA(features, model.tol)


@dataclass(frozen=True, eq=False)
class LDA:
    """δ_c = log π_c + (x − x̄)ᵀ Σ⁻¹ (μ_c − x̄) − ½ (μ_c − x̄)ᵀ Σ⁻¹ (μ_c − x̄), Σ the pooled covariance with divisor n."""

    features: Features
    tol: float
    name: ClassVar[str] = "batched lda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def margins(self, counts: np.ndarray) -> Margins:
        f, classes = self.features, self.features.moments(counts)
        n = np.sum([m.size for m in classes], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            within = sum(m.products - m.size[:, None] * f.outer(m.mean) for m in classes) / n[:, None]
            sigma = f.square(within)
            # scikit-learn scales by the within-class SD and drops directions with singular values ≤ tol
            sd = np.sqrt(np.einsum("bii->bi", sigma))
            inverse, _, good = spd_inverses(sigma / (sd[:, :, None] * sd[:, None, :]))
            # λ_min ≥ 1/trace of the inverse; a margin of 100 keeps the scores exact to 1e-8. The diagonal of the
            # inverse of a correlation matrix is at least 1, unless rounding has made it nonsense.
            diagonal = np.einsum("bii->bi", inverse)
            good &= (diagonal.min(axis=1) > 0.99) & (diagonal.sum(axis=1) * 100 * self.tol**2 < 1)
            good &= np.min([m.size for m in classes], axis=0) > 0
            share = np.stack([m.size for m in classes], axis=1) / n[:, None]  # (b, C) π
            mean = np.stack([m.mean for m in classes], axis=1)  # (b, C, p)
            centre = (share[:, :, None] * mean).sum(axis=1)  # (b, p) x̄
            mean -= centre[:, None, :]
            scaled = mean / sd[:, None, :]
            coef = (scaled @ inverse) / sd[:, None, :]
            good &= self._spans(share, scaled, inverse)
            constant = np.log(share) - (coef * (0.5 * mean + centre[:, None, :])).sum(axis=2)
        coef, constant = np.nan_to_num(coef), np.nan_to_num(constant)
        undecided = np.flatnonzero(~good)
        if len(classes) == 2:
            values = (coef[:, 1] - coef[:, 0]) @ f.x.T + (constant[:, 1] - constant[:, 0])[:, None]
            return Margins(f.unsorted(values), undecided)
        b, c, p = coef.shape
        values = (coef.reshape(b * c, p) @ f.x.T).reshape(b, c, -1) + constant[:, :, None]
        return Margins(f.unsorted(values.transpose(0, 2, 1)), undecided)

    def _spans(self, share: np.ndarray, mean: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """(b,) whether no direction between the class means is so small that scikit-learn drops it."""
        c, p = mean.shape[1:]
        if c == 2:
            return np.ones(len(mean), dtype=bool)
        weighted = np.sqrt(share)[:, :, None] * mean
        between = np.nan_to_num(weighted @ inverse @ weighted.transpose(0, 2, 1))
        values = np.linalg.eigvalsh(between)[:, ::-1][:, : min(c - 1, p)]
        return values[:, -1] > 4 * self.tol**2 * values[:, 0]
