"""The true performance of a trained rule: exact where a formula exists, otherwise on one large test set."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from trueness.errors import InputError
from trueness.metrics.metric import CaseLoss
from trueness.metrics.registry import resolve
from trueness.result.notes import Note
from trueness.sample.asked import has_log_odds, log_odds
from trueness.sample.labels import codes_among
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.studies.populations import Discrete, Gaussians, Population
from trueness.typing import Classifier, Floats, Ints, Rng


class Truth(Protocol):
    """Something that knows the true performance of a trained rule."""

    def of(self, rule: Classifier, metric: str) -> float: ...


@dataclass(frozen=True, eq=False)
class DrawnTestSet:
    """The truth as measured on one test set, with an error of about √(p(1 − p)/n) for an error rate.

    Attributes
    ----------
    X, y : arrays of shape (n, p) and (n,)
        The cases and their labels.
    shares : array of shape (C,), optional
        Class weights in a mean loss; the shares of the test set by default.
    """

    __test__ = False  # pytest would collect it

    X: Floats
    y: Ints
    shares: Floats | None = None

    def of(self, rule: Classifier, metric: str) -> float:
        sample = Sample.of(self.y)
        bound = resolve(metric).bind(sample)
        if self.shares is not None and isinstance(bound, CaseLoss) and bound.priors is None:
            bound = replace(bound, priors=self.shares)
        block = answers(rule, self.X, sample, needs=bound.needs)
        return float(bound.rows(block, block.ones)[0])


@dataclass(frozen=True, eq=False)
class SobolTestSet:
    """The truth as measured on quasi-random cases, equally many per class; classes are weighted by their priors.

    Normal quantiles of scrambled Sobol points: in two dimensions the error falls about as N^(−3/4), not as N^(−1/2).

    Attributes
    ----------
    X : array of shape (C, N, p)
        Cases of each class.
    priors : array of shape (C,)
        Class probabilities.

    References
    ----------
    Owen (1998), Scrambling Sobol' and Niederreiter–Xing points.
    """

    X: Floats
    priors: Floats

    @classmethod
    def of_gaussians(cls, population: Gaussians, log2_per_class: int, rng: np.random.Generator) -> SobolTestSet:
        points = []
        for mean, root in zip(population.means, population.roots, strict=True):
            uniform = qmc.Sobol(population.n_features, rng=rng).random_base2(log2_per_class)
            points.append(ndtri(uniform) @ root.T + mean)
        return cls(np.stack(points), population.priors)

    def of(self, rule: Classifier, metric: str) -> float:
        n_classes, n, p = self.X.shape
        return DrawnTestSet(self.X.reshape(-1, p), np.repeat(np.arange(n_classes), n), self.priors).of(rule, metric)


@dataclass(frozen=True, eq=False)
class ExactTruth:
    """A formula where there is one (linear rules on two normal classes; finitely many points), else a test set."""

    population: Population
    otherwise: DrawnTestSet | SobolTestSet

    def of(self, rule: Classifier, metric: str) -> float:
        if self.population.n_classes == 2:
            if isinstance(self.population, Discrete) and metric in ("error", "auc"):
                return discrete_truth(rule, self.population, metric)
            if isinstance(self.population, Gaussians) and metric in ("error", "auc", "fnf", "fpf"):
                linear = coefficients(rule, self.otherwise.X.reshape(-1, self.population.n_features))
                if linear is not None:
                    return linear_truth(*linear, self.population, metric)
        return self.otherwise.of(rule, metric)


def test_set(population: Population, per_class: int, rng: Rng) -> DrawnTestSet:
    """One test set; class sizes follow the priors, `per_class` on average.

    Normal classes are shifted and scaled to the means and covariances of the population. With 1000 cases per class
    that reduces the SD of the offset between the AUC on the test set and the true one from .011 to .002.
    """
    sizes = np.maximum(np.round(per_class * population.n_classes * population.priors), 1).astype(int)
    X, y = population.draw(sizes, rng)
    if isinstance(population, Gaussians) and sizes.min() >= 10 * population.n_features:
        X = matched(X, y, population)
    return DrawnTestSet(X, y)


test_set.__test__ = False  # type: ignore[attr-defined]


def offset_note(metric: str, mean: float, per_class: int) -> Note:
    """A truth that is measured on one test set has an error that no Monte Carlo error includes."""
    offset = math.sqrt(max(mean * (1 - mean), 0.0) / per_class)
    return Note("truth-on-test-set", metric=metric, cases_per_class=per_class, offset=offset)


def matched(X: Floats, y: Ints, population: Gaussians) -> Floats:
    """The cases, transformed to have exactly the means and covariances of the population in every class."""
    out = np.empty_like(X)
    for c in range(population.n_classes):
        centred = X[y == c] - X[y == c].mean(axis=0)
        root = np.linalg.cholesky(centred.T @ centred / len(centred))
        out[y == c] = np.linalg.solve(root, centred.T).T @ population.roots[c].T + population.means[c]
    return out


def answers(rule: Classifier, X: Floats, sample: Sample, needs: str) -> Block:
    """Predictions, scores or probabilities of a trained rule, as the metric needs."""
    counts = np.zeros((1, sample.n), dtype=np.uint8)
    if needs == "predictions":
        predictions = codes_among(np.asarray(rule.predict(X)), sample.classes, "predictions")
        return Block(sample.codes, counts, None, predictions[None], np.array([0]))
    if needs in ("scores", "any") and hasattr(rule, "decision_function"):
        scores = np.asarray(rule.decision_function(X), dtype=float)
    elif needs in ("scores", "any") and sample.n_classes == 2 and has_log_odds(rule):
        scores = log_odds(rule, X)
    elif hasattr(rule, "predict_proba"):
        scores = np.asarray(rule.predict_proba(X), dtype=float)
        scores = scores[:, 1] if sample.n_classes == 2 else scores
    else:
        raise InputError("The model returns labels only, and the metric needs scores", param="model", got=repr(rule))
    return Block(sample.codes, counts, scores[None], None, np.array([0]))


def coefficients(rule: object, X: Floats | None = None) -> tuple[Floats, float] | None:
    """w and w0 of a rule that returns class 1 where w'x + w0 > 0; None where it is not of that kind.

    A model may have coefficients and transform the features first, so its scores on the cases X are compared.
    """
    w, w0 = getattr(rule, "coef_", None), getattr(rule, "intercept_", None)
    if w is None or w0 is None or not hasattr(rule, "decision_function"):
        return None
    w, w0 = np.atleast_2d(np.asarray(w, dtype=float)), np.asarray(w0, dtype=float).ravel()
    if w.shape[0] != 1 or len(w0) != 1:
        return None
    if X is not None and len(X):
        some = X[:: max(1, len(X) // 200)]
        if not np.allclose(rule.decision_function(some), some @ w[0] + w0[0], rtol=1e-6, atol=1e-8):
            return None
    return w[0], float(w0[0])


def linear_truth(w: Floats, w0: float, population: Gaussians, metric: str) -> float:
    """True performance of a linear rule on two normal classes: its score is normal within each class.

    error = π_0 FPF + π_1 FNF,  FPF = Φ((w'μ_0 + w_0)/σ_0),  FNF = Φ(−(w'μ_1 + w_0)/σ_1),  σ_c² = w'Σ_c w
    AUC   = Φ((w'μ_1 − w'μ_0)/√(σ_0² + σ_1²))
    """
    centres = population.means @ w + w0
    variances = np.einsum("i,cij,j->c", w, population.covariances, w)
    if metric == "auc":
        return float(ndtr((centres[1] - centres[0]) / math.sqrt(variances.sum()))) if variances.sum() > 0 else 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = ndtr(np.array([centres[0], -centres[1]]) / np.sqrt(variances))
    wrong = np.where(variances > 0, wrong, [w0 > 0, w0 <= 0])  # w = 0: all cases get the same class
    if metric in ("fpf", "fnf"):
        return float(wrong[0 if metric == "fpf" else 1])
    return float(population.priors @ wrong)


def discrete_truth(rule: Classifier, population: Discrete, metric: str) -> float:
    """True performance of any rule on finitely many points: a sum over points, or over pairs of points."""
    sample = Sample(np.zeros(len(population.points), dtype=np.intp), np.arange(population.n_classes), 1)
    block = answers(rule, population.points, sample, "predictions" if metric == "error" else "scores")
    if metric == "error":
        assert block.predictions is not None
        right = population.masses[block.predictions[0], np.arange(len(population.points))]
        return float(1 - (population.priors[block.predictions[0]] * right).sum())
    assert block.scores is not None
    scores = block.scores[0]
    psi = 0.5 * ((scores[:, None] > scores).astype(float) + (scores[:, None] >= scores))
    return float(population.masses[1] @ psi @ population.masses[0])
