"""The Mann–Whitney AUC of one row of scores or of many, with weights and ties."""

from __future__ import annotations

import numpy as np


def auc(positives: np.ndarray, negatives: np.ndarray) -> float:
    """AUC = mean of ψ over all pairs, ψ = 1, ½, 0 for >, =, <  (seeds/000, eq. 6)."""
    return float(np.mean(placements(positives, negatives)))


def placements(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Share of `reference` below each value, ties counting ½."""
    ordered = np.sort(reference)
    below = np.searchsorted(ordered, values, side="left")
    up_to = np.searchsorted(ordered, values, side="right")
    return (below + up_to) / (2 * len(reference))


def weighted_auc_rows(
    scores: np.ndarray,  # (b, n)
    positive: np.ndarray,  # (n,) bool
    weights: np.ndarray,  # (b, n) how often a case counts; 0 leaves it out
) -> np.ndarray:
    """(b,) AUC of every row over its weighted cases; NaN where a class has no weight.

    AUC_b = Σ_ij w_i w_j ψ(s_i, s_j) / Σ_ij w_i w_j, i over positives, j over negatives.
    """
    result = np.full(len(scores), np.nan)
    for b, (row, weight) in enumerate(zip(scores, weights, strict=True)):
        used = weight > 0
        up, down = used & positive, used & ~positive
        w_up, w_down = weight[up].astype(float), weight[down].astype(float)
        if not w_up.size or not w_down.size:
            continue
        order = np.argsort(row[down], kind="stable")
        ordered = row[down][order]
        mass = np.concatenate([[0.0], np.cumsum(w_down[order])])
        below = mass[np.searchsorted(ordered, row[up], side="left")]
        up_to = mass[np.searchsorted(ordered, row[up], side="right")]
        result[b] = np.dot(w_up, below + up_to) / (2 * w_up.sum() * mass[-1])
    return result
