"""Empirical ROC curves of one set of scores under many weightings of its cases, all at once."""

from __future__ import annotations

import numpy as np

from trueness.formulas.rates import RATE_TOLERANCE, between
from trueness.typing import Bools, Floats


def steps(ordered: Floats) -> Bools:
    """(n − 1,) where a sorted vector takes a new value. Not by differences: those of infinities are NaN."""
    return np.asarray(ordered[1:] != ordered[:-1])


def curve_rows(
    scores: Floats,  # (n,)
    positive: Bools,  # (n,)
    weights: Floats,  # (b, n) how often a case counts
) -> tuple[Floats, Floats]:
    """(b, u + 1) FPF and TPF of every weighting, from (0, 0) to (1, 1); a point for each of the u values."""
    order = np.argsort(-scores, kind="stable")  # thresholds from high to low
    ends = np.flatnonzero(np.append(steps(scores[order]), True))  # last case of each value
    out = []
    for of in (~positive, positive):
        mass = np.cumsum(weights[:, order] * of[order], axis=1, dtype=float)[:, ends]
        out.append(np.hstack([np.zeros((len(weights), 1)), mass / mass[:, -1:]]))
    return out[0], out[1]


def area_rows(fpf: Floats, tpf: Floats, low: float = 0.0, high: float = 1.0) -> Floats:
    """(b,) area under the curves, points joined by lines, between two FPFs."""
    f0, f1, t0, t1 = fpf[:, :-1], fpf[:, 1:], tpf[:, :-1], tpf[:, 1:]
    a, b = np.clip(f0, low, high), np.clip(f1, low, high)
    width = f1 - f0
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(width > 0, (t1 - t0) / width, 0.0)
    middle = t0 + slope * ((a + b) / 2 - f0)  # height of the curve in the middle of the part inside
    return np.asarray(((b - a) * middle).sum(axis=1))


def height_rows(x: Floats, y: Floats, at: float) -> Floats:
    """`rates.height` of each of b curves: x and y are (b, v), the result is (b,)."""
    rows = np.arange(len(x))
    left = (x <= at + RATE_TOLERANCE).sum(axis=1) - 1  # the top of a vertical piece
    right = np.minimum(left + 1, x.shape[1] - 1)
    return between(x[rows, left], y[rows, left], x[rows, right], y[rows, right], at)


def depth_rows(x: Floats, y: Floats, at: float) -> Floats:
    """`rates.depth` of each of b curves: x and y are (b, v), the result is (b,)."""
    rows = np.arange(len(x))
    right = np.minimum((y < at - RATE_TOLERANCE).sum(axis=1), x.shape[1] - 1)
    left = np.maximum(right - 1, 0)
    return between(y[rows, right], x[rows, right], y[rows, left], x[rows, left], at)


def curves_of_rows(
    scores: Floats,  # (b, n)
    positive: Bools,  # (n,)
) -> tuple[Floats, Floats]:
    """(b, n + 1) FPF and TPF of b sets of scores of the same cases; tied cases share the point where their tie ends."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    up = positive[order]
    last = np.ones(scores.shape, dtype=bool)
    last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    n = scores.shape[1]
    ends = np.minimum.accumulate(np.where(last, np.arange(n), n)[:, ::-1], axis=1)[:, ::-1]
    start = np.zeros((len(scores), 1))
    out = []
    for of in (~up, up):
        mass = np.take_along_axis(np.cumsum(of, axis=1), ends, axis=1)
        out.append(np.hstack([start, mass / mass[:, -1:]]))
    return out[0], out[1]
