"""AdaBoost with decision stumps after m = 1, 2, 3, 6, 10 and 150 rounds  (Popovici, Classification)."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure
from trueness.studies.models import AdaBoost
from trueness.studies.published.decision_surfaces import correlated_gaussians, surface_panel
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.truth import DrawnTestSet, test_set
from trueness.typing import Floats

ROUNDS = (1, 2, 3, 6, 10, 150)


def boosting_trial(settings: tuple[int, DrawnTestSet], seed: np.random.SeedSequence) -> dict[str, float]:
    """Training and true error, exponential loss and the 10 % quantile of the margins after some rounds."""
    size, seen = settings
    X, y = correlated_gaussians().draw((size, size), np.random.default_rng(child(seed, 0)))
    rule = AdaBoost(max(ROUNDS)).fit(X, y)
    here, there = rule.staged_scores(X), rule.staged_scores(seen.X)
    t = np.where(y == 1, 1, -1)
    total = np.cumsum(rule.coefficients_)
    out = {}
    for m in ROUNDS:
        k = min(m, len(total)) - 1
        margins = t * here[k] / total[k]  # in [−1, 1]
        out[f"{m} training"] = float(((here[k] > 0) != y).mean())
        out[f"{m} true"] = float(((there[k] > 0) != seen.y).mean())
        out[f"{m} margin"] = float(np.quantile(margins, 0.1))
        perfect = rule.errors_[k] == 0  # its weight is infinite and the loss 0
        # c_m as published is twice the step that minimises the loss
        out[f"{m} loss"] = 0.0 if perfect else float(np.exp(-t * here[k] / 2).mean())
        # each round multiplies the loss by 2 √(err (1 − err))
        out[f"{m} product"] = float(np.prod([2 * np.sqrt(e * (1 - e)) for e in rule.errors_[: k + 1]]))
    return out


@study(
    "adaboost",
    title="AdaBoost with decision stumps at m = 1, 2, 3, 6, 10, 150",
    source="Popovici, Classification: AdaBoost",
    trials=50,
    sizes=(50,),
    one_size=True,
    least=5,
    test_size=2000,
)
def adaboost(run: Run) -> StudyResult:
    size = run.sizes[0]
    seen = test_set(correlated_gaussians(), run.options["test_size"], run.shared_seed())
    cell = Cell({"size": size}, (size,), (size, seen))
    (frame,) = run.simulate([cell], boosting_trial, chunk=5)
    rows = []
    for m in ROUNDS:
        columns = {
            "training error": "training",
            "true error": "true",
            "exponential loss": "loss",
            "10 % quantile of margins": "margin",
        }
        row: dict[str, float] = {"m": m}
        for label, part in columns.items():
            row |= entry(label, mean(frame[f"{m} {part}"].to_numpy()))
        rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    gap = max(float((frame[f"{m} loss"] - frame[f"{m} product"]).abs().max()) for m in ROUNDS)
    return StudyResult(
        tables={"rounds": table},
        claims=(
            Claim(
                "the exponential loss decreases over the rounds shown",
                bool(table["exponential loss"].is_monotonic_decreasing),
            ),
            Claim("the exponential loss is Π 2√(err_m (1 − err_m)), exactly", gap < 1e-9, f"{gap:.0e}"),
            Claim(
                "the training error after 150 rounds is below that of one stump",
                bool(table["training error"].iloc[-1] < table["training error"].iloc[0]),
                f"{table['training error'].iloc[0]:.3f} to {table['training error'].iloc[-1]:.3f}",
            ),
            Claim(
                "small margins grow: their 10 % quantile is larger after 150 rounds than after one",
                bool(table["10 % quantile of margins"].iloc[-1] > table["10 % quantile of margins"].iloc[0]),
            ),
        ),
        pictures=(_picture(size, run.trial_seed(cell, 0)),),
    )


def _picture(size: int, seed: np.random.SeedSequence) -> Figure:
    X, y = correlated_gaussians().draw((size, size), np.random.default_rng(child(seed, 0)))
    rule = AdaBoost(max(ROUNDS)).fit(X, y)

    def after(m: int) -> Callable[[Floats], Floats]:
        return lambda grid: rule.staged_scores(grid)[min(m, len(rule.stumps_)) - 1]

    return Figure("rounds", tuple(surface_panel(f"m = {m}", after(m), X, y, m == ROUNDS[0]) for m in ROUNDS))
