"""Curves of resamples: the cases of each class drawn again with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.curves.curve import RocCurve
from karat.curves.empirical import EmpiricalRoc
from karat.errors import Setting, UndefinedError
from karat.formulas.rates import height
from karat.formulas.roc_counts import resampled_counts
from karat.typing import Floats


@dataclass(frozen=True, eq=False)
class Points:
    """The points of one resample's empirical curve, at the thresholds of the whole sample."""

    thresholds: Floats
    fpf: Floats
    tpf: Floats

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        return height(self.fpf, self.tpf, fpf)


def no_curves(method: str) -> UndefinedError:
    """The error where no resample has a curve."""
    return UndefinedError(
        f"No resample has a {method} curve", param="method", fix=("Use ", Setting("method", "empirical"))
    )


def resampled_curves(curve: RocCurve, rng: np.random.Generator, n_resamples: int) -> Iterator[Points | RocCurve | None]:
    """The curve of each stratified resample; None where a resample has no curve of this kind."""
    if isinstance(curve, EmpiricalRoc):  # sorted once: a resample is a new set of counts
        yield from _empirical(curve, rng, n_resamples)
        return
    n1, n0 = curve.data.n1, curve.data.n0
    for _ in range(n_resamples):
        drawn = curve.data.rows(rng.integers(0, n1, n1), rng.integers(0, n0, n0))
        try:
            yield curve.refitted(drawn)
        except UndefinedError:
            yield None


def _empirical(curve: EmpiricalRoc, rng: np.random.Generator, n_resamples: int) -> Iterator[Points]:
    thresholds = curve.all_points.thresholds
    places, positive = curve.places, curve.data.positive
    n1, n0, v = curve.data.n1, curve.data.n0, len(thresholds) - 1
    for tp, fp in resampled_counts(places[positive], places[~positive], v, rng, n_resamples):
        for ups, downs in zip(tp, fp, strict=True):
            yield Points(thresholds, np.append(0.0, downs / n0), np.append(0.0, ups / n1))
