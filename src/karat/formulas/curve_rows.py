"""Empirical ROC curves of one set of scores under many weightings of its cases, all at once."""

from __future__ import annotations

import numpy as np


def steps(ordered: np.ndarray) -> np.ndarray:
    """(n − 1,) where a sorted vector takes a new value. Not by differences: those of infinities are NaN."""
    return np.asarray(ordered[1:] != ordered[:-1])


def curve_rows(
    scores: np.ndarray,  # (n,)
    positive: np.ndarray,  # (n,) bool
    weights: np.ndarray,  # (b, n) how often a case counts
) -> tuple[np.ndarray, np.ndarray]:
    """(b, u + 1) FPF and TPF of every weighting, from (0, 0) to (1, 1); a point for each of the u values."""
    order = np.argsort(-scores, kind="stable")  # thresholds from high to low
    ends = np.flatnonzero(np.append(steps(scores[order]), True))  # last case of each value
    out = []
    for of in (~positive, positive):
        mass = np.cumsum(weights[:, order] * of[order], axis=1, dtype=float)[:, ends]
        out.append(np.hstack([np.zeros((len(weights), 1)), mass / mass[:, -1:]]))
    return out[0], out[1]


def area_rows(fpf: np.ndarray, tpf: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """(b,) area under the curves, points joined by lines, between two FPFs."""
    f0, f1, t0, t1 = fpf[:, :-1], fpf[:, 1:], tpf[:, :-1], tpf[:, 1:]
    a, b = np.clip(f0, low, high), np.clip(f1, low, high)
    width = f1 - f0
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(width > 0, (t1 - t0) / width, 0.0)
    middle = t0 + slope * ((a + b) / 2 - f0)  # height of the curve in the middle of the part inside
    return ((b - a) * middle).sum(axis=1)


def height_rows(x: np.ndarray, y: np.ndarray, at: float) -> np.ndarray:
    """(b,) the highest y of each rising curve at x = `at`, points joined by lines."""
    rows = np.arange(len(x))
    right = (x <= at).sum(axis=1)  # first point beyond
    left = right - 1  # the last point at or before: the top of a vertical piece
    nxt = np.minimum(right, x.shape[1] - 1)
    width = x[rows, nxt] - x[rows, left]
    share = np.where(width > 0, (at - x[rows, left]) / np.where(width > 0, width, 1.0), 0.0)
    return y[rows, left] + share * (y[rows, nxt] - y[rows, left])


def depth_rows(x: np.ndarray, y: np.ndarray, at: float) -> np.ndarray:
    """(b,) the smallest x at which each rising curve reaches y = `at`, points joined by lines."""
    # seen from the far corner the smallest x is the greatest height: turn the square by half
    return 1 - height_rows(1 - y[:, ::-1], 1 - x[:, ::-1], 1 - at)


def curves_of_rows(
    scores: np.ndarray,  # (b, n)
    positive: np.ndarray,  # (n,) bool
) -> tuple[np.ndarray, np.ndarray]:
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
