"""Over- and underfitting: polynomials of degree 1, 2, 3 and 15 on a parabola  (Wu (2018), table 1 and figure 1)."""

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel, Points
from trueness.result.notes import Note
from trueness.studies.registry import study
from trueness.studies.regression import PARABOLA, Polynomial, parabola_population
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean, sd

DEGREES = (1, 2, 3, 15)
# columns p3, p2, p1, p0, as published
TABLE_1 = {
    "true": (np.nan, 3.0, -8.2, 6.8),
    "d = 2": (np.nan, 2.9659, -9.1970, 6.1079),
    "d = 3": (0.0489, 2.8191, -8.1734, 6.1821),
}
POWERS = ("p3", "p2", "p1", "p0")


def polynomial_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    """Parameters, training and true mean squared error of every degree on one training set."""
    population = parabola_population()
    X, y = population.draw(size, np.random.default_rng(child(seed, 0)))
    grid = population.grid(400)
    truth = population.function(grid[:, 0])
    out = {}
    for d in DEGREES:
        rule = Polynomial(d).fit(X, y)
        if d in (2, 3):
            for k, p in enumerate(rule.powers_):
                out[f"{d} p{k}"] = float(p)
        out[f"{d} training"] = float(((rule.predict(X) - y) ** 2).mean())
        out[f"{d} true"] = float(((rule.predict(grid) - truth) ** 2).mean() + population.sigma**2)
    return out


@study(
    "overfitting",
    title="Over- and underfitting: polynomials of degree 1, 2, 3 and 15 on a parabola",
    source="Wu (2018), table 1 and figure 1",
    trials=200,
    sizes=(30,),
    one_size=True,
    least=max(DEGREES) + 2,
)
def overfitting(run: Run) -> StudyResult:
    size = run.sizes[0]
    cell = Cell({"size": size}, (size,), size)
    (frame,) = run.simulate([cell], polynomial_trial, chunk=100)
    first, errors = _parameters(frame), _errors(frame, size)
    return StudyResult(
        tables={"parameters of the first training set": first, "errors": errors},
        printed=pd.DataFrame.from_dict(TABLE_1, orient="index", columns=list(POWERS)),
        claims=_claims(frame, errors),
        pictures=(_picture(size, run.trial_seed(cell, 0)),),
        notes=(
            Note("study-setting", text="The original data are not published; here x lies at equal steps on [0, 3]."),
            Note(
                "study-misprint",
                text="Eq. 4 expanded is 3x² − 8.2x + 5.72: the published true p0 of 6.8 is a misprint, as the published "
                "estimates 6.11 and 6.18 suggest.",
            ),
        ),
    )


def _parameters(frame: pd.DataFrame) -> pd.DataFrame:
    """Table 1 from the first training set, and the SD of every parameter over all of them."""
    rows: dict[str, dict[str, float]] = {"true": {"p3": 0.0, **{f"p{k}": p for k, p in enumerate(PARABOLA)}}}
    for d in (2, 3):
        rows[f"d = {d}"] = {p: frame[f"{d} {p}"].iloc[0] for p in POWERS if f"{d} {p}" in frame}
        spread = rows.setdefault(f"d = {d}, SD over training sets", {})
        for p in POWERS:
            if f"{d} {p}" in frame:
                spread |= entry(p, sd(frame[f"{d} {p}"].to_numpy()))
    return pd.DataFrame.from_dict(rows, orient="index")[[*POWERS, *(f"{p}_mc" for p in POWERS)]]


def _errors(frame: pd.DataFrame, size: int) -> pd.DataFrame:
    rows = []
    for d in DEGREES:
        rows.append(
            {
                "degree": d,
                **entry("training error", mean(frame[f"{d} training"].to_numpy())),
                **entry("true error", mean(frame[f"{d} true"].to_numpy())),
                "expected training error": np.nan if d < 2 else 1 - (d + 1) / size,  # σ²(1 − parameters/n), σ = 1
            }
        )
    return errors_last(pd.DataFrame(rows))


def _claims(frame: pd.DataFrame, errors: pd.DataFrame) -> tuple[Claim, ...]:
    at = errors.set_index("degree")
    true = at["true error"]
    z_training = (at["training error"] - at["expected training error"]) / at["training error_mc"]
    out = [
        Claim(
            "the training error falls with the degree in every training set",
            bool((np.diff(frame[[f"{d} training" for d in DEGREES]], axis=1) <= 1e-9).all()),
        ),
        Claim(
            "the true error is smallest at degree 2, then increases over degrees 3, 15 and 1",
            bool(true.idxmin() == 2 and true[2] < true[3] < true[15] < true[1]),
            ", ".join(f"{d}: {true[d]:.3f}" for d in DEGREES),
        ),
        Claim(
            "from degree 2 on the training error is σ²(1 − parameters/n), within 4 Monte Carlo errors",
            bool(z_training.dropna().abs().max() < 4),
            f"largest {z_training.dropna().abs().max():.1f}",
        ),
    ]
    for d in (2, 3):
        z = []
        for k, p in enumerate((*PARABOLA, 0.0)[: d + 1]):
            value, error = mean(frame[f"{d} p{k}"].to_numpy())
            z.append(abs(value - p) / error)
        out.append(
            Claim(
                f"the estimated parameters of degree {d} are unbiased (within 4 Monte Carlo errors)",
                max(z) < 4,
                f"largest {max(z):.1f}",
            )
        )
    return tuple(out)


def _picture(size: int, seed: np.random.SeedSequence) -> Figure:
    """Figure 1."""
    population = parabola_population()
    X, y = population.draw(size, np.random.default_rng(child(seed, 0)))
    grid = population.grid(300)
    panels: list[Panel] = []
    for d in (1, 15, 2, 3):
        rule = Polynomial(d).fit(X, y)
        names = ("cases", "polynomial", "truth") if not panels else ("", "", "")  # one legend is enough
        marks = (
            Points(X[:, 0], y, names[0], marker="o", color="C0"),
            Line(grid[:, 0], rule.predict(grid), names[1], color="C4"),
            Line(grid[:, 0], population.function(grid[:, 0]), names[2], style=":", color="soft"),
        )
        panels.append(Panel(marks, f"degree {d}", "x", "y", y_limits=(y.min() - 4, y.max() + 4)))
    return Figure("fits", tuple(panels), columns=4)
