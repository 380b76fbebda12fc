"""Bias and variance of polynomials and of nearest neighbours  (Wu (2018), figure 5 and exercise 6)."""

import numpy as np
import pandas as pd

from trueness.figures.figure import Figure, Line, Panel
from trueness.result.notes import Note
from trueness.studies.bias_and_variance import BiasVariance, bias_variance, squared_loss
from trueness.studies.registry import study
from trueness.studies.regression import NearestNeighbours, Polynomial, parabola_population
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Run
from trueness.studies.summary import entry, errors_last
from trueness.typing import Floats

DEGREES = (1, 2, 15)
MIN_SETS_FOR_MC_ERROR = 20  # training sets below which the Monte Carlo error of a variance is theoretical
NEIGHBOURS = (1, 2, 3, 5, 9, 15, 30)


class FixedDesign:
    """Fixed x; only the noise differs between samples, as exercise 6 assumes for E f."""

    def __init__(self, size: int) -> None:
        self.population = parabola_population()
        self.x = self.population.grid(size)

    def labels(self, rng: np.random.Generator) -> Floats:
        return self.population.function(self.x[:, 0]) + self.population.sigma * rng.standard_normal(len(self.x))


@study(
    "bias-variance",
    title="Bias and variance: polynomials of degree 1, 2 and 15, and k nearest neighbours",
    source="Wu (2018), figure 5 and exercise 6",
    trials=100,
    sizes=(30,),
    one_size=True,
    least=max(DEGREES) + 2,
)
def bias_variance_study(run: Run) -> StudyResult:
    """Trials are training sets."""
    size = run.sizes[0]
    found = {
        d: bias_variance(
            Polynomial(d),
            parabola_population(),
            size,
            training_sets=max(run.trials, 2),
            points=200,
            rng=run.shared_seed(d),
        )
        for d in DEGREES
    }
    table = pd.DataFrame([{"degree": d, **each.row()} for d, each in found.items()])
    neighbours = nearest_neighbours(size, max(run.trials, 2), run)
    return StudyResult(
        tables={"polynomials": table, "nearest neighbours": neighbours},
        claims=_claims(found, neighbours),
        pictures=(
            Figure("figure 5", tuple(each.panel(f"degree {d}") for d, each in found.items())),
            _neighbour_picture(neighbours),
        ),
        notes=(
            Note(
                "study-theory",
                text="k-NN at fixed x: E f is the mean of F over the k neighbours, so squared bias and variance σ²/k are "
                "known exactly. With k = n the prediction is constant.",
            ),
        ),
    )


def nearest_neighbours(size: int, training_sets: int, run: Run) -> pd.DataFrame:
    """Exercise 6: squared bias and variance by formula and by simulation, one row per k."""
    design = FixedDesign(size)
    points = design.population.grid(101)
    truth = design.population.function(points[:, 0])
    rng = np.random.default_rng(run.shared_seed(100))
    labels = [design.labels(rng) for _ in range(training_sets)]
    rows = []
    for k in (*(k for k in NEIGHBOURS if k < size), size):
        rule = NearestNeighbours(k).fit(design.x, labels[0])
        near = rule.neighbours(points)
        expected = design.population.function(design.x[:, 0])[near].mean(axis=1)  # E f(x): mean F of the neighbours
        answers = np.stack([y[near].mean(axis=1) for y in labels])
        simulated = squared_loss(answers, truth, design.population.sigma, points)
        unbiased = training_sets / (training_sets - 1)  # divisor T − 1
        rows.append(
            {
                "k": k,
                "bias², exact": float(((truth - expected) ** 2).mean()),
                **entry("bias², simulated", (simulated.bias, simulated.bias_mc)),
                "variance, exact": design.population.sigma**2 / k,
                **entry("variance, simulated", (unbiased * simulated.variance, unbiased * simulated.variance_mc)),
                "noise": design.population.sigma**2,
            }
        )
    table = pd.DataFrame(rows).assign(error=lambda t: t["bias², exact"] + t["variance, exact"] + t["noise"])
    return errors_last(table)


def _claims(found: dict[int, BiasVariance], neighbours: pd.DataFrame) -> tuple[Claim, ...]:
    identity = max(abs((b.bias + b.variance + b.noise) / b.error - 1) for b in found.values())
    sets = found[2].training_sets
    straight = found[1]
    rest = neighbours["variance, simulated"] / neighbours["variance, exact"] - 1
    known = neighbours["variance, simulated_mc"] / neighbours["variance, exact"]
    # few sets: the relative error of a variance of normal predictions at one point
    errors = known if sets >= MIN_SETS_FOR_MC_ERROR else np.sqrt(2 / (sets - 1))
    worst = float((rest.abs() / errors).max())
    return (
        Claim("error = bias² + variance + noise, exactly", identity < 1e-9, f"{identity:.0e}"),
        Claim(
            "the straight line has more than ten times the bias² of degree 2, which is at most 5 × variance / sets "
            "(variance / sets is the bias of bias² itself)",
            bool(straight.bias > 10 * found[2].bias and found[2].bias < 5 * found[2].variance / sets),
            ", ".join(f"{d}: {b.bias:.4f}" for d, b in found.items()),
        ),
        Claim(
            "the variance of degree 15 is more than three times that of degree 2",
            found[15].variance > 3 * found[2].variance,
            ", ".join(f"{d}: {b.variance:.3f}" for d, b in found.items()),
        ),
        Claim(
            "k-NN: the variance is σ²/k (within 5 Monte Carlo errors), and bias² increases with k",
            bool(worst < 5 and neighbours["bias², exact"].is_monotonic_increasing),
            f"largest {worst:.1f} errors, relative difference {rest.abs().max():.1%}",
        ),
    )


def _neighbour_picture(table: pd.DataFrame) -> Figure:
    marks = tuple(
        Line(table["k"], table[name], name, style, color)
        for name, style, color in (
            ("bias², exact", "-o", "C0"),
            ("variance, exact", "-s", "C1"),
            ("error", "--", "ink"),
        )
    )
    return Figure(
        "k-NN", (Panel(marks, "k nearest neighbours", "k", "mean squared error", x_log=True, y_log=True),), columns=1
    )
