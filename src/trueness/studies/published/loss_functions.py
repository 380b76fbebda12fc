"""0–1, square, exponential and log-likelihood loss as functions of the margin  (Popovici, Classification)."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from trueness.figures.figure import Figure, Line, Panel
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Run
from trueness.typing import Floats

# functions of the margin t·y(x), t = ±1
LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "0–1 loss": lambda m: (m < 0).astype(float) + 0.5 * (m == 0),
    "square loss": lambda m: (1 - m) ** 2,
    "exponential loss": lambda m: np.exp(-m),
    "log-likelihood loss": lambda m: np.log1p(np.exp(-2 * m)) / np.log(2),  # scaled to 1 at margin 0
}
# y(x) that minimises E L, as a function of p = P(t = 1)
MINIMISERS: dict[str, Callable[[float], float]] = {
    "square loss": lambda p: 2 * p - 1,
    "exponential loss": lambda p: 0.5 * np.log(p / (1 - p)),  # Friedman, Hastie & Tibshirani (2000)
    "log-likelihood loss": lambda p: 0.5 * np.log(p / (1 - p)),
}


def minimiser(loss: Callable[[Floats], Floats], p: float) -> float:
    """argmin_y p L(y) + (1 − p) L(−y), found numerically."""

    def expected(y: float) -> float:
        return float(p * loss(np.array(y)) + (1 - p) * loss(np.array(-y)))

    return float(minimize_scalar(expected, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).x)


@study("loss-functions", title="Loss functions of the margin and their minimisers", source="Popovici, Classification")
def loss_functions(run: Run) -> StudyResult:
    """Nothing is random."""
    margins = np.linspace(-2, 2, 401)
    table = pd.DataFrame(
        {"margin": (at := np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]))}
        | {name: loss(at) for name, loss in LOSSES.items()}
    )
    rows = [
        {"p": p, "loss": name, "minimiser, found": minimiser(LOSSES[name], p), "minimiser, formula": float(formula(p))}
        for p in (0.1, 0.3, 0.5, 0.8, 0.95)
        for name, formula in MINIMISERS.items()
    ]
    best = pd.DataFrame(rows)
    gap = (best["minimiser, found"] - best["minimiser, formula"]).abs().max()
    above = all((loss(margins) >= LOSSES["0–1 loss"](margins) - 1e-12).all() for loss in LOSSES.values())
    marks = tuple(Line(margins, loss(margins), name) for name, loss in LOSSES.items())
    return StudyResult(
        tables={"losses": table, "minimisers": best},
        claims=(
            Claim(
                "exponential and log-likelihood loss are minimised at ½ ln(p/(1 − p))", bool(gap < 1e-5), f"{gap:.0e}"
            ),
            Claim("every surrogate is at least the 0–1 loss", above),
        ),
        pictures=(Figure("losses", (Panel(marks, "loss functions", "t y(x)", "loss", y_limits=(0, 4)),), columns=1),),
    )
