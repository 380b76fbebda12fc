"""How often a 2-fold split puts both rare cases of ten on one side  (Wu (2018), exercise 8)."""

from math import comb, sqrt

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.plans.splits import KFold
from trueness.result.notes import Note
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import mean, share

LABELS = np.array([1, 1, 2, 2, 2, 2, 2, 2, 2, 2])


def both_on_one_side(n: int, rare: int, half: int) -> float:
    """P(one half holds all `rare` cases): 2 C(n − rare, half − rare) / C(n, half) for two halves of equal size."""
    return 2 * comb(n - rare, half - rare) / comb(n, half)


EXACT = both_on_one_side(10, 2, 5)  # 2 · 56 / 252 = 4/9


def splits_trial(settings: None, seed: np.random.SeedSequence) -> dict[str, float]:
    """The number of (0, 2) splits among ten, plain and stratified."""
    out = {}
    for i, stratified in enumerate((False, True)):
        design = KFold(2, repeats=10, stratified=stratified).draw(LABELS, rng=child(seed, i))
        assert design.folds is not None
        rare = (design.folds[:, LABELS == 1] == 0).sum(axis=1)  # (10,) rare cases in the first half
        out["stratified" if stratified else "plain"] = float((rare != 1).sum())
    return out


@study(
    "stratified-folds",
    title="Stratified and plain 2-fold cross-validation of ten cases, two of them rare",
    source="Wu (2018), exercise 8",
    trials=1000,
)
def stratified_folds(run: Run) -> StudyResult:
    (frame,) = run.simulate([Cell({"labels": "1 1 2 2 2 2 2 2 2 2"}, (), None)], splits_trial, chunk=100)
    rows, histogram = [], []
    for name, exact in (("plain", EXACT), ("stratified", 0.0)):
        per_ten, error = mean(frame[name].to_numpy())
        rows.append(
            {
                "split": name,
                "P(0, 2)": per_ten / 10,
                "exact": exact,
                "in the first ten splits": int(frame[name].iloc[0]),
                "P(0, 2)_mc": error / 10,
            }
        )
        for times in range(11):
            chance = comb(10, times) * exact**times * (1 - exact) ** (10 - times)
            seen, error = share(frame[name].to_numpy() == times)
            histogram.append(
                {"split": name, "(0, 2) in ten": times, "share": seen, "binomial": chance, "share_mc": error}
            )
    table = pd.DataFrame(rows)
    return StudyResult(
        tables={"probability": table, "times in ten splits": pd.DataFrame(histogram)},
        claims=_claims(table, run.trials),
        pictures=(_picture(pd.DataFrame(histogram)),),
        notes=(
            Note(
                "study-theory",
                text="(b) P(0, 2) = 2 C(8, 3)/C(10, 5) = 4/9. (c) In such a split one rule is trained without class 1 and "
                "tested on all of it. (d) A stratified split always has one rare case per half.",
            ),
        ),
    )


def _claims(table: pd.DataFrame, trials: int) -> tuple[Claim, ...]:
    plain, stratified = table.iloc[0], table.iloc[1]
    z = abs(plain["P(0, 2)"] - EXACT) / sqrt(EXACT * (1 - EXACT) / (10 * trials))  # ten splits per trial
    return (
        Claim(
            "plain: P(0, 2) = 4/9, within 4 Monte Carlo errors", bool(z < 4), f"{plain['P(0, 2)']:.4f}, {z:.1f} errors"
        ),
        Claim("stratified: P(0, 2) = 0", bool(stratified["P(0, 2)"] == 0)),
    )


def _picture(histogram: pd.DataFrame) -> Figure:
    plain = histogram[histogram["split"] == "plain"]
    marks = (
        Line(plain["(0, 2) in ten"], plain["share"], "seen", "o", error=plain["share_mc"]),
        Line(plain["(0, 2) in ten"], plain["binomial"], "binomial, 4/9", "-"),
    )
    return Figure("times", (Panel(marks, "plain splits", "(0, 2) in ten splits", "share of trials"),), columns=1)
