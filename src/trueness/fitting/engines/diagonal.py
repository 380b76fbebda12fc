"""Gaussian naive Bayes and nearest centroid: rules that look at one feature at a time."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from trueness.fitting.engines import MAX_CONSTANT, MIN_KEPT, Engine, Rules, TrainingTable, has
from trueness.fitting.engines.moments import Classes, Phi
from trueness.typing import Bools, Floats, Integers


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
        size, mean, variance, square = _of_classes(self.classes, counts)
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


def _of_classes(classes: Classes, counts: Integers) -> tuple[Floats, Floats, Floats, Floats]:
    """Sizes (b, C, 1), and means, variances and mean squares (b, C, p) of the classes in each training set."""
    found = classes.moments(counts)
    size, shift, variance, square = (
        np.stack([getattr(m, name) for m in found], axis=1) for name in ("size", "shift", "covariance", "square")
    )
    return size[:, :, None], classes.centres + shift, variance, square


AGREES = 1e-9  # a tenth of what engines promise
ROUNDING = 1e-12  # share of the terms of a distance that rounding may take


def nearest_centroid(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """Euclidean distances, no shrinking, equal priors."""
    covered = has(model, metric="euclidean", shrink_threshold=None, priors="uniform")
    return Centroids(table) if covered and not _far_from_zero(table) else None


def _far_from_zero(table: TrainingTable) -> bool:
    """Whether scikit-learn's distances, ‖x‖² − 2x·μ + ‖μ‖², lose so many digits that it differs from the closed form,
    which is exact: in units of the spread of each feature for scores, in those of X for decisions."""
    if table.scaled:  # the scaler takes the means off
        return False
    with np.errstate(over="ignore"):
        of_scores = ((table.X / table.spread) ** 2).sum(axis=1).max() + table.constants
        of_decisions = ((table.X**2).sum(axis=1).max() + table.constants) / table.spread.max() ** 2
    return bool(not 4 * np.finfo(float).eps * max(of_scores, of_decisions) < AGREES)


class Centroids:
    """Nearest centroid. scikit-learn decides by the Euclidean distance to the class means, and scores by the distance in
    units of the standard deviations within classes:

        δ_c(x) = 2 log(1/C) − Σ_j (x_j − μ_cj)²/s_j²,   s_j² = Σ_i (x_ij − μ_cj)²/(n − C).
    """

    name: ClassVar[str] = "closed-form nearest centroid"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, table: TrainingTable) -> None:
        self.x, self.spread, self.scaled = table.x, table.spread, table.scaled
        self.classes = Classes(self.x, table.codes, table.n_classes, products=False)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        size, mean, variance, square = _of_classes(self.classes, counts)
        n, n_classes = size.sum(axis=1), size.shape[1]  # (b, 1)
        away = mean - (size * mean).sum(axis=1, keepdims=True) / n[:, None]
        total = (size * (variance + away**2)).sum(axis=1) / n
        with np.errstate(divide="ignore", invalid="ignore"):
            within = (size * variance).sum(axis=1) / (n - n_classes)
            values = self._distances(mean, 1 / within)
            unit = 1 / total if self.scaled else np.broadcast_to(1.0 * self.spread**2, total.shape)
            distance = self._distances(mean, unit)
        kept = within > MIN_KEPT * (size * square).sum(axis=1) / n
        trusted = (size > 0).all(axis=(1, 2)) & (n > n_classes)[:, 0] & kept.all(axis=1)
        trusted &= (total > MIN_KEPT * (size * (square + mean**2)).sum(axis=1) / n).all(axis=1) | (not self.scaled)
        trusted &= (values < MAX_CONSTANT).all(axis=(1, 2)) & self._clear(distance, mean, np.sqrt(square), unit)
        if n_classes == 2:
            values = values[:, 0] - values[:, 1]
        else:
            values = 2 * np.log(1 / n_classes) - np.swapaxes(values, 1, 2)
        return Rules(values, trusted, predictions=distance.argmin(axis=1))

    def _distances(self, mean: Floats, unit: Floats) -> Floats:
        """(b, C, n) Σ_j (x_j − μ_cj)² u_j."""
        slope = mean * unit[:, None]
        own = (unit @ (self.x**2).T)[:, None]
        return np.asarray(own - 2 * slope @ self.x.T + (slope * mean).sum(axis=2, keepdims=True))

    def _clear(self, distance: Floats, mean: Floats, spread: Floats, unit: Floats) -> Bools:
        """(b,) whether rounding cannot change which centroid is nearest to any case: equal distances are left to
        scikit-learn."""
        reach = np.sqrt((unit[:, None] * (np.abs(mean) + spread) ** 2).sum(axis=2, keepdims=True))  # (b, C, 1)
        error = ROUNDING * (reach + np.sqrt(unit @ (self.x**2).T)[:, None]) ** 2
        nearest = (distance + error).min(axis=1, keepdims=True)
        return np.asarray(((distance - error <= nearest).sum(axis=1) == 1).all(axis=1))
