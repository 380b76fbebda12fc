"""Operating points with variances, and points that do not differ significantly  (Paclík et al., figures 1 to 3)."""

import warnings
from dataclasses import dataclass
from importlib import resources

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from trueness.checks import child, seed_sequence
from trueness.curves.averaged_points import OperatingPoints, operating_points
from trueness.curves.multiclass import MulticlassRoc, multiclass_roc
from trueness.errors import TruenessWarning
from trueness.figures.figure import Figure, Line, Mark, Panel, Points
from trueness.fitting.engine import fit
from trueness.plans.splits import KFold
from trueness.result.notes import Note
from trueness.studies.models import GaussianDetector
from trueness.studies.populations import highleyman
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.typing import Floats, Ints, Rng

FOLDS, POINTS, TPF = 10, 30, 0.9


@dataclass(frozen=True, eq=False)
class PublishedFigure:
    """Operating points, the chosen one, and those that do not differ significantly from it."""

    title: str
    points: OperatingPoints | MulticlassRoc
    chosen: int | None = None
    measure: str | None = None
    level: float = 0.95

    @property
    def same(self) -> Ints:
        """Numbers of the points that do not differ significantly from the chosen one, including itself."""
        assert self.chosen is not None
        if self.measure is None:
            assert isinstance(self.points, MulticlassRoc)
            return self.points.same_as(self.chosen, level=self.level)
        return self.points.same_as(self.chosen, self.measure, self.level)

    def frame(self) -> pd.DataFrame:
        """The points with their measures; `chosen` and `same` where a point was chosen."""
        table = self.points.frame()
        if self.chosen is not None:
            table["chosen"] = table["point"] == int(self.chosen)
            table["same"] = table["point"].isin(self.same)
        return table


def detector_points(n: int, rng: Rng = None) -> OperatingPoints:
    """30 operating points of the Gaussian detector on n cases per class of Highleyman's problem, 10 folds."""
    seed = seed_sequence(rng)
    X, y = highleyman().draw((n, n), rng=np.random.default_rng(child(seed, 0)))
    fits = fit(GaussianDetector(target=1), X, y, KFold(FOLDS), rng=child(seed, 1))
    return operating_points(fits, n_points=POINTS)


def figure_1(rng: Rng = 0) -> PublishedFigure:
    """Mean ROC curve with the SDs of the means, 100 cases per class."""
    return PublishedFigure("Highleyman, 100 cases per class", detector_points(100, rng))


def figure_2(sizes: tuple[int, ...] = (50, 200), rng: Rng = 0) -> dict[int, PublishedFigure]:
    """The point with TPF ≥ .9, and the points whose FPF does not differ significantly, by number of cases per class."""
    out = {}
    for i, n in enumerate(sizes):
        points = detector_points(n, child(seed_sequence(rng), i))
        out[n] = PublishedFigure(f"Highleyman, {n} cases per class", points, points.choose(tpf=TPF), "fpf")
    return out


def digits() -> tuple[Floats, Ints]:
    """Six morphological features of the handwritten digits 2, 3 and 5, 200 cases each (CC BY 4.0; data/README.md)."""
    with resources.as_file(resources.files("trueness.studies") / "data" / "mfeat-mor-235.csv") as path:
        table = pd.read_csv(path)
    return table.drop(columns="digit").to_numpy(dtype=float), table["digit"].to_numpy()


def figure_3(n: int = 100, n_points: int = 100, rng: Rng = 0) -> PublishedFigure:
    """Three digits, PCA to 3 dimensions and QDA, 10 folds: the 100 points with the smallest maximal class error, the
    best of them, and the points where no class error differs significantly from it."""
    seed = seed_sequence(rng)
    X, y = digits()
    generator = np.random.default_rng(child(seed, 0))
    rows = np.concatenate([generator.choice(np.flatnonzero(y == c), n, replace=False) for c in np.unique(y)])
    model = make_pipeline(PCA(3), QuadraticDiscriminantAnalysis())
    with warnings.catch_warnings():  # a few different digits have the same features
        warnings.simplefilter("ignore", TruenessWarning)
        fits = fit(model, X[rows], y[rows], KFold(FOLDS), rng=child(seed, 1), scores="predict_proba")
    points = multiclass_roc(fits, n_points=n_points, rng=child(seed, 2))
    return PublishedFigure(f"Digits 2, 3 and 5, {n} cases per class", points, points.choose())


def same_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    """The point with TPF ≥ .9 on one sample: its FPF and the SD of its mean, and the number of points like it."""
    points = detector_points(size, seed)
    chosen = points.choose(tpf=TPF)
    row = points.frame().set_index("point").loc[int(chosen)]
    return {
        "tpf": float(row["tpf"]),
        "fpf": float(row["fpf"]),
        "fpf_se": float(row["fpf_se"]),
        "same": float(len(points.same_as(chosen, "fpf"))),
        "points": float(len(points.frame())),
    }


@study(
    "operating-points",
    title="Operating points with variances: the Gaussian detector on Highleyman's classes",
    source="Paclík et al., figures 1 and 2",
    trials=30,
    sizes=(50, 200),
    least=FOLDS,
)
def operating_points_study(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), n) for n in run.sizes]
    rows = []
    for n, frame in zip(run.sizes, run.simulate(cells, same_trial, chunk=2), strict=True):
        row: dict[str, float] = {"size": n}
        for name in ("tpf", "fpf", "fpf_se", "same", "points"):
            row |= entry(name, mean(frame[name].to_numpy()))
        rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    first = figure_1(run.shared_seed(1))
    figures = figure_2(run.sizes, run.shared_seed(2))
    return StudyResult(
        tables={"same as the chosen point": table, "figure 1": first.frame()},
        claims=_claims(table),
        pictures=(Figure("roc", (_panel(first), *(_panel(f) for f in figures.values()))),),
        notes=(
            Note(
                "study-columns",
                text="The point with TPF ≥ .9 is chosen; same is the number of points whose FPF does not differ "
                "significantly from its FPF at the 5 % level, including itself.",
            ),
        ),
    )


@study(
    "three-class-roc",
    title="Three-class ROC of handwritten digits 2, 3 and 5 by class weights",
    source="Paclík et al., figure 3",
    sizes=(100,),
    one_size=True,
    least=50,  # with fewer cases the covariance of a class can be singular
    most=200,
)
def three_class_roc(run: Run) -> StudyResult:
    """One sample, as published: six morphological features, PCA to three, QDA, 10 folds."""
    figure = figure_3(run.sizes[0], rng=run.shared_seed())
    table = figure.frame()
    errors = [c for c in table if c.startswith("error_") and not c.endswith(("_sd", "_se"))]
    worst = table[errors].max(axis=1)
    same = int(table["same"].sum())
    return StudyResult(
        tables={"operating points": table},
        claims=(
            Claim(
                "the chosen point has the smallest maximal class error",
                bool(worst[table["chosen"]].iloc[0] <= worst.min() + 1e-12),
                f"{worst.min():.3f}",
            ),
            Claim(
                "some points do not differ significantly from it in any class error at this sample size",
                1 < same <= len(table),
                f"{same} of {len(table)}",
            ),
        ),
        pictures=(Figure("class errors", tuple(_pairs(table, errors))),),
    )


def _panel(figure: PublishedFigure) -> Panel:
    table = figure.frame().sort_values(["fpf", "tpf"])
    marks: list[Mark] = [
        Line(table["fpf"], table["tpf"], "mean over folds ± SD of the mean", "-", "C0", error=table["tpf_se"])
    ]
    if "same" in table:
        same, chosen = table[table["same"]], table[table["chosen"]]
        marks.append(Points(same["fpf"], same["tpf"], "FPF not significantly different", "o", "C2", 30))
        marks.append(Points(chosen["fpf"], chosen["tpf"], "chosen", "x", "accent", 70))
    return Panel(tuple(marks), figure.title, "FPF", "TPF", x_limits=(-0.02, 1.02), y_limits=(-0.02, 1.05))


def _pairs(table: pd.DataFrame, errors: list[str]) -> list[Panel]:
    panels = []
    for i, a in enumerate(errors):
        b = errors[(i + 1) % len(errors)]
        same, chosen = table[table["same"]], table[table["chosen"]]
        marks = (
            Points(table[a], table[b], "points", color="C0", size=6),
            Points(same[a], same[b], "not significantly different", "o", "C2", 30),
            Points(chosen[a], chosen[b], "chosen", "x", "accent", 70),
        )
        panels.append(Panel(marks, "", a.replace("_", " of "), b.replace("_", " of ")))
    return panels


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    out = [
        Claim("the chosen point has TPF ≥ .9 on average", bool((table["tpf"] >= TPF - 1e-9).all())),
    ]
    if len(table) > 1:
        first, last = table.iloc[0], table.iloc[-1]
        out.append(
            Claim(
                "with more cases fewer points do not differ significantly",
                bool(last["same"] < first["same"]),
                f"{first['same']:.1f} at size {int(first['size'])}, {last['same']:.1f} at size {int(last['size'])}",
            )
        )
    return tuple(out)
