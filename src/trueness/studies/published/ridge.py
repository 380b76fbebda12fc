"""Ridge regression at λ = 0, at λ = ∞ and between  (Wu (2018), exercise 2 (e)–(i))."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.result.notes import Note
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean, share
from trueness.typing import Floats

LAMBDAS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0, np.inf)
N_FEATURES, SIGMA = 15, 2.0


class RidgeSetting(NamedTuple):
    """What a trial needs."""

    X: Floats
    beta: Floats


def shrinkage(X: Floats, penalty: float) -> Floats:
    """A of β̂ = A y: (X'X + λI)⁻¹X'  (exercise 2 (f)); 0 at λ = ∞."""
    if np.isinf(penalty):
        return np.zeros((X.shape[1], len(X)))
    return np.asarray(np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T), dtype=float)


def ridge_trial(setting: RidgeSetting, seed: np.random.SeedSequence) -> dict[str, float]:
    """|β̂|² and training, validation and true error (of new y at the same x) at every λ, and the λ they select."""
    rng = np.random.default_rng(child(seed, 0))
    truth = setting.X @ setting.beta
    y = truth + SIGMA * rng.standard_normal(len(truth))
    fresh = truth + SIGMA * rng.standard_normal(len(truth))  # a validation set
    out = {}
    for penalty in LAMBDAS:
        beta = shrinkage(setting.X, penalty) @ y
        predicted = setting.X @ beta
        out[f"{penalty:g} length"] = float(beta @ beta)
        out[f"{penalty:g} training"] = float(((y - predicted) ** 2).mean())
        out[f"{penalty:g} true"] = float(((truth - predicted) ** 2).mean() + SIGMA**2)
        out[f"{penalty:g} validation"] = float(((fresh - predicted) ** 2).mean())
    for name in ("training", "validation"):
        chosen = min(LAMBDAS, key=lambda v: out[f"{v:g} {name}"])
        out[f"chosen by {name}"] = min(chosen, 1e9)
        out[f"chosen by {name}, true"] = out[f"{chosen:g} true"]
    return out


@study(
    "ridge",
    title="Ridge regression at λ = 0, at λ = ∞ and between",
    source="Wu (2018), exercise 2",
    trials=500,
    sizes=(30,),
    one_size=True,
    least=N_FEATURES + 1,
)
def ridge(run: Run) -> StudyResult:
    size = run.sizes[0]
    rng = np.random.default_rng(run.shared_seed())
    setting = RidgeSetting(rng.normal(size=(size, N_FEATURES)), rng.normal(size=N_FEATURES) * 0.5)
    (frame,) = run.simulate([Cell({"size": size}, (size,), setting)], ridge_trial, chunk=100)
    table = pd.DataFrame([_row(penalty, setting, frame) for penalty in LAMBDAS])
    chosen = errors_last(pd.DataFrame([_chosen(name, frame) for name in ("training", "validation")]))
    return StudyResult(
        tables={"by λ": table, "choice of λ": chosen},
        claims=_claims(table, chosen, setting),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-theory",
                text="(h) At λ = 0 ridge regression is ordinary least squares; at λ = ∞ every parameter is 0. (i) The "
                "training loss is smallest at λ = 0, so λ cannot be learned from the training set.",
            ),
        ),
    )


def _chosen(name: str, frame: pd.DataFrame) -> dict[str, object]:
    """The choice of λ by the error on the training set, or on a validation set."""
    return {
        "λ chosen by": name,
        **entry("share at λ = 0", share(frame[f"chosen by {name}"] == 0)),
        "median λ": float(frame[f"chosen by {name}"].median()),
        **entry("true error", mean(frame[f"chosen by {name}, true"].to_numpy())),
    }


def _row(penalty: float, setting: RidgeSetting, frame: pd.DataFrame) -> dict[str, float]:
    A = shrinkage(setting.X, penalty)
    smoother = setting.X @ A
    gap = setting.X @ setting.beta - smoother @ setting.X @ setting.beta
    name = f"{penalty:g}"
    row = {
        "λ": penalty,
        "bias²": float((gap**2).mean()),
        "variance": SIGMA**2 * float((smoother**2).sum() / len(smoother)),
    }
    row["exact error"] = row["bias²"] + row["variance"] + SIGMA**2
    for column, label in (("true", "true error"), ("training", "training error"), ("length", "|β|²")):
        row |= entry(label, mean(frame[f"{name} {column}"].to_numpy()))
    return row


def _claims(table: pd.DataFrame, chosen: pd.DataFrame, setting: RidgeSetting) -> tuple[Claim, ...]:
    off = (table["true error"] - table["exact error"]).abs() - 4 * table["true error_mc"] - 1e-9
    X = setting.X
    ols = np.linalg.pinv(X)
    at_zero = np.abs(shrinkage(X, 0.0) - ols).max()
    near_infinity = np.abs(shrinkage(X, 1e12)).max()
    inner = table["exact error"].idxmin()
    return (
        Claim("at λ = 0 ridge regression is ordinary least squares", bool(at_zero < 1e-8), f"{at_zero:.0e}"),
        Claim("every parameter tends to 0 as λ grows", bool(near_infinity < 1e-8), f"{near_infinity:.0e} at λ = 10¹²"),
        Claim(
            "bias² increases with λ, variance and |β|² decrease",
            bool(
                table["bias²"].is_monotonic_increasing
                and table["variance"].is_monotonic_decreasing
                and table["|β|²"].is_monotonic_decreasing
            ),
        ),
        Claim("true error = bias² + variance + σ² (within 4 Monte Carlo errors)", bool((off <= 0).all())),
        Claim(
            "the best λ lies between 0 and ∞",
            bool(0 < inner < len(table) - 1),
            f"λ = {table.loc[inner, 'λ']:g}",
        ),
        Claim(
            "the training error always selects λ = 0; a validation set does better",
            bool(chosen["share at λ = 0"].iloc[0] == 1 and chosen["true error"].iloc[1] < chosen["true error"].iloc[0]),
            f"{chosen['true error'].iloc[0]:.3f} and {chosen['true error'].iloc[1]:.3f}",
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
    """λ at equal steps, so that 0 and ∞ can be shown."""
    at = [float(i) for i in range(len(table))]
    marks = tuple(Line(at, table[name], name, "-o") for name in ("bias²", "variance", "exact error", "training error"))
    ticks = {i: "∞" if np.isinf(v) else f"{v:g}" for i, v in zip(at, table["λ"], strict=True)}
    panel = Panel(marks, "ridge regression", "λ", "mean squared error", x_ticks=ticks)
    return Figure("errors", (panel,), columns=1)
