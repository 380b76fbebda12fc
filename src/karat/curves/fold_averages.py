"""Two older ways to average the ROC curves of folds, for comparison: vertical, and by thresholds (Fawcett 2006)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.curves.averaged import AveragedPoints
from karat.curves.folds import stacked
from karat.curves.operating_points import spaced
from karat.kernels.roc import curve_counts
from karat.sample.fits import Fits


@dataclass(frozen=True, eq=False)
class VerticalAverage(AveragedPoints):
    """TPF of every fold's own curve at given FPFs. The points are interpolated: no threshold makes those decisions
    (seeds/002, section 1)."""

    fpf: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)

    def _positions(self) -> dict[str, np.ndarray]:
        return {"fpf": self.fpf}

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean curve with the SDs of the means into matplotlib axes, and return them."""
        from karat.plots.averages import AverageDisplay

        return AverageDisplay(self, "vertical averaging").plot(ax)


@dataclass(frozen=True, eq=False)
class ThresholdAverage(AveragedPoints):
    """TPF and FPF of every fold's own curve at the point whose threshold is the nearest at or below a common one."""

    thresholds: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)

    def _positions(self) -> dict[str, np.ndarray]:
        return {"threshold": self.thresholds}

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean curve with the SDs of the means into matplotlib axes, and return them."""
        from karat.plots.averages import AverageDisplay

        return AverageDisplay(self, "threshold averaging").plot(ax)


def _fold_curves(fits: Fits) -> tuple[list[tuple[np.ndarray, np.ndarray, np.ndarray]], np.ndarray]:
    """Thresholds (v,), FPF and TPF (v + 1,) of each fold's own curve, and the stacked outputs."""
    stack = stacked(fits)
    stack.members()  # an error where a fold lacks a class
    positive = stack.codes == fits.sample.require_positive()
    curves = []
    for k in range(stack.n_folds):
        of = stack.fold == k
        values, tp, fp = curve_counts(stack.scores[of], positive[of])
        curves.append((values, np.append(0, fp) / fp[-1], np.append(0, tp) / tp[-1]))
    return curves, stack.scores


def vertical_average(fits: Fits, n_points: int = 30) -> VerticalAverage:
    """Average TPF at evenly spaced FPFs (Provost, Fawcett & Kohavi 1998)."""
    grid, _ = spaced(np.linspace(0, 1, max(2, int(n_points))), n_points)
    curves, scores = _fold_curves(fits)
    tpf = np.stack([np.interp(grid, x, y) for _, x, y in curves], axis=1)
    return VerticalAverage(per_fold={"tpf": tpf}, n=len(scores), fpf=grid)


def threshold_average(fits: Fits, n_points: int = 30) -> ThresholdAverage:
    """Average TPF and FPF at a sample of all folds' thresholds  (Fawcett 2006, algorithm 4).

    Of a fold's curve the first point is taken whose threshold is not above the common one: that is one case
    further than deciding at the common threshold itself, unless the fold has a case exactly there.
    """
    curves, scores = _fold_curves(fits)
    thresholds, notes = spaced(np.unique(scores)[::-1], n_points)
    at = [
        np.minimum(np.searchsorted(-values, -thresholds, side="left"), len(values) - 1) + 1 for values, _, _ in curves
    ]
    tpf = np.stack([y[i] for i, (_, _, y) in zip(at, curves, strict=True)], axis=1)
    fpf = np.stack([x[i] for i, (_, x, _) in zip(at, curves, strict=True)], axis=1)
    return ThresholdAverage(per_fold={"tpf": tpf, "fpf": fpf}, n=len(scores), notes=notes, thresholds=thresholds)
