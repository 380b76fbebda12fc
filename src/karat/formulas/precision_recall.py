"""Three areas under a precision–recall curve."""

from __future__ import annotations

import numpy as np

from karat.typing import Floats, Ints


def trapezoids(recall: Floats, precision: Floats) -> float:
    """Σ (r_i − r_{i−1})(p_i + p_{i−1})/2 over all points, (0, 1) first."""
    return float((np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


def rectangles(recall: Floats, precision: Floats) -> float:
    """Average precision: Σ (r_i − r_{i−1}) p_i."""
    return float((np.diff(recall) * precision[1:]).sum())


def interpolated_area(tp: Ints, fp: Ints) -> float:
    """Area with FP linear in TP between neighbouring thresholds (Davis & Goadrich 2006), which is attainable.

    From (TP, FP) = (a, b) with h = ΔFP/ΔTP the precision at TP = t is t/((1 + h) t + b − h a), so a step gives
    ∫ dt t/(u t + v) = [t/u − (v/u²) ln(u t + v)] with u = 1 + h, v = b − h a (Boyd, Eng & Page 2013).
    """
    a, b = np.concatenate([[0], tp[:-1]]), np.concatenate([[0], fp[:-1]])
    gain = tp - a
    up = gain > 0  # where no positive comes in, recall does not move and no area is added
    a, b, t, gain = a[up], b[up], tp[up], gain[up]
    u = 1 + (fp[up] - b) / gain
    v = b - (u - 1) * a
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = (t - a) / u - v / u**2 * np.log((u * t + v) / (u * a + v))
    straight = (t - a) / u  # v = 0: the precision is the same all along
    return float(np.where(v == 0, straight, curved).sum() / tp[-1])
