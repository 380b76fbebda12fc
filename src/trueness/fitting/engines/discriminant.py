"""Rules of class means: linear and quadratic discriminant analysis, as scikit-learn's svd solvers give them; Gaussian naive
Bayes, which looks at one feature at a time.
"""

from functools import cache
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from trueness.fitting.engines import (
    MAX_CONSTANT,
    MIN_KEPT,
    Classes,
    Engine,
    Moments,
    Phi,
    Rules,
    TrainingTable,
    has,
    symmetric,
    variances,
)
from trueness.kernels.engines import inverses
from trueness.typing import Bools, Floats, Integers


@cache
def unbiased() -> bool:
    """Whether the installed scikit-learn divides by n − C (LDA) and n_c − 1 (QDA), as older versions do, not by n and
    n_c: of these cases the variance within classes is 2 or 1, and the means are 10 apart."""
    rule = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    return bool(rule.coef_[0, 0] < 7.5)


def lda(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """The svd solver without shrinkage and priors."""
    plain = {"solver": "svd", "shrinkage": None, "priors": None, "n_components": None, "covariance_estimator": None}
    if unbiased() or not has(model, **plain):
        return None
    if table.x.shape[1] > len(table.x) - table.n_classes:  # singular: scikit-learn drops directions
        return None
    # features (n, p) whose pooled covariance is the identity for all cases, so that no training set is far from it, and
    # the least eigenvalue of the correlation matrix within classes; none where it is singular
    x, codes = table.x, table.codes
    d = x - np.stack([x[codes == c].mean(axis=0) for c in range(table.n_classes)])[codes]
    sigma = d.T @ d / len(d)
    sd = np.sqrt(np.diagonal(sigma))
    if not (sd > 0).all():
        return None
    least = float(np.linalg.eigvalsh(sigma / np.outer(sd, sd))[0])
    try:
        white = x @ np.linalg.inv(np.linalg.cholesky(sigma)).T
    except np.linalg.LinAlgError:
        return None
    return LDA(white, least, table, float(model.tol))


class LDA:
    """Linear discriminant analysis:

        δ_c(x) = log π_c + (x − x̄)ᵀ Σ⁻¹ (μ_c − x̄) − ½ (μ_c − x̄)ᵀ Σ⁻¹ (μ_c − x̄),

    Σ the pooled covariance within classes with divisor n (Hastie, Tibshirani & Friedman, The Elements of Statistical
    Learning, eq. 4.10). The rule is affine invariant: a StandardScaler changes
    nothing, and features may be whitened.
    """

    name: ClassVar[str] = "closed-form lda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, x: Floats, least: float, table: TrainingTable, tol: float) -> None:
        self.x, self.codes, self.tol, self.least, self.numbers = x, table.codes, tol, least, x.shape[1] ** 2
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
        # scikit-learn drops directions within classes where an eigenvalue of the correlation matrix is ≤ tol², and that is
        # at least λ_min(Σ)/λ_max(Σ) ≥ 1/(tr Σ⁻¹ · tr Σ) times the least one of all cases
        diagonal = np.diagonal(inverse, axis1=1, axis2=2)
        spread = diagonal.sum(axis=1) * sigma[:, phi.squares].sum(axis=1)
        trusted &= (diagonal * square).max(axis=1) * MIN_KEPT < 1
        trusted &= spread * 4 * self.tol**2 < self.least
        weights = np.concatenate([constant[:, :, None], slope], axis=2)  # (b, C, 1 + p)
        if size.shape[1] == 2:
            return Rules(np.matmul(weights[:, 1] - weights[:, 0], self.ones.T, out=out), trusted)
        # it drops directions between class means where singular values are ≤ tol times the largest
        root = np.sqrt(share)[:, :, None]
        between = np.nan_to_num((root * means) @ np.swapaxes(root * slope, 1, 2))
        values = np.linalg.eigvalsh(between)[:, ::-1][:, : min(size.shape[1] - 1, phi.p)]
        trusted &= values[:, -1] > 4 * self.tol**2 * values[:, 0]
        return Rules(np.swapaxes(weights @ self.ones.T, 1, 2), trusted)


def qda(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """The svd solver without priors, with any `reg_param`; a constant column is singular or regularised away."""
    plain = has(model, solver="svd", shrinkage=None, priors=None, covariance_estimator=None)
    few = (
        table.x.shape[1] > np.bincount(table.codes).min()
    )  # scikit-learn asks for as many cases of a class as features
    if unbiased() or table.dropped or few or not plain:
        return None
    return QDA(table, float(model.reg_param), float(model.tol))


class QDA:
    """Quadratic discriminant analysis:

        δ_c(x) = log π_c − ½ log|Σ_c| − ½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c),

    Σ_c the covariance of the class with divisor n_c, regularised to (1 − r) Σ_c + r I (Hastie, Tibshirani & Friedman,
    The Elements of Statistical Learning, eq. 4.12). It is one row of weights on Φ = [1, x_i, x_i x_j].
    """

    name: ClassVar[str] = "closed-form qda"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, table: TrainingTable, reg_param: float, tol: float) -> None:
        self.x, self.spread, self.scaled, self.reg_param, self.tol = table.x, table.spread, table.scaled, reg_param, tol
        self.phi, self.classes = Phi(self.x), Classes(self.x, table.codes, table.n_classes)
        self.numbers = 2 * self.x.shape[1] ** 2
        self.fewest = max(self.x.shape[1], 2)  # cases of a class that scikit-learn asks for, whatever reg_param is

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        moments = self.classes.moments(counts)
        # one squared unit of the features that scikit-learn sees, in units of x
        unit = variances(counts, self.x) if self.scaled else 1 / self.spread[None] ** 2
        n = sum(m.size for m in moments)
        found = [self._class(m, centre, unit) for m, centre in zip(moments, self.classes.centres, strict=True)]
        weights = [w for w, _ in found]
        with np.errstate(divide="ignore"):
            for w, m in zip(weights, moments, strict=True):
                w[:, 0] += np.log(m.size / n)
        trusted = np.all([good for _, good in found], axis=0)
        if len(weights) == 2:
            return Rules(self.phi.scores(weights[1] - weights[0], out), trusted)
        return Rules(np.stack([self.phi.scores(w) for w in weights], axis=2), trusted)

    def _class(self, m: Moments, centre: Floats, unit: Floats) -> tuple[Floats, Bools]:
        """Weights (b, q) of one class on Φ, without log π; and which can be trusted (b,)."""
        p, phi, r = len(centre), self.phi, self.reg_param
        sigma, square = symmetric(m.covariance, p), m.square
        if r:
            sigma *= 1 - r
            sigma[:, range(p), range(p)] += r * unit
            square = (1 - r) * square + r * unit
        inverse, logdet = inverses(sigma)
        mean = centre + m.shift
        slope = np.einsum("bij,bj->bi", inverse, mean)
        weights = np.empty((len(mean), 1 + p + len(phi.i)))
        weights[:, 1 : 1 + p] = slope
        weights[:, 1 + p :] = np.take(inverse.reshape(-1, p * p), phi.i * p + phi.j, axis=1)
        weights[:, 1 + p :] *= np.where(phi.i == phi.j, -0.5, -1.0)
        weights[:, 0] = -0.5 * (logdet + (slope * mean).sum(axis=1))
        trusted = (m.size >= self.fewest) & (np.abs(weights[:, 0]) < MAX_CONSTANT)
        weights[:, 0] += 0.5 * np.log(unit).sum(axis=1)
        diagonal = np.diagonal(inverse, axis1=1, axis2=2)
        lost = (diagonal * square).max(axis=1)
        # eigenvalues must be above tol as scikit-learn sees them, and the least is at least 1/tr Σ⁻¹
        trace = (diagonal * unit).sum(axis=1)
        return weights, trusted & (lost * MIN_KEPT < 1) & (trace * self.tol * 1.01 < 1)


def naive_bayes(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """Priors from the sample. Without smoothing, a constant column has no density."""
    if not has(model, priors=None) or (table.dropped and not model.var_smoothing):
        return None
    return NaiveBayes(table, float(model.var_smoothing))


class NaiveBayes:
    """Gaussian naive Bayes:

        δ_c(x) = log π_c − ½ Σ_j [log σ²_cj + (x_j − μ_cj)²/σ²_cj],

    σ²_cj the variance of feature j in class c with divisor n_c, plus `var_smoothing` times the largest variance of a
    feature in the training set. It is one row of weights on Φ = [1, x_j, x_j²].
    """

    name: ClassVar[str] = "closed-form naive bayes"
    responses: ClassVar[tuple[str, ...]] = ("log_odds", "predict_proba")

    def __init__(self, table: TrainingTable, smoothing: float) -> None:
        self.spread, self.smoothing, self.scaled = table.spread, smoothing, table.scaled
        self.phi = Phi(table.x, products=False)
        self.classes = Classes(table.x, table.codes, table.n_classes, products=False)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        found = self.classes.moments(counts)
        size, shift, variance, square = (
            np.stack([getattr(m, name) for m in found], axis=1) for name in ("size", "shift", "covariance", "square")
        )
        size, mean = size[:, :, None], self.classes.centres + shift
        share = size / size.sum(axis=1, keepdims=True)
        away = mean - (share * mean).sum(axis=1, keepdims=True)
        total = (share * (variance + away**2)).sum(axis=1)  # (b, p) of all classes together
        # a scaler gives every feature the variance 1; otherwise the largest counts, in the units of X
        extra = total if self.scaled else (total * self.spread**2).max(axis=1, keepdims=True) / self.spread**2
        extra = self.smoothing * extra[:, None]
        kept = (variance + extra) > MIN_KEPT * (square + extra)
        variance = variance + extra
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = mean / variance
            constant = np.log(share[:, :, 0]) - 0.5 * (np.log(variance) + slope * mean).sum(axis=2)
            weights = np.concatenate([constant[:, :, None], slope, -0.5 / variance], axis=2)  # (b, C, 1 + 2p)
        trusted = (size > 0).all(axis=(1, 2)) & kept.all(axis=(1, 2)) & (np.abs(constant) < MAX_CONSTANT).all(axis=1)
        trusted &= (total > MIN_KEPT**2).all(axis=1)  # of all cases it is about 1
        if size.shape[1] == 2:
            return Rules(self.phi.scores(weights[:, 1] - weights[:, 0], out), trusted)
        return Rules(np.stack([self.phi.scores(w) for w in np.swapaxes(weights, 0, 1)], axis=2), trusted)
