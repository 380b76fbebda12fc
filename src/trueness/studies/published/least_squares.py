"""Ordinary least squares, and polynomials as linear regression  (Wu (2018), exercises 2 (a)–(d) and 3)."""

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel, Points
from trueness.studies.registry import study
from trueness.studies.regression import Polynomial
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean, sd
from trueness.typing import Floats

BETA, SIGMA = np.array([1.0, -2.0, 0.5, 3.0]), 1.0


def normal_equations(X: Floats, y: Floats) -> Floats:
    """β = (X'X)⁻¹ X'y  (exercise 2 (c))."""
    return np.asarray(np.linalg.solve(X.T @ X, X.T @ y), dtype=float)


def least_squares_trial(X: Floats, seed: np.random.SeedSequence) -> dict[str, float]:
    """β̂ of one sample, and its distance from two other solutions."""
    rng = np.random.default_rng(child(seed, 0))
    y = X @ BETA + SIGMA * rng.standard_normal(len(X))
    found = normal_equations(X, y)
    by_svd = np.linalg.lstsq(X, y, rcond=None)[0]
    x = X[:, 0]
    powers = normal_equations(np.vander(x, 4, increasing=True), y)  # exercise 3: columns 1, x, x², x³
    series = Polynomial(3).fit(x[:, None], y).powers_
    return {
        **{f"beta {j}": float(b) for j, b in enumerate(found)},
        "normal equations − SVD": float(np.abs(found - by_svd).max()),
        "powers − Legendre": float(np.abs(powers - series).max()),
        "residual": float(((y - X @ found) ** 2).sum() / (len(X) - len(BETA))),
    }


@study(
    "least-squares",
    title="Ordinary least squares, and polynomial regression as a special case",
    source="Wu (2018), exercises 2 and 3",
    trials=1000,
    sizes=(30,),
    one_size=True,
    least=len(BETA) + 1,
)
def least_squares(run: Run) -> StudyResult:
    size = run.sizes[0]
    X = np.random.default_rng(run.shared_seed()).normal(size=(size, len(BETA)))
    (frame,) = run.simulate([Cell({"size": size}, (size,), X)], least_squares_trial, chunk=200)
    spread = SIGMA * np.sqrt(np.diag(np.linalg.inv(X.T @ X)))
    rows = []
    for j, b in enumerate(BETA):
        values = frame[f"beta {j}"].to_numpy()
        rows.append(
            {
                "parameter": f"β{j + 1}",
                "true": b,
                **entry("mean", mean(values)),
                **entry("sd", sd(values)),
                "sd, exact": spread[j],
            }
        )
    table, ranks = errors_last(pd.DataFrame(rows)), ranks_of(run)
    return StudyResult(
        tables={"parameters": table, "more features than cases": ranks},
        claims=_claims(table, frame, ranks),
        pictures=(_picture(table),),
    )


def ranks_of(run: Run) -> pd.DataFrame:
    """Exercise 2 (d): X'X is d × d with rank at most n, so it is singular for d > n; X'X + λI is not."""
    rng = np.random.default_rng(run.shared_seed(1))
    rows = []
    for n, d in ((10, 5), (10, 10), (10, 11), (10, 30)):
        X = rng.normal(size=(n, d))
        gram = X.T @ X
        rows.append(
            {
                "n": n,
                "d": d,
                "rank of X'X": int(np.linalg.matrix_rank(gram)),
                "invertible": bool(np.linalg.matrix_rank(gram) == d),
                "smallest eigenvalue": float(max(np.linalg.eigvalsh(gram)[0], 0.0)),
                "smallest eigenvalue of X'X + I": float(np.linalg.eigvalsh(gram + np.eye(d))[0]),
            }
        )
    return pd.DataFrame(rows)


def _claims(table: pd.DataFrame, frame: pd.DataFrame, ranks: pd.DataFrame) -> tuple[Claim, ...]:
    z = ((table["mean"] - table["true"]) / table["mean_mc"]).abs().max()
    z_sd = ((table["sd"] - table["sd, exact"]) / table["sd_mc"]).abs().max()
    same = frame[["normal equations − SVD", "powers − Legendre"]].to_numpy().max()
    residual = mean(frame["residual"].to_numpy())
    return (
        Claim("β̂ is unbiased (within 4 Monte Carlo errors)", bool(z < 4), f"largest {z:.1f}"),
        Claim(
            "the SDs of β̂ are those of σ²(X'X)⁻¹ (within 4 Monte Carlo errors)", bool(z_sd < 4), f"largest {z_sd:.1f}"
        ),
        Claim(
            "Σ residual²/(n − d) is an unbiased estimate of σ² (within 4 Monte Carlo errors)",
            abs(residual[0] - SIGMA**2) < 4 * residual[1],
            f"{residual[0]:.4f} ± {residual[1]:.4f}",
        ),
        Claim(
            "normal equations, SVD and orthogonal polynomials give the same numbers", bool(same < 1e-7), f"{same:.0e}"
        ),
        Claim(
            "for d > n the matrix X'X is singular, and X'X + I is not",
            bool(((ranks["d"] > ranks["n"]) == ~ranks["invertible"]).all())
            and bool((ranks["smallest eigenvalue of X'X + I"] >= 1 - 1e-9).all()),
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
    at = [float(i) for i in range(len(table))]
    marks = (
        Line(at, table["mean"], "mean ± SD of β̂", "o", error=table["sd"]),
        Points(at, table["true"], "true", "x", "accent", 40),
    )
    ticks = dict(zip(at, table["parameter"], strict=True))
    return Figure("parameters", (Panel(marks, "least squares", "parameter", "value", x_ticks=ticks),), columns=1)
