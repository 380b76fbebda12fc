"""Bias and variance of a model: squared loss for regression, 0–1 loss for classification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.fitting.rules import retrained
from karat.plans.plan import whole
from karat.result.picture import Band, Line, Panel, Picture
from karat.sample.populations import Population
from karat.sample.seeds import child, seed_sequence
from karat.studies.regression import RegressionPopulation

POINTS, SETS = 0, 1  # spawn keys: where the decomposition is asked for, and the training sets
PARTS = ("error", "bias", "variance", "noise")
GROUPS = 10  # of training sets, whose spread shows the Monte-Carlo error


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The decomposition at every point, and its mean over them.

    Squared loss (seeds/001, eq. 28):   E(y − f)² = (F − E f)² + Var f + σ²
    0–1 loss (Domingos 2000):           E L = c1 N + B + c2 V, at each x: y_m the commonest answer, y* Bayes',
        B = [y_m ≠ y*], V = P(f ≠ y_m), N = P(y ≠ y*), two classes: c1 = 2 P(f = y*) − 1, c2 = 1 where y_m = y*
        and −1 where not (there variance helps).

    Attributes
    ----------
    loss
        "squared" or "zero-one".
    error
        Expected loss: bias + variance + noise, each as it counts.
    bias, variance, noise
        Means over the points: squared bias; for 0–1 loss the terms B, c2 V and c1 N.
    points
        A row a point.
    training_sets
        Over how many the expectations are taken.
    error_mc, bias_mc, variance_mc, noise_mc
        Monte-Carlo errors: what other training sets would change, and other points where those were drawn.
    sides
        0–1 loss: the variance at unbiased and at biased points, and their Monte-Carlo errors as <name>_mc.
    """

    loss: str
    error: float
    bias: float
    variance: float
    noise: float
    points: pd.DataFrame = field(repr=False)
    training_sets: int = 0
    error_mc: float = math.nan
    bias_mc: float = math.nan
    variance_mc: float = math.nan
    noise_mc: float = math.nan
    sides: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def frame(self) -> pd.DataFrame:
        return self.points.copy()

    def row(self) -> dict[str, float]:
        """The error and its parts, then their Monte-Carlo errors as <name>_mc."""
        return {name: getattr(self, name) for name in (*PARTS, *(f"{name}_mc" for name in PARTS))}

    def __str__(self) -> str:
        return (
            f"{self.loss} error {self.error:.4f} ± {self.error_mc:.4f} = bias {self.bias:.4f} "
            f"+ variance {self.variance:.4f} + noise {self.noise:.4f} ({self.training_sets} training sets)"
        )

    def panel(self, title: str = "") -> Panel:
        """Truth, mean and mean ± SD against x: figure 5 of seeds/001. Squared loss on one feature only."""
        if self.loss != "squared":
            raise InputError("only the decomposition of squared loss has this figure")
        p = self.points
        spread = np.sqrt(p["variance"])
        return Panel(
            (
                Band(p["x"], p["mean"] - spread, p["mean"] + spread, "mean ± SD", "C4"),
                Line(p["x"], p["truth"], "F", color="C0"),
                Line(p["x"], p["mean"], "mean of the models", color="k"),
            ),
            title,
            "x",
            "y",
        )

    def plot(self) -> Any:
        return Picture("bias-variance", (self.panel(),), columns=1).plot()


def bias_variance(
    model: Any, population: Any, n: Any, *, training_sets: int = 100, points: Any = 500, rng: Any = None
) -> BiasVariance:
    """Decompose the expected loss of a model over training sets of one size.

    Parameters
    ----------
    model
        A classifier, with a `karat.studies` population of classes; a regressor with a RegressionPopulation.
    population
        Where training sets and the truth come from.
    n
        Cases of a training set; one number a class for a population of classes, where their sizes are fixed.
    training_sets
        Drawn independently (100 in seeds/001).
    points
        Where to ask: a number of cases drawn from the population (of grid points for a regression), or X itself.
    rng
        None, an int, a SeedSequence or a Generator.

    Returns
    -------
    BiasVariance
        `.error`, `.bias`, `.variance`, `.noise`, `.frame()` by point.

    Notes
    -----
    The identity is exact for the training sets drawn. With finitely many of them, T, the squared bias is too
    large by variance/T, and the commonest answer can be the wrong one where answers are nearly even.

    Monte-Carlo errors: training sets and points are drawn independently of each other, so each part has a variance
    from the sets and one from the points; the second is 0 for a grid and for points that were given.

    Examples
    --------
    >>> import karat
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = KNeighborsClassifier(1)
    >>> d = karat.bias_variance(nearest, karat.studies.two_gaussians(2, 2.0), 30, training_sets=20, rng=0)
    >>> abs(d.bias + d.variance + d.noise - d.error) < 1e-12
    True
    """
    whole("training_sets", training_sets, 2)
    seed = seed_sequence(rng)
    drawn = np.ndim(points) == 0
    if isinstance(population, RegressionPopulation):
        X = population.grid(points) if drawn else np.asarray(points, dtype=float)
        answers = _answers(model, population, n, X, training_sets, seed)
        return squared_loss(answers, population.function(X[:, 0]), population.sigma, X)
    if not isinstance(population, Population):
        raise InputError("population must be one of karat.studies, of classes or of a regression", got=population)
    if drawn:
        X, _ = population.draw(int(points), np.random.default_rng(child(seed, POINTS)))
    else:
        X = np.asarray(points, dtype=float)
    answers = _answers(model, population, n, X, training_sets, seed).astype(np.intp)
    return zero_one_loss(answers, population.posterior(X), X, drawn)


def _answers(
    model: Any, population: Any, n: Any, X: np.ndarray, training_sets: int, seed: np.random.SeedSequence
) -> np.ndarray:
    """(T, m) what the model answers at the points after each training set."""
    rows = []
    for t in range(training_sets):
        cases, y = population.draw(n, np.random.default_rng(child(seed, SETS, t, 0)))
        rows.append(np.asarray(retrained(model, cases, y, child(seed, SETS, t, 1)).predict(X)))
    return np.stack(rows)


def squared_loss(answers: np.ndarray, truth: np.ndarray, sigma: float, X: np.ndarray) -> BiasVariance:
    """E(y − f)² = (F − E f)² + Var f + σ²  (seeds/001, eq. 28), the mean and variance being those over rows."""

    def terms(some: np.ndarray) -> pd.DataFrame:
        mean, variance = some.mean(axis=0), some.var(axis=0)
        error = ((truth - some) ** 2).mean(axis=0) + sigma**2
        return pd.DataFrame({"error": error, "bias": (truth - mean) ** 2, "variance": variance, "noise": sigma**2})

    found, sets = terms(answers), len(answers)
    points = pd.DataFrame({"x": X[:, 0], "truth": truth, "mean": answers.mean(axis=0)})
    points = points.assign(**found.rename(columns={"bias": "bias²"})[["bias²", "variance", "noise", "error"]])
    # smooth in the training sets: the jackknife, (T − 1)/T Σ (θ_(−t) − θ_(·))²
    without = pd.DataFrame([terms(np.delete(answers, t, axis=0)).mean() for t in range(sets)])
    return BiasVariance(
        "squared", points=points, training_sets=sets, **_means(found, (sets - 1) ** 2 / sets * without.var())
    )


def zero_one_loss(answers: np.ndarray, posterior: np.ndarray, X: np.ndarray, drawn: bool = False) -> BiasVariance:
    """Domingos' decomposition (2000, theorem 2), for any number of classes; `drawn`: the points are a sample."""

    def terms(some: np.ndarray) -> pd.DataFrame:
        p = zero_one_points(some, posterior)
        unbiased = p["variance"] * (1 - p["bias"])
        return pd.DataFrame(
            {
                "error": p["error"],
                "bias": p["bias"],
                "variance": p["c2"] * p["variance"],
                "noise": p["c1"] * p["noise"],
                "unbiased variance": unbiased,
                "biased variance": p["variance"] - unbiased,
            }
        )

    found, sets = terms(answers), len(answers)
    points = pd.DataFrame({f"x{j + 1}": X[:, j] for j in range(X.shape[1])})
    points = points.assign(**zero_one_points(answers, posterior))
    # the commonest answer is not smooth in the training sets, and a jackknife over them up to twice too large:
    # the spread between groups of at least two; each set by itself for the error, which is a mean over sets
    groups = np.array_split(answers, min(GROUPS, max(sets // 2, 1)))
    variances = pd.DataFrame([terms(group).mean() for group in groups]).var() / len(groups)
    variances["error"] = (1 - posterior[np.arange(len(X)), answers].mean(axis=1)).var(ddof=1) / sets
    if drawn:
        variances += found.var() / len(X)
    sides = _means(found, variances, ("unbiased variance", "biased variance"))
    return BiasVariance("zero-one", points=points, training_sets=sets, sides=sides, **_means(found, variances))


def zero_one_points(answers: np.ndarray, posterior: np.ndarray) -> pd.DataFrame:
    """A row a point.

    c1 = P(f = y*) − P(f ≠ y*) P(f = y | y* ≠ y),  c2 = 1 where y_m = y*, else −P(f = y* | f ≠ y_m)
    """
    m, n_classes = posterior.shape
    shares = np.stack([(answers == c).mean(axis=0) for c in range(n_classes)], axis=1)  # (m, C) P(f = c)
    at = np.arange(m)
    best, main = posterior.argmax(axis=1), shares.argmax(axis=1)
    noise, variance, bias = 1 - posterior[at, best], 1 - shares[at, main], (main != best).astype(float)
    error = 1 - (shares * posterior).sum(axis=1)
    right = shares[at, best]  # P(f = y*)
    # P(f = y, f ≠ y*): the answers that are wrong by Bayes' rule and right by luck; they lie in y ≠ y*
    lucky = (shares * posterior).sum(axis=1) - right * posterior[at, best]
    with np.errstate(divide="ignore", invalid="ignore"):
        c1 = np.where(noise > 0, right - lucky / noise, 1.0)
        c2 = np.where(bias == 0, 1.0, np.where(variance > 0, -right / variance, 0.0))
    columns = {"optimal": best, "main": main, "bias": bias, "variance": variance, "noise": noise}
    return pd.DataFrame({**columns, "c1": c1, "c2": c2, "error": error})


def _means(found: pd.DataFrame, variances: pd.Series, names: Sequence[str] = PARTS) -> dict[str, Any]:
    """Means over the points and their Monte-Carlo errors."""
    means = {name: float(found[name].mean()) for name in names}
    return means | {f"{name}_mc": float(np.sqrt(variances[name])) for name in names}
