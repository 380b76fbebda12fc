"""Curves of resamples: the cases of each class drawn again with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.curves.curve import RocCurve
from karat.curves.empirical import EmpiricalRoc
from karat.errors import InputError, UndefinedError
from karat.formulas.roc_counts import resampled_counts


@dataclass(frozen=True, eq=False)
class Points:
    """The points of one resample's empirical curve, at the thresholds of the whole sample."""

    thresholds: np.ndarray
    fpf: np.ndarray
    tpf: np.ndarray

    def __call__(self, fpf: Any) -> Any:
        return np.interp(fpf, self.fpf, self.tpf)


def check_resamples(n_resamples: Any, least: int) -> int:
    """A whole number of resamples, or an error that says so."""
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, (int, np.integer)) or n_resamples < least:
        raise InputError(
            f"n_resamples must be a whole number of at least {least}", got=repr(n_resamples), fix="Use e.g. 1000"
        )
    return int(n_resamples)


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
