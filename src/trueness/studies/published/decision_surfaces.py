"""Decision surfaces of eight classifiers on one 2-D problem  (Popovici, Classification)."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Mark, Panel, Points
from trueness.studies.models import (
    AdaBoost,
    DiagonalLDA,
    Fisher,
    ScoringClassifier,
    fitted,
    lda,
    logistic,
    maximum_margin,
    maximum_margin_rbf,
    qda,
)
from trueness.studies.populations import Gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.truth import ExactTruth, SobolTestSet, coefficients
from trueness.tables.bayes import bayes_error
from trueness.typing import Floats, Ints

MODELS: dict[str, Callable[[], ScoringClassifier]] = {
    "LDA": lda,
    "diagonal LDA": DiagonalLDA,
    "Fisher": Fisher,
    "QDA": qda,
    "logistic": logistic,
    "maximum margin, linear": maximum_margin,
    "maximum margin, Gaussian kernel": maximum_margin_rbf,
    "AdaBoost, 150 stumps": lambda: AdaBoost(150),
}

TRUTH_ERROR = 0.002  # largest error of a true error measured on 2¹³ cases per class


def correlated_gaussians() -> Gaussians:
    """Two normal classes with one covariance and features with correlation .7: LDA is right, diagonal LDA is not."""
    return Gaussians([[0.0, 0.0], [1.4, 0.2]], [[1.0, 0.7], [0.7, 1.0]])


def surfaces_trial(settings: tuple[int, SobolTestSet], seed: np.random.SeedSequence) -> dict[str, float]:
    """Training and true error of every model on one sample."""
    size, seen = settings
    population = correlated_gaussians()
    X, y = population.draw((size, size), np.random.default_rng(child(seed, 0)))
    truth = ExactTruth(population, seen)
    out = {}
    for i, (name, make) in enumerate(MODELS.items()):
        rule = fitted(make(), X, y, child(seed, 1, i))
        out[f"{name} training"] = float((rule.predict(X) != y).mean())
        out[f"{name} true"] = truth.of(rule, "error")
        if name in ("LDA", "Fisher"):
            linear = coefficients(rule)
            assert linear is not None
            out[f"{name} angle"] = float(np.arctan2(linear[0][1], linear[0][0]))
    return out


@study(
    "decision-surfaces",
    title="Decision surfaces on one 2-D problem: LDA, diagonal LDA, Fisher, logistic, maximum margin, AdaBoost",
    source="Popovici, Classification: discriminant functions",
    trials=50,
    sizes=(50,),
    one_size=True,
    least=5,
    log2_test_size=13,
)
def decision_surfaces(run: Run) -> StudyResult:
    size = run.sizes[0]
    rng = np.random.default_rng(run.shared_seed())
    seen = SobolTestSet.of_gaussians(correlated_gaussians(), run.options["log2_test_size"], rng)
    cell = Cell({"size": size}, (size,), (size, seen))
    (frame,) = run.simulate([cell], surfaces_trial, chunk=5)
    best = float(bayes_error(correlated_gaussians()).value)
    rows = []
    for name in MODELS:
        training, true = (mean(frame[f"{name} {part}"].to_numpy()) for part in ("training", "true"))
        above = entry("above Bayes", (true[0] - best, true[1]))
        rows.append({"model": name, **entry("training error", training), **entry("true error", true), **above})
    table = errors_last(pd.DataFrame(rows))
    return StudyResult(
        tables={"errors": table},
        settings={"Bayes error": round(best, 4)},
        claims=_claims(table, frame, best),
        pictures=(_picture(size, run.trial_seed(cell, 0)),),
    )


def _claims(table: pd.DataFrame, frame: pd.DataFrame, best: float) -> tuple[Claim, ...]:
    at = table.set_index("model")
    same = (frame["LDA angle"] - frame["Fisher angle"]).abs().max()
    error = at.loc["diagonal LDA", "true error_mc"]
    return (
        Claim("the direction of Fisher's rule is that of LDA", bool(same < 1e-6), f"{same:.0e} rad"),
        Claim(
            "diagonal LDA, which ignores the correlation, has a larger true error than LDA",
            bool(at.loc["diagonal LDA", "true error"] > at.loc["LDA", "true error"] + 3 * error),
            f"{at.loc['diagonal LDA', 'true error']:.3f} and {at.loc['LDA', 'true error']:.3f}",
        ),
        Claim(
            "no true error is below the Bayes error",
            bool((table["above Bayes"] > -TRUTH_ERROR).all()),
            f"Bayes {best:.4f}, least {table['true error'].min():.4f}",
        ),
    )


def _picture(size: int, seed: np.random.SeedSequence) -> Figure:
    X, y = correlated_gaussians().draw((size, size), np.random.default_rng(child(seed, 0)))
    panels = []
    for i, (name, make) in enumerate(MODELS.items()):
        rule = fitted(make(), X, y, child(seed, 1, i))
        panels.append(surface_panel(name, rule.decision_function, X, y, legend=i == 0))
    return Figure("surfaces", tuple(panels), columns=4)


def surface_panel(title: str, score: Callable[[Floats], Floats], X: Floats, y: Ints, legend: bool) -> Panel:
    """The two regions of a rule, and the cases."""
    (a, b), (c, d) = ((X[:, j].min() - 0.5, X[:, j].max() + 0.5) for j in (0, 1))
    grid = np.stack(np.meshgrid(np.linspace(a, b, 40), np.linspace(c, d, 40)), axis=-1).reshape(-1, 2)
    side = (score(grid) > 0).astype(int)
    sides = [grid[side == k] for k in (0, 1)]
    marks: list[Mark] = [Points(g[:, 0], g[:, 1], color=f"C{k}", size=30.0, opacity=0.15) for k, g in enumerate(sides)]
    for k in (0, 1):
        marks.append(Points(X[y == k, 0], X[y == k, 1], f"class {k}" if legend else "", "ox"[k], f"C{k}", 12))
    return Panel(tuple(marks), title, "x1", "x2")
