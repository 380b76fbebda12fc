"""Exercises 2 (a)–(d) and 3 of seeds/001: ordinary least squares, and polynomials as a linear regression."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from karat.result.picture import Line, Panel, Picture, Points
from karat.sample.seeds import child
from karat.studies.registry import study
from karat.studies.regression import Polynomial
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import mean, sd

BETA, SIGMA = np.array([1.0, -2.0, 0.5, 3.0]), 1.0


class Setting(NamedTuple):
    X: np.ndarray
    size: int


def normal_equations(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """β = (X'X)⁻¹ X'y: exercise 2 (c)."""
    return np.linalg.solve(X.T @ X, X.T @ y)


def least_squares_trial(setting: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
    """β̂ of one sample, and how far two other ways to it are."""
    rng = np.random.default_rng(child(seed, 0))
    X = setting.X
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
    title="Ordinary least squares, and polynomial regression as a case of it",
    source="seeds/001, exercises 2 and 3",
    trials=1000,
    sizes=(30,),
    one_size=True,
    least=len(BETA) + 1,
)
def least_squares(run: Run) -> StudyResult:
    size = run.sizes[0]
    X = np.random.default_rng(run.shared_seed()).normal(size=(size, len(BETA)))
    (frame,) = run.simulate([Cell({"size": size}, (size,), Setting(X, size))], least_squares_trial, chunk=200)
    spread = SIGMA * np.sqrt(np.diag(np.linalg.inv(X.T @ X)))
    rows = []
    for j, b in enumerate(BETA):
        values = frame[f"beta {j}"].to_numpy()
        rows.append(
            {
                "parameter": f"β{j + 1}",
                "true": b,
                "mean": mean(values)[0],
                "sd": sd(values)[0],
                "sd, exact": spread[j],
                "mean_mc": mean(values)[1],
                "sd_mc": sd(values)[1],
            }
        )
    table, ranks = pd.DataFrame(rows), ranks_of(run)
    return StudyResult(
        name="least-squares",
        title="Ordinary least squares",
        source="seeds/001, exercises 2 and 3",
        tables={"parameters": table, "more features than cases": ranks},
        claims=_claims(table, frame, ranks),
        pictures=(_picture(table),),
    )


def ranks_of(run: Run) -> pd.DataFrame:
    """Exercise 2 (d): X'X is d × d with rank at most n, so with d > n it has no inverse; with λI added it has one."""
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
        Claim("β̂ is unbiased (within 4 Monte-Carlo errors)", bool(z < 4), f"largest {z:.1f}"),
        Claim("its covariance is σ²(X'X)⁻¹ (within 4 errors)", bool(z_sd < 4), f"largest {z_sd:.1f}"),
        Claim(
            "Σ residual²/(n − d) estimates σ² without bias (within 4 errors)",
            abs(residual[0] - SIGMA**2) < 4 * residual[1],
            f"{residual[0]:.4f} ± {residual[1]:.4f}",
        ),
        Claim(
            "normal equations, SVD and orthogonal polynomials give the same numbers", bool(same < 1e-7), f"{same:.0e}"
        ),
        Claim(
            "with d > n the matrix X'X has no inverse, and X'X + I has one",
            bool(((ranks["d"] > ranks["n"]) == ~ranks["invertible"]).all())
            and bool((ranks["smallest eigenvalue of X'X + I"] >= 1 - 1e-9).all()),
        ),
    )


def _picture(table: pd.DataFrame) -> Picture:
    at = [float(i) for i in range(len(table))]
    marks = (
        Line(at, table["mean"], "mean ± SD of β̂", "o", error=table["sd"]),
        Points(at, table["true"], "true", "x", "C3", 40),
    )
    ticks = dict(zip(at, table["parameter"], strict=True))
    return Picture("parameters", (Panel(marks, "least squares", "parameter", "value", x_ticks=ticks),), columns=1)
