"""AdaBoost with decision stumps, step by step as seeds/003 prints the algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Stump:
    """h(x) = sign where x_feature > threshold, else −sign."""

    feature: int
    threshold: float
    sign: int

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return np.where(X[:, self.feature] > self.threshold, self.sign, -self.sign)


class AdaBoost:
    """y(x) = Σ_m c_m h_m(x), c_m = ln((1 − err_m)/err_m), h_m the stump of least weighted error.

    Weights of the cases that h_m gets wrong are multiplied by exp(c_m) and renormalised. It stops early where a
    stump is perfect, or no better than chance. Labels are 0 and 1.
    """

    def __init__(self, rounds: int = 100) -> None:
        self.rounds = rounds

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"rounds": self.rounds}

    def set_params(self, **params: Any) -> AdaBoost:
        self.rounds = params.get("rounds", self.rounds)
        return self

    def fit(self, X: Any, y: Any) -> AdaBoost:
        X = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        t = np.where(np.asarray(y) == self.classes_[1], 1, -1)
        weights = np.full(len(t), 1 / len(t))
        order = np.argsort(X, axis=0, kind="stable")
        self.stumps_: list[Stump] = []
        self.coefficients_: list[float] = []
        self.errors_: list[float] = []
        for _ in range(self.rounds):
            stump, error = best_stump(X, t, weights, order)
            if error >= 0.5:
                break
            c = np.log((1 - error) / error) if error > 0 else np.inf
            self.stumps_.append(stump)
            self.errors_.append(error)
            if error <= 0:  # nothing is left to weigh: this stump alone decides
                self.coefficients_.append(1.0 + float(np.sum(self.coefficients_)))
                break
            self.coefficients_.append(float(c))
            weights = weights * np.exp(c * (stump(X) != t))
            weights /= weights.sum()
        return self

    def staged_scores(self, X: Any) -> np.ndarray:
        """(M, m) y(x) after each round."""
        X = np.asarray(X, dtype=float)
        votes = np.stack([s(X) for s in self.stumps_]) * np.array(self.coefficients_)[:, None]
        return np.cumsum(votes, axis=0)

    def decision_function(self, X: Any) -> np.ndarray:
        return self.staged_scores(X)[-1]

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def best_stump(
    X: np.ndarray,  # (n, p)
    t: np.ndarray,  # (n,) ±1
    weights: np.ndarray,  # (n,) sum 1
    order: np.ndarray,  # (n, p) cases sorted by each feature
) -> tuple[Stump, float]:
    """The stump of least weighted error: for each feature one cumulative sum gives the error of every split."""
    best, least = Stump(0, -np.inf, 1), np.inf
    for j in range(X.shape[1]):
        x = X[order[:, j], j]
        signed = (weights * t)[order[:, j]]
        # split after k cases: those below called −1, those above +1; error = ½ − ½ (Σ above − Σ below)
        below = np.concatenate([[0.0], np.cumsum(signed)])
        error = 0.5 - 0.5 * (below[-1] - 2 * below)
        possible = np.concatenate([[True], x[1:] > x[:-1], [False]])  # equal values cannot be split
        for sign, errors in ((1, error), (-1, 1 - error)):
            k = int(np.where(possible, errors, np.inf).argmin())
            if errors[k] < least - 1e-15:
                threshold = -np.inf if k == 0 else 0.5 * (x[k - 1] + x[k])
                best, least = Stump(j, float(threshold), sign), float(errors[k])
    return best, max(least, 0.0)
