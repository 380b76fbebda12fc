"""Models that the studies fit: textbook rules by scikit-learn, and four that it does not have."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from trueness.errors import FitError
from trueness.fitting.one import seeded, with_generators
from trueness.studies.populations import normal_log_density
from trueness.typing import Array, Classifier, Floats, Ints


class ScoringClassifier(Classifier, Protocol):
    """A classifier with scores."""

    def decision_function(self, X: ArrayLike) -> Floats: ...


lda: Callable[[], ScoringClassifier] = LinearDiscriminantAnalysis
qda: Callable[[], ScoringClassifier] = QuadraticDiscriminantAnalysis
tree: Callable[[], Classifier] = DecisionTreeClassifier
# close to maximum likelihood; the penalty keeps separable samples finite
logistic: Callable[[], ScoringClassifier] = partial(LogisticRegression, C=100.0, max_iter=1000)
maximum_margin: Callable[[], ScoringClassifier] = partial(SVC, kernel="linear")
maximum_margin_rbf: Callable[[], ScoringClassifier] = partial(SVC, kernel="rbf")


def nearest_neighbours(k: int = 1) -> Classifier:
    """k nearest neighbours."""
    model: Classifier = KNeighborsClassifier(n_neighbors=k)
    return model


M = TypeVar("M", bound=Classifier)


def fitted(model: M, X: ArrayLike, y: ArrayLike, seed: np.random.SeedSequence) -> M:
    """A fitted copy. scikit-learn models are cloned and their open random states are set; others are copied."""
    fresh: M = seeded(model, seed) if hasattr(model, "__sklearn_tags__") else copy.deepcopy(model)
    try:
        with_generators(seed, lambda: fresh.fit(X, y))
    except Exception as error:
        raise FitError(f"{type(model).__name__} cannot be fitted", param="model", reason=str(error)) from error
    return fresh


class LinearRule:
    """Class 1 where w'x + w0 > 0; subclasses fit w and w0."""

    coef_: Floats
    intercept_: Floats
    classes_: Array

    def decision_function(self, X: ArrayLike) -> Floats:
        scores: Floats = np.asarray(X, dtype=float) @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: ArrayLike) -> Array:
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])

    def _moments(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats, float]:
        """Class means (2, p), within-class scatter S_W (p, p), and log prior odds."""
        cases, self.classes_ = np.asarray(X, dtype=float), np.unique(y)
        of = [cases[np.asarray(y) == c] for c in self.classes_]
        means = np.stack([x.mean(axis=0) for x in of])
        scatter = np.sum([(x - m).T @ (x - m) for x, m in zip(of, means, strict=True)], axis=0)
        return means, scatter, float(np.log(len(of[1]) / len(of[0])))

    def _set(self, w: Floats, means: Floats, log_odds: float = 0.0) -> None:
        """Direction w, with the cut half-way between the projected means, moved by the prior odds."""
        self.coef_ = w[None]
        self.intercept_ = np.array([-w @ means.mean(axis=0) + log_odds])


class DiagonalLDA(LinearRule):
    """LDA that assumes uncorrelated features, Σ = diag(σ_1², …)  (Popovici, Classification)."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> DiagonalLDA:
        means, scatter, log_odds = self._moments(X, y)
        self._set((means[1] - means[0]) / (np.diag(scatter) / len(np.asarray(y))), means, log_odds)
        return self


class Fisher(LinearRule):
    """Fisher's direction w ∝ S_W⁻¹(m2 − m1), cut half-way between the projected means  (Popovici, Classification)."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Fisher:
        means, scatter, _ = self._moments(X, y)
        self._set(np.linalg.solve(scatter, means[1] - means[0]), means)
        return self


class GaussianDetector(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Log density of N(μ̂, Σ̂), fitted to the training cases of the target class alone  (Paclík et al., section 4.1).

    The log has the same order as the density, so the same ROC curve, and does not underflow. `predict` returns the
    target class where the density is at least the lowest one of a training case of that class.

    Parameters
    ----------
    target : label, default 1
        The class to detect.
    """

    def __init__(self, target: int | str = 1) -> None:
        self.target = target

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussianDetector:
        self.classes_ = np.unique(y)
        own = np.asarray(X, dtype=float)[np.asarray(y) == self.target]
        self.mean_, self.root_ = own.mean(axis=0), np.linalg.cholesky(np.atleast_2d(np.cov(own, rowvar=False)))
        self.lowest_ = self.decision_function(own).min()
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        return normal_log_density(np.asarray(X, dtype=float), self.mean_, self.root_)

    def predict(self, X: ArrayLike) -> Array:
        other = self.classes_[self.classes_ != self.target][0]
        return np.where(self.decision_function(X) >= self.lowest_, self.target, other)


@dataclass(frozen=True)
class Stump:
    """h(x) = sign where x_feature > threshold, else −sign."""

    feature: int
    threshold: float
    sign: int

    def __call__(self, X: Floats) -> Ints:
        return np.where(X[:, self.feature] > self.threshold, self.sign, -self.sign)


class AdaBoost:
    """AdaBoost with decision stumps, as printed in Popovici, Classification.

    y(x) = Σ_m c_m h_m(x), c_m = ln((1 − err_m)/err_m), h_m the stump with the smallest weighted error. The weights of
    the cases that h_m gets wrong are multiplied by exp(c_m) and renormalised. Boosting stops early where a stump is
    perfect, or no better than chance.

    Parameters
    ----------
    rounds : int, default 100
        Number of stumps.
    """

    def __init__(self, rounds: int = 100) -> None:
        self.rounds = rounds

    def fit(self, X: ArrayLike, y: ArrayLike) -> AdaBoost:
        cases = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        t = np.where(np.asarray(y) == self.classes_[1], 1, -1)
        weights = np.full(len(t), 1 / len(t))
        order = np.argsort(cases, axis=0, kind="stable")
        self.stumps_: list[Stump] = []
        self.coefficients_: list[float] = []
        self.errors_: list[float] = []
        for _ in range(self.rounds):
            stump, error = best_stump(cases, t, weights, order)
            if error >= 0.5:
                break
            self.stumps_.append(stump)
            self.errors_.append(error)
            if error <= 0:  # no weights are left: this stump alone decides
                self.coefficients_.append(1.0 + float(np.sum(self.coefficients_)))
                break
            c = float(np.log((1 - error) / error))
            self.coefficients_.append(c)
            weights = weights * np.exp(c * (stump(cases) != t))
            weights /= weights.sum()
        return self

    def staged_scores(self, X: ArrayLike) -> Floats:
        """(rounds, m) y(x) after each round."""
        cases = np.asarray(X, dtype=float)
        votes = np.stack([s(cases) for s in self.stumps_]) * np.array(self.coefficients_)[:, None]
        return np.cumsum(votes, axis=0)

    def decision_function(self, X: ArrayLike) -> Floats:
        return np.asarray(self.staged_scores(X)[-1])

    def predict(self, X: ArrayLike) -> Array:
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])


def best_stump(
    X: Floats,  # (n, p)
    t: Ints,  # (n,) ±1
    weights: Floats,  # (n,) sum 1
    order: Ints,  # (n, p) cases sorted by each feature
) -> tuple[Stump, float]:
    """The stump with the smallest weighted error: one cumulative sum per feature gives the error of every split."""
    best, least = Stump(0, -np.inf, 1), np.inf
    for j in range(X.shape[1]):
        x = X[order[:, j], j]
        signed = (weights * t)[order[:, j]]
        # split after k cases: −1 below, +1 above; error = ½ − ½ (Σ above − Σ below)
        below = np.concatenate([[0.0], np.cumsum(signed)])
        error = 0.5 - 0.5 * (below[-1] - 2 * below)
        possible = np.concatenate([[True], x[1:] > x[:-1], [False]])  # equal values cannot be split
        for sign, errors in ((1, error), (-1, 1 - error)):
            k = int(np.where(possible, errors, np.inf).argmin())
            if errors[k] < least - 1e-15:
                threshold = -np.inf if k == 0 else 0.5 * (x[k - 1] + x[k])
                best, least = Stump(j, float(threshold), sign), float(errors[k])
    return best, max(least, 0.0)
