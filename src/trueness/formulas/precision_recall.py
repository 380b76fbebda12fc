"""Three areas under a precision–recall curve, and how each case moves them.

Each area is Σ_k step(TP_{k−1}, FP_{k−1}, TP_k, FP_k) / TP_m over the m distinct scores from high to low, with counts at
or above each, and (0, 0) before the first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trueness.formulas.tables import STEP
from trueness.typing import Array, Bools, Floats, Ints

Step = Callable[[Array, Array, Array, Array], Array]


def area(step: Step, tp: Array, fp: Array) -> float:
    """The area of steps of this kind."""
    t0, f0 = _before(tp), _before(fp)
    return float(step(t0, f0, tp.astype(float), fp.astype(float)).sum() / tp[-1])


def influence(step: Step, tp: Ints, fp: Ints, places: Ints, positive: Bools) -> Floats:
    """(n,) derivative of the area by the weight of each case, which has the place `places` among the scores.

    They sum to 0, and the sum of their squares estimates the variance of the area (infinitesimal jackknife, Efron
    1982). A case at place p is in the counts of p and of all places after it. Derivatives of a step by its four
    counts are complex steps, Im f(x + ih)/h.
    """
    counts = (_before(tp), _before(fp), tp.astype(float), fp.astype(float))
    by_before_t, by_before_f, by_t, by_f = (
        step(*(c + 1j * STEP if k == moved else c for k, c in enumerate(counts))).imag / STEP for moved in range(4)
    )
    total = tp[-1]
    of_t, of_f = (own + np.append(later[1:], 0.0) for own, later in ((by_t, by_before_t), (by_f, by_before_f)))
    of_t[-1] -= area(step, tp, fp)
    of_ups, of_downs = (np.cumsum(d[::-1])[::-1] / total for d in (of_t, of_f))
    return np.asarray(np.where(positive, of_ups[places], of_downs[places]))


def _before(counts: Array) -> Floats:
    return np.concatenate([[0.0], counts[:-1]])


def rectangles(t0: Array, f0: Array, t1: Array, f1: Array) -> Array:
    """Average precision: Σ (r_i − r_{i−1}) p_i."""
    return np.asarray((t1 - t0) * t1 / (t1 + f1))


def trapezoids(t0: Array, f0: Array, t1: Array, f1: Array) -> Array:
    """Σ (r_i − r_{i−1})(p_i + p_{i−1})/2, (0, 1) first."""
    n0 = t0 + f0
    first = n0.real == 0
    before = np.where(first, 1.0, t0 / np.where(first, 1.0, n0))
    return np.asarray((t1 - t0) * (t1 / (t1 + f1) + before) / 2)


def interpolated(t0: Array, f0: Array, t1: Array, f1: Array) -> Array:
    """FP linear in TP between neighbouring thresholds (Davis & Goadrich 2006), which is attainable.

    From (TP, FP) = (a, b) with h = ΔFP/ΔTP the precision at TP = t is t/((1 + h) t + b − h a), so a step gives
    ∫ dt t/(u t + v) = [t/u − (v/u²) ln(u t + v)] with u = 1 + h, v = b − h a (Boyd, Eng & Page 2013).
    """
    gain = t1 - t0
    up = gain.real > 0  # where no positive comes in, recall does not move and no area is added
    gain = np.where(up, gain, 1.0)
    u = 1 + (f1 - f0) / gain
    v = f0 - (u - 1) * t0
    start = (t0.real == 0) & (f0.real == 0)  # v = 0: the precision is the same all along
    log = np.log(np.where(start, 1.0, (u * t1 + v) / np.where(start, 1.0, u * t0 + v)))
    return np.where(up, gain / u - np.where(start, 0.0, v / u**2 * log), 0.0)
