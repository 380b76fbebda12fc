"""Calibration of every standard error and interval in trueness: mean se over true SD, and coverage."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from trueness.figures.figure import Figure, Line, Mark, Panel, Points
from trueness.result.notes import Note
from trueness.studies.calibration_tables import ESTIMATOR, by_interval, misses, over_settings, proportion_rows, rows_of
from trueness.studies.calibration_trial import (
    DISTANCE,
    LEVEL,
    MODELS,
    N_FEATURES,
    CalibrationSetting,
    calibration_trial,
    population_of,
)
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.truth import ExactTruth, SobolTestSet

MINUS = " − "
DIFFERENCES = (("LDA", "QDA"), ("LDA", "1-NN"))
Balance = Literal["1:1", "1:10"]


def class_sizes(n: int, balance: Balance) -> tuple[int, int]:
    """Negatives and positives: two halves of n, or n and n/10."""
    return (n - n // 2, n // 2) if balance == "1:1" else (n, round(n / 10))


@study(
    "calibration",
    title="Calibration of every standard error and interval: LDA, QDA, 1-NN, tree, logistic; balanced and 1 : 10",
    source="trueness; proposed in Yousef, ML Assessment, section 5.4",
    trials=500,
    sizes=(20, 60, 200, 500),
    resamples=200,
    log2_test_size=12,
)
def calibration(run: Run) -> StudyResult:
    """Every setting gets the full number of samples except expensive ones (see `share_of`)."""
    cells = _cells(run)
    done = list(zip(cells, run.simulate(cells, calibration_trial, chunk=5), strict=True))
    table = pd.DataFrame([row for cell, frame in done for row in rows_of(cell, frame)])
    rates = pd.DataFrame(
        [row for cell, frame in done if len(cell.settings.models) == 1 for row in proportion_rows(cell, frame)]
    )
    pair = table["model"].str.contains(MINUS)
    single, both = table[~pair].reset_index(drop=True), table[pair].reset_index(drop=True)
    overview, differences = (over_settings(part, [*ESTIMATOR, "balance"]) for part in (single, both))
    return StudyResult(
        tables={
            "overview": overview,
            "differences": differences,
            "proportions": over_settings(rates, ["metric", "interval", "balance"]),
            "intervals": by_interval(single),
            "misses": misses(table),
            "all": table,
        },
        claims=_claims(overview, differences),
        pictures=(_picture(single, "one rule"), _picture(both, "differences")),
        notes=(
            Note(
                "study-columns",
                text="ratio is the mean standard error over the SD of the estimate (1 is right). coverage is of the "
                "estimand: a mean over training sets, this rule, or (holdout) the rule of the training "
                "part; bias reduces it. own coverage is of the mean of the estimate, where bias does not matter. "
                "answered is the share of trials with an estimate; the other columns summarise these trials.",
            ),
            Note(
                "study-setting",
                text=f"Two normal classes, {N_FEATURES} features, Δ = {DISTANCE}; default intervals at level {LEVEL:.0%}. "
                "1:10 means n negatives and n/10 positives.",
                distance=DISTANCE,
                level=LEVEL,
            ),
        ),
    )


def _cells(run: Run) -> list[Cell[CalibrationSetting]]:
    """Every model and difference that can be fitted: QDA needs more cases per class than features."""
    cells = []
    balances: tuple[Balance, ...] = ("1:1", "1:10")
    for b, balance in enumerate(balances):
        for n in run.sizes:
            sizes = class_sizes(n, balance)
            population = population_of(sizes)
            rng = np.random.default_rng(run.shared_seed(b, n))
            truth = ExactTruth(population, SobolTestSet.of_gaussians(population, run.options["log2_test_size"], rng))
            for models in (*((model,) for model in MODELS), *DIFFERENCES):
                if "QDA" in models and min(sizes) <= N_FEATURES:
                    continue
                labels = {"model": MINUS.join(models), "balance": balance, "n": f"{sizes[0]}+{sizes[1]}"}
                setting = CalibrationSetting(models, sizes, truth, run.options["resamples"])
                cells.append(Cell(labels, (b, *sizes), setting, share_of(models, n)))
    return cells


def share_of(models: Sequence[str], n: int) -> float:
    """Share of the trials: trees have no engine of their own, and the second order takes n² steps per replicate."""
    if "tree" in models:
        return 1 / 6
    return 1 / 3 if n > 200 else 1.0


def _claims(overview: pd.DataFrame, differences: pd.DataFrame) -> tuple[Claim, ...]:
    def ratio(table: pd.DataFrame, metric: str, method: str, se: str, plan: str = "bootstrap", **more: str) -> float:
        """Mean over both balances, unless one is given."""
        wanted = dict(zip(ESTIMATOR, (metric, method, se, plan), strict=True)) | more
        found = table[np.logical_and.reduce([table[k] == v for k, v in wanted.items()])]
        return float(found["ratio"].mean())

    loob, lpob = (ratio(overview, *who, "influence-corrected") for who in (("error", "loob"), ("auc", "lpob")))
    naive, corrected = (
        ratio(overview, "error", "cv", se, "5 × K-fold", balance="1:1") for se in ("naive", "nadeau-bengio")
    )
    of_differences = {se: ratio(differences, "auc", "lpob", se) for se in ("influence", "second-order")}
    return (
        Claim(
            "the default standard errors of LOOB and LPOB have a mean ratio between .9 and 1.25",
            0.9 <= loob <= 1.25 and 0.9 <= lpob <= 1.25,
            f"LOOB {loob:.2f}, LPOB {lpob:.2f}",
        ),
        Claim(
            "balanced classes: the naive se of repeated cross-validation is too small, and below Nadeau and Bengio's",
            naive < 1 and naive < corrected,
            f"naive {naive:.2f}, Nadeau–Bengio {corrected:.2f}",
        ),
        Claim(
            "for a difference of AUCs the second-order se has a ratio closer to 1 than the exact influence function",
            abs(of_differences["second-order"] - 1) < abs(of_differences["influence"] - 1),
            ", ".join(f"{se} {value:.2f}" for se, value in of_differences.items()),
        ),
    )


def _picture(table: pd.DataFrame, name: str) -> Figure:
    """One panel per metric: the ratio of every setting, one row per standard error."""
    panels = []
    known = table[table["ratio"].notna()] if "ratio" in table else table.iloc[:0]
    for metric, part in known.groupby("metric", sort=False):
        estimator = part["method"] + ", " + part["se"] + ", " + part["plan"]
        at = {label: float(-i) for i, label in enumerate(dict.fromkeys(estimator))}
        marks: list[Mark] = [Line([1, 1], [0.5, 0.5 - len(at)], color="soft")]
        for balance, rows in part.assign(at=estimator.map(at)).groupby("balance", sort=False):
            shift = 0.15 if balance == "1:1" else -0.15
            marks.append(Points(np.minimum(rows["ratio"], 3), rows["at"] + shift, str(balance), size=10))
        ticks = {i: label for label, i in at.items()}
        panels.append(
            Panel(tuple(marks), str(metric), "mean se / SD (capped at 3)", x_limits=(0.3, 3.05), y_ticks=ticks)
        )
    return Figure(name, tuple(panels), columns=2, size=(6.0, 5.5))
