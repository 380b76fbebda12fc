"""Comparisons won by the cases that a replicate left out, and sums of squares over its pairs, without a table of pairs."""

from __future__ import annotations

import numpy as np

from trueness.kernels import jit


@jit
def won_rows(scores, left_out, positive):
    """(b, n) for each case that row b left out how many cases of the other class, also left out, it is in order with
    (positives above, negatives below), ties counting ½; 0 for the others.

    `scores` (b, n), `left_out` (b, n) and `positive` (n,) of bool. Both classes are sorted once: O(n log n) per row.
    """
    rows, n = scores.shape
    out = np.zeros((rows, n))
    up, down = np.empty(n), np.empty(n)
    for b in range(rows):
        p = q = 0
        for i in range(n):
            if left_out[b, i]:
                if positive[i]:
                    up[p] = scores[b, i]
                    p += 1
                else:
                    down[q] = scores[b, i]
                    q += 1
        ups, downs = np.sort(up[:p]), np.sort(down[:q])
        for i in range(n):
            if left_out[b, i]:
                s = scores[b, i]
                if positive[i]:
                    out[b, i] = (np.searchsorted(downs, s, "left") + np.searchsorted(downs, s, "right")) / 2
                else:
                    out[b, i] = p - (np.searchsorted(ups, s, "left") + np.searchsorted(ups, s, "right")) / 2
    return out


def won_in_groups(scores: np.ndarray, positive: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) comparisons won and made by each case of one row with the cases of the other class in its own group."""
    rank = np.unique(scores, return_inverse=True)[1]
    width = int(rank.max(initial=0)) + 1
    key, first = groups * width + rank, groups * width
    won, made = np.empty(len(key)), np.empty(len(key))
    for of in (positive, ~positive):
        others = np.sort(key[~of])
        at = np.searchsorted(others, first[of])
        below = (np.searchsorted(others, key[of], "left") + np.searchsorted(others, key[of], "right")) / 2 - at
        made[of] = np.searchsorted(others, first[of] + width) - at
        won[of] = below if of is positive else made[of] - below
    return won, made


@jit
def squared_residuals(signs, scores, of_up, of_down, centre, step):
    """Σ over pairs of e², e_ij = Σ_r sign_r ψ_r,ij − c_i − c_j + A.

    Shapes: `signs` (r,), `scores` (r, m), `of_up` and `of_down` indexes of the cases by class, `centre` (m + 1,) c of
    each and A. Every `step`-th positive stands for `step` of them.
    """
    total, done = 0.0, 0
    for k in range(0, len(of_up), step):
        done += 1
        i = of_up[k]
        for j in of_down:
            e = centre[-1] - centre[i] - centre[j]
            for r in range(len(signs)):
                e += signs[r] * (0.5 * (scores[r, i] > scores[r, j]) + 0.5 * (scores[r, i] >= scores[r, j]))
            total += e * e
    return total * (len(of_up) / max(done, 1))


@jit
def residuals_of_units(signs, scores, of_up, of_down, unit, units, centre):
    """(units, units, 2) Σ e of the positives of one unit with the negatives of another, and the number of the pairs;
    `unit` (m,) numbers the units of the cases. Arguments as in `squared_residuals`."""
    out = np.zeros((units, units, 2))
    for i in of_up:
        for j in of_down:
            e = centre[-1] - centre[i] - centre[j]
            for r in range(len(signs)):
                e += signs[r] * (0.5 * (scores[r, i] > scores[r, j]) + 0.5 * (scores[r, i] >= scores[r, j]))
            out[unit[i], unit[j], 0] += e
            out[unit[i], unit[j], 1] += 1
    return out
