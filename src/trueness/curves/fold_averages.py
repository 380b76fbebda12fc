"""Two older ways to average the ROC curves of folds, for comparison with `operating_points` (Fawcett 2006)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trueness.curves.averaged_points import AveragedPoints
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.folds import stacked
from trueness.curves.operating import spaced
from trueness.sample.fits import Fits
from trueness.sample.scored import Scored
from trueness.typing import Floats


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoldAverage(AveragedPoints):
    """Means over folds of points on every fold's own curve.

    Attributes
    ----------
    method : {"vertical", "threshold"}
    positions : mapping of str to ndarray
        What defines the points: `fpf` or `threshold`.
    """

    method: str
    positions: Mapping[str, Floats]

    def _positions(self) -> dict[str, Floats]:
        return dict(self.positions)


def vertical_average(fits: Fits, n_points: int = 30) -> FoldAverage:
    """Average TPF at evenly spaced FPFs (Provost, Fawcett & Kohavi 1998). The points are interpolated: no threshold
    makes those decisions."""
    grid, _ = spaced(np.linspace(0, 1, max(2, int(n_points))), n_points)
    curves, n = _fold_curves(fits)
    tpf = np.stack([curve(grid) for curve in curves], axis=1)
    return FoldAverage(per_fold={"tpf": tpf}, n=n, method="vertical", positions={"fpf": grid})


def threshold_average(fits: Fits, n_points: int = 30) -> FoldAverage:
    """Average TPF and FPF at a sample of all folds' thresholds (Fawcett 2006, algorithm 4).

    Of a fold's curve the first point is taken whose threshold is not above the common one: that is one case
    further than deciding at the common threshold itself, unless the fold has a case exactly there.
    """
    curves, n = _fold_curves(fits)
    thresholds, note = spaced(np.unique(np.concatenate([c.data.scores for c in curves]))[::-1], n_points)
    at = [
        np.minimum(np.searchsorted(-c.thresholds[1:], -thresholds, side="left") + 1, len(c.thresholds) - 1)
        for c in curves
    ]
    each = list(zip(curves, at, strict=True))
    return FoldAverage(
        per_fold={
            "tpf": np.stack([c.tpf[i] for c, i in each], axis=1),
            "fpf": np.stack([c.fpf[i] for c, i in each], axis=1),
        },
        n=n,
        notes=() if note is None else (note,),
        method="threshold",
        positions={"threshold": thresholds},
    )


def _fold_curves(fits: Fits) -> tuple[list[EmpiricalRoc], int]:
    """The curve of each fold, and the number of cases."""
    stack = stacked(fits)
    stack.members()  # an error where a fold lacks a class
    positive = stack.codes == fits.sample.require_positive()
    folds = (stack.fold == k for k in range(stack.n_folds))
    return [EmpiricalRoc(Scored(stack.scores[of], positive[of])) for of in folds], stack.n
