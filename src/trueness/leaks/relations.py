"""Checks of relations between columns, rows and the target. L013: rows are nearly copies. L014: a column was computed from
the target. L015: missing values go along with the target. L016: two columns together determine the target. L017: the
columns were selected on these cases."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, f_oneway, kruskal, norm

from trueness.leaks.columns import FLIPPED, are_measured, identifiers, impure
from trueness.leaks.copies import cramers_v, equal_but_for_one
from trueness.leaks.findings import ALPHA, Data, Finding, Name, leak_check, named
from trueness.result.words import SMALLEST_P
from trueness.typing import Floats, Ints

NEIGHBOURS = 20  # by which the density around a row is known
FAR = 10  # from this neighbour on: those nearer may be copies
RARE = 1e-5  # chance of a row to be nearer to its copies than to others
NEAR_SHARE = 0.01  # share of rows with near copies that is reported
DISTANCES, FAST_DISTANCES = 2_000_000_000, 100_000_000  # products that distances of rows may take


@leak_check(L013="rows are nearly copies of other rows")
def near_copies(data: Data) -> Iterator[Finding]:
    """Rows that are much nearer to one to nine others than to the next, and rows that differ in one measurement only.

    With m dimensions and even density around a row, (d_j/d_{j+1})^m of the distances to its j-th and next neighbour has
    the distribution function x^j (as in Facco et al. 2017, eq. 2, for j = 1). m is estimated by maximum likelihood from
    the tenth to the twentieth neighbour (Levina & Bickel 2004, eq. 8), which copies do not change.
    """
    columns = _measured(data)
    if len(columns) < 2 or len(data.rows) < 3 * NEIGHBOURS:
        return
    groups = None if data.sample.groups is None else data.sample.groups[data.rows]
    values = _standard(data.numbers[:, columns])
    if groups is None:
        rows, near = _nearest(values, FAST_DISTANCES if data.fast else DISTANCES)
    else:  # the first row of each group: those of one group are alike by nature
        heads = np.unique(groups, return_index=True)[1]
        rows, near = _nearest(values[heads], FAST_DISTANCES if data.fast else DISTANCES)
        rows, near = heads[rows], np.where(near >= 0, heads[near], -1)
    share = float(np.mean(near >= 0)) if len(rows) else 0.0
    if share >= NEAR_SHARE and (near >= 0).sum() > 2:
        same = _same_label(data, near[near >= 0], rows[near >= 0])
        yield _nearly("much nearer to another row than to the rest", share, same)
        return
    for column, found in equal_but_for_one(data.numbers, columns, groups):
        if len(found) and len(columns) > 2 and len(found) / len(data.rows) >= NEAR_SHARE / 2:
            but = f"equal to another row in all columns but {data.names[column]!r}"
            yield _nearly(but, len(found) / len(data.rows), _same_label(data, found[:, 0], found[:, 1]))
            return


def _same_label(data: Data, first: Ints, second: Ints) -> float | None:
    """The share of these pairs of rows with the same label; None where these are halves of numbers."""
    return None if data.halves else float(np.mean(data.codes[first] == data.codes[second]))


def _nearly(how: str, share: float, same: float | None) -> Finding:
    return Finding(
        "L013",
        f"Rows {how}, as where one patient or object was recorded twice: {share:.1%}. Pass what they have in common "
        "as groups=, or keep one of them.",
        "warning",
        share=share,
        same_label=same,
    )


def _measured(data: Data) -> list[int]:
    """Columns of `numbers` without missing values of which nearly all are different, row numbers left out."""
    skipped = set(identifiers(data))
    known = [k for k in np.flatnonzero(~data.missing).tolist() if data.names[k] not in skipped]
    return [k for k in known if are_measured(data.numbers[:, k])]


def _standard(values: Floats) -> Floats:
    """Ranks turned into normal scores would tear near copies apart; so scale by the middle half of the values."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
    spread = np.where(high > low, high - low, 1)
    return np.asarray(np.clip((values - middle) / spread, -10, 10))


def _nearest(values: Floats, products: int) -> tuple[Ints, Ints]:
    """Rows that were looked at, and for each its nearest neighbour where that is nearly a copy, else −1."""
    n, p = values.shape
    if n <= NEIGHBOURS:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    count = min(n, max(100, products // (n * p)))
    rows = np.sort(np.random.default_rng(0).choice(n, count, replace=False))  # the same rows in every call
    distances, first = np.empty((count, NEIGHBOURS)), np.empty(count, dtype=np.intp)
    squares = (values**2).sum(axis=1)
    step = max(1, 4_000_000 // n)
    for start in range(0, count, step):
        some = rows[start : start + step]
        square = squares[some, None] + squares - 2 * values[some] @ values.T
        square[np.arange(len(some)), some] = np.inf
        order = np.argpartition(square, NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]
        exact = np.sqrt(((values[some, None] - values[order]) ** 2).sum(axis=2))  # without cancellation
        first[start : start + step] = order[np.arange(len(some)), exact.argmin(axis=1)]
        distances[start : start + step] = np.sort(exact, axis=1)
    usable = distances[:, FAR - 1] > 0
    distances, rows, first = distances[usable], rows[usable], first[usable]
    if not len(rows):
        return rows, first
    spacing = np.log(distances[:, -1:] / distances[:, FAR - 1 : -1]).mean(axis=1)
    expected = np.mean([sum(1 / i for i in range(k, NEIGHBOURS)) for k in range(FAR, NEIGHBOURS)])  # times 1/m
    dimension = expected / max(float(np.median(spacing)), 1e-3)
    j = np.arange(1, FAR)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = dimension * j * np.log(distances[:, : FAR - 1] / distances[:, 1:FAR])
    chance[distances[:, : FAR - 1] == 0] = np.inf  # equal rows are L006
    return rows, np.where(chance.min(axis=1) < math.log(RARE / (FAR - 1)), first, -1)


ENCODED = 0.8  # share of values that must agree
SMOOTHED = (0, 1, 2, 5, 10, 20, 50, 100)  # usual weights m of the whole sample


@leak_check(L014="a column was computed from the target")
def encoded_target(data: Data) -> Iterator[Finding]:
    """Columns whose values are the share of a class among the cases that have the value: target encoding of all rows."""
    found = [data.names[k] for k in range(len(data.names)) if _is_encoded(data.numbers[:, k], data.codes)]
    if found:
        yield Finding(
            "L014",
            f"Columns that hold the share of a class among the cases with the same value: {named(tuple(found))}. The "
            "target of the test cases went into them. Encode inside a Pipeline (scikit-learn's TargetEncoder).",
            "warning",
            columns=tuple(found),
        )


def _is_encoded(values: Floats, codes: Ints) -> bool:
    """Whether the values v are (k + m·q)/(n + m) for k of n cases of a class, its log odds, or TargetEncoder's mean.

    Categories of one k and n have one value, so that 1 to 20 of them may stand behind it.
    """
    levels, where, sizes = np.unique(values, return_inverse=True, return_counts=True)
    levels, of_several = levels[sizes > 1], sizes[sizes > 1]
    if (
        len(levels) < 4
        or len(sizes) > len(values) / 3
        or not np.isfinite(levels).all()
        or (levels == levels.round()).all()
    ):
        return False
    near = 1e-6 * float(np.ptp(levels))
    n = of_several / np.arange(1, 21)[:, None]
    for c in np.unique(codes):
        k = np.bincount(where, codes == c)[sizes > 1]
        share, q = k / of_several, float((codes == c).mean())
        if len(np.unique(share)) < 4:
            continue
        encoded = [(n * share + m * q) / (n + m) for m in SMOOTHED]
        # scikit-learn's smooth="auto": the weight of a category is n·var(y)/(n·var(y) + its own variance)
        encoded.append(q + (share - q) * n * q * (1 - q) / (n * q * (1 - q) + share * (1 - share)))
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.log(share / (1 - share))
        encoded.append(
            odds[None] - np.median((odds - levels)[np.isfinite(odds)]) if np.isfinite(odds).any() else odds[None]
        )
        if max((np.abs(each - levels) < near).any(axis=0).mean() for each in encoded) > ENCODED:
            return True
    return False


DETERMINED = 0.95  # Cramér's V from which gaps determine the class, which L001 and L002 say


@leak_check(L015="missing values go along with the target")
def informative_gaps(data: Data) -> Iterator[Finding]:
    """Columns whose missing values are more frequent in one class."""
    gaps = {data.names[k]: np.isnan(data.numbers[:, k]) for k in np.flatnonzero(data.missing)}
    gaps |= {name: np.isnan(values) for name, values in data.dates.items()}
    gaps |= {name: np.asarray(pd.isna(texts)) for name, texts in data.texts.items()}
    found: dict[Name, tuple[float, float]] = {}
    for name, gap in gaps.items():
        if 5 <= gap.sum() <= len(gap) - 5:
            table = np.bincount(2 * data.codes + gap, minlength=2 * data.sample.n_classes).reshape(-1, 2)
            table = table[table.any(axis=1)]
            test = chi2_contingency(table, correction=False)
            v = cramers_v(test.statistic, table)
            if test.pvalue * len(gaps) < ALPHA and test.expected_freq.min() >= 5 and v < DETERMINED:
                found[name] = v, max(float(test.pvalue), SMALLEST_P)
    if found:
        columns, strongest = tuple(found), max(v for v, _ in found.values())
        yield Finding(
            "L015",
            f"Columns whose missing values go along with the target (Cramér's V up to {strongest:.2f}): "
            f"{named(columns)}. Find out why they are missing.",
            "warning" if strongest >= 0.3 else "info",
            columns=columns,
            cramers_v=[v for v, _ in found.values()],
            p_value=[p for _, p in found.values()],
        )


FEW_LEVELS = 6  # values of a column that is tried in pairs as it is; others are split at the median
PAIRS, FAST_PAIRS = 2000, 200  # of columns that are tried at most
PAIR_CELLS = 20_000_000  # cases × pairs
DIFFERENCES = 10  # different values of the difference of two measurements, from which on it is one itself
HEAD = 100  # rows that are looked at first


@leak_check(L016="two columns together determine the target")
def determining_pairs(data: Data) -> Iterator[Finding]:
    """Pairs of columns whose values together name the class, where neither does alone: an exclusive-or, or a measurement
    beside its sum with the target."""
    n = len(data.rows)
    for i, j in _few_differences(data, PAIR_CELLS // HEAD):
        between = data.numbers[:, j] - data.numbers[:, i]
        labels, different = pd.factorize(np.round(between, _digits(between)))
        if 2 <= len(different) <= DIFFERENCES and impure(labels, data.codes, data.n_columns**2) is not None:
            yield Finding(
                "L016",
                f"Columns that together determine the target, by their difference: {named((data.names[i], data.names[j]))}.",
                "warning",
                columns=(data.names[i], data.names[j]),
            )
            return
    limit = min(FAST_PAIRS if data.fast else PAIRS, PAIR_CELLS // max(1, n))
    most = int((1 + math.sqrt(1 + 8 * limit)) / 2)
    levels = _few_levels(data, most)
    if len(levels) < 2:
        return
    names, codes, pairs = list(levels), data.codes, len(levels) * (len(levels) - 1) // 2
    for i, j in _pure_pairs(list(levels.values()), codes):
        if any(impure(levels[names[k]], codes, 1) is not None for k in (i, j)):
            continue
        labels = pd.factorize(levels[names[i]] * (int(levels[names[j]].max()) + 1) + levels[names[j]])[0]
        if impure(labels, codes, pairs) is not None:
            columns = names[i], names[j]
            yield Finding(
                "L016",
                f"Columns that together determine the target, each pair of values one class: {named(columns)}.",
                "warning",
                columns=columns,
            )
            return


def _pure_pairs(levels: list[Ints], codes: Ints) -> Iterator[tuple[int, int]]:
    """Pairs of columns whose values together leave at most a share FLIPPED of the cases outside the commonest class, while
    each alone leaves at least half of what no column leaves: two strong markers are no leak.

    The tables of all pairs are the blocks of one product of indicators per class; on the diagonal are those of single
    columns.
    """
    sizes = [int(each.max()) + 1 for each in levels]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    indicators = np.zeros((len(codes), sum(sizes)), dtype=np.float32)
    for start, each in zip(starts, levels, strict=True):
        indicators[np.arange(len(codes)), start + each] = 1
    most = np.zeros((sum(sizes), sum(sizes)), dtype=np.float32)
    for c in np.unique(codes):
        of_class = indicators[codes == c]
        most = np.maximum(most, of_class.T @ of_class)
    right = np.add.reduceat(np.add.reduceat(most, starts, axis=0), starts, axis=1)
    wrong, base = len(codes) - right, len(codes) - np.bincount(codes).max()
    weak = np.diag(wrong) >= base / 2
    for i, j in np.argwhere(np.triu((wrong <= FLIPPED * len(codes)) & weak & weak[:, None], 1)):
        yield int(i), int(j)


def _few_differences(data: Data, cells: int) -> Iterator[tuple[int, int]]:
    """Pairs of measured columns whose difference has few values in the first rows; of the first columns, where there
    are many."""
    columns = _measured(data)[: math.isqrt(2 * cells)]
    head = data.numbers[:HEAD, columns]
    if len(head) < HEAD or not np.isfinite(head).all():
        return
    for k, column in enumerate(columns[:-1]):
        between = np.sort(head[:, k + 1 :] - head[:, [k]], axis=0)
        steps = np.diff(between, axis=0) > 1e-9 * np.maximum(np.ptp(head[:, [k]]), np.abs(between[1:]))
        for other in np.flatnonzero(steps.sum(axis=0) < DIFFERENCES):
            yield column, columns[k + 1 + int(other)]


def _digits(values: Floats) -> int:
    """Decimal places that are not noise of rounding."""
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return 9 - math.ceil(math.log10(size)) if size > 0 else 9


def _few_levels(data: Data, most: int) -> dict[Name, Ints]:
    """The first columns that can be tried in pairs, as numbers of a value or of the half in which it lies."""
    found: dict[Name, Ints] = {}
    skipped = set(identifiers(data))
    for k, name in enumerate(data.names):
        if len(found) == most:
            break
        if name in skipped:
            continue
        values = data.numbers[:, k]
        labels, different = pd.factorize(values, use_na_sentinel=False)
        if 2 <= len(different) <= FEW_LEVELS:
            found[name] = np.asarray(labels)
        elif len(different) > FEW_LEVELS and not data.missing[k]:
            found[name] = (values > np.median(values)).astype(np.intp)
    for name, texts in data.texts.items():
        labels, different = pd.factorize(texts, use_na_sentinel=False)
        if 2 <= len(different) <= FEW_LEVELS and len(found) < most:
            found[name] = np.asarray(labels)
    return found


MIN_SELECTED, MAX_SELECTED = 10, 500  # columns among which a selection shows
LARGEST_CUT = 4.5  # a selection of noise with a higher cut would need millions of columns
MOST_CORRELATED = 0.2  # mean absolute correlation within classes; more alike columns have alike associations
EVIDENCE = math.log(1000)  # likelihood ratio from which a selection is reported


@leak_check(L017="the columns look selected on these cases")
def selected_columns(data: Data) -> Iterator[Finding]:
    """Columns that are all associated with the class, crowded just above a cut: what remains of noise after selection.

    Each column's association is a normal score z. After a selection of noise at c, z has the normal density beyond c; of
    columns with one true association it scatters around that with SD 1. The finding needs a likelihood ratio of 1000.
    """
    columns = [k for k in np.flatnonzero(~data.missing).tolist() if len(np.unique(data.numbers[:, k])) > 2]
    if not MIN_SELECTED <= len(columns) <= MAX_SELECTED or len(data.names) > len(columns) + len(columns) // 2:
        return
    values, codes = data.numbers[:, columns], data.codes
    parts = [values[codes == c] for c in np.unique(codes) if (codes == c).sum() > 1]
    if len(parts) < 2 or not np.isfinite(values).all() or _correlation(values, codes) > MOST_CORRELATED:
        return
    for p in (f_oneway(*parts, axis=0).pvalue, kruskal(*parts, axis=0).pvalue):  # whichever the selection used
        if _is_cut(norm.isf(np.clip(p, SMALLEST_P, 1) / 2)):
            yield _selected(data, columns, float(p.max()))
            return


def _is_cut(z: Floats) -> bool:
    cut, middle, sd = float(z.min()), float(z.mean()), max(1.0, float(z.std()))
    selected = norm.logpdf(z).sum() - len(z) * norm.logsf(cut)
    return bool(1.5 < cut < LARGEST_CUT and selected - norm.logpdf(z, middle, sd).sum() > EVIDENCE)


def _selected(data: Data, columns: list[int], largest: float) -> Finding:
    return Finding(
        "L017",
        f"All {len(columns)} columns are associated with the class, most just beyond p = {largest:.2g}, as where "
        "these cases selected them from many. Then every estimate is too good. Select features inside a Pipeline.",
        "warning",
        columns=tuple(data.names[k] for k in columns),
        largest_p=largest,
    )


def _correlation(values: Floats, codes: Ints) -> float:
    """Mean absolute correlation of the columns within classes."""
    within = values.astype(float, copy=True)
    for c in np.unique(codes):
        within[codes == c] -= within[codes == c].mean(axis=0)
    size = np.sqrt((within**2).sum(axis=0))
    r = (within / np.where(size > 0, size, 1)).T @ (within / np.where(size > 0, size, 1))
    return float(np.abs(r[np.triu_indices_from(r, 1)]).mean())
