"""Smoothness of estimators as one case moves, and a measure of it.

Yousef, AUC: Nonparametric Estimators, figures 4 and 5. The measure is new.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.estimators.estimation import estimate
from trueness.figures.figure import Figure, Line, Mark, Panel, Points
from trueness.fitting.engine import fit
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.splits import KFold, LeaveOneOut
from trueness.result.notes import Note
from trueness.sample.design import Design
from trueness.studies.models import lda
from trueness.studies.populations import two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.truth import coefficients
from trueness.typing import Floats, Ints

N_FEATURES, DISTANCE, REACH = 2, 1.5, 3.0
ESTIMATORS = ("one replicate", "apparent", "LOOCV", "10-fold CV", "star", "loob", "632", "632+", "auc star", "lpob")


@dataclass(frozen=True)
class SmoothnessSetting:
    """What a trial needs."""

    size: int
    resamples: int
    steps: int


def curves_of(setting: SmoothnessSetting, seed: np.random.SeedSequence) -> dict[str, Floats]:
    """(steps,) every estimator as the first feature of the first case of class 1 moves, with fixed draws."""
    X, y = two_gaussians(N_FEATURES, DISTANCE).draw((setting.size,) * 2, np.random.default_rng(child(seed, 0)))
    designs = [plan.draw(y, rng=child(seed, 1)) for plan in (Bootstrap(setting.resamples), LeaveOneOut(), KFold(10))]
    moved = int(np.flatnonzero(y == 1)[0])
    path = np.linspace(X[:, 0].mean() - REACH, X[:, 0].mean() + REACH, setting.steps)
    rows = []
    for x in path:
        X = X.copy()
        X[moved, 0] = x
        rows.append(estimates(X, y, designs))
    return {"x": path, **{name: np.array([row[name] for row in rows]) for name in ESTIMATORS}}


def estimates(X: Floats, y: Ints, designs: list[Design]) -> dict[str, float]:
    """All estimates of the error rate and two of the AUC of LDA at one position of the moving case."""
    bootstrap, loo, folds = (fit(lda(), X, y, design, n_jobs=1, progress=False) for design in designs)
    first = designs[0].counts[0] == 0  # cases left out of the first replicate
    block = next(bootstrap.blocks())
    assert block.predictions is not None
    return {
        "one replicate": float((block.predictions[0] != y)[first].mean()),
        "LOOCV": estimate(loo, "error", "cv_pooled").value,
        "10-fold CV": estimate(folds, "error", "cv_pooled").value,
        "auc star": estimate(bootstrap, "auc", "star").value,
        "lpob": estimate(bootstrap, "auc", "lpob", se="influence").value,
        **{m: estimate(bootstrap, "error", m).value for m in ("apparent", "star", "loob", "632", "632+")},
    }


def effective_steps(curve: Floats) -> float:
    """(Σ|Δ|)² / Σ Δ²: the number of equal steps over which the curve spreads its movement.

    1 for a single jump; the number of grid intervals for an even rise. NaN where nothing moves. For a differentiable
    statistic it grows with the grid; for resampling estimators the number of decision surfaces crossed bounds it.
    """
    moves = np.abs(np.diff(curve))
    return float(moves.sum() ** 2 / (moves**2).sum()) if moves.any() else np.nan


def smoothness_trial(setting: SmoothnessSetting, seed: np.random.SeedSequence) -> dict[str, float]:
    """Effective steps, largest jump and total movement of every estimator on one sample."""
    found = curves_of(setting, seed)
    out = {}
    for name in ESTIMATORS:
        moves = np.abs(np.diff(found[name]))
        out[f"{name} steps"] = effective_steps(found[name])
        out[f"{name} jump"] = float(moves.max())
        out[f"{name} total"] = float(moves.sum())
    return out


@study(
    "smoothness",
    title="Smoothness of estimators as one case moves, and a measure of it",
    source="Yousef, AUC: Nonparametric Estimators, figures 4 and 5; the measure is new",
    trials=20,
    sizes=(20,),
    one_size=True,
    least=10,  # folds
    resamples=200,
    steps=120,
)
def smoothness(run: Run) -> StudyResult:
    """Figure 5 shows the first trial with 1000 replicates, as published; the measure is averaged over all trials."""
    size = run.sizes[0]
    setting = SmoothnessSetting(size, run.options["resamples"], run.options["steps"])
    cell = Cell({"size": size}, (size,), setting)
    (frame,) = run.simulate([cell], smoothness_trial, chunk=1)
    rows = []
    for name in ESTIMATORS:
        row: dict[str, object] = {"estimator": name}
        for column, label in (("steps", "effective steps"), ("jump", "largest jump"), ("total", "total movement")):
            values = frame[f"{name} {column}"].dropna().to_numpy()
            row |= entry(label, mean(values) if len(values) else (np.nan, np.nan))
        rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    seed = run.trial_seed(cell, 0)
    curves = curves_of(SmoothnessSetting(size, 1000, 2 * setting.steps), seed)
    return StudyResult(
        tables={"measure": table},
        claims=_claims(table),
        pictures=(_surfaces(size, seed), _curves(curves)),
        notes=(
            Note(
                "study-columns",
                text="Effective steps are (Σ|Δ|)²/ΣΔ² along the path: 1 for a single jump, the number of grid intervals "
                f"({setting.steps - 1}) for an even rise. Star and LOOB are both smooth as a whole; star is a mean "
                "over single replicates, each of which jumps.",
                grid_intervals=setting.steps - 1,
            ),
        ),
    )


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    steps = table.set_index("estimator")["effective steps"]
    rough = ("one replicate", "apparent", "LOOCV", "10-fold CV")
    smooth = ("star", "loob")
    return (
        Claim(
            "star and LOOB have more effective steps than one replicate, apparent and cross-validation",
            bool(min(steps[list(smooth)]) > max(steps[list(rough)])),
            ", ".join(f"{name} {steps[name]:.1f}" for name in (*rough, *smooth)),
        ),
        Claim(
            ".632, which contains the apparent error, has fewer effective steps than LOOB",
            bool(steps["632"] < steps["loob"]),
            f"{steps['632']:.1f} and {steps['loob']:.1f}",
        ),
    )


def _surfaces(size: int, seed: np.random.SeedSequence) -> Figure:
    """Figure 4: the sample, its decision line, and those of the first five replicates."""
    X, y = two_gaussians(N_FEATURES, DISTANCE).draw((size, size), np.random.default_rng(child(seed, 0)))
    design = Bootstrap(1000).draw(y, rng=child(seed, 1))
    ends = np.array([X[:, 0].min() - 0.5, X[:, 0].max() + 0.5])
    marks: list[Mark] = []
    for b in range(6):
        rows = np.arange(len(y)) if b == 0 else np.repeat(np.arange(len(y)), design.counts[b - 1])
        rule = lda()
        rule.fit(X[rows], y[rows])
        linear = coefficients(rule)
        assert linear is not None
        w, w0 = linear
        label = {0: "trained on the sample", 1: "trained on five replicates"}.get(b, "")
        marks.append(
            Line(
                ends,
                -(w[0] * ends + w0) / w[1],
                label,
                "-",
                "ink" if b == 0 else f"C{b + 1}",
                width=2.4 if b == 0 else 1.0,
            )
        )
    for c, marker in ((0, "o"), (1, "x")):
        marks.append(Points(X[y == c, 0], X[y == c, 1], f"class {c}", marker, f"C{c}"))
    moved = np.flatnonzero(y == 1)[0]
    marks.append(Points(X[moved, :1], X[moved, 1:], "the moving case", "s", "accent", 60))
    limits = (X[:, 1].min() - 0.5, X[:, 1].max() + 0.5)
    panel = Panel(tuple(marks), "figure 4: linear decision surfaces", "x1", "x2", y_limits=limits)
    return Figure("surfaces", (panel,), columns=1)


def _curves(curves: dict[str, Floats]) -> Figure:
    """Figure 5, and the same for cross-validation and the AUC."""

    def panel(title: str, names: tuple[str, ...], y_label: str) -> Panel:
        return Panel(tuple(Line(curves["x"], curves[n], n, width=1.1) for n in names), title, "x1 of the case", y_label)

    return Figure(
        "curves",
        (
            panel("figure 5", ("star", "loob", "one replicate"), "estimated error"),
            panel("other estimators", ("apparent", "LOOCV", "10-fold CV", "632+"), "estimated error"),
            panel("AUC", ("auc star", "lpob"), "estimated AUC"),
        ),
    )
