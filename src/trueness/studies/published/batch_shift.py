"""Additive batch effects: a constant added to all scores keeps the ROC curve and moves the operating point.

Popovici, Classification.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr

from trueness.checks import child
from trueness.curves.empirical import EmpiricalRoc
from trueness.figures.figure import Figure, Line, Mark, Panel, Points
from trueness.result.notes import Note
from trueness.sample.scored import Scored
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.typing import Floats, Labels, Scores

DISTANCE = 1.5  # positives N(1.5, 1), negatives N(0, 1)
BEST_YOUDEN = float(2 * ndtr(DISTANCE / 2) - 1)
SHIFTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
NUMBERS = ("auc", "tpf", "fpf", "youden")


@dataclass(frozen=True, eq=False)
class BatchShift:
    """One threshold applied to shifted scores.

    Attributes
    ----------
    threshold : float
        Chosen on the unshifted scores.
    shifts : array
        Constants added to all scores of a batch.
    curves : tuple of EmpiricalRoc
        The ROC curve of each batch.
    """

    threshold: float
    shifts: Floats
    curves: tuple[EmpiricalRoc, ...] = field(repr=False)

    def frame(self) -> pd.DataFrame:
        """One row per shift: `shift`, `auc`, and `tpf`, `fpf`, `youden` at the fixed threshold."""
        rows = []
        for shift, curve in zip(self.shifts, self.curves, strict=True):
            at = curve.at(self.threshold)
            tpf, fpf = at.tpf.value, at.fpf.value
            rows.append({"shift": shift, "auc": curve.auc.value, "tpf": tpf, "fpf": fpf, "youden": tpf - fpf})
        return pd.DataFrame(rows)


def batch_shift(
    y: Labels, scores: Scores, shifts: ArrayLike = (-2, -1, 0, 1, 2), threshold: float | None = None
) -> BatchShift:
    """Shift the scores and keep the threshold.

    Parameters
    ----------
    y : array of shape (n,)
        Labels; 1 is positive.
    scores : array of shape (n,)
        Unshifted scores.
    shifts : array, default (-2, -1, 0, 1, 2)
        In units of the scores.
    threshold : float, optional
        By default the one with the largest Youden index on the unshifted scores.
    """
    data = Scored.of(y, scores)
    if threshold is None:
        threshold = EmpiricalRoc.of(data).best("youden", n_resamples=0).threshold
    given = np.asarray(shifts, dtype=float)
    curves = tuple(EmpiricalRoc.of(Scored(data.scores + s, data.positive, data.classes)) for s in given)
    return BatchShift(float(threshold), given, curves)


def shifted(size: int, seed: np.random.SeedSequence) -> BatchShift:
    """One sample with the threshold of its largest Youden index, applied to every batch."""
    rng = np.random.default_rng(child(seed, 0))
    y = np.repeat([0, 1], size)
    return batch_shift(y, rng.normal(size=2 * size) + DISTANCE * y, SHIFTS)


def shift_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    table = shifted(size, seed).frame()
    return {f"{row['shift']}|{name}": float(row[name]) for _, row in table.iterrows() for name in NUMBERS}


@study(
    "batch-shift",
    title="Additive batch effects: the same AUC, another operating point",
    source="Popovici, Classification: additive batch effects",
    trials=200,
    sizes=(100,),
)
def batch_shift_study(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), n) for n in run.sizes]
    frames = run.simulate(cells, shift_trial, chunk=10)
    table = errors_last(
        pd.DataFrame([row for n, frame in zip(run.sizes, frames, strict=True) for row in _rows(n, frame)])
    )
    return StudyResult(
        tables={"shifts": table},
        claims=_claims(table, frames),
        pictures=(_picture(shifted(run.sizes[0], run.trial_seed(cells[0], 0)), table[table["size"] == run.sizes[0]]),),
        notes=(
            Note(
                "study-setting",
                text=f"Scores N(0, 1) and N({DISTANCE}, 1). The threshold with the largest Youden index on the unshifted "
                "scores of a sample is applied to all its batches. At shift 0 the index is optimistic, being measured "
                f"on the cases the threshold was chosen on; the best possible is 2Φ(Δ/2) − 1 = {BEST_YOUDEN:.3f}.",
                best_youden=BEST_YOUDEN,
            ),
        ),
    )


def _rows(size: int, frame: pd.DataFrame) -> list[dict[str, float]]:
    rows = []
    for shift in SHIFTS:
        row: dict[str, float] = {"size": size, "shift": shift}
        for name in NUMBERS:
            row |= entry(name, mean(frame[f"{shift}|{name}"].to_numpy()))
        rows.append(row)
    return rows


def _claims(table: pd.DataFrame, frames: list[pd.DataFrame]) -> tuple[Claim, ...]:
    moved = max(float((frame[f"{shift}|auc"] - frame["0.0|auc"]).abs().max()) for frame in frames for shift in SHIFTS)
    kept = table[table["shift"] == 0]["youden"].min()
    far = table[table["shift"].abs() == max(SHIFTS)]
    return (
        Claim("the AUC of a sample is the same on every batch", moved < 1e-12, f"largest change {moved:.0e}"),
        Claim(
            "a shift of 2 SD leaves less than half of the Youden index",
            bool((far["youden"] + 3 * far["youden_mc"] < kept / 2).all()),
            f"{kept:.3f} without a shift, {far['youden'].max():.3f} at most with",
        ),
    )


def _picture(one: BatchShift, table: pd.DataFrame) -> Figure:
    """One sample: its curve, and the operating point of every batch; all samples: means by shift."""
    points, curve = one.frame(), one.curves[0]
    marks: list[Mark] = [Line(curve.fpf, curve.tpf, f"ROC of every batch, AUC {points['auc'].iloc[0]:.3f}")]
    for _, row in points.iterrows():
        marks.append(
            Points(
                [row["fpf"]],
                [row["tpf"]],
                f"shift {row['shift']:+g}" if row["shift"] else "no shift",
                size=40,
            )
        )
    left = tuple(
        Line(
            table["shift"], table[name], name.upper() if name != "youden" else "Youden", "-o", error=table[f"{name}_mc"]
        )
        for name in NUMBERS
    )
    return Figure(
        "operating points",
        (
            Panel(tuple(marks), f"one threshold ({one.threshold:.2f}), one sample", "FPF", "TPF"),
            Panel(left, "means over samples", "constant added to all scores", ""),
        ),
    )
