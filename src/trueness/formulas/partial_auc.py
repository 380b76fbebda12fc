"""Partial area under the empirical ROC curve, with one number per distinct score for its variance."""

from __future__ import annotations

import numpy as np

from trueness.typing import Floats


def partial_area(fpf: Floats, tpf: Floats, low: float, high: float) -> float:
    """∫ ROC(t) dt over low < t < high, by trapezoids with the curve interpolated at both ends."""
    left, right = fpf[:-1], fpf[1:]
    return float(np.sum(_mean_height(fpf, tpf, low, high) * (np.minimum(right, high) - np.maximum(left, low)).clip(0)))


def _mean_height(fpf: Floats, tpf: Floats, low: float, high: float) -> Floats:
    """(v,) mean of ROC over the part of each segment that lies in the range; 0 for vertical ones."""
    left, right = fpf[:-1], fpf[1:]
    a, b = left.clip(low, high), right.clip(low, high)
    width = right - left
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = ((a + b) / 2 - left) / width
    return np.where(width > 0, tpf[:-1] + np.nan_to_num(middle) * np.diff(tpf), 0.0)


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
