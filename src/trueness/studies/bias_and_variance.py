"""Bias and variance of a model: squared loss for regression, 0–1 loss for classification."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from trueness.checks import check_whole, child, number_array, seed_sequence
from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, Line, Panel, band, forest
from trueness.result.shown import Drawn, Page, Result, Table
from trueness.result.words import with_se
from trueness.studies.models import fitted
from trueness.studies.populations import Population
from trueness.studies.regression import RegressionPopulation
from trueness.typing import Array, Classifier, Floats, Ints, Rng

POINTS, SETS = 0, 1  # spawn keys: points of the decomposition, and training sets
PARTS = ("error", "bias", "variance", "noise")
GROUPS = 10  # groups of training sets, whose spread gives the Monte Carlo error


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Result, Drawn):
    """The decomposition of the expected loss at every point, and its mean over the points.

    Squared loss (Wu (2018), eq. 28):   E(y − f)² = (F − E f)² + Var f + σ²
    0–1 loss (Domingos 2000):           E L = c1 N + B + c2 V at each x, with y_m the most frequent prediction,
        y* the Bayes decision, B = [y_m ≠ y*], V = P(f ≠ y_m), N = P(y ≠ y*); for two classes c1 = 2 P(f = y*) − 1,
        and c2 = 1 where y_m = y* and −1 elsewhere (there variance helps).

    Attributes
    ----------
    loss : {"squared", "zero-one"}
        The loss.
    error : float
        Expected loss: bias + variance + noise.
    bias, variance, noise : float
        Means over the points: squared bias; for 0–1 loss the terms B, c2 V and c1 N.
    points : DataFrame
        One row per point.
    training_sets : int
        Number of training sets.
    error_mc, bias_mc, variance_mc, noise_mc : float
        Monte Carlo errors: what other training sets would change, and other points where those were drawn.
    sides : dict
        0–1 loss: the variance at unbiased and at biased points, with Monte Carlo errors as <name>_mc.
    """

    loss: Literal["squared", "zero-one"]
    error: float
    bias: float
    variance: float
    noise: float
    points: pd.DataFrame
    training_sets: int = 0
    error_mc: float = math.nan
    bias_mc: float = math.nan
    variance_mc: float = math.nan
    noise_mc: float = math.nan
    sides: dict[str, float] = field(default_factory=dict)

    def frame(self) -> pd.DataFrame:
        """One row per point, unrounded."""
        return self.points.copy()

    def row(self) -> dict[str, float]:
        """The error and its parts, then their Monte Carlo errors as <name>_mc."""
        return {name: getattr(self, name) for name in (*PARTS, *(f"{name}_mc" for name in PARTS))}

    def page(self, level: float | None = None) -> Page:
        row = self.row()
        cells = [with_se(row[name], row[f"{name}_mc"]) for name in PARTS]
        return Page(
            f"Bias and variance, {self.loss} loss, {self.training_sets} training sets",
            f"Error {cells[0]} = bias {cells[1]} + variance {cells[2]} + noise {cells[3]}.",
            tables=(Table(PARTS, [cells]),),
            footer="± is the Monte Carlo error. error = bias + variance + noise.",
        )

    def to_dict(self) -> dict[str, object]:
        numbers = {name: value if math.isfinite(value) else None for name, value in self.row().items()}
        return {"loss": self.loss, "training_sets": self.training_sets, **numbers}

    def panel(self, title: str = "") -> Panel:
        """Truth, mean and mean ± SD against x, as in Wu (2018), figure 5; squared loss on one feature only."""
        if self.loss != "squared":
            raise InputError("Only the decomposition of squared loss has a figure")
        p = self.points
        spread = np.sqrt(p["variance"])
        return Panel(
            (
                band(p["x"], p["mean"] - spread, p["mean"] + spread, "mean ± SD", "C4"),
                Line(p["x"], p["truth"], "F", color="C0"),
                Line(p["x"], p["mean"], "mean of the models", color="ink"),
            ),
            title,
            "x",
            "y",
        )

    def figure(self) -> Figure:
        """Of squared loss the mean of the models over x; of 0–1 loss the parts of the error."""
        if self.loss == "squared":
            return Figure("Bias and variance", (self.panel(),), size=(5.6, 4.0))
        row = self.row()
        dots = [Dot(name, row[name], said=with_se(row[name], row[f"{name}_mc"])) for name in PARTS]
        return forest(dots, "Parts of the error", "error = bias + variance + noise", zero=True)


def bias_variance(
    model: Classifier,
    population: Population | RegressionPopulation,
    n: int | Sequence[int],
    *,
    training_sets: int = 100,
    points: int | ArrayLike = 500,
    rng: Rng = None,
) -> BiasVariance:
    """Decompose the expected loss of a model over training sets of one size.

    Parameters
    ----------
    model : classifier or regressor
        Not fitted; a regressor goes with a RegressionPopulation.
    population : Population or RegressionPopulation
        Where training sets and the truth come from.
    n : int or sequence of int
        Cases per training set; one number per class where class sizes are fixed.
    training_sets : int, default 100
        Independent training sets; 100 in Wu (2018).
    points : int or array of shape (m, p), default 500
        Number of cases drawn from the population (of grid points for a regression), or the cases themselves.
    rng : int, SeedSequence, Generator or None
        Seed.

    Returns
    -------
    BiasVariance
        With `.error`, `.bias`, `.variance`, `.noise`, and `.frame()` by point.

    Notes
    -----
    The identity is exact for the training sets drawn. With T training sets the squared bias is too large by
    variance/T, and the most frequent prediction can be wrong where predictions are nearly even.

    Training sets and points are drawn independently, so the Monte Carlo variance of each part is the sum of one from
    the training sets and one from the points; the latter is 0 for a grid and for given points.

    References
    ----------
    Wu (2018), Evaluation, eq. 28; Domingos (2000), A unified bias-variance decomposition.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = KNeighborsClassifier(1)
    >>> d = trueness.studies.bias_variance(nearest, trueness.studies.two_gaussians(2, 2.0), 30, training_sets=20, rng=0)
    >>> abs(d.bias + d.variance + d.noise - d.error) < 1e-12
    True
    """
    check_whole("training_sets", training_sets, 2)
    seed = seed_sequence(rng)
    if not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise InputError("model needs the methods fit and predict", param="model", got=repr(model))
    if isinstance(points, bool) or (isinstance(points, int | np.integer) and points < 1):
        raise InputError(
            "points must be a number of points of at least 1, or the points", param="points", got=repr(points)
        )
    given = None if isinstance(points, int | np.integer) else number_array("points", points)
    if given is not None and (given.ndim != 2 or not given.size or not np.isfinite(given).all()):
        raise InputError("points must have shape (m, p) and finite numbers", param="points", got=f"shape {given.shape}")
    number = int(points) if isinstance(points, int | np.integer) else 0
    if isinstance(population, RegressionPopulation):
        X = population.grid(number) if given is None else given
        if not isinstance(n, int | np.integer):
            raise InputError("n must be a whole number for a regression", param="n", got=repr(n))
        answers = _answers(model, partial(population.draw, int(n)), X, training_sets, seed)
        return squared_loss(answers, population.function(X[:, 0]), population.sigma, X)
    if not isinstance(population, Population):
        raise InputError(
            "population must be a Population or a RegressionPopulation of trueness.studies",
            param="population",
            got=repr(population),
        )
    X = population.draw(number, np.random.default_rng(child(seed, POINTS)))[0] if given is None else given
    answers = _answers(model, partial(population.draw, n), X, training_sets, seed).astype(np.intp)
    return zero_one_loss(answers, population.posterior(X), X, drawn=given is None)


def _answers(
    model: Classifier,
    draw: Callable[[np.random.Generator], tuple[Floats, Array]],
    X: Floats,
    training_sets: int,
    seed: np.random.SeedSequence,
) -> Array:
    """(T, m) predictions at the points after each training set."""
    rows = []
    for t in range(training_sets):
        cases, y = draw(np.random.default_rng(child(seed, SETS, t, 0)))
        rows.append(np.asarray(fitted(model, cases, y, child(seed, SETS, t, 1)).predict(X)))
    return np.stack(rows)


def squared_loss(answers: Floats, truth: Floats, sigma: float, X: Floats) -> BiasVariance:
    """E(y − f)² = (F − E f)² + Var f + σ²  (Wu (2018), eq. 28), with mean and variance over rows."""

    def terms(some: Floats) -> pd.DataFrame:
        mean, variance = some.mean(axis=0), some.var(axis=0)
        error = ((truth - some) ** 2).mean(axis=0) + sigma**2
        return pd.DataFrame({"error": error, "bias": (truth - mean) ** 2, "variance": variance, "noise": sigma**2})

    found, sets = terms(answers), len(answers)
    points = pd.DataFrame({"x": X[:, 0], "truth": truth, "mean": answers.mean(axis=0)})
    points = points.assign(**found.rename(columns={"bias": "bias²"})[["bias²", "variance", "noise", "error"]])
    # smooth in the training sets: the jackknife, (T − 1)/T Σ (θ_(−t) − θ_(·))²
    without = pd.DataFrame([terms(np.delete(answers, t, axis=0)).mean() for t in range(sets)])
    means = _means(found, (sets - 1) ** 2 / sets * without.var())
    return BiasVariance("squared", points=points, training_sets=sets, sides={}, **means)


def zero_one_loss(answers: Ints, posterior: Floats, X: Floats, drawn: bool = False) -> BiasVariance:
    """The decomposition of Domingos (2000), theorem 2, for any number of classes; `drawn`: the points are a sample."""

    def terms(some: Ints) -> pd.DataFrame:
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
    # the most frequent prediction is not smooth in the training sets, and a jackknife over them up to twice too large:
    # take the spread between groups of at least two sets, and between single sets for the error, a mean over sets
    groups = np.array_split(answers, min(GROUPS, max(sets // 2, 1)))
    variances = pd.DataFrame([terms(group).mean() for group in groups]).var() / len(groups)
    variances["error"] = (1 - posterior[np.arange(len(X)), answers].mean(axis=1)).var(ddof=1) / sets
    if drawn:
        variances += found.var() / len(X)
    sides = _means(found, variances, ("unbiased variance", "biased variance"))
    return BiasVariance("zero-one", points=points, training_sets=sets, sides=sides, **_means(found, variances))


def zero_one_points(answers: Ints, posterior: Floats) -> pd.DataFrame:
    """One row per point.

    c1 = P(f = y*) − P(f ≠ y*) P(f = y | y* ≠ y),  c2 = 1 where y_m = y*, else −P(f = y* | f ≠ y_m)
    """
    m, n_classes = posterior.shape
    shares = np.stack([(answers == c).mean(axis=0) for c in range(n_classes)], axis=1)  # (m, C) P(f = c)
    at = np.arange(m)
    best, main = posterior.argmax(axis=1), shares.argmax(axis=1)
    noise, variance, bias = 1 - posterior[at, best], 1 - shares[at, main], (main != best).astype(float)
    error = 1 - (shares * posterior).sum(axis=1)
    right = shares[at, best]  # P(f = y*)
    # P(f = y, f ≠ y*): predictions that differ from the Bayes decision and are right; they lie in y ≠ y*
    lucky = (shares * posterior).sum(axis=1) - right * posterior[at, best]
    with np.errstate(divide="ignore", invalid="ignore"):
        c1 = np.where(noise > 0, right - lucky / noise, 1.0)
        c2 = np.where(bias == 0, 1.0, np.where(variance > 0, -right / variance, 0.0))
    columns = {"optimal": best, "main": main, "bias": bias, "variance": variance, "noise": noise}
    return pd.DataFrame({**columns, "c1": c1, "c2": c2, "error": error})


def _means(found: pd.DataFrame, variances: pd.Series, names: Sequence[str] = PARTS) -> dict[str, float]:
    """Means over the points and their Monte Carlo errors."""
    means = {name: float(found[name].mean()) for name in names}
    return means | {f"{name}_mc": float(np.sqrt(variances[name])) for name in names}
