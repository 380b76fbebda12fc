"""Scores of two classes: the Mann–Whitney AUC of one row or of many, with weights and ties, and counts at each score."""

import numpy as np

from trueness.kernels import jit

SHORT_ROW = 4096  # cases of a row up to which all rows are sorted at once


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
    apart: np.ndarray | None = None,  # (n,) groups whose own cases are not compared with each other
) -> np.ndarray:
    """(b,) AUC of every row over its weighted cases; NaN where there is no pair.

    AUC_b = Σ_ij w_i w_j ψ(s_i, s_j) / Σ_ij w_i w_j, i over positives, j over negatives, with `apart` of other groups.
    """
    if apart is not None:
        return _between_groups(scores, positive, weights, apart)
    scores, weights, up = _floats(scores), _floats(weights), positive.astype(float)
    if scores.shape[1] < SHORT_ROW:
        return _weighted_auc_rows(scores, np.argsort(scores, axis=1), up, weights)
    out = np.empty(len(scores))
    for b, row in enumerate(weights):  # cases without weight are not sorted
        used = np.flatnonzero(row)
        some = scores[b : b + 1, used]
        out[b] = _weighted_auc_rows(some, np.argsort(some, axis=1), up[used], weights[b : b + 1, used])[0]
    return out


def _between_groups(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The pairs of all cases, less those of each group."""
    won, made = np.zeros((2, len(scores)))
    for sign, of in [(1.0, np.arange(len(groups)))] + [(-1.0, np.flatnonzero(groups == g)) for g in np.unique(groups)]:
        up = positive[of]
        if up.any() and not up.all():
            pairs = weights[:, of[up]].sum(axis=1) * weights[:, of[~up]].sum(axis=1)
            made += sign * pairs
            won += sign * pairs * np.nan_to_num(weighted_auc_rows(scores[:, of], up, weights[:, of]))
    return np.asarray(np.where(made > 0, won / np.where(made > 0, made, 1.0), np.nan))


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


COUNTS = np.dtype([("score", np.float64), ("first", np.int64), ("second", np.int64)])


def count_scores(scores: np.ndarray, first: np.ndarray) -> np.ndarray:
    """(v,) rows of `COUNTS`: distinct scores, how many cases `first` (n,), and how many others have each. −0 is 0."""
    out = np.empty(len(scores), COUNTS)
    return out[: _count_sorted(np.sort(scores[first]), np.sort(scores[~first]), out)]


def curve_counts(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct scores (v,), and how many positives and negatives are at or above each (v,), (v,)."""
    values, tp, fp = curve_points(scores, positive)
    return values[1:], tp[1:], fp[1:]


def curve_points(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `curve_counts`, with a first point (v + 1,) at which no case is called positive; its threshold is +∞."""
    rows = count_scores(np.asarray(scores, dtype=float), positive)
    tp, fp = (np.append(0, np.cumsum(rows[name])) for name in ("first", "second"))
    return np.append(np.inf, rows["score"]), tp, fp


def add_equal(rows: np.ndarray) -> np.ndarray:
    """(v,) the rows sorted from high to low, those of equal scores added."""
    order = np.argsort(-rows["score"], kind="stable")  # fast for some sorted runs in a row
    out = np.empty_like(rows)
    return out[: _add_equal(rows, order, out)]


@jit
def _count_sorted(first, second, out):
    """Both sorted upwards; writes the rows to `out`, and returns how many there are."""
    i, j, v = len(first) - 1, len(second) - 1, 0
    while i >= 0 or j >= 0:
        score = first[i] if j < 0 or (i >= 0 and first[i] > second[j]) else second[j]
        i0, j0 = i, j
        while i >= 0 and first[i] == score:
            i -= 1
        while j >= 0 and second[j] == score:
            j -= 1
        out[v]["score"], out[v]["first"], out[v]["second"] = score + 0.0, i0 - i, j0 - j  # −0 is 0
        v += 1
    return v


@jit
def _add_equal(rows, order, out):
    v = -1
    for k in order:
        if v < 0 or rows[k]["score"] != out[v]["score"]:
            v += 1
            out[v]["score"], out[v]["first"], out[v]["second"] = rows[k]["score"], 0, 0
        out[v]["first"] += rows[k]["first"]
        out[v]["second"] += rows[k]["second"]
    return v + 1
