"""Figures 1, 2 and 3 of seeds/002 made anew: operating points with variances, of two classes and of three."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from karat.curves.averaged_points import Point
from karat.curves.multiclass import MulticlassRoc, multiclass_roc
from karat.curves.operating_points import OperatingPoints, operating_points
from karat.errors import KaratWarning
from karat.fitting import fit
from karat.plans import KFold
from karat.sample.populations import highleyman
from karat.sample.seeds import child, seed_sequence
from karat.studies.detector import GaussianDetector

FOLDS, POINTS, TPF = 10, 30, 0.9


@dataclass(frozen=True, eq=False)
class Figure:
    """Operating points, the chosen one, and those that cannot be told apart from it."""

    title: str
    points: OperatingPoints | MulticlassRoc
    chosen: Point | None = None
    measure: str | None = None
    level: float = 0.95

    @property
    def same(self) -> np.ndarray:
        """Numbers of the points that are the same as the chosen one, itself among them."""
        assert self.chosen is not None
        if isinstance(self.points, MulticlassRoc):
            return self.points.same_as(self.chosen, self.measure, self.level)
        return self.points.same_as(self.chosen, self.measure or "fpf", self.level)

    def frame(self) -> pd.DataFrame:
        """The points with their measures; `chosen` and `same` where a point was chosen."""
        table = self.points.frame()
        if self.chosen is not None:
            table["chosen"] = table["point"] == int(self.chosen)
            table["same"] = table["point"].isin(self.same)
        return table

    def plot(self, ax: Any = None) -> Any:
        """Draw into matplotlib axes (new ones where none are given) and return them."""
        options = {} if self.measure is None else {"measure": self.measure}
        ax = self.points.plot(ax, point=self.chosen, level=self.level, **options)
        ax.set_title(self.title, fontsize="medium")
        return ax


def detector_points(n: int, rng: Any = None) -> OperatingPoints:
    """Operating points of the Gaussian detector on n cases a class of Highleyman's problem, 10 folds, 30 points."""
    seed = seed_sequence(rng)
    X, y = highleyman().draw((n, n), rng=np.random.default_rng(child(seed, 0)))
    fits = fit(GaussianDetector(target=1), X, y, KFold(FOLDS), rng=child(seed, 1))
    return operating_points(fits, POINTS)


def figure_1(rng: Any = 0) -> Figure:
    """Mean ROC with the SDs of the means, 100 cases a class."""
    return Figure("Highleyman, 100 cases a class", detector_points(100, rng))


def figure_2(sizes: tuple[int, ...] = (50, 200), rng: Any = 0) -> dict[int, Figure]:
    """The point with TPF ≥ .9 and the points whose FPF is not different from its, for 50 and for 200 cases a class."""
    out = {}
    for i, n in enumerate(sizes):
        points = detector_points(n, child(seed_sequence(rng), i))
        out[n] = Figure(f"Highleyman, {n} cases a class", points, points.choose(tpf=TPF), "fpf")
    return out


def same_points(sizes: tuple[int, ...] = (50, 200), trials: int = 10, rng: Any = 0) -> pd.DataFrame:
    """How many points are the same as the chosen one: mean and SD over trials, a row a size."""
    rows = []
    for t in range(trials):
        figures = figure_2(sizes, child(seed_sequence(rng), t))
        rows += [{"size": n, "same": len(figure.same)} for n, figure in figures.items()]
    table = pd.DataFrame(rows).groupby("size")["same"].agg(["mean", "std"]).reset_index()
    return table.rename(columns={"std": "sd"})


def digits() -> tuple[np.ndarray, np.ndarray]:
    """The six morphological features of the handwritten digits 2, 3 and 5, 200 cases of each (CC BY 4.0; see
    data/README.md)."""
    with resources.as_file(resources.files("karat") / "data" / "mfeat-mor-235.csv") as path:
        table = pd.read_csv(path)
    return table.drop(columns="digit").to_numpy(dtype=float), table["digit"].to_numpy()


def figure_3(n: int = 100, n_points: int = 100, rng: Any = 0) -> Figure:
    """Three digits, 100 cases of each, PCA to 3 dimensions and QDA, 10 folds: class errors at the 100 points with the
    smallest maximal one, the best of them chosen, and the points where no class error differs from its."""
    seed = seed_sequence(rng)
    X, y = digits()
    generator = np.random.default_rng(child(seed, 0))
    rows = np.concatenate([generator.choice(np.flatnonzero(y == c), n, replace=False) for c in np.unique(y)])
    model = make_pipeline(PCA(3), QuadraticDiscriminantAnalysis())
    with warnings.catch_warnings():  # a few digits have the same six features: they are different digits
        warnings.filterwarnings("ignore", ".*rows of X", KaratWarning)
        fits = fit(model, X[rows], y[rows], KFold(FOLDS), rng=child(seed, 1), scores="predict_proba")
    points = multiclass_roc(fits, n_points=n_points, rng=child(seed, 2))
    return Figure(f"Digits 2, 3 and 5, {n} cases a class", points, points.choose())
