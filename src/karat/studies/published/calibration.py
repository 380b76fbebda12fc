"""Calibration of every standard error and interval that karat offers: mean se over true SD, and coverage."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import KaratError
from karat.estimators.estimation import estimate
from karat.estimators.registry import RULE, TRAINED
from karat.fitting import textbook
from karat.fitting.one import train
from karat.plans import Bootstrap, Holdout, KFold, NestedKFold
from karat.plans.plan import Plan
from karat.result.picture import Line, Panel, Picture, Points
from karat.sample.fits import Fits
from karat.sample.populations import two_gaussians
from karat.sample.sample import Sample
from karat.sample.seeds import FIT, child
from karat.studies.asking import LEVEL, PROPORTIONS, ask, limits, offered
from karat.studies.calibration_tables import WHO, by_interval, misses, over_settings, proportion_rows, rows_of
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.trial import CASES, Trial
from karat.studies.truth import EvenTestSet, Exact, Truth

N_FEATURES, DISTANCE = 2, 1.5
MODELS: dict[str, Callable[[], Any]] = {
    "LDA": textbook.lda,
    "QDA": textbook.qda,
    "1-NN": textbook.nearest_neighbours,
    "logistic": textbook.logistic,
    "tree": textbook.tree,
}
MINUS = " − "
DIFFERENCES = (("LDA", "QDA"), ("LDA", "1-NN"))
OF_DIFFERENCES = ("bootstrap", "5 × K-fold", "holdout")
METRICS = ("error", "auc")


@dataclass(frozen=True, eq=False)
class Setting:
    models: tuple[str, ...]  # one rule, or two: their difference
    sizes: tuple[int, int]
    truth: Truth
    resamples: int


def class_sizes(n: int, balance: str) -> tuple[int, int]:
    """Negatives and positives: two halves of n, or n and a tenth of it."""
    return (n - n // 2, n // 2) if balance == "1:1" else (n, round(n / 10))


def plans(setting: Setting) -> dict[str, Plan]:
    """What is fitted in every trial; small classes do not fill ten folds."""
    folds = min(10, *setting.sizes)
    every: dict[str, Plan] = {
        "bootstrap": Bootstrap(setting.resamples),
        "K-fold": KFold(folds),
        "5 × K-fold": KFold(folds, repeats=5),
        "50 × 2-fold": KFold(2, repeats=50),
        "nested": NestedKFold(max(3, min(5, folds)), repeats=4),
        "holdout": Holdout(0.3),
    }
    return every if len(setting.models) == 1 else {label: every[label] for label in OF_DIFFERENCES}


def calibration_trial(setting: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
    """Value, se, intervals and target of every (metric, method, se, plan) on one sample; NaN where there is none."""
    X, y = _population(setting.sizes).draw(setting.sizes, np.random.default_rng(child(seed, CASES)))
    trials = [Trial(X, y, MODELS[model](), Bootstrap(setting.resamples), seed) for model in setting.models]
    true = {metric: _contrast([setting.truth.of(t.rule, metric) for t in trials]) for metric in METRICS}
    out = {f"true|{metric}": value for metric, value in true.items()}
    for label, plan in plans(setting).items():
        fits = _fitted(trials, plan)
        trained = _holdout_truth(setting, trials, fits) if plan.kind == "holdout" else {}
        for metric in METRICS:
            for method, se, estimand in offered(plan.kind, metric):
                target = {RULE: true[metric], TRAINED: trained.get(metric, math.nan)}.get(estimand, math.nan)
                answer = ask(fits, metric, method, se) | {"target": target}
                out |= {f"{metric}|{method}|{se}|{label}|{part}": value for part, value in answer.items()}
        if plan.kind == "holdout" and len(trials) == 1:
            out |= _proportions(fits, trained)
    return out


def _contrast(values: Sequence[float]) -> float:
    return values[0] - values[1] if len(values) == 2 else values[0]


def _fitted(trials: Sequence[Trial], plan: Plan) -> list[Fits]:
    """The fits of every model on one design; none where the plan is refused, for a class too small for its folds."""
    try:
        return [trial.fits(plan) for trial in trials]
    except KaratError:
        return []


def _holdout_truth(setting: Setting, trials: Sequence[Trial], fits: Sequence[Fits]) -> dict[str, float]:
    """True performance of the rules that were trained on the training part."""
    if not fits:
        return {}
    rows = np.flatnonzero(fits[0].design.counts[0])
    seed = child(fits[0].design.seed, FIT, 0)  # that of the one fit: a tree breaks ties by it
    rules = [train(t.model, Sample.of(t.y, X=t.X), rows, seed) for t in trials]
    return {
        metric: _contrast([setting.truth.of(rule, metric) for rule in rules])
        for metric in (*METRICS, *(("fnf",) if len(rules) == 1 else ()))
    }


def _proportions(fits: Sequence[Fits], trained: dict[str, float]) -> dict[str, float]:
    """The ten intervals of two plain proportions: the error of all test cases, and of the positives (1 − TPF)."""
    out: dict[str, float] = {}
    for metric in ("error", "fnf"):
        found = limits(estimate(fits[0], metric, "holdout"), PROPORTIONS)
        out |= {f"proportion|{metric}|{name}": value for name, value in found.items()}
        out[f"proportion|{metric}|target"] = trained[metric]
    return out


def _population(sizes: tuple[int, int]) -> Any:
    n = sum(sizes)
    return two_gaussians(N_FEATURES, DISTANCE, priors=(sizes[0] / n, sizes[1] / n))


@study(
    "calibration",
    title="Calibration of every standard error and interval: LDA, QDA, 1-NN, tree, logistic; balanced and 1 : 10",
    source="ours; seeds/000 asks for it in 5.4",
    trials=500,
    sizes=(20, 60, 200, 500),
    resamples=200,
    log2_test_size=12,
)
def calibration(run: Run) -> StudyResult:
    """All settings but the dear ones (n = 500, trees: `share_of`) have the full number of samples."""
    cells = _cells(run)
    done = list(zip(cells, run.simulate(cells, calibration_trial, chunk=5), strict=True))
    table = pd.DataFrame([row for cell, frame in done for row in rows_of(cell, frame)])
    rates = pd.DataFrame(
        [row for cell, frame in done if len(cell.settings.models) == 1 for row in proportion_rows(cell, frame)]
    )
    pair = table["model"].str.contains(MINUS)
    single, both = table[~pair].reset_index(drop=True), table[pair].reset_index(drop=True)
    overview, differences = (over_settings(part, [*WHO, "balance"]) for part in (single, both))
    return StudyResult(
        name="calibration",
        title="Calibration of every standard error and interval",
        source="ours",
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
            "ratio = mean se / SD of the estimate over samples (1 is right). coverage is of what the estimate is said "
            "to estimate: the mean over training sets of this size, this rule, or (holdout) the rule of the training "
            "part; bias counts. own coverage is of the estimate's own mean, where bias does not count. Only trials "
            "with an answer count; answered is their share.",
            f"Two normal classes, 2 features, Δ = {DISTANCE}; {LEVEL:.0%} intervals of the default kind. 1:10 is n "
            "negatives and n/10 positives.",
        ),
    )


def _cells(run: Run) -> list[Cell]:
    """Every model and difference that can be fitted: QDA needs more cases of a class than features."""
    cells = []
    for b, balance in enumerate(("1:1", "1:10")):
        for n in run.sizes:
            sizes = class_sizes(n, balance)
            population = _population(sizes)
            rng = np.random.default_rng(run.shared_seed(b, n))
            truth = Exact(population, EvenTestSet.of_gaussians(population, run.options["log2_test_size"], rng))
            for models in (*((model,) for model in MODELS), *DIFFERENCES):
                if "QDA" in models and min(sizes) <= N_FEATURES:
                    continue
                labels = {"model": MINUS.join(models), "balance": balance, "n": f"{sizes[0]}+{sizes[1]}"}
                setting = Setting(models, sizes, truth, run.options["resamples"])
                cells.append(Cell(labels, (b, *sizes), setting, share_of(models, n)))
    return cells


def share_of(models: Sequence[str], n: int) -> float:
    """Trees have no batched engine, and the second order takes n² steps a replicate."""
    if "tree" in models:
        return 1 / 6
    return 1 / 3 if n > 200 else 1.0


def _claims(overview: pd.DataFrame, differences: pd.DataFrame) -> tuple[Claim, ...]:
    def ratio(table: pd.DataFrame, metric: str, method: str, se: str, plan: str = "bootstrap", **more: str) -> float:
        """Mean over both balances, unless one is named."""
        wanted = dict(zip(WHO, (metric, method, se, plan), strict=True)) | more
        found = table[np.logical_and.reduce([table[k] == v for k, v in wanted.items()])]
        return float(found["ratio"].mean())

    loob, lpob = (ratio(overview, *who, "influence-corrected") for who in (("error", "loob"), ("auc", "lpob")))
    naive, corrected = (
        ratio(overview, "error", "cv", se, "5 × K-fold", balance="1:1") for se in ("naive", "nadeau-bengio")
    )
    of_differences = {se: ratio(differences, "auc", "lpob", se) for se in ("influence", "second-order")}
    return (
        Claim(
            "the default se of LOOB and LPOB: mean ratio between .9 and 1.25",
            0.9 <= loob <= 1.25 and 0.9 <= lpob <= 1.25,
            f"LOOB {loob:.2f}, LPOB {lpob:.2f}",
        ),
        Claim(
            "balanced, the naive se of repeated cross-validation is too small, and smaller than Nadeau and Bengio's",
            naive < 1 and naive < corrected,
            f"naive {naive:.2f}, Nadeau–Bengio {corrected:.2f}",
        ),
        Claim(
            "of a difference of AUCs the second-order se is nearer to right than the exact influence function's",
            abs(of_differences["second-order"] - 1) < abs(of_differences["influence"] - 1),
            ", ".join(f"{se} {value:.2f}" for se, value in of_differences.items()),
        ),
    )


def _picture(table: pd.DataFrame, name: str) -> Picture:
    """A panel a metric: the ratio of every setting, a row a standard error."""
    panels = []
    known = table[table["ratio"].notna()] if "ratio" in table else table.iloc[:0]
    for metric, part in known.groupby("metric", sort=False):
        who = part["method"] + ", " + part["se"] + ", " + part["plan"]
        at = {label: float(-i) for i, label in enumerate(dict.fromkeys(who))}
        marks: list[Any] = [Line([1, 1], [0.5, 0.5 - len(at)], color="0.6")]
        for balance, rows in part.assign(at=who.map(at)).groupby("balance", sort=False):
            shift = 0.15 if balance == "1:1" else -0.15
            marks.append(Points(np.minimum(rows["ratio"], 3), rows["at"] + shift, str(balance), size=10))
        ticks = {i: label for label, i in at.items()}
        panels.append(
            Panel(tuple(marks), str(metric), "mean se / SD (3 and more at 3)", x_limits=(0.3, 3.05), y_ticks=ticks)
        )
    return Picture(name, tuple(panels), columns=2, panel_size=(6.0, 5.5))
