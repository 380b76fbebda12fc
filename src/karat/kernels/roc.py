"""The empirical ROC curve in whole numbers: counts of positives and negatives at or above every score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import optimize

from karat.kernels.compiled import twin


@twin
def curve_counts(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct scores, high to low (v,), and how many positives and negatives are at or above each (v,), (v,)."""
    order = np.argsort(scores)[::-1]
    ordered = scores[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)  # of each run of ties
    tp = np.cumsum(positive[order], dtype=np.int64)[last]
    return ordered[last], tp, last + 1 - tp


@twin
def curve_points(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `curve_counts`, with a first point (v + 1,) at which nobody is called positive; its threshold is +∞."""
    values, tp, fp = curve_counts.reference(scores, positive)  # type: ignore[attr-defined]
    return np.append(np.inf, values), np.append(0, tp), np.append(0, fp)


def twice_area(tp: np.ndarray, fp: np.ndarray) -> int:
    """2·U, U = n1·n0·AUC by trapezoids, in whole numbers: ties count ½, and nothing is rounded."""
    return int(np.dot(np.diff(fp), tp[1:] + tp[:-1]))


def corners(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    """(v,) bool: the two ends, and the points where the direction changes."""
    up, right = np.diff(tp), np.diff(fp)
    turns = up[:-1] * right[1:] != up[1:] * right[:-1]
    return np.concatenate([[True], turns, [True]])


def hull(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    """Places of the corners of the upper concave hull, from (0, 0) to (n0, n1).

    Pooling adjacent violators of the share of positives among equal scores, from high scores to low, gives
    the hull's edges: its slopes fall from left to right.
    """
    up, right = np.diff(tp), np.diff(fp)
    pooled = optimize.isotonic_regression(up / (up + right), weights=up + right, increasing=False)
    at = pooled.blocks
    return at[corners(tp[at], fp[at])]


def resampled_counts(
    up: np.ndarray,  # (n1,) place of each positive among the v distinct scores, high to low
    down: np.ndarray,  # (n0,)
    v: int,
    rng: np.random.Generator,
    n_resamples: int,
    cells: int = 2_000_000,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Stratified bootstrap of the curve: blocks of counts at or above each distinct score, (b, v) and (b, v)."""
    step = max(1, cells // (len(up) + len(down)))
    for start in range(0, n_resamples, step):
        b = min(step, n_resamples - start)
        yield _drawn(up, v, rng, b), _drawn(down, v, rng, b)


def _drawn(places: np.ndarray, v: int, rng: np.random.Generator, b: int) -> np.ndarray:
    drawn = places[rng.integers(0, len(places), size=(b, len(places)))]
    drawn += np.arange(b)[:, None] * v
    return np.bincount(drawn.ravel(), minlength=b * v).reshape(b, v).cumsum(axis=1)
