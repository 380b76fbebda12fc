"""Curves of resamples: the cases of each class, or whole groups, drawn again with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import UndefinedError
from trueness.formulas.roc import height, resampled_counts
from trueness.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Points:
    """The points of one resample's empirical curve, at the thresholds of the whole sample."""

    thresholds: Floats
    fpf: Floats
    tpf: Floats

    def __call__(self, fpf: npt.ArrayLike) -> Floats:
        return height(self.fpf, self.tpf, fpf)


def resampled_curves(curve: RocCurve, rng: np.random.Generator, n_resamples: int) -> Iterator[Points | RocCurve]:
    """The curve of each stratified resample that has one of this kind; an error where none has."""
    if isinstance(curve, EmpiricalRoc) and curve.data.groups is not None:
        yield from _of_groups(curve, curve.data.groups, rng, n_resamples)
        return
    if isinstance(curve, EmpiricalRoc):  # sorted once: a resample is a new set of counts
        yield from _empirical(curve, rng, n_resamples)
        return
    n1, n0, found = curve.data.n1, curve.data.n0, False
    for _ in range(n_resamples):
        drawn = curve.data.rows(rng.integers(0, n1, n1), rng.integers(0, n0, n0))
        try:
            resampled = curve.of(drawn)
        except UndefinedError:
            continue
        found = True
        yield resampled
    if not found:
        fix = "Use {method='empirical'}"
        raise UndefinedError(f"No resample has a {curve.method} curve", param="method", fix=fix)


def _empirical(curve: EmpiricalRoc, rng: np.random.Generator, n_resamples: int) -> Iterator[Points]:
    thresholds = curve.all_points.thresholds
    places, positive = curve.places, curve.data.positive
    n1, n0, v = curve.data.n1, curve.data.n0, len(thresholds) - 1
    for tp, fp in resampled_counts(places[positive], places[~positive], v, rng, n_resamples):
        for ups, downs in zip(tp, fp, strict=True):
            yield Points(thresholds, np.append(0.0, downs / n0), np.append(0.0, ups / n1))


def _of_groups(curve: EmpiricalRoc, groups: Ints, rng: np.random.Generator, n_resamples: int) -> Iterator[Points]:
    """Whole groups are drawn, so class sizes vary; a draw without one of the classes is drawn again."""
    thresholds, places, positive = curve.all_points.thresholds, curve.places, curve.data.positive
    codes = np.unique(groups, return_inverse=True)[1]
    g, v = int(codes.max()) + 1, len(thresholds) - 1
    for _ in range(n_resamples):
        sizes: Floats = np.zeros(2)
        while not sizes.all():
            times = np.bincount(rng.integers(0, g, g), minlength=g)[codes].astype(float)
            sizes = np.array([times[~positive].sum(), times[positive].sum()])
        ups, downs = (
            np.append(0.0, np.bincount(places[of], times[of], v).cumsum() / size)
            for of, size in ((positive, sizes[1]), (~positive, sizes[0]))
        )
        yield Points(thresholds, downs, ups)
