"""Checks of relations between columns, rows and the target. L013: rows are nearly copies. L014: a column was computed from
the target. L015: missing values go along with the target. L017: the columns were selected on these cases."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, f_oneway, kruskal, norm
from scipy.stats.contingency import association, crosstab

from trueness.leaks.columns import MEASURED
from trueness.leaks.copies import mixed
from trueness.leaks.findings import ALPHA, Data, Finding, Name, leak_check, named
from trueness.result.words import SMALLEST_P
from trueness.typing import Bools, Floats, Ints

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
    known = [k for k in np.flatnonzero(~data.missing).tolist() if data.names[k] not in data.identifiers]
    columns = [k for k in known if len(np.unique(data.numbers[:, k])) >= MEASURED * len(data.rows)]
    if len(columns) < 2 or len(data.rows) < 3 * NEIGHBOURS:
        return
    # Ranks turned into normal scores would tear near copies apart; so scale by the middle half of the values.
    values, groups = data.numbers[:, columns], data.groups
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
    values = np.clip((values - middle) / np.where(high > low, high - low, 1), -10, 10)
    if groups is not None:  # the first row of each group: those of one group are alike by nature
        values = values[np.unique(groups, return_index=True)[1]]
    near = _nearly_copies(values, FAST_DISTANCES if data.fast else DISTANCES)
    how, share = "much nearer to another row than to the rest", near.sum() / max(1, len(near))
    if share < NEAR_SHARE or near.sum() < 3:
        how, every = "", data.numbers
        cells = mixed(np.stack([pd.factorize(x, use_na_sentinel=False)[0] for x in every.T], axis=1))
        row = cells.sum(axis=1, dtype=np.uint64)
        for k in columns if len(columns) > 2 else []:
            number = pd.factorize(row - cells[:, k])[0]
            first = np.unique(number, return_index=True)[1][number]
            other = every[first, k] != every[:, k]  # rows of the same group do not count
            share = float((other if groups is None else other & (groups[first] != groups)).mean())
            if share >= NEAR_SHARE / 2:
                how = f"equal to another row in all columns but {data.names[k]!r}"
                break
    if how:
        yield Finding(
            "L013",
            f"Rows {how}, as where one patient or object was recorded twice: {share:.1%}. Pass what they have in common "
            "as groups=, or keep one of them.",
            "warning",
            share=float(share),
        )


def _nearly_copies(values: Floats, products: int) -> Bools:
    """Whether rows are nearly copies of their nearest neighbour, of those that were looked at."""
    n, p = values.shape
    if n <= NEIGHBOURS:
        return np.zeros(0, dtype=bool)
    count = min(n, max(100, products // (n * p)))
    rows = np.sort(np.random.default_rng(0).choice(n, count, replace=False))  # the same rows in every call
    distances = np.empty((count, NEIGHBOURS))
    squares = (values**2).sum(axis=1)
    step = max(1, 4_000_000 // n)
    for start in range(0, count, step):
        some = rows[start : start + step]
        square = squares[some, None] + squares - 2 * values[some] @ values.T
        square[np.arange(len(some)), some] = np.inf
        order = np.argpartition(square, NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]
        exact = np.sqrt(((values[some, None] - values[order]) ** 2).sum(axis=2))  # without cancellation
        distances[start : start + step] = np.sort(exact, axis=1)
    distances = distances[distances[:, FAR - 1] > 0]
    if not len(distances):
        return np.zeros(0, dtype=bool)
    spacing = np.log(distances[:, -1:] / distances[:, FAR - 1 : -1]).mean(axis=1)
    expected = np.mean([sum(1 / i for i in range(k, NEIGHBOURS)) for k in range(FAR, NEIGHBOURS)])  # times 1/m
    dimension = expected / max(float(np.median(spacing)), 1e-3)
    j = np.arange(1, FAR)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = dimension * j * np.log(distances[:, : FAR - 1] / distances[:, 1:FAR])
    chance[distances[:, : FAR - 1] == 0] = np.inf  # equal rows are L006
    return np.asarray(chance.min(axis=1) < math.log(RARE / (FAR - 1)))


ENCODED = 0.8  # share of values that must agree
SMOOTHED = (0, 1, 2, 5, 10, 20, 50, 100)  # usual weights m of the whole sample


@leak_check(L014="a column was computed from the target")
def encoded_target(data: Data) -> Iterator[Finding]:
    """Columns whose values are the share of a class among the cases that have the value: target encoding of all rows."""
    found = [data.names[k] for k in range(len(data.names)) if _is_encoded(data.numbers[:, k], data.codes)]
    if found:
        yield Finding(
            "L014",
            f"Columns that hold the share of a class among the cases with the same value: {named(found)}. The "
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
            table = crosstab(data.codes, gap).count
            test, v = chi2_contingency(table, correction=False), float(association(table))
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
    if len(parts) < 2 or not np.isfinite(values).all():
        return
    r = np.abs(np.corrcoef(np.concatenate([part - part.mean(axis=0) for part in parts]), rowvar=False))
    if np.nanmean(r[np.triu_indices_from(r, 1)]) > MOST_CORRELATED:
        return
    for p in (f_oneway(*parts, axis=0).pvalue, kruskal(*parts, axis=0).pvalue):  # whichever the selection used
        z = norm.isf(np.clip(p, SMALLEST_P, 1) / 2)
        cut, middle, sd, largest = float(z.min()), float(z.mean()), max(1.0, float(z.std())), float(p.max())
        selected = norm.logpdf(z).sum() - len(z) * norm.logsf(cut)
        if 1.5 < cut < LARGEST_CUT and selected - norm.logpdf(z, middle, sd).sum() > EVIDENCE:
            yield Finding(
                "L017",
                f"All {len(columns)} columns are associated with the class, most just beyond p = {largest:.2g}, as "
                "where these cases selected them from many. Then every estimate is too good. Select features inside "
                "a Pipeline.",
                "warning",
                columns=tuple(data.names[k] for k in columns),
                largest_p=largest,
            )
            return
