"""Arithmetic on empirical ROC curves: rates, heights, areas, corners, concave hull, resamples, many curves at once.

`tp` and `fp` are counts of positives and negatives at or above each threshold, from (0, 0) to (n1, n0).
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy import optimize

from trueness.typing import Bools, Floats, Ints

RATE_TOLERANCE = 4 * float(np.finfo(float).eps)
"""A requested rate this close to an attained one is that one. 1 − x of a rate x loses half of it."""


def count_within(rate: float, n: int) -> int:
    """Largest k with k/n ≤ rate, where a rate within RATE_TOLERANCE of k/n is k/n."""
    nearest = round(rate * n)
    return nearest if abs(rate - nearest / n) <= RATE_TOLERANCE else math.floor(rate * n)


def snapped(rate: npt.ArrayLike, n: int) -> Floats:
    """The rate, or k/n where it lies within RATE_TOLERANCE of it."""
    attained = np.rint(np.multiply(rate, n)) / n
    return np.where(np.abs(np.subtract(rate, attained)) <= RATE_TOLERANCE, attained, rate)


def height(x: Floats, y: Floats, at: npt.ArrayLike) -> Floats:
    """The largest y of a rising curve from (0, 0) to (1, 1) at x = `at`, points joined by straight lines.

    A value of `at` within RATE_TOLERANCE of some x is that x.
    """
    at = np.asarray(at, dtype=float)
    left = np.maximum(np.searchsorted(x, at + RATE_TOLERANCE, side="right") - 1, 0)
    right = np.minimum(left + 1, len(x) - 1)
    return between(x[left], y[left], x[right], y[right], at)


def depth(x: Floats, y: Floats, at: npt.ArrayLike) -> Floats:
    """The smallest x at which a rising curve reaches y = `at`, points joined by straight lines; as `height`."""
    at = np.asarray(at, dtype=float)
    right = np.minimum(np.searchsorted(y, at - RATE_TOLERANCE, side="left"), len(y) - 1)
    left = np.maximum(right - 1, 0)
    return between(y[right], x[right], y[left], x[left], at)


def between(x0: Floats, y0: Floats, x1: Floats, y1: Floats, at: float | Floats) -> Floats:
    """y at `at` on the line from (x0, y0) to (x1, y1); y0 where `at` is x0 but for rounding."""
    length = x1 - x0
    on_point = (np.abs(at - x0) <= RATE_TOLERANCE) | (length == 0)
    share = np.where(on_point, 0.0, (at - x0) / np.where(on_point, 1.0, length))
    return np.asarray(y0 + share * (y1 - y0))


CELLS = 2_000_000  # draws held at a time; the stream depends on it


def hull(tp: Ints, fp: Ints) -> Ints:
    """Places of the corners of the upper concave hull, from (0, 0) to (n0, n1).

    Pooling adjacent violators of the share of positives among equal scores, from high scores to low, gives
    the hull's edges: its slopes fall from left to right.
    """
    up, right = np.diff(tp), np.diff(fp)
    pooled = optimize.isotonic_regression(up / (up + right), weights=up + right, increasing=False)
    at = pooled.blocks
    up, right = np.diff(tp[at]), np.diff(fp[at])
    turns = up[:-1] * right[1:] != up[1:] * right[:-1]  # where the direction changes
    return np.asarray(at[np.concatenate([[True], turns, [True]])])


def places(values: Floats, scores: Floats) -> Ints:
    """(n,) which of the distinct values, high to low, each score is; after all of them a lower one."""
    return np.searchsorted(-values, -scores)


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
        b, both = min(step, n_resamples - start), []
        for at in (up, down):
            drawn = at[rng.integers(0, len(at), size=(b, len(at)))] + np.arange(b)[:, None] * v
            both.append(np.bincount(drawn.ravel(), minlength=b * v).reshape(b, v).cumsum(axis=1))
        yield both[0], both[1]


def partial_area(fpf: Floats, tpf: Floats, low: float = 0.0, high: float = 1.0) -> Floats:
    """∫ ROC(t) dt over low < t < high, by trapezoids with the curves (…, v) interpolated at both ends."""
    inside = np.diff(fpf.clip(low, high), axis=-1)
    return np.asarray((_mean_height(fpf, tpf, low, high) * inside).sum(axis=-1))


def _mean_height(fpf: Floats, tpf: Floats, low: float, high: float) -> Floats:
    """(…, v − 1) mean of ROC over the part of each segment that lies in the range; 0 for vertical ones."""
    left, clipped, width = fpf[..., :-1], fpf.clip(low, high), np.diff(fpf, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = ((clipped[..., 1:] + clipped[..., :-1]) / 2 - left) / width
    return np.where(width > 0, tpf[..., :-1] + np.nan_to_num(middle) * np.diff(tpf, axis=-1), 0.0)


def partial_components(
    fpf: Floats,  # (v + 1,) from 0 to 1
    tpf: Floats,
    low: float,
    high: float,
) -> tuple[Floats, Floats]:
    """V10 and V01 (v,) of the positives and of the negatives at each distinct score: DeLong's components for a range.

    A positive at FPF u adds to the area where t > u:  V10 = (high − max(u, low))₊. Moving the mass of a
    negative at u moves the quantiles inside the range, which changes the area by ROC(u), u clipped to the
    range: V01 = ROC(min(max(u, low), high)). No density is needed (it is the derivative of ∫ TPF(FPF⁻¹(t)) dt).
    Scores tied across classes are spread evenly over their segment, which counts ties ½; over (0, 1) both
    are exactly DeLong's V10 and V01.
    """
    left, right = fpf[:-1], fpf[1:]
    width = right - left
    with np.errstate(divide="ignore", invalid="ignore"):
        tied = (_gain(right, low, high) - _gain(left, low, high)) / width
    v10 = np.where(width > 0, np.nan_to_num(tied), (high - left.clip(low, high)))
    at_low, at_high = np.interp([low, high], fpf, tpf)
    below, above = (np.minimum(right, low) - left).clip(0), (right - np.maximum(left, high)).clip(0)
    inside = (np.minimum(right, high) - np.maximum(left, low)).clip(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        v01 = (below * at_low + inside * _mean_height(fpf, tpf, low, high) + above * at_high) / width
    return v10, np.nan_to_num(v01)  # a vertical segment holds no negative


def _gain(u: Floats, low: float, high: float) -> Floats:
    """Antiderivative of (high − max(u, low))₊ in u."""
    inside = u.clip(low, high)
    return np.minimum(u, low) * (high - low) + (inside - low) * high - (inside**2 - low**2) / 2


def curve_rows(
    scores: Floats,  # (n,)
    positive: Bools,  # (n,)
    weights: Floats,  # (b, n) how often a case counts
) -> tuple[Floats, Floats]:
    """(b, u + 1) FPF and TPF of every weighting, from (0, 0) to (1, 1); a point for each of the u values."""
    order = np.argsort(-scores, kind="stable")  # thresholds from high to low
    ordered = scores[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))  # last case of each value
    out = []
    for of in (~positive, positive):
        mass = np.cumsum(weights[:, order] * of[order], axis=1, dtype=float)[:, ends]
        out.append(np.hstack([np.zeros((len(weights), 1)), mass / mass[:, -1:]]))
    return out[0], out[1]
