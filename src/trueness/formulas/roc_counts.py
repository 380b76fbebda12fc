"""Arithmetic on the counts of an empirical ROC curve: area, corners, concave hull, resamples.

`tp` and `fp` are counts of positives and negatives at or above each threshold, from (0, 0) to (n1, n0).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import optimize

from trueness.typing import Bools, Floats, Ints

CELLS = 2_000_000  # draws held at a time; the stream depends on it


def twice_area(tp: Ints, fp: Ints) -> int:
    """2·U, U = n1·n0·AUC by trapezoids, in whole numbers: ties count ½, and nothing is rounded."""
    return int(np.dot(np.diff(fp), tp[1:] + tp[:-1]))


def corners(tp: Ints, fp: Ints) -> Bools:
    """(v,) bool: the two ends, and the points where the direction changes."""
    up, right = np.diff(tp), np.diff(fp)
    turns = up[:-1] * right[1:] != up[1:] * right[:-1]
    return np.concatenate([[True], turns, [True]])


def hull(tp: Ints, fp: Ints) -> Ints:
    """Places of the corners of the upper concave hull, from (0, 0) to (n0, n1).

    Pooling adjacent violators of the share of positives among equal scores, from high scores to low, gives
    the hull's edges: its slopes fall from left to right.
    """
    up, right = np.diff(tp), np.diff(fp)
    pooled = optimize.isotonic_regression(up / (up + right), weights=up + right, increasing=False)
    at = pooled.blocks
    return np.asarray(at[corners(tp[at], fp[at])])


def places(values: Floats, scores: Floats) -> Ints:
    """(n,) which of the distinct values, high to low, each score is."""
    return len(values) - 1 - np.searchsorted(values[::-1], scores)


def resampled_counts(
    up: Ints,  # (n1,) place of each positive among the v distinct scores, high to low
    down: Ints,  # (n0,)
    v: int,
    rng: np.random.Generator,
    n_resamples: int,
) -> Iterator[tuple[Ints, Ints]]:
    """Stratified bootstrap of the curve: blocks of counts at or above each distinct score, (b, v) and (b, v)."""
    step = max(1, CELLS // (len(up) + len(down)))
    for start in range(0, n_resamples, step):
        b = min(step, n_resamples - start)
        yield _drawn(up, v, rng, b), _drawn(down, v, rng, b)


def _drawn(places: Ints, v: int, rng: np.random.Generator, b: int) -> Ints:
    drawn = places[rng.integers(0, len(places), size=(b, len(places)))]
    drawn += np.arange(b)[:, None] * v
    return np.bincount(drawn.ravel(), minlength=b * v).reshape(b, v).cumsum(axis=1)
