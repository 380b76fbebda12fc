"""Decision surfaces of seeds/003 on one 2-D problem: LDA and its kin, logistic regression, maximum margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from karat.diagnostic.bayes import bayes_error
from karat.fitting.rules import retrained
from karat.fitting.textbook import lda, logistic, maximum_margin, qda
from karat.result.picture import Mark, Panel, Picture, Points, Surface
from karat.sample.seeds import child
from karat.studies.boosting import AdaBoost
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import mean
from karat.studies.tilted import DiagonalLDA, Fisher, tilted
from karat.studies.truth import EvenTestSet, Exact

MODELS: dict[str, Callable[[], Any]] = {
    "LDA": lda,
    "diagonal LDA": DiagonalLDA,
    "Fisher": Fisher,
    "QDA": qda,
    "logistic": logistic,
    "maximum margin, linear": lambda: maximum_margin("linear"),
    "maximum margin, Gaussian kernel": lambda: maximum_margin("rbf"),
    "AdaBoost, 150 stumps": lambda: AdaBoost(150),
}

TRUTH_ERROR = 0.002  # of the test set of 2¹³ cases a class: what a true error may be off


def surfaces_trial(settings: tuple[int, EvenTestSet], seed: np.random.SeedSequence) -> dict[str, float]:
    """Training and true error of every model on one sample."""
    size, seen = settings
    population = tilted()
    X, y = population.draw((size, size), np.random.default_rng(child(seed, 0)))
    truth = Exact(population, seen)
    out = {}
    for i, (name, make) in enumerate(MODELS.items()):
        rule = retrained(make(), X, y, child(seed, 1, i))
        out[f"{name} training"] = float((rule.predict(X) != y).mean())
        out[f"{name} true"] = truth.of(rule, "error")
        if name in ("LDA", "Fisher"):
            w = rule.coef_[0] / np.linalg.norm(rule.coef_[0])
            out[f"{name} angle"] = float(np.arctan2(w[1], w[0]))
    return out


@study(
    "decision-surfaces",
    title="Decision surfaces on one 2-D problem: LDA, diagonal LDA, Fisher, logistic, maximum margin, AdaBoost",
    source="seeds/003, discriminant functions",
    trials=50,
    sizes=(50,),
    one_size=True,
    least=5,
    log2_test_size=13,
)
def decision_surfaces(run: Run) -> StudyResult:
    size = run.sizes[0]
    rng = np.random.default_rng(run.shared_seed())
    seen = EvenTestSet.of_gaussians(tilted(), run.options["log2_test_size"], rng)
    cell = Cell({"size": size}, (size,), (size, seen))
    (frame,) = run.simulate([cell], surfaces_trial, chunk=5)
    best = float(bayes_error(tilted()).value)
    rows = []
    for name in MODELS:
        training, true = (mean(frame[f"{name} {part}"].to_numpy()) for part in ("training", "true"))
        rows.append(
            {
                "model": name,
                "training error": training[0],
                "true error": true[0],
                "above Bayes": true[0] - best,
                "training error_mc": training[1],
                "true error_mc": true[1],
                "above Bayes_mc": true[1],
            }
        )
    table = pd.DataFrame(rows)
    return StudyResult(
        name="decision-surfaces",
        title="Decision surfaces on one 2-D problem",
        source="seeds/003",
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
        Claim("Fisher's direction is LDA's", bool(same < 1e-6), f"{same:.0e} rad"),
        Claim(
            "diagonal LDA pays for taking correlated features as uncorrelated",
            bool(at.loc["diagonal LDA", "true error"] > at.loc["LDA", "true error"] + 3 * error),
            f"{at.loc['diagonal LDA', 'true error']:.3f} against {at.loc['LDA', 'true error']:.3f}",
        ),
        Claim(
            "no model beats the Bayes error",
            bool((table["above Bayes"] > -TRUTH_ERROR).all()),
            f"Bayes {best:.4f}, least {table['true error'].min():.4f}",
        ),
    )


def _picture(size: int, seed: np.random.SeedSequence) -> Picture:
    X, y = tilted().draw((size, size), np.random.default_rng(child(seed, 0)))
    panels = []
    for i, (name, make) in enumerate(MODELS.items()):
        rule = retrained(make(), X, y, child(seed, 1, i))
        panels.append(surface_panel(name, rule.decision_function, X, y, legend=i == 0))
    return Picture("surfaces", tuple(panels), columns=4)


def surface_panel(
    title: str, score: Callable[[np.ndarray], np.ndarray], X: np.ndarray, y: np.ndarray, legend: bool
) -> Panel:
    """The two regions of a rule, its border, and the cases; a legend in the first of several panels."""
    (a, b), (c, d) = ((X[:, j].min() - 0.5, X[:, j].max() + 0.5) for j in (0, 1))
    xs, ys = np.linspace(a, b, 150), np.linspace(c, d, 150)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    marks: list[Mark] = [Surface(xs, ys, score(grid).reshape(150, 150), shaded=True, label="border" if legend else "")]
    for k in (0, 1):
        marks.append(Points(X[y == k, 0], X[y == k, 1], f"class {k}" if legend else "", "ox"[k], f"C{k}", 12))
    return Panel(tuple(marks), title, "x1", "x2")
