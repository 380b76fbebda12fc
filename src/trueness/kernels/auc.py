"""The Mann–Whitney AUC of one row of scores or of many, with weights and ties."""

from __future__ import annotations

import numpy as np

from trueness.kernels import jit


def auc(positives: np.ndarray, negatives: np.ndarray) -> float:
    """AUC = mean of ψ over all pairs, ψ = 1, ½, 0 for >, =, <  (Yousef, ML Assessment, eq. 6)."""
    return int(twice_below(positives, negatives).sum()) / (2 * len(positives) * len(negatives))


def placements(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(n,) share of `reference` below each value, ties counting ½."""
    return twice_below(values, reference) / (2 * len(reference))


def twice_below(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(n,) twice the number of `reference` below each value, plus the number equal to it: whole numbers."""
    return others_below(np.concatenate([values, reference]), np.arange(len(values) + len(reference)) < len(values))[
        : len(values)
    ]


def others_below(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """(n,) twice the number of cases of the other class below each case, plus the number equal to it."""
    scores = _floats(scores)
    return _others_below(scores, np.argsort(scores), positive)


def weighted_auc_rows(
    scores: np.ndarray,  # (b, n)
    positive: np.ndarray,  # (n,) bool
    weights: np.ndarray,  # (b, n) how often a case counts; 0 leaves it out
) -> np.ndarray:
    """(b,) AUC of every row over its weighted cases; NaN where a class has no weight.

    AUC_b = Σ_ij w_i w_j ψ(s_i, s_j) / Σ_ij w_i w_j, i over positives, j over negatives.
    """
    scores = _floats(scores)
    return _weighted_auc_rows(scores, np.argsort(scores, axis=1), positive.astype(float), _floats(weights))


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=float)


@jit
def _others_below(scores, order, positive):
    """`order` sorts the scores; all cases with one score are counted before any of them is answered."""
    out, begin, up, down = np.empty(len(scores), np.int64), 0, 0, 0
    while begin < len(scores):
        end, ups, downs = begin, up, down
        while end < len(scores) and scores[order[end]] == scores[order[begin]]:
            up += positive[order[end]]
            down += not positive[order[end]]
            end += 1
        for i in order[begin:end]:
            out[i] = downs + down if positive[i] else ups + up
        begin = end
    return out


@jit
def _weighted_auc_rows(scores, order, positive, weights):
    """`order` sorts the scores, `positive` is 1 or 0."""
    out = np.empty(len(weights))
    for b in range(len(weights)):
        row, by_score = scores[b], order[b]
        won, ups, below = 0.0, 0.0, 0.0  # weight of the pairs in order, of the positives and of the negatives so far
        up, down = 0.0, 0.0  # weight of the cases with the present score
        for k in range(len(by_score)):
            i = by_score[k]
            if k > 0 and row[i] != row[by_score[k - 1]]:
                won += up * (below + down / 2)
                ups, below, up, down = ups + up, below + down, 0.0, 0.0
            up += weights[b, i] * positive[i]
            down += weights[b, i] * (1.0 - positive[i])
        won += up * (below + down / 2)
        ups, below = ups + up, below + down
        out[b] = won / (ups * below) if ups * below > 0 else np.nan
    return out
