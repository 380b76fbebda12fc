"""Linear discriminant analysis, as scikit-learn's svd solver gives it:

    δ_c(x) = log π_c + (x − x̄)ᵀ Σ⁻¹ (μ_c − x̄) − ½ (μ_c − x̄)ᵀ Σ⁻¹ (μ_c − x̄),

Σ the pooled covariance within classes with divisor n (Hastie, Tibshirani & Friedman, The Elements of Statistical
Learning, eq. 4.10). The rule is affine invariant: a StandardScaler changes nothing, and features may be whitened.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from trueness.fitting.engines import MAX_CONSTANT, MIN_KEPT, Engine, Rules, Table, has
from trueness.fitting.engines.moments import Classes, standardised, symmetric
from trueness.kernels.spd import inverses
from trueness.typing import Bools, Floats, Integers


def engine(model: BaseEstimator, table: Table) -> Engine | None:
    """The svd solver without shrinkage and priors."""
    if type(model) is not LinearDiscriminantAnalysis:
        return None
    if not has(model, solver="svd", shrinkage=None, priors=None, n_components=None, covariance_estimator=None):
        return None
    standard = standardised(table.X)
    white = None if standard is None else whitened(standard[0], table.codes, table.n_classes)
    return None if white is None else LDA(*white, table, float(model.tol))


def whitened(x: Floats, codes: npt.NDArray[np.intp], n_classes: int) -> tuple[Floats, float] | None:
    """Features (n, p) whose pooled covariance is the identity for all cases, so that no training set is far from it,
    and the least eigenvalue of the correlation matrix within classes of x; None where it is singular."""
    d = x - np.stack([x[codes == c].mean(axis=0) for c in range(n_classes)])[codes]
    sigma = d.T @ d / len(d)
    sd = np.sqrt(np.diagonal(sigma))
    if not (sd > 0).all():
        return None
    least = float(np.linalg.eigvalsh(sigma / np.outer(sd, sd))[0])
    try:
        return x @ np.linalg.inv(np.linalg.cholesky(sigma)).T, least
    except np.linalg.LinAlgError:
        return None


class LDA:
    name: ClassVar[str] = "closed-form lda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, x: Floats, least: float, table: Table, tol: float) -> None:
        self.x, self.codes, self.tol, self.least = x, table.codes, tol, least
        self.classes = Classes(x, table.codes, table.n_classes)
        self.ones = np.column_stack([np.ones(len(x)), x])

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        phi = self.classes.phi[0]
        moments = self.classes.moments(counts)
        size = np.stack([m.size for m in moments], axis=1)  # (b, C)
        shift = np.stack([m.shift for m in moments], axis=1)  # (b, C, p)
        share = size / size.sum(axis=1, keepdims=True)
        sigma = sum(s[:, None] * m.covariance for s, m in zip(share.T, moments, strict=True))
        square = sum(s[:, None] * m.square for s, m in zip(share.T, moments, strict=True))
        inverse, _ = inverses(symmetric(sigma, phi.p))

        means = self.classes.centres + shift
        centre = share[:, None] @ means  # (b, 1, p) x̄
        means -= centre
        slope = means @ inverse  # (b, C, p)
        with np.errstate(divide="ignore"):
            constant = np.log(share) - (slope * (0.5 * means + centre)).sum(axis=2)
        trusted = (size > 0).all(axis=1) & (np.abs(constant) < MAX_CONSTANT).all(axis=1)
        trusted &= self._keeps(sigma[:, phi.squares], inverse, square) & self._spans(share, means, slope)
        weights = np.concatenate([constant[:, :, None], slope], axis=2)  # (b, C, 1 + p)
        if size.shape[1] == 2:
            return Rules(np.matmul(weights[:, 1] - weights[:, 0], self.ones.T, out=out), trusted)
        return Rules(np.swapaxes(weights @ self.ones.T, 1, 2), trusted)

    def _keeps(self, variance: Floats, inverse: Floats, square: Floats) -> Bools:
        """(b,) the conditioning test, and whether scikit-learn drops no direction within classes.

        It drops those where an eigenvalue of the correlation matrix is ≤ tol², and that is at least
        λ_min(Σ)/λ_max(Σ) ≥ 1/(tr Σ⁻¹ · tr Σ) times the least one of all cases.
        """
        diagonal = np.diagonal(inverse, axis1=1, axis2=2)
        lost = (diagonal * square).max(axis=1)
        spread = diagonal.sum(axis=1) * variance.sum(axis=1)
        return np.asarray((lost * MIN_KEPT < 1) & (spread * 4 * self.tol**2 < self.least))

    def _spans(self, share: Floats, means: Floats, slope: Floats) -> Bools | bool:
        """(b,) whether scikit-learn drops no direction between class means, which it does where singular values are
        ≤ tol times the largest."""
        if share.shape[1] == 2:
            return True
        weight = np.sqrt(share)[:, :, None]
        between = (weight * means) @ np.swapaxes(weight * slope, 1, 2)
        values = np.linalg.eigvalsh(np.nan_to_num(between))[:, ::-1][:, : min(share.shape[1] - 1, self.x.shape[1])]
        return np.asarray(values[:, -1] > 4 * self.tol**2 * values[:, 0])

    def leave_one_out(self) -> Rules:
        """Sherman & Morrison: without case i of class c the scatter S is S − k d dᵀ, d = x − μ_c, k = n_c/(n_c − 1)."""
        n, own, each = len(self.x), self.codes, np.arange(len(self.x))
        size = np.bincount(own).astype(float)
        mean = np.stack([self.x[m].mean(axis=0) for m in self.classes.members])
        d = self.x - mean[own]
        with np.errstate(divide="ignore", invalid="ignore"):
            k = size[own] / (size[own] - 1)
            inverse = inverses((d.T @ d)[None])[0][0]
            turned = d @ inverse  # S⁻¹ d
            left = 1 - k * (turned * d).sum(axis=1)

            def form(a: Floats, b: Floats) -> Floats:
                """aᵀ Σ⁻¹ b of every case, Σ = (S − k d dᵀ)/(n − 1)."""
                plain = ((a @ inverse) * b).sum(axis=1)
                more = k / left * (a * turned).sum(axis=1) * (turned * b).sum(axis=1)
                return np.asarray((n - 1) * (plain + more))

            means, share = np.repeat(mean[None], n, axis=0), np.repeat(size[None], n, axis=0)
            means[each, own] -= d / (size[own] - 1)[:, None]
            share[each, own] -= 1
            share /= n - 1
            centre = share[:, None] @ means
            means -= centre
            x = self.x - centre[:, 0]
            of_classes = np.swapaxes(means, 0, 1)
            values = np.stack([form(x, m) - 0.5 * form(m, m) for m in of_classes], axis=1) + np.log(share)
        trusted = (left > np.sqrt(MIN_KEPT)) & (left * self.least > 4 * self.tol**2) & (size[own] > 1)
        trusted &= self._spans(share, means, (n - 1) * means @ inverse)
        if len(size) == 2:
            values = values[:, 1] - values[:, 0]
        return Rules(values[None], trusted)
