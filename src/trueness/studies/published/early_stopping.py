"""Training and validation error: choosing k by validation, and early stopping  (Wu (2018), figure 2)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.result.notes import Note
from trueness.studies.models import AdaBoost, nearest_neighbours
from trueness.studies.populations import Gaussians, two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.truth import DrawnTestSet, test_set
from trueness.typing import Floats

NEIGHBOURS = (1, 3, 5, 7, 9, 15, 25, 41)  # Wu (2018) tries 1, 3, 5, 7, 9
VALIDATION = 0.3  # share of cases
PATIENCE = 10  # rounds without a smaller validation error


@dataclass(frozen=True, eq=False)
class StoppingSetting:
    """What a trial needs."""

    population: Gaussians
    truth: DrawnTestSet
    size: int
    rounds: int


def stopped_at(validation: Floats, patience: int = PATIENCE) -> int:
    """The best round so far when `patience` rounds have brought no improvement."""
    best = 0
    for m in range(1, len(validation)):
        if validation[m] < validation[best]:
            best = m
        elif m - best >= patience:
            break
    return best


def stopping_trial(setting: StoppingSetting, seed: np.random.SeedSequence) -> dict[str, float]:
    """Training, validation and true error of k-NN by k and of AdaBoost by round, on one split sample."""
    rng = np.random.default_rng(child(seed, 0))
    X, y = setting.population.draw((setting.size,) * 2, rng)
    held = np.zeros(len(y), dtype=bool)
    held[rng.permutation(len(y))[: round(VALIDATION * len(y))]] = True
    parts = {"training": (X[~held], y[~held]), "validation": (X[held], y[held])}
    parts["true"] = (setting.truth.X, setting.truth.y)
    out: dict[str, float] = {}
    for k in NEIGHBOURS:
        rule = nearest_neighbours(k)
        rule.fit(*parts["training"])
        for name, (cases, labels) in parts.items():
            out[f"k {k} {name}"] = float((rule.predict(cases) != labels).mean())
    chosen = min(NEIGHBOURS, key=lambda k: (out[f"k {k} validation"], -k))
    out["k chosen"], out["k chosen true"] = chosen, out[f"k {chosen} true"]
    boosted = AdaBoost(setting.rounds).fit(*parts["training"])
    curves = {}
    for name, (cases, labels) in parts.items():
        errors = ((boosted.staged_scores(cases) > 0) != labels).mean(axis=1)
        curves[name] = np.concatenate([errors, np.full(setting.rounds - len(errors), errors[-1])])
        out |= {f"round {m + 1} {name}": float(e) for m, e in enumerate(curves[name])}
    stop = stopped_at(curves["validation"])
    out["round chosen"], out["round chosen true"] = stop + 1, float(curves["true"][stop])
    return out


@study(
    "early-stopping",
    title="Validation curve of k-NN, and early stopping of AdaBoost",
    source="Wu (2018), section 1.3 and figure 2",
    trials=100,
    sizes=(50,),
    one_size=True,
    least=30,  # 41 neighbours in 70 % of 2 × 30 cases
    rounds=150,
    test_size=1000,
)
def early_stopping(run: Run) -> StudyResult:
    population = two_gaussians(2, 1.5)
    rounds, size = run.options["rounds"], run.sizes[0]
    setting = StoppingSetting(
        population, test_set(population, run.options["test_size"], run.shared_seed()), size, rounds
    )
    (frame,) = run.simulate([Cell({"size": size}, (size,), setting)], stopping_trial, chunk=5)
    neighbours = _curve(frame, "k", NEIGHBOURS)
    boosting = _curve(frame, "round", range(1, rounds + 1))
    choices = _choices(frame, neighbours, boosting, rounds)
    return StudyResult(
        tables={"choices": choices, "k nearest neighbours": neighbours, "boosting": boosting},
        claims=_claims(neighbours, boosting, choices),
        pictures=(_picture(neighbours, boosting),),
        notes=(
            Note(
                "study-setting",
                text=f"{VALIDATION:.0%} of the cases are used for validation; boosting stops when {PATIENCE} rounds have "
                "brought no smaller validation error. Curves are means over trials.",
            ),
        ),
    )


def _curve(frame: pd.DataFrame, kind: str, values: Iterable[int]) -> pd.DataFrame:
    rows = []
    for v in values:
        row: dict[str, float] = {kind: v}
        for name in ("training", "validation", "true"):
            row |= entry(name, mean(frame[f"{kind} {v} {name}"].to_numpy()))
        rows.append(row)
    return errors_last(pd.DataFrame(rows))


def _choices(frame: pd.DataFrame, neighbours: pd.DataFrame, boosting: pd.DataFrame, rounds: int) -> pd.DataFrame:
    rows = []
    for kind, table, worst in (("k", neighbours, 1), ("round", boosting, rounds)):
        chosen = mean(frame[f"{kind} chosen true"].to_numpy())
        best = table.loc[table["true"].idxmin()]
        end = table[table[kind] == worst].iloc[0]
        for what, value, error, at in (
            ("chosen by validation", *chosen, float(frame[f"{kind} chosen"].median())),
            ("best on average", best["true"], best["true_mc"], best[kind]),
            ("the most flexible", end["true"], end["true_mc"], worst),
        ):
            rows.append(
                {"choice of": kind, "which": what, "value (median)": at, "true error": value, "true error_mc": error}
            )
    return pd.DataFrame(rows)


def _claims(neighbours: pd.DataFrame, boosting: pd.DataFrame, choices: pd.DataFrame) -> tuple[Claim, ...]:
    at = choices.set_index(["choice of", "which"])["true error"]
    last, first = boosting.iloc[-1], boosting.iloc[0]
    return (
        Claim("1-NN has no training error", bool(neighbours["training"].iloc[0] == 0)),
        Claim(
            "the training error of boosting falls below half of that of the first round",
            bool(last["training"] < 0.5 * first["training"]),
            f"{first['training']:.3f} to {last['training']:.3f}",
        ),
        Claim(
            "the true error of boosting is larger at the last round than at its best one",
            bool(last["true"] > boosting["true"].min() + 3 * last["true_mc"]),
            f"best {boosting['true'].min():.3f} at round {int(boosting.loc[boosting['true'].idxmin(), 'round'])}, "
            f"last {last['true']:.3f}",
        ),
        Claim(
            "the choice by validation has a smaller true error than the most flexible one, for k-NN and for boosting",
            all(at[kind, "chosen by validation"] < at[kind, "the most flexible"] for kind in ("k", "round")),
            ", ".join(
                f"{kind}: {at[kind, 'chosen by validation']:.3f} and {at[kind, 'the most flexible']:.3f}"
                for kind in ("k", "round")
            ),
        ),
    )


def _picture(neighbours: pd.DataFrame, boosting: pd.DataFrame) -> Figure:
    panels = []
    for table, kind, title in ((neighbours, "k", "k nearest neighbours"), (boosting, "round", "AdaBoost")):
        marks = tuple(
            Line(table[kind], table[name], f"{name} error", "-") for name in ("training", "validation", "true")
        )
        panels.append(Panel(marks, title, kind, "error rate", x_log=True))
    return Figure("curves", tuple(panels))
