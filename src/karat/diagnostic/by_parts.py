"""Limits of a measure from those of the independent shares that a study design observes (kernels.mover).

The delta method takes a cell's part of the variance away where the cell is empty, however much a prevalence, a
correction or a cost makes of it; a share of 0 of 20 still has an interval, and that interval is carried here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.diagnostic.designs import StudyDesign
from karat.diagnostic.measures import Measure
from karat.formulas import intervals, mover, proportions

Limits = tuple[float, float]


def limits(design: StudyDesign, measure: Measure, method: str, level: float) -> Limits:
    """Of a measure that is linear in every part, or of any measure where all parts are of two shares."""
    shares = [part / part.sum() for part in design.parts]
    return mover.together(_at(design, measure, shares), _moved(design, measure, method, level))


def _moved(design: StudyDesign, measure: Measure, method: str, level: float) -> Iterator[Limits]:
    """The measure with one part at its limits, the others as they are."""
    shares = [part / part.sum() for part in design.parts]
    for k, part in enumerate(design.parts):
        if measure.linear:
            weights, grouped = _weights(design, measure, shares, k)
            if len(weights) > 1:
                each = [_share(x, part.sum(), method, level) for x in grouped]
                yield mover.mean(weights, grouped / part.sum(), np.array(each))
            continue
        low, high = _share(part[1], part.sum(), method, level)
        ends = [[*shares[:k], np.array([1 - r, r]), *shares[k + 1 :]] for r in (low, high)]
        yield _at(design, measure, ends[0]), _at(design, measure, ends[1])
    for centre, se in zip(design.rest, design.rest_se, strict=True):  # logit ρ of a case-control study
        half = intervals.quantile(level) * se
        yield (
            _at(design, measure, shares, np.array([centre - half])),
            _at(design, measure, shares, np.array([centre + half])),
        )


def has_empty_part(design: StudyDesign, measure: Measure) -> bool:
    """Whether a share that the measure depends on is 0, so that the delta method does not see it vary."""
    if not measure.linear:
        return design.has_empty_cell
    shares = [part / part.sum() for part in design.parts]
    return any((_weights(design, measure, shares, k)[1] == 0).any() for k in range(len(shares)))


def _weights(design: StudyDesign, measure: Measure, shares: list[np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray]:
    """A linear measure is Σ_j w_j p_j in part k: the distinct w, and the counts of the cells that have each."""
    corners = np.eye(len(shares[k]))
    found = np.array([_at(design, measure, [*shares[:k], corner, *shares[k + 1 :]]) for corner in corners])
    weights, which = np.unique(found.round(12), return_inverse=True)
    return weights, np.bincount(which.ravel(), weights=design.parts[k], minlength=len(weights))


def _at(design: StudyDesign, measure: Measure, shares: list[np.ndarray], rest: np.ndarray | None = None) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(measure.function(design.from_parts(shares, design.rest if rest is None else rest)))


def _share(x: float, n: float, method: str, level: float) -> Limits:
    if x in (0, n) and method in ("wald", "logit", "cloglog"):  # no interval, or one without length
        method = "exact"
    return proportions.METHODS[method](x, n, level)
