"""Additive batch effects: a constant added to all scores leaves the AUC alone and spoils the operating point."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import ndtr

from karat.result.picture import Line, Mark, Panel, Picture, Points
from karat.sample.seeds import child
from karat.studies.batch_shift import BatchShift, batch_shift
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import mean

DISTANCE = 1.5  # positives N(1.5, 1), negatives N(0, 1)
SHIFTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
NUMBERS = ("auc", "tpf", "fpf", "youden")


def shifted(size: int, seed: np.random.SeedSequence) -> BatchShift:
    """One sample with the threshold of its largest Youden index, and what every batch makes of it."""
    rng = np.random.default_rng(child(seed, 0))
    y = np.repeat([0, 1], size)
    return batch_shift(y, rng.normal(size=2 * size) + DISTANCE * y, SHIFTS)


def shift_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    table = shifted(size, seed).frame()
    return {f"{row['shift']}|{name}": float(row[name]) for _, row in table.iterrows() for name in NUMBERS}


@study(
    "batch-shift",
    title="Additive batch effects: the same AUC, another operating point",
    source="seeds/003, additive batch effects may spoil the single-point performance",
    trials=200,
    sizes=(100,),
)
def batch_shift_study(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), n) for n in run.sizes]
    frames = run.simulate(cells, shift_trial, chunk=10)
    table = pd.DataFrame(
        [row for cell, frame in zip(cells, frames, strict=True) for row in _rows(cell.labels["size"], frame)]
    )
    return StudyResult(
        name="batch-shift",
        title="Additive batch effects",
        source="seeds/003",
        tables={"shifts": table},
        claims=_claims(table, frames),
        pictures=(_picture(shifted(run.sizes[0], run.trial_seed(cells[0], 0)), table[table["size"] == run.sizes[0]]),),
        notes=(
            f"Scores N(0, 1) and N({DISTANCE}, 1); in every sample the threshold with the largest Youden index on the "
            "scores as they are, used on the scores of a batch to which a constant was added. At 0 the index is that "
            "of the very cases it was chosen on, so above the best that can be had, "
            f"2Φ(Δ/2) − 1 = {2 * ndtr(DISTANCE / 2) - 1:.3f}.",
        ),
    )


def _rows(size: int, frame: pd.DataFrame) -> list[dict[str, float]]:
    rows = []
    for shift in SHIFTS:
        found = {name: mean(frame[f"{shift}|{name}"].to_numpy()) for name in NUMBERS}
        row: dict[str, float] = {"size": size, "shift": shift} | {name: value for name, (value, _) in found.items()}
        rows.append(row | {f"{name}_mc": error for name, (_, error) in found.items()})
    return rows


def _claims(table: pd.DataFrame, frames: list[pd.DataFrame]) -> tuple[Claim, ...]:
    moved = max(float((frame[f"{shift}|auc"] - frame["0.0|auc"]).abs().max()) for frame in frames for shift in SHIFTS)
    kept = table[table["shift"] == 0]["youden"].min()
    far = table[table["shift"].abs() == max(SHIFTS)]
    return (
        Claim("the AUC of every sample is the same on every batch", moved < 1e-12, f"largest change {moved:.0e}"),
        Claim(
            "a shift of 2 SD leaves less than half of the Youden index",
            bool((far["youden"] + 3 * far["youden_mc"] < kept / 2).all()),
            f"{kept:.3f} as it was, {far['youden'].max():.3f} at most",
        ),
    )


def _picture(one: BatchShift, table: pd.DataFrame) -> Picture:
    """One sample: one curve, and the threshold's point of every batch; all samples: what is left."""
    points, curve = one.frame(), one.curves[0]
    marks: list[Mark] = [Line(curve.fpf, curve.tpf, f"ROC of every batch, AUC {points['auc'].iloc[0]:.3f}", "-", "C0")]
    for i, row in points.iterrows():
        marks.append(
            Points(
                [row["fpf"]],
                [row["tpf"]],
                f"shift {row['shift']:+g}" if row["shift"] else "as it was",
                color=f"C{int(str(i)) + 1}",
                size=40,
            )
        )
    left = tuple(
        Line(
            table["shift"], table[name], name.upper() if name != "youden" else "Youden", "-o", error=table[f"{name}_mc"]
        )
        for name in NUMBERS
    )
    return Picture(
        "operating points",
        (
            Panel(tuple(marks), f"one threshold ({one.threshold:.2f}), one sample", "FPF", "TPF"),
            Panel(left, "means over samples", "constant added to all scores", ""),
        ),
    )
