"""Scores of two classes: the Mann–Whitney AUC of one row or of many, with weights and ties, and counts at each score; and
sums over pairs (one case of each class) that a replicate left out: what the LPOB is made of.

Shapes of the latter: b replicates, n1 positives, n2 negatives. `up` (b, n1) and `down` (b, n2) are scores, NaN where the
case was in the training set, so that every comparison with it is false. For each positive the replicates that left it out
are visited, and its score is compared with those of some hundred negatives: contiguous arrays that stay in the cache.
"""

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
    won, _ = won_rows(_floats(scores)[None], np.ones((1, len(scores)), bool), np.asarray(positive))
    twice = (2 * won[0]).astype(np.int64)
    return np.where(positive, twice, 2 * np.count_nonzero(positive) - twice)


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


REPLICATES, NEGATIVES = 128, 512  # compared at a time
SUMS = {"reassoc", "contract"}  # sums may be added in the order that suits the processor's vectors


def pair_wins(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(n1, n2) Σ_b I_i I_j ψ_ij; whole and half numbers."""
    won = np.zeros((up.shape[1], down.shape[1]))
    ups = _by_case(up)
    for at in _slices(down.shape[1], NEGATIVES):
        tile = np.zeros(won[:, at].shape)
        for some, scores in ups:
            _add_wins(scores, _floats(down[some, at]), tile)
        won[:, at] = tile
    return won


def pair_residuals(
    up: np.ndarray, down: np.ndarray, won: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of the residuals I_i I_j (ψ_ij − A_ij), A_ij = won_ij / D_ij, over the pairs of each replicate.

    `up` (b, n1) and `down` (b, n2) may be a part of the replicates that `won` = Σ_b I_i I_j ψ_ij and `times` =
    D_ij = Σ_b I_i I_j, (n1, n2), are over. Sums over the pairs of each positive (b, n1) and negative (b, n2) are of
    residuals divided by D_ij − 1 (or 1), sums over all pairs (b,) of residuals divided by D_ij.
    """
    rows, cols, totals = np.zeros(up.shape), np.empty(down.shape), np.zeros(len(up))
    ups = _by_case(up)
    for at in _slices(down.shape[1], NEGATIVES):
        tables = _floats(won[:, at]), _floats(times[:, at])
        for some, scores in ups:
            of_up, cols[some, at], of_all = _residuals(scores, _floats(down[some, at]), *tables)
            rows[some] += of_up.T
            totals[some] += of_all
    return rows, cols, totals


def residual_squares(
    contrast: list[tuple[float, np.ndarray, np.ndarray]],  # coefficient, up (b, n1), down (b, n2) of each rule
    mean: np.ndarray,  # (n1, n2) A_ij of the contrast
    times: np.ndarray,  # (n1, n2) D_ij
) -> float:
    """Σ_b Σ_ij ρ_ij², ρ_ij = I_i I_j (ψ_ij − A_ij)/(D_ij − 1), ψ_ij = Σ coefficient · ψ_ij of each rule."""
    coefficients, total = np.array([c for c, _, _ in contrast]), 0.0
    ups = [_by_case(up) for _, up, _ in contrast]
    for at in _slices(mean.shape[1], NEGATIVES):
        tables = np.ascontiguousarray(mean[:, at]), _floats(times[:, at])
        for blocks in zip(*ups, strict=True):
            downs = np.stack([_floats(down[blocks[0][0], at]) for _, _, down in contrast])
            total += _squares(coefficients, np.stack([scores for _, scores in blocks]), downs, *tables)
    return total


def _by_case(up: np.ndarray) -> list[tuple[slice, np.ndarray]]:
    """Blocks of replicates, and the scores (n1, b) of each."""
    return [(some, _floats(up[some].T)) for some in _slices(len(up), REPLICATES)]


def _slices(n: int, step: int) -> list[slice]:
    return [slice(start, start + step) for start in range(0, n, step)]


@jit
def _left_out(scores, which):
    """Writes the replicates that left a case out to `which`, and returns how many there are."""
    n = 0
    for b in range(len(scores)):
        which[n] = b
        n += not np.isnan(scores[b])
    return n


@jit
def _add_wins(up, down, won):
    """Adds Σ_b ψ to `won` (n1, m); `up` (n1, b), `down` (b, m)."""
    which = np.empty(up.shape[1] + 1, np.int64)
    for i in range(len(up)):
        total = won[i]
        for e in range(_left_out(up[i], which)):
            u, scores = up[i, which[e]], down[which[e]]
            for j in range(len(total)):
                total[j] += 1.0 if scores[j] < u else (0.5 if scores[j] == u else 0.0)


@jit(fastmath=SUMS)
def _residuals(up, down, won, times):
    """Sums of the residuals over D − 1 by positive (n1, b) and by negative (b, m), and of those over D (b,)."""
    (n1, b), m = up.shape, down.shape[1]
    rows, cols, totals, which = np.zeros((n1, b)), np.zeros((b, m)), np.zeros(b), np.empty(b + 1, np.int64)
    tie, half, ratio = np.empty(m), np.empty(m), np.empty(m)
    for i in range(n1):
        for j in range(m):
            d = max(times[i, j], 1.0)
            weight = 1 / max(d - 1, 1.0) if times[i, j] > 0 else 0.0  # such a pair does not count
            tie[j], half[j], ratio[j] = (0.5 - won[i, j] / d) * weight, 0.5 * weight, max(d - 1, 1.0) / d
        for e in range(_left_out(up[i], which)):
            u, scores, col = up[i, which[e]], down[which[e]], cols[which[e]]
            total, exact = 0.0, 0.0
            for j in range(m):
                score, same, more = scores[j], tie[j], half[j]  # all are read, so that the loop has no branches
                rho = same if score == score else 0.0  # 0 where the negative is in the training set
                rho = same + more if score < u else rho
                rho = same - more if score > u else rho
                col[j] += rho
                total += rho
                exact += rho * ratio[j]
            rows[i, which[e]] = total
            totals[which[e]] += exact
    return rows, cols, totals


@jit(fastmath=SUMS)
def _squares(coefficients, ups, downs, mean, times):
    """`ups` (rules, n1, b), `downs` (rules, b, m), `mean` and `times` (n1, m)."""
    rules, n1, b = ups.shape
    m = mean.shape[1]
    weight, value, which, total = np.empty(m), np.empty(m), np.empty(b + 1, np.int64), 0.0
    for i in range(n1):
        for j in range(m):
            weight[j] = 1 / max(times[i, j] - 1, 1.0) if times[i, j] > 0 else 0.0
        for e in range(_left_out(ups[0, i], which)):
            for j in range(m):
                value[j] = -mean[i, j]
            for k in range(rules):
                u, scores, half = ups[k, i, which[e]], downs[k, which[e]], coefficients[k] / 2
                for j in range(m):
                    value[j] += (half if scores[j] < u else 0.0) + (half if scores[j] <= u else 0.0)
            scores, squares = downs[0, which[e]], 0.0
            for j in range(m):
                rho = value[j] * weight[j] if scores[j] == scores[j] else 0.0
                squares += rho * rho
            total += squares
    return total


def won_rows(scores: np.ndarray, left_out: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(b, n) for each case that row b left out how many cases of the other class, also left out, it is in order with
    (positives above, negatives below), ties counting ½; 0 for the others. And (b,) how many pairs are tied.

    `scores` (b, n), `left_out` (b, n) and `positive` (n,) of bool. One sort per row.
    """
    out, tied = np.zeros(scores.shape), np.zeros(len(scores))
    for b, left in enumerate(left_out):
        cases = np.flatnonzero(left)
        values = scores[b, cases]
        tied[b] = _write_won(values, np.argsort(values), positive[cases], cases, out[b])
    return out, tied


@jit
def _write_won(scores, order, positive, cases, out):
    """`order` sorts the scores of the cases; writes to out[cases], and returns how many pairs are tied."""
    begin, ups, downs, tied, all_up = 0, 0, 0, 0.0, positive.sum()
    while begin < len(order):
        end, score, up, down = begin, scores[order[begin]], 0, 0
        while end < len(order) and scores[order[end]] == score:
            up += positive[order[end]]
            end += 1
        down = end - begin - up
        for k in range(begin, end):
            i = order[k]
            out[cases[i]] = downs + down / 2 if positive[i] else all_up - ups - up / 2
        tied += float(up) * down
        begin, ups, downs = end, ups + up, downs + down
    return tied


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
def _psi(up, down):
    return 0.5 * (up > down) + 0.5 * (up >= down)


@jit
def squared_differences(first, second, up, down, step):
    """Σ over pairs of (ψ − ψ')² of two rules; `first` and `second` (m,) are their scores, `up` and `down` indexes of the
    cases by class. Every `step`-th positive stands for `step` of them."""
    total, done = 0.0, 0
    for k in range(0, len(up), step):
        done += 1
        u, v, found = first[up[k]], second[up[k]], 0.0
        for j in down:
            difference = _psi(u, first[j]) - _psi(v, second[j])
            found += difference * difference
        total += found
    return total * (len(up) / max(done, 1))


@jit
def products_of_classes(signs, scores, first, second, centre, step):
    """Σ e e' over pairs of a case of one class and one of another, e that of the first class against the rest, and e' of
    the second; `signs` (r,) and `scores` (2, r, n) are of the rules, `first` and `second` indexes of the cases by class,
    `centre` (2, n + 1) c of each and A. Every `step`-th case of the first class stands for `step` of them."""
    total, done = 0.0, 0
    for k in range(0, len(first), step):
        i = first[k]
        done += 1
        for j in second:
            e = centre[0, -1] - centre[0, i] - centre[0, j]
            other = centre[1, -1] - centre[1, i] - centre[1, j]
            for r in range(len(signs)):
                e += signs[r] * _psi(scores[0, r, i], scores[0, r, j])
                other += signs[r] * _psi(scores[1, r, j], scores[1, r, i])
            total += e * other
    return total * (len(first) / max(done, 1))


@jit
def residuals_of_units(signs, scores, of_up, of_down, unit, units, centre):
    """(units, units, 2) Σ e of the positives of one unit with the negatives of another, and the number of the pairs;
    `unit` (m,) numbers the units of the cases, `signs` (r,) and `scores` (r, m) are of the rules, `of_up` and
    `of_down` indexes of the cases by class, `centre` (m + 1,) c of each and A."""
    out = np.zeros((units, units, 2))
    for i in of_up:
        for j in of_down:
            e = centre[-1] - centre[i] - centre[j]
            for r in range(len(signs)):
                e += signs[r] * _psi(scores[r, i], scores[r, j])
            out[unit[i], unit[j], 0] += e
            out[unit[i], unit[j], 1] += 1
    return out
