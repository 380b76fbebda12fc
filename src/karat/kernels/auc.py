"""The Mann–Whitney AUC of one row of scores or of many, with weights and ties."""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import twin


def steps(ordered: np.ndarray) -> np.ndarray:
    """(n − 1,) where a sorted vector takes a new value. Not by differences: those of infinities are NaN."""
    return ordered[1:] != ordered[:-1]


def auc(positives: np.ndarray, negatives: np.ndarray) -> float:
    """AUC = mean of ψ over all pairs, ψ = 1, ½, 0 for >, =, <  (seeds/000, eq. 6)."""
    return twice_psi(positives, negatives) / (2 * len(positives) * len(negatives))


@twin
def twice_psi(positives: np.ndarray, negatives: np.ndarray) -> int:
    """2 Σ ψ over all pairs: a whole number."""
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left")
    up_to = np.searchsorted(ordered, positives, side="right")
    return int(below.sum() + up_to.sum())


@twin
def placements(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Share of `reference` below each value, ties counting ½."""
    ordered = np.sort(reference)
    below = np.searchsorted(ordered, values, side="left")
    up_to = np.searchsorted(ordered, values, side="right")
    return (below + up_to) / (2 * len(reference))


@twin
def auc_rows(
    scores: np.ndarray,  # (b, n)
    positive: np.ndarray,  # (n,) bool
) -> np.ndarray:
    """(b,) AUC of every row over all cases; both classes must be there."""
    up, down = scores[:, positive], scores[:, ~positive]
    pairs = 2 * up.shape[1] * down.shape[1]
    return np.array([twice_psi.reference(u, d) / pairs for u, d in zip(up, down, strict=True)])  # type: ignore[attr-defined]


@twin
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


@twin
def auc_of_counts(
    scores: np.ndarray,  # (n,)
    positive: np.ndarray,  # (n,) bool
    counts: np.ndarray,  # (b, n) how often resample b holds each case
) -> np.ndarray:
    """(b,) AUC of fixed scores over resamples of the cases; NaN where a class is empty. Sorted once, then O(n) each."""
    order = np.argsort(scores, kind="stable")
    up = np.where(positive, counts, 0)[:, order].astype(float)
    down = np.where(positive, 0, counts)[:, order].astype(float)
    ties = np.flatnonzero(np.concatenate([[True], steps(scores[order])]))  # first of each value
    up, down = np.add.reduceat(up, ties, axis=1), np.add.reduceat(down, ties, axis=1)
    below = np.cumsum(down, axis=1) - down / 2
    with np.errstate(invalid="ignore"):
        return (up * below).sum(axis=1) / (up.sum(axis=1) * down.sum(axis=1))
