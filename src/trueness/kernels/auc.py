"""The Mann–Whitney AUC of one row of scores or of many, with weights and ties."""

from __future__ import annotations

import numpy as np

from trueness.kernels import jit

PER_VALUE = 4  # buckets per reference value, so that most of them hold one value or none
CROWDED = 16  # a bucket with more values than this: the reference is sorted instead


def auc(positives: np.ndarray, negatives: np.ndarray) -> float:
    """AUC = mean of ψ over all pairs, ψ = 1, ½, 0 for >, =, <  (Yousef, ML Assessment, eq. 6)."""
    return int(twice_below(positives, negatives).sum()) / (2 * len(positives) * len(negatives))


def twice_below(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(n,) twice the number of `reference` below each value, plus the number equal to it: whole numbers."""
    values, reference = _floats(values), _floats(reference)
    out = np.empty(len(values), np.int64)
    return out if _twice_below(values, reference, out, *_room(len(reference))) else _by_sorting(values, reference)


def placements(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(n,) share of `reference` below each value, ties counting ½."""
    return twice_below(values, reference) / (2 * len(reference))


def auc_rows(
    scores: np.ndarray,  # (b, n)
    positive: np.ndarray,  # (n,) bool
) -> np.ndarray:
    """(b,) AUC of every row over all cases; both classes must be present."""
    scores, ups, downs = _floats(scores), np.flatnonzero(positive), np.flatnonzero(~positive)
    twice = _twice_psi_rows(scores, ups, downs, *_room(len(downs)))
    for b in np.flatnonzero(twice < 0):
        twice[b] = _by_sorting(scores[b, ups], scores[b, downs]).sum()
    return twice / (2 * len(ups) * len(downs))


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


def auc_of_counts(
    scores: np.ndarray,  # (n,)
    positive: np.ndarray,  # (n,) bool
    counts: np.ndarray,  # (b, n) how often resample b holds each case
) -> np.ndarray:
    """(b,) AUC of fixed scores over resamples of the cases; NaN where a class is empty. Sorted once, then O(n) each."""
    row = _floats(scores)[None]
    return _weighted_auc_rows(row, np.argsort(row, axis=1), positive.astype(float), _floats(counts))


def left_out_ranks(
    scores: np.ndarray,  # (b, n)
    left_out: np.ndarray,  # (b, n) bool
) -> np.ndarray:
    """(b, n) ranks of the scores among the cases that a replicate left out, in single precision; NaN elsewhere.

    A rank is twice the number of scores below, plus the number of equal ones: whole numbers, exact up to 8 million
    cases, and cheaper to compare than the scores.
    """
    scores = _floats(scores)
    out = np.full(scores.shape, np.nan, np.float32)
    crowded = _left_out_ranks(scores, left_out, out, *_room(scores.shape[1]))
    for b in np.flatnonzero(crowded):
        values = scores[b, left_out[b]]
        out[b, left_out[b]] = _by_sorting(values, values)
    return out


def _by_sorting(values: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """`twice_below` of any values."""
    ordered = np.sort(reference)
    return np.searchsorted(ordered, values, side="left") + np.searchsorted(ordered, values, side="right")


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=float)


def _room(size: int) -> tuple[np.ndarray, np.ndarray]:
    """For the buckets of a reference of this size, and for its values."""
    return np.empty(PER_VALUE * size + 3, dtype=np.int64), np.empty(size + 1)


@jit
def _bucket(value, low, scale, last):
    """Monotone in `value`, so that the buckets are in order."""
    return np.int64(min(max((value - low) * scale, 0.0), last))


@jit
def _twice_below(values, reference, out, starts, held):
    """Writes to `out` (n,) twice the number of reference values below each value, plus the number equal to it.

    The reference goes into many buckets of equal width, and a value is compared with those in its own bucket only: a
    fifth of the time of sorting at n = 100,000. False where a bucket is crowded (many ties, outliers, infinite values):
    then the reference has to be sorted. `starts` and `held` are room for the buckets, as `_room` gives it.
    """
    low = high = reference[0]
    for v in reference:
        low, high = min(low, v), max(high, v)
    last = np.float64(PER_VALUE * len(reference))
    scale = last / (high - low)
    if not 0.0 < scale < np.inf:
        return False
    for k in range(PER_VALUE * len(reference) + 3):
        starts[k] = 0
    for v in reference:
        starts[_bucket(v, low, scale, last) + 2] += 1
    total = most = np.int64(0)
    for k in range(2, PER_VALUE * len(reference) + 3):
        total, most = total + starts[k], max(most, starts[k])
        starts[k] = total
    if most > CROWDED:
        return False
    for v in reference:
        k = _bucket(v, low, scale, last) + 1
        held[starts[k]] = v
        starts[k] += 1
    for i in range(len(values)):
        v = values[i]
        k = _bucket(v, low, scale, last)
        begin, end = starts[k], starts[k + 1]  # bucket k is held[begin:end]; most hold one value or none: no branch
        twice = 2 * begin + (np.int64(held[begin] < v) + np.int64(held[begin] <= v)) * np.int64(end > begin)
        for q in range(begin + 1, end):
            twice += np.int64(held[q] < v) + np.int64(held[q] <= v)
        out[i] = twice
    return True


@jit
def _twice_psi_rows(scores, ups, downs, starts, held):
    """(b,) 2 Σ ψ of every row, −1 where `_twice_below` fails; `ups` and `downs` are the numbers of the cases."""
    total, up, down = np.empty(len(scores), np.int64), np.empty(len(ups)), np.empty(len(downs))
    twice = np.empty(len(ups), np.int64)
    for b in range(len(scores)):
        for i in range(len(ups)):
            up[i] = scores[b, ups[i]]
        for j in range(len(downs)):
            down[j] = scores[b, downs[j]]
        total[b] = -1
        if _twice_below(up, down, twice, starts, held):
            total[b] = 0
            for i in range(len(ups)):
                total[b] += twice[i]
    return total


@jit
def _left_out_ranks(scores, left_out, out, starts, held):
    """Writes the ranks to `out`, and returns (b,) where `_twice_below` fails."""
    (rows, n), crowded = scores.shape, np.zeros(len(scores), np.bool_)
    values, twice, cases = np.empty(n + 1), np.empty(n, np.int64), np.empty(n + 1, np.int64)
    for b in range(rows):
        m = 0
        for i in range(n):
            values[m], cases[m] = scores[b, i], i
            m += left_out[b, i]
        if m and _twice_below(values[:m], values[:m], twice, starts, held):
            for k in range(m):
                out[b, cases[k]] = twice[k]
        else:
            crowded[b] = m > 0
    return crowded


@jit
def _weighted_auc_rows(scores, order, positive, weights):
    """`order` sorts the scores, `positive` is 1 or 0; one row of scores and order may serve all rows of weights."""
    out = np.empty(len(weights))
    for b in range(len(weights)):
        row, by_score = scores[min(b, len(scores) - 1)], order[min(b, len(scores) - 1)]
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
