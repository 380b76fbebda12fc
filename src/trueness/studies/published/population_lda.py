"""Population LDA: the probability of misclassification by formula and by simulation  (Popovici, Classification)."""

import math

import numpy as np
import pandas as pd
from scipy.special import ndtr

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.result.notes import Note
from trueness.studies.models import lda
from trueness.studies.populations import two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.truth import coefficients, linear_truth
from trueness.tables.bayes import bayes_error

PRIORS, DISTANCES = (0.5, 0.7, 0.9), (0.5, 1.0, 2.0)
N_FEATURES, TEST = 3, 1000
TRAINING = (20, 50, 200)


def pmc(prior: float, distance: float) -> float:
    """π1 Φ(−δ/2 − ln(π1/(1 − π1))/δ) + (1 − π1) Φ(−δ/2 + ln(π1/(1 − π1))/δ)."""
    shift = math.log(prior / (1 - prior)) / distance
    return float(prior * ndtr(-distance / 2 - shift) + (1 - prior) * ndtr(-distance / 2 + shift))


def pmc_as_printed(prior: float, distance: float) -> float:
    """The formula as published, with reversed signs: wrong for unequal priors."""
    shift = math.log(prior / (1 - prior)) / distance
    return float(prior * ndtr(-distance / 2 + shift) + (1 - prior) * ndtr(-distance / 2 - shift))


def pmc_trial(settings: tuple[float, float], seed: np.random.SeedSequence) -> dict[str, float]:
    """Error of the population rule on TEST new cases, and true error of LDA trained on samples."""
    prior, distance = settings
    population = two_gaussians(N_FEATURES, distance, priors=(1 - prior, prior))
    X, y = population.draw(TEST, np.random.default_rng(child(seed, 0)))
    out = {"simulated": float((population.bayes_rule(X) != y).mean())}
    for n in TRAINING:
        cases, labels = population.draw(n, np.random.default_rng(child(seed, 1, n)))
        if np.bincount(labels, minlength=2).min() < 2:  # too few cases of a class: predict the other one
            out[f"trained on {n}"] = min(prior, 1 - prior)
            continue
        rule = lda()
        rule.fit(cases, labels)
        found = coefficients(rule)
        assert found is not None
        out[f"trained on {n}"] = linear_truth(*found, population, "error")
    return out


@study(
    "population-lda",
    title="Probability of misclassification of population LDA: formula, simulation, and rules trained on samples",
    source="Popovici, Classification: LDA, population version",
    trials=200,
)
def population_lda(run: Run) -> StudyResult:
    settings = [(prior, distance) for prior in PRIORS for distance in DISTANCES]
    cells = [
        Cell({"π1": prior, "δ": distance}, (i,), (prior, distance)) for i, (prior, distance) in enumerate(settings)
    ]
    rows = []
    for cell, frame in zip(cells, run.simulate(cells, pmc_trial, chunk=50), strict=True):
        prior, distance = cell.settings
        population = two_gaussians(N_FEATURES, distance, priors=(1 - prior, prior))
        row: dict[str, float] = {
            "π1": prior,
            "δ": distance,
            "pmc": pmc(prior, distance),
            "bayes_error": float(bayes_error(population).value),
            "as printed": pmc_as_printed(prior, distance),
        }
        for name in frame:
            row |= entry(name, mean(frame[name].to_numpy()))
        rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    return StudyResult(
        tables={"pmc": table},
        claims=_claims(table),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-misprint",
                text="The published formula has the two signs before ln(π1/(1 − π1)) reversed. For equal priors this makes "
                "no difference; for π1 = .9 and δ = 1 it gives .860 instead of .0987.",
            ),
        ),
    )


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    z = ((table["simulated"] - table["pmc"]) / table["simulated_mc"]).abs().max()
    gap = (table["bayes_error"] - table["pmc"]).abs().max()
    printed = (table["as printed"] - table["pmc"]).abs()
    larger = (table[[f"trained on {n}" for n in TRAINING]].to_numpy() >= table[["pmc"]].to_numpy() - 1e-12).all()
    return (
        Claim("formula and simulation agree (within 4 Monte Carlo errors)", bool(z < 4), f"largest {z:.1f}"),
        Claim("formula and trueness.tables.bayes_error agree", bool(gap < 1e-10), f"{gap:.0e}"),
        Claim(
            "the published signs are right for equal priors only",
            bool((printed[table["π1"] == 0.5] < 1e-12).all() and (printed[table["π1"] != 0.5] > 0.05).all()),
        ),
        Claim("no rule trained on samples has a smaller mean error", bool(larger)),
    )


def _picture(table: pd.DataFrame) -> Figure:
    panels = []
    for prior, part in table.groupby("π1"):
        marks = (
            Line(part["δ"], part["pmc"], "formula", "-", "ink"),
            Line(part["δ"], part["simulated"], "simulated", "o", error=part["simulated_mc"]),
            *(Line(part["δ"], part[f"trained on {n}"], f"trained on {n}", "--") for n in TRAINING),
        )
        panels.append(Panel(marks, f"π1 = {prior}", "δ", "probability of misclassification"))
    return Figure("pmc", tuple(panels))
