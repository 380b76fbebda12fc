"""A batch effect: a constant added to all scores leaves the ROC alone and ruins the operating point (seeds/003)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from karat.curves.empirical import EmpiricalRoc
from karat.sample.scored import Scored


@dataclass(frozen=True, eq=False)
class BatchShift:
    """One threshold used on scores that are shifted.

    Attributes
    ----------
    threshold
        Chosen on the scores as they are.
    shifts
        Constants added to all scores of a batch.
    curves
        The ROC curve of each batch.
    """

    threshold: float
    shifts: np.ndarray
    curves: tuple[EmpiricalRoc, ...] = field(repr=False)

    def frame(self) -> pd.DataFrame:
        """A row a shift: `shift`, `auc`, and `tpf`, `fpf`, `youden` at the threshold that was fixed before."""
        rows = []
        for shift, curve in zip(self.shifts, self.curves, strict=True):
            at = curve.at(self.threshold)
            tpf, fpf = at.tpf.value, at.fpf.value
            rows.append({"shift": shift, "auc": curve.auc.value, "tpf": tpf, "fpf": fpf, "youden": tpf - fpf})
        return pd.DataFrame(rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw into matplotlib axes (new ones where none are given) and return them."""
        from karat.plots.batch_shift import BatchShiftDisplay

        return BatchShiftDisplay(self).plot(ax)


def batch_shift(y: Any, scores: Any, shifts: Any = (-2, -1, 0, 1, 2), threshold: float | None = None) -> BatchShift:
    """Shift the scores, keep the threshold.

    Parameters
    ----------
    y, scores
        Labels (1 positive) and scores as they are.
    shifts
        In units of the scores.
    threshold
        None: the largest Youden index on the scores as they are.
    """
    data = Scored.of(y, scores)
    if threshold is None:
        threshold = EmpiricalRoc.of(data).best("youden", n_resamples=0).threshold
    given = np.asarray(shifts, dtype=float)
    curves = tuple(EmpiricalRoc.of(Scored(data.scores + s, data.positive, data.classes)) for s in given)
    return BatchShift(float(threshold), given, curves)
