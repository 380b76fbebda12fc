"""Areas under precision–recall curves as sums of steps, and how every case moves them."""

from collections.abc import Callable

import numpy as np

from trueness.formulas.roc import places
from trueness.formulas.tables import STEP
from trueness.kernels.auc import curve_counts
from trueness.typing import Array, Bools, Floats, Ints

# Each area is Σ_k step(TP_{k−1}, FP_{k−1}, TP_k, FP_k) / n1 over the m distinct scores from high to low, with counts at
# or above each, and (0, 0) before the first.
Step = Callable[[Array, Array, Array, Array], Array]


def reached_counts(scores: Floats, positive: Bools) -> tuple[Floats, Ints, Ints]:
    """Distinct scores from high to low, and positives and negatives at or above each; −∞ is no score."""
    values, tp, fp = curve_counts(scores, positive)
    return values[(reached := values > -np.inf)], tp[reached], fp[reached]


def area_of(step: Step, tp: Array, fp: Array, n1: int) -> float:
    """The area of steps of this kind between these counts, of n1 positives."""
    return min(1.0, float(step(*_counts_of_steps(tp, fp)).sum() / n1))


def _counts_of_steps(tp: Array, fp: Array) -> tuple[Floats, Floats, Floats, Floats]:
    t, f = np.append(0.0, tp), np.append(0.0, fp)
    return t[:-1], f[:-1], t[1:], f[1:]


def step_influence(step: Step, scores: Floats, positive: Bools) -> Floats:
    """(n,) derivative of the area by the weight of each case.

    They sum to 0, and the sum of their squares estimates the variance of the area (infinitesimal jackknife, Efron
    1982). A case is in the counts of its score and of all lower ones, and with −∞ in none. Derivatives of a step by its
    four counts are complex steps, Im f(x + ih)/h.
    """
    values, tp, fp = reached_counts(scores, positive)
    counts = _counts_of_steps(tp, fp)
    by_before_t, by_before_f, by_t, by_f = (
        step(*(c + 1j * STEP if k == moved else c for k, c in enumerate(counts))).imag / STEP for moved in range(4)
    )
    n1, each = int(positive.sum()), ((by_t, by_before_t), (by_f, by_before_f))
    of_t, of_f = (np.append(own + np.append(later, 0.0)[1:], 0.0) for own, later in each)
    of_t[-1] = -area_of(step, tp, fp, n1)
    at = places(values, scores)
    of_ups, of_downs = (np.cumsum(d[::-1])[::-1] / n1 for d in (of_t, of_f))
    return np.asarray(np.where(positive, of_ups[at], of_downs[at]))


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


STEPS: dict[str, Step] = {
    "auc": trapezoids,
    "average_precision": rectangles,
    "auc_interpolated": interpolated,
}
