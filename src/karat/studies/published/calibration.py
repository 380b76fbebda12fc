"""Calibration of every standard error and interval that karat offers: mean se over true SD, and coverage."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import KaratError, KaratWarning
from karat.estimators.registry import RULE, TRAINED, Estimator, available, bind, estimate
from karat.fitting import textbook
from karat.fitting.one import train
from karat.plans import Bootstrap, Holdout, KFold, NestedKFold
from karat.plans.plan import Plan
from karat.result import Estimate
from karat.result.picture import Line, Panel, Picture, Points
from karat.sample.fits import Fits
from karat.sample.populations import two_gaussians
from karat.sample.sample import Sample
from karat.sample.seeds import child
from karat.studies.laboratory import CASES, FULL, Trial
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import share
from karat.studies.truth import Exact, Truth, test_set

LEVEL = 0.95
N_FEATURES, DISTANCE = 2, 1.5
MODELS: dict[str, Callable[[], Any]] = {
    "LDA": textbook.lda,
    "QDA": textbook.qda,
    "1-NN": textbook.nearest_neighbours,
    "tree": textbook.tree,
    "logistic": textbook.logistic,
}
FEWEST = 5  # positives


@dataclass(frozen=True, eq=False)
class Setting:
    model: str
    sizes: tuple[int, int]
    truth: Truth
    resamples: int


def class_sizes(n: int, balance: str) -> tuple[int, int]:
    """Negatives and positives: halves, or as near to 10 : 1 as five positives allow."""
    positives = n // 2 if balance == "1:1" else max(FEWEST, round(n / 11))
    return n - positives, positives


def plans(setting: Setting) -> dict[str, Plan]:
    """What is fitted in every trial; small classes do not fill ten folds."""
    folds = min(10, *setting.sizes)
    return {
        "bootstrap": Bootstrap(setting.resamples),
        "K-fold": KFold(folds),
        "5 × K-fold": KFold(folds, repeats=5),
        "50 × 2-fold": KFold(2, repeats=50),
        "nested": NestedKFold(min(5, folds), repeats=4),
        "holdout": Holdout(0.3),
    }


def calibration_trial(setting: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
    """Value, se, interval and target of every (plan, metric, method, se) on one sample; NaN where there is none."""
    population = _population(setting.sizes)
    X, y = population.draw(setting.sizes, np.random.default_rng(child(seed, CASES)))
    trial = Trial(X, y, MODELS[setting.model](), Bootstrap(setting.resamples), seed)
    out = {f"true|{metric}": setting.truth.of(trial.rule, metric) for metric in ("error", "auc")}
    for label, plan in plans(setting).items():
        for metric in ("error", "auc"):
            try:
                fits = trial.fits(plan)
            except KaratError:
                fits = None
            for method, se, declared in _offered(plan.kind, metric):
                key = f"{metric}|{method}|{se}|{label}"
                numbers = _ask(fits, metric, method, se)
                target = math.nan
                if fits is not None and declared.estimand == TRAINED:
                    target = _holdout_truth(setting, trial, fits, metric)
                elif declared.estimand == RULE:
                    target = out[f"true|{metric}"]
                out |= dict(zip((f"{key}|{part}" for part in PARTS), (*numbers, target), strict=True))
    return out


INTERVALS = ("wald", "logit", "wilson", "t")  # beside the default one of every estimate
LIMITS = tuple(f"{kind} {end}" for kind in INTERVALS for end in ("low", "high"))
PARTS = ("value", "se", "low", "high", *LIMITS, "target")


def _population(sizes: tuple[int, int]) -> Any:
    n = sum(sizes)
    return two_gaussians(N_FEATURES, DISTANCE, priors=(sizes[0] / n, sizes[1] / n))


def _offered(kind: str, metric: str) -> list[tuple[str, str, Estimator]]:
    """Every method and standard error that the registry has for a design and a metric."""
    probe = Fits.from_arrays([0, 0, 1, 1], [[0, 0, 0, 0]], [[0.1, 0.2, 0.3, 0.4]], threshold=0.25)
    bound = bind(probe, metric)
    return [(e.name, se, e) for e in available(kind, bound) for se in e.se if se != "none"]


def _ask(fits: Fits | None, metric: str, method: str, se: str) -> tuple[float, ...]:
    nothing = (math.nan,) * (len(PARTS) - 1)
    if fits is None:
        return nothing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KaratWarning)
            found = estimate(fits, metric, method, se=se)
            low, high = found.ci(LEVEL)
            others = [end for kind in INTERVALS for end in _limits(found, kind)]
    except KaratError:  # a class too small for this method, a pair never left out, no se to defend
        return nothing
    return found.value, math.nan if found.se is None else found.se, low, high, *others


def _limits(found: Estimate, kind: str) -> tuple[float, float]:
    """Of one kind of interval; NaN where this estimate has none of it (Student's without degrees of freedom)."""
    try:
        low, high = found.ci(LEVEL, kind)
    except KaratError:
        return math.nan, math.nan
    return low, high


def _holdout_truth(setting: Setting, trial: Trial, fits: Fits, metric: str) -> float:
    """True performance of the rule that was trained on the training part."""
    sample = Sample.of(trial.y, X=trial.X)
    rows = np.flatnonzero(fits.design.counts[0])
    return setting.truth.of(train(trial.model, sample, rows, child(trial.seed, FULL)), metric)


@study(
    "calibration",
    title="Calibration of every standard error and interval: LDA, QDA, 1-NN, tree, logistic; balanced and 1 : 10",
    source="ours; seeds/000 asks for it in 5.4",
    trials=100,
    sizes=(20, 60, 200, 500),
    resamples=200,
    test_size=2000,
)
def calibration(run: Run) -> StudyResult:
    cells = _cells(run)
    frames = run.simulate(cells, calibration_trial, chunk=2)
    table = pd.DataFrame([row for cell, frame in zip(cells, frames, strict=True) for row in rows_of(cell, frame)])
    overview = summarised(table)
    return StudyResult(
        name="calibration",
        title="Calibration of every standard error and interval",
        source="ours",
        tables={"overview": overview, "intervals": by_interval(table), "misses": misses(table), "all": table},
        claims=_claims(overview),
        pictures=(_picture(table),),
        notes=(
            "ratio = mean se / SD of the estimate over samples (1 is right). coverage is of what the estimate is said "
            "to estimate: the mean over training sets of this size, this rule, or (holdout) the rule of the training "
            "part; bias counts. own coverage is of the estimate's own mean, where bias does not count.",
            f"Two normal classes, 2 features, Δ = {DISTANCE}; {LEVEL:.0%} intervals of the default kind.",
        ),
    )


def _cells(run: Run) -> list[Cell]:
    cells = []
    for b, balance in enumerate(("1:1", "1:10")):
        for n in run.sizes:
            sizes = class_sizes(n, balance)
            population = _population(sizes)
            truth = Exact(population, test_set(population, run.options["test_size"], run.shared_seed(b, n)))
            for model in MODELS:
                labels = {"model": model, "balance": balance, "n": f"{sizes[0]}+{sizes[1]}"}
                cells.append(Cell(labels, (b, *sizes), Setting(model, sizes, truth, run.options["resamples"])))
    return cells


def rows_of(cell: Cell, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """One row a method and standard error of one cell."""
    keys = list(dict.fromkeys(c.rpartition("|")[0] for c in frame.columns if c.count("|") == 4))
    rows = []
    for key in keys:
        metric, method, se, plan = key.split("|")
        part = frame[[f"{key}|{p}" for p in PARTS]].set_axis(list(PARTS), axis=1)
        known = part[part["low"].notna()]
        row: dict[str, Any] = {**cell.labels, "metric": metric, "method": method, "se": se, "plan": plan}
        row["answered"] = len(known) / len(part)
        if len(known) >= 2:
            row |= _numbers(known, frame[f"true|{metric}"].mean())
        rows.append(row)
    return rows


def _numbers(known: pd.DataFrame, true_mean: float) -> dict[str, float]:
    value, given = known["value"].to_numpy(), known["se"].dropna().to_numpy()
    spread = value.std(ddof=1)
    target = known["target"].fillna(true_mean).to_numpy()
    inside, inside_error = share((known["low"] <= target) & (target <= known["high"]))
    own, _ = share((known["low"] <= value.mean()) & (value.mean() <= known["high"]))
    out = {"mean": value.mean(), "true": float(target.mean()), "sd": spread}
    if len(given) >= 2 and spread > 0:
        ratio = given.mean() / spread
        out["ratio"] = ratio
        # relative errors of a mean se and of an SD over G trials
        out["ratio_mc"] = ratio * math.hypot(given.std(ddof=1) / given.mean() / math.sqrt(len(given)), _relative(value))
    out |= {"coverage": inside, "own coverage": own, "coverage_mc": inside_error}
    for kind in INTERVALS:
        limits = known[[f"{kind} low", f"{kind} high"]].to_numpy()
        there = ~np.isnan(limits).any(axis=1)
        if there.any():
            out[f"{kind} coverage"] = float(((limits[:, 0] <= target) & (target <= limits[:, 1]))[there].mean())
    return out


def _relative(x: np.ndarray) -> float:
    """Relative Monte-Carlo error of an SD: √((κ − 1)/(4G))."""
    z = (x - x.mean()) / x.std()
    return float(math.sqrt(max((z**4).mean() - 1, 0) / (4 * len(x))))


def summarised(table: pd.DataFrame) -> pd.DataFrame:
    """Over all settings: median and range of the ratio, mean and least coverage.

    A standard error that a plan cannot give at all (Nadeau and Bengio's without repeats) is left out.
    """
    rows = []
    asked = table[table.groupby(["metric", "method", "se", "plan"])["answered"].transform("max") > 0]
    for (metric, method, se, plan), part in asked.groupby(["metric", "method", "se", "plan"], sort=False):
        ratio, coverage = part.get("ratio", pd.Series(dtype=float)).dropna(), part["coverage"].dropna()
        rows.append(
            {
                "metric": metric,
                "method": method,
                "se": se,
                "plan": plan,
                "settings": len(part),
                "answered": part["answered"].mean(),
                "median ratio": ratio.median() if len(ratio) else math.nan,
                "least": ratio.min() if len(ratio) else math.nan,
                "largest": ratio.max() if len(ratio) else math.nan,
                "mean coverage": coverage.mean(),
                "least coverage": coverage.min(),
                "mean own coverage": part["own coverage"].mean(),
            }
        )
    return pd.DataFrame(rows)


def by_interval(table: pd.DataFrame) -> pd.DataFrame:
    """Mean and least coverage over settings of each kind of interval, where there is a standard error."""
    kinds = [f"{kind} coverage" for kind in INTERVALS if f"{kind} coverage" in table]
    known = table[table[kinds].notna().any(axis=1)]
    rows = []
    for (metric, method, se, plan), part in known.groupby(["metric", "method", "se", "plan"], sort=False):
        row = {"metric": metric, "method": method, "se": se, "plan": plan, "default": part["coverage"].mean()}
        for name in kinds:
            row[name.removesuffix(" coverage")] = part[name].mean()
        row |= {f"least, {name.removesuffix(' coverage')}": part[name].min() for name in kinds}
        rows.append(row)
    return pd.DataFrame(rows)


def misses(table: pd.DataFrame) -> pd.DataFrame:
    """Where a standard error or interval is plainly off: by more than 20 % and 3 errors, or covering < 88 %."""
    ratio_off = (table["ratio"] - 1).abs() > np.maximum(0.2, 3 * table["ratio_mc"])
    coverage_off = table["coverage"] < 0.88  # the Monte-Carlo error stands beside it
    off = table[ratio_off | coverage_off]
    order = (off["coverage"].fillna(1) - LEVEL).abs().sort_values(ascending=False).index
    return off.loc[order].reset_index(drop=True)


def _claims(overview: pd.DataFrame) -> tuple[Claim, ...]:
    def median(metric: str, method: str, se: str) -> float:
        found = overview[(overview["metric"] == metric) & (overview["method"] == method) & (overview["se"] == se)]
        return float(found["median ratio"].iloc[0])

    loob, lpob = median("error", "loob", "influence-corrected"), median("auc", "lpob", "influence-corrected")
    naive = median("error", "cv", "naive")
    corrected = median("error", "cv", "nadeau-bengio")
    return (
        Claim(
            "the default se of LOOB and LPOB: median ratio between .9 and 1.25",
            0.9 <= loob <= 1.25 and 0.9 <= lpob <= 1.25,
            f"LOOB {loob:.2f}, LPOB {lpob:.2f}",
        ),
        Claim(
            "the naive se of cross-validation is smaller than it should be, and than Nadeau and Bengio's",
            naive < 1 and naive < corrected,
            f"naive {naive:.2f}, Nadeau–Bengio {corrected:.2f}",
        ),
    )


def _picture(table: pd.DataFrame) -> Picture:
    panels = []
    known = table[table["ratio"].notna()] if "ratio" in table else table.iloc[:0]
    for metric, part in known.groupby("metric", sort=False):
        names = list(dict.fromkeys(part["method"] + ", " + part["se"]))
        at = {name: float(i) for i, name in enumerate(names)}
        marks: list[Any] = [Line([-0.5, len(names) - 0.5], [1, 1], color="0.6")]
        for balance, rows in part.groupby("balance", sort=False):
            x = [at[f"{m}, {s}"] + (0.12 if balance != "1:1" else -0.12) for m, s in _pairs(rows)]
            marks.append(Points(x, rows["ratio"], f"{balance}", size=10))
        ticks = {float(i): str(i + 1) for i in range(len(names))}
        caption = "; ".join(f"{i + 1} {n}" for i, n in enumerate(names))
        panels.append(Panel(tuple(marks), str(metric), caption, "mean se / SD", y_limits=(0, 2.5), x_ticks=ticks))
    return Picture("ratios", tuple(panels), columns=1)


def _pairs(rows: pd.DataFrame) -> Sequence[tuple[str, str]]:
    return list(zip(rows["method"], rows["se"], strict=True))
