"""Average RMS of error-rate estimators over 24 experiments.

Yousef, ML Assessment, table 1, averages 24 experiments of Efron & Tibshirani (1997) that it does not describe. These
are 24 others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from trueness.estimators.estimation import estimate
from trueness.figures.figure import Figure, Panel, Points
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.splits import KFold, LeaveOneOut
from trueness.result.notes import Note
from trueness.studies import models
from trueness.studies.accuracy import accuracy_table
from trueness.studies.datasets import bundled
from trueness.studies.evaluation import Setting, evaluation_trial
from trueness.studies.evaluation_input import Source
from trueness.studies.populations import Gaussians, Mixture, Population, highleyman, two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import (
    Influence,
    Number,
    correlation_influence,
    entry,
    error_of,
    errors_last,
    mean_influence,
    rms_influence,
    sd_influence,
)
from trueness.studies.trial import Trial
from trueness.studies.truth import ExactTruth, offset_note, test_set
from trueness.typing import Classifier, Floats

TABLE_1 = {"true": 0.0, "loob": 0.083, "632": 0.101, "632+": 0.081, "apparent": 0.224}
METHODS = ("loob", "632", "632+", "apparent")

S = TypeVar("S")


@dataclass(frozen=True)
class Experiment:
    """A population, class sizes, and a model."""

    population: str
    sizes: tuple[int, ...]
    model: str

    @property
    def name(self) -> str:
        return f"{self.population}, n = {sum(self.sizes)}, {self.model}"


def four_corners() -> Gaussians:
    """Four classes at the corners of a square."""
    return Gaussians([[0, 0], [0, 2], [2, 0], [2, 2]], np.eye(2))


def exclusive_or() -> Mixture:
    """Two classes, each in two opposite corners of a square: no linear rule can separate them."""
    return Mixture(four_corners(), [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]])


POPULATIONS: dict[str, Callable[[], Source]] = {
    "5 features, Δ = 1.5": lambda: two_gaussians(5, 1.5),
    "5 features, no difference": lambda: two_gaussians(5, 0.0),
    "2 features, Δ = 1.2": lambda: two_gaussians(2, 1.2),
    "2 features, no difference": lambda: two_gaussians(2, 0.0),
    "10 features, Δ = 2": lambda: two_gaussians(10, 2.0),
    "Highleyman": highleyman,
    "exclusive or": exclusive_or,
    "four corners": four_corners,
    "breast cancer": lambda: bundled("breast_cancer"),
    "wine": lambda: bundled("wine"),
    "digits": lambda: bundled("digits"),
}
MODELS: dict[str, Callable[[], Classifier]] = {
    "LDA": models.lda,
    "QDA": models.qda,
    "1-NN": models.nearest_neighbours,
    "3-NN": lambda: models.nearest_neighbours(3),
    "tree": models.tree,
    "logistic": models.logistic,
}
EXPERIMENTS = tuple(
    Experiment(population, sizes, model)
    for population, sizes, models in (
        ("5 features, Δ = 1.5", (7, 7), ("LDA", "1-NN")),
        ("5 features, no difference", (7, 7), ("LDA", "1-NN")),
        ("2 features, Δ = 1.2", (10, 10), ("LDA", "1-NN", "tree")),
        ("2 features, no difference", (10, 10), ("1-NN", "tree")),
        ("10 features, Δ = 2", (50, 50), ("QDA", "logistic")),
        ("Highleyman", (20, 20), ("LDA", "QDA", "1-NN", "tree")),
        ("exclusive or", (25, 25), ("1-NN", "3-NN", "tree")),
        ("four corners", (10, 10, 10, 10), ("LDA", "1-NN")),
        ("breast cancer", (15, 25), ("1-NN", "tree")),
        ("wine", (10, 12, 8), ("1-NN",)),
        ("digits", (10,) * 10, ("1-NN",)),
    )
    for model in models
)


def estimates(trial: Trial) -> dict[str, float]:
    """Bootstrap, 10-fold and leave-one-out estimates of the error rate of one sample."""
    fits = trial.fits()
    out = {method: estimate(fits, "error", method).value for method in METHODS}
    out["632+ printed"] = estimate(fits, "error", "632+", rule="printed").value
    stratified = bool(np.bincount(trial.y).min() >= 10)  # smaller classes cannot be spread over ten folds
    out["10-fold CV"] = estimate(trial.fits(KFold(10, stratified=stratified)), "error", "cv_pooled").value
    out["LOOCV"] = estimate(trial.fits(LeaveOneOut()), "error", "cv_pooled").value
    return out


@study(
    "error-estimators",
    title="Average RMS of error-rate estimators over 24 experiments",
    source="Yousef, ML Assessment, table 1",
    trials=200,
    resamples=50,
    test_size=2000,
)
def error_estimators(run: Run) -> StudyResult:
    """G = 200 and B = 50 as in Efron & Tibshirani (1997); populations and real data."""
    cells = [cell_of(run, i, experiment) for i, experiment in enumerate(EXPERIMENTS)]
    frames = run.simulate(cells, evaluation_trial, chunk=5)
    table = accuracy_table(cells, frames)
    average = average_rms(cells, frames, table)
    return StudyResult(
        tables={"average RMS": average, "RMS by experiment": by_experiment(table), "accuracy": table},
        printed=pd.DataFrame({"estimator": list(TABLE_1), "rms": list(TABLE_1.values())}),
        claims=claims(average),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-setting",
                text="The published averages are of other experiments: compare their order, not their size. The truth of "
                "the real data is measured on the cases that were not drawn.",
            ),
            Note(
                "study-columns",
                text="632+ is clipped, as Efron and Tibshirani define it; 632+ printed sets R' = 0 beyond γ. Where a truth "
                "or an estimate is the same on every sample (LDA on classes without a difference has a true error of "
                "½) there is no correlation, and its mean is over the other experiments.",
            ),
            offset_note(
                "error", float(table.loc[table["estimator"] == "true", "mean"].mean()), run.options["test_size"]
            ),
        ),
    )


def cell_of(run: Run, i: int, experiment: Experiment) -> Cell[Setting]:
    population = POPULATIONS[experiment.population]()
    where = list(POPULATIONS).index(experiment.population)
    truth = None
    if isinstance(population, Population):
        truth = ExactTruth(population, test_set(population, run.options["test_size"], run.shared_seed(where)))
    setting = Setting(
        population,
        truth,
        MODELS[experiment.model](),
        Bootstrap(run.options["resamples"]),
        "error",
        {"all": estimates},
        experiment.sizes,
    )
    labels: dict[str, object] = {
        "experiment": i + 1,
        "population": experiment.population,
        "model": experiment.model,
        "n": sum(experiment.sizes),
    }
    return Cell(labels, (where, *experiment.sizes), setting)


def average_rms(cells: Sequence[Cell[S]], frames: Sequence[pd.DataFrame], table: pd.DataFrame) -> pd.DataFrame:
    """Means over experiments of RMS, bias, SD and correlation, with Monte Carlo errors."""
    best = _best(table)
    rows = []
    for name in frames[0].columns:
        row: dict[str, object] = {"estimator": name}
        for column, of in AVERAGED.items():
            found = [
                (cell.key, *of(frame[name].to_numpy(), frame["true"].to_numpy()))
                for cell, frame in zip(cells, frames, strict=True)
            ]
            row |= entry(column, average([each for each in found if not np.isnan(each[1])]))
        rows.append(row | {"best of": int((best == name).sum())})
    return errors_last(pd.DataFrame(rows))


AVERAGED: dict[str, Callable[[Floats, Floats], Influence]] = {
    "rms": rms_influence,
    "bias": lambda x, truth: mean_influence(x - truth),
    "sd": lambda x, truth: sd_influence(x),
    "correlation": correlation_influence,
}


def average(numbers: Sequence[tuple[tuple[int, ...], float, Floats]]) -> Number:
    """Mean of (key of the samples, number, influence (G,)); experiments with the same key share their trials."""
    together: dict[tuple[int, ...], Floats] = {}
    for key, _, influence in numbers:
        together[key] = together.get(key, np.zeros(len(influence))) + influence / len(numbers)
    error = np.linalg.norm([error_of(influence) for influence in together.values()])
    return float(np.mean([value for _, value, _ in numbers])), float(error)


def _best(table: pd.DataFrame) -> pd.Series:
    """The estimator with the smallest RMS in every experiment."""
    own = table[table["estimator"] != "true"]
    return own.loc[own.groupby("experiment")["rms"].idxmin()].set_index("experiment")["estimator"]


def by_experiment(table: pd.DataFrame) -> pd.DataFrame:
    """One row per experiment, one column per estimator, with Monte Carlo errors."""
    keys = ["experiment", "population", "model", "n"]
    true = table[table["estimator"] == "true"].set_index("experiment")
    own = table[table["estimator"] != "true"]
    wide = own.pivot_table(index=keys, columns="estimator", values="rms", sort=False)
    errors = own.pivot_table(index=keys, columns="estimator", values="rms_mc", sort=False).add_suffix("_mc")
    wide = pd.concat([wide, errors], axis=1).reset_index().rename_axis(columns=None)
    wide.insert(len(keys), "true mean", true["mean"][wide["experiment"]].to_numpy())
    return errors_last(wide.assign(**{"true mean_mc": true["mean_mc"][wide["experiment"]].to_numpy()}))


def claims(average: pd.DataFrame) -> tuple[Claim, ...]:
    rms = average.set_index("estimator")["rms"]
    order = " < ".join(f"{name} {rms[name]:.4f}" for name in rms[list(METHODS)].sort_values().index)
    return (
        Claim(
            "of the published four estimators apparent has the largest RMS and .632 the second largest, as in table 1",
            bool(rms["apparent"] > rms["632"] > max(rms["loob"], rms["632+"])),
            order,
        ),
        Claim(
            "the RMS of LOOB and .632+ are within 10 % of each other (published: LOOB 2.5 % above)",
            bool(abs(rms["loob"] / rms["632+"] - 1) < 0.1),
            f"{rms['loob'] / rms['632+'] - 1:+.1%}",
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
    """One line per experiment, the first one on top."""
    own = table[table["estimator"] != "true"]
    marks = tuple(
        Points(part["rms"], -part["experiment"].astype(float), str(name), marker=marker, size=22)
        for (name, part), marker in zip(own.groupby("estimator", sort=False), "osD^vx+", strict=False)
    )
    ticks = {
        -float(row["experiment"]): f"{row['population']}, n = {row['n']}, {row['model']}"
        for _, row in own.drop_duplicates("experiment").iterrows()
    }
    panel = Panel(marks, "RMS of every estimator", "RMS", "", x_limits=(0, 0.7), y_ticks=ticks)
    return Figure("rms", (panel,), columns=1, size=(8.0, 6.4))
