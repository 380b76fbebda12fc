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

    def leave_one_out(self) -> Margins:
        """Sherman and Morrison: the scatter without case i is S − k d dᵀ, d = x − μ_c, k = n_c/(n_c − 1)."""
        f, n = self.features, len(self.features.x)
        (size, mean), d, own = f.centred_classes()
        k = size[own] / (size[own] - 1)
        scatter = d.T @ d
        inverse, _, good = spd_inverses(scatter[None])
        inverse = inverse[0]
        ad = d @ inverse  # rows A d
        left = 1 - k * (ad * d).sum(axis=1)  # 1 − k dᵀ A d
        sd = np.sqrt(np.diagonal(scatter))
        trace = (np.diagonal(inverse) * sd**2).sum() + (k / left) * ((ad * sd) ** 2).sum(axis=1)
        decided = good[0] & (left > 1e-6) & (trace * 100 * self.tol**2 < 1) & (size[own] > 1)
        # class means and shares without the case; x̄ likewise
        means = np.repeat(mean[None], n, axis=0)  # (n, C, p)
        means[np.arange(n), own] -= d / (size[own] - 1)[:, None]
        counts = np.repeat(size[None], n, axis=0)
        counts[np.arange(n), own] -= 1
        share = counts / (n - 1)
        centre = (share[:, :, None] * means).sum(axis=1)
        means -= centre[:, None, :]
        x = f.x - centre

        def form(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            """aᵀ Σ⁻¹ b of every case, Σ = (S − k d dᵀ)/(n − 1)."""
            plain = ((a @ inverse) * b).sum(axis=1)
            return (n - 1) * (plain + k / left * (a * ad).sum(axis=1) * (ad * b).sum(axis=1))

        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.stack(
                [np.log(share[:, c]) + form(x, m) - 0.5 * form(m, m) for c, m in enumerate(means.transpose(1, 0, 2))],
                axis=1,
            )
            if len(size) > 2:
                decided &= self._spans(share, means, np.broadcast_to((n - 1) * inverse, (n, *inverse.shape)))
        return f.of_each_case(values, decided)

    def _spans(self, share: np.ndarray, mean: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """(b,) whether no direction between the class means is so small that scikit-learn drops it."""
        c, p = mean.shape[1:]
        if c == 2:
            return np.ones(len(mean), dtype=bool)
        weighted = np.sqrt(share)[:, :, None] * mean
        between = np.nan_to_num(weighted @ inverse @ weighted.transpose(0, 2, 1))
        values = np.linalg.eigvalsh(between)[:, ::-1][:, : min(c - 1, p)]
        return values[:, -1] > 4 * self.tol**2 * values[:, 0]
