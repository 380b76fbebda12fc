"""Gaussian naive Bayes:

    δ_c(x) = log π_c − ½ Σ_j [log σ²_cj + (x_j − μ_cj)²/σ²_cj],

σ²_cj the variance of feature j in class c with divisor n_c, plus `var_smoothing` times the largest variance of a
feature in the training set. It is one row of weights on Φ = [1, x_j, x_j²].
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

from trueness.fitting.engines import MAX_CONSTANT, MIN_KEPT, Engine, Rules, Table, has
from trueness.fitting.engines.moments import Classes, Phi, standardised
from trueness.typing import Floats, Integers


def engine(model: BaseEstimator, table: Table) -> Engine | None:
    """Priors from the sample. Without smoothing, a constant column has no density."""
    if type(model) is not GaussianNB or not has(model, priors=None) or (table.dropped and not model.var_smoothing):
        return None
    standard = standardised(table.X)
    return None if standard is None else NaiveBayes(*standard, table, float(model.var_smoothing))


class NaiveBayes:
    name: ClassVar[str] = "closed-form naive bayes"
    responses: ClassVar[tuple[str, ...]] = ("log_odds", "predict_proba")

    def __init__(self, x: Floats, spread: Floats, table: Table, smoothing: float) -> None:
        self.spread, self.smoothing, self.scaled = spread, smoothing, table.scaled
        self.phi = Phi(x, products=False)
        self.classes = Classes(x, table.codes, table.n_classes, products=False)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        moments = self.classes.moments(counts)
        size = np.stack([m.size for m in moments], axis=1)[:, :, None]  # (b, C, 1)
        shift = np.stack([m.shift for m in moments], axis=1)  # (b, C, p)
        variance = np.stack([m.covariance for m in moments], axis=1)
        square = np.stack([m.square for m in moments], axis=1)
        share, mean = size / size.sum(axis=1, keepdims=True), self.classes.centres + shift
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
