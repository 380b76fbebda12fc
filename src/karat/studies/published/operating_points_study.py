"""Figures 1, 2 and 3 of seeds/002: operating points with variances, and those that cannot be told apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from karat.result.picture import Line, Mark, Panel, Picture, Points
from karat.studies.operating_points import FOLDS, TPF, Figure, detector_points, figure_1, figure_2, figure_3
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import errors_last, mean


def same_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    """The point with TPF ≥ .9 on one sample: its FPF and the SD of its mean, and how many points are the same."""
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
    source="seeds/002, figures 1 and 2",
    trials=30,
    sizes=(50, 200),
    least=FOLDS,
)
def operating_points_study(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), n) for n in run.sizes]
    rows = []
    for cell, frame in zip(cells, run.simulate(cells, same_trial, chunk=2), strict=True):
        row: dict[str, float] = {"size": cell.labels["size"]}
        for name in ("tpf", "fpf", "fpf_se", "same", "points"):
            row[name], row[f"{name}_mc"] = mean(frame[name].to_numpy())
        rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    first = figure_1(run.shared_seed(1))
    figures = figure_2(run.sizes, run.shared_seed(2))
    return StudyResult(
        name="operating-points",
        title="Operating points with variances",
        source="seeds/002, figures 1 and 2",
        tables={"same as the chosen point": table, "figure 1": first.frame()},
        claims=_claims(table),
        pictures=(Picture("roc", (_panel(first), *(_panel(f) for f in figures.values()))),),
        notes=(
            "The point with TPF ≥ .9 is chosen; `same` counts the points whose FPF is not significantly different from "
            "its own at 95 % (itself among them). The more cases, the fewer.",
        ),
    )


@study(
    "three-class-roc",
    title="Three-class ROC of handwritten digits 2, 3 and 5 by class weights",
    source="seeds/002, figure 3",
    sizes=(100,),
    one_size=True,
    least=50,  # the classes of a fold share values: fewer cases may be singular
    most=200,
)
def three_class_roc(run: Run) -> StudyResult:
    """One sample, as in the seed: six morphological features, PCA to three, QDA, 10 folds."""
    figure = figure_3(run.sizes[0], rng=run.shared_seed())
    table = figure.frame()
    errors = [c for c in table if c.startswith("error_") and not c.endswith(("_sd", "_se"))]
    worst = table[errors].max(axis=1)
    same = int(table["same"].sum())
    return StudyResult(
        name="three-class-roc",
        title="Three-class ROC by class weights",
        source="seeds/002, figure 3",
        tables={"operating points": table},
        claims=(
            Claim(
                "the chosen point has the smallest maximal class error",
                bool(worst[table["chosen"]].iloc[0] <= worst.min() + 1e-12),
                f"{worst.min():.3f}",
            ),
            Claim(
                "some points cannot be told apart from it at this sample size, in any class error",
                1 < same <= len(table),
                f"{same} of {len(table)}",
            ),
        ),
        pictures=(Picture("class errors", tuple(_pairs(table, errors))),),
    )


def _panel(figure: Figure) -> Panel:
    table = figure.frame().sort_values(["fpf", "tpf"])
    marks: list[Mark] = [
        Line(table["fpf"], table["tpf"], "mean over folds ± SD of the mean", "-", "C0", error=table["tpf_se"])
    ]
    if "same" in table:
        same, chosen = table[table["same"]], table[table["chosen"]]
        marks.append(Points(same["fpf"], same["tpf"], "not different in FPF", "o", "C2", 30))
        marks.append(Points(chosen["fpf"], chosen["tpf"], "chosen", "x", "C3", 70))
    return Panel(tuple(marks), figure.title, "FPF", "TPF", x_limits=(-0.02, 1.02), y_limits=(-0.02, 1.05))


def _pairs(table: pd.DataFrame, errors: list[str]) -> list[Panel]:
    panels = []
    for i, a in enumerate(errors):
        b = errors[(i + 1) % len(errors)]
        same, chosen = table[table["same"]], table[table["chosen"]]
        marks = (
            Points(table[a], table[b], "points", ".", "C0"),
            Points(same[a], same[b], "not different", "o", "C2", 30),
            Points(chosen[a], chosen[b], "chosen", "x", "C3", 70),
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
                "more cases leave fewer points that cannot be told apart",
                bool(last["same"] < first["same"]),
                f"{first['same']:.1f} at {int(first['size'])} a class, {last['same']:.1f} at {int(last['size'])}",
            )
        )
    return tuple(out)
