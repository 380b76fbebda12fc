"""Checks of cases. L007: groups are on both sides of a split. L008: so are rows. L010:
batches are confounded with the classes."""

import math
from collections.abc import Hashable, Iterator
from contextlib import suppress

import numpy as np
import pandas as pd
from scipy.stats import binom, chi2_contingency
from scipy.stats.contingency import association, crosstab

from trueness.leaks.findings import ALPHA, FAST_CELLS, Data, Finding, as_frame, leak_check
from trueness.result.words import SMALLEST_P
from trueness.sample.sample import Sample, are_texts, first_alike
from trueness.typing import Array, Features, Ints

LONG_TEXT = 20  # characters from which two equal texts are hardly chance
MAX_CATEGORIES = 50  # to which a one-hot column may belong
FEW_COPIES = 2  # rows with more are common cases
MIN_COLUMNS = 5  # in which neighbours are looked for, however many rows there are


@leak_check(L008="test rows stand in the training set")
def test_rows(data: Data) -> Iterator[Finding]:
    """Rows of the test set that are equal to one of the training set, more often than the values explain."""
    if data.X_test is None:
        return
    shared, beyond = shared_rows(data.sample, data.X_test)
    if not beyond:
        return
    cases = len(data.X_test) if are_texts(data.X_test) else np.shape(data.X_test)[0]
    yield Finding(
        "L008",
        f"Test rows that also stand in the training set: {shared} of {cases}. They measure what the model memorized. "
        "Remove them from the training set, or split the cases again.",
        "warning",
        shared=shared,
        cases=cases,
    )


def shared_rows(sample: Sample, X_test: Features) -> tuple[int, bool]:
    """How many test rows are equal to a row of the sample, and whether they are more than the values explain.

    Of a single column, or of texts, they are more where rows that occur twice do so in two sets, rather than twice in
    one, more often than by chance: if the sets were drawn from one population, such a pair lies in both with the
    probability of any pair of rows.
    """
    X: Features = None  # both sets; sparse matrices, and dates beside numbers, are not compared
    frames = as_frame(sample.X), as_frame(X_test)
    if are_texts(sample.X):
        X = [*sample.X, *X_test]
    elif frames[0] is not None and frames[1] is not None:
        X = pd.concat([frames[0], frames[1].reindex(columns=frames[0].columns)], ignore_index=True)
    elif not hasattr(sample.X, "tocsr") and not hasattr(X_test, "tocsr"):
        with suppress(TypeError):
            X = np.concatenate([np.asarray(sample.X), np.asarray(X_test)])
    alike = first_alike(X)
    if alike is None:
        return 0, False
    n = sample.n
    shared = int(np.isin(alike[n:], alike[:n]).sum())
    side = (np.arange(len(alike)) >= n).astype(np.intp)
    codes = np.concatenate([sample.codes, np.zeros(len(alike) - n, dtype=np.intp)])
    beyond = shared > 0 and beyond_chance(X, codes, alike, within=side)
    if shared and not beyond and (are_texts(X) or _without_redundant(X, len(np.unique(alike))).shape[1] < 2):
        twice = _others(alike, None) == 1
        equal, across = int(twice.sum()) // 2, int(_others(alike, side)[twice].sum()) // 2
        beyond = bool(binom.sf(across - 1, equal, _pairs(len(alike), side) / _pairs(len(alike), None)) < ALPHA)
    return shared, beyond


def beyond_chance(X: Features, codes: Ints, alike: Ints, within: Ints | None) -> bool:
    """Whether more pairs of rows are equal than one expects from the values of the columns.

    Let t_j be the probability that two rows agree in column j where they agree in all others. Of k pairs that agree in
    all other columns, t_j·k are copies by chance, whatever the other columns are; over all columns it is at most
    pairs × ∏ t_j. The smaller number counts, and three Poisson standard deviations. Column j is the one with the most
    different values among those in which alone some rows differ; where there is none, pairs × ∏ s_j are expected. Rows
    with many copies are left out: they are a common case such as "all zero".

    t_j is larger than the share s_j of pairs of a class that agree in column j, because columns depend on each other:
    up to ten times or ½, and √s_j where that is more.

    Rows of one group (`within`) are no copies of each other.
    """
    copies = _others(alike, within)
    if are_texts(X):
        return bool(((np.array([len(text) for text in X]) >= LONG_TEXT) & (copies > 0)).any())
    first = np.unique(alike)
    values = _without_redundant(X, len(first))
    if not copies.any() or values.shape[1] < 2:  # equal values of a single column are no copies
        return False
    agree = np.array([_agreement(column, codes[first]) for column in values[first].T])
    if not agree.all():
        return True  # a column without ties but those of copies
    often = np.where(agree >= 0.25, np.sqrt(agree), np.minimum(0.5, 10 * agree))
    few = copies <= FEW_COPIES
    pairs = _pairs(len(alike), within)
    cells = mixed(values)
    row = cells.sum(axis=1, dtype=np.uint64)
    for j in np.argsort(agree, kind="stable")[: max(MIN_COLUMNS, FAST_CELLS // len(values))]:
        near = _others(row - cells[:, j], within)  # agree in all other columns
        if (near > copies).any():
            expected = min(pairs * float(np.prod(often)), float(often[j] * near[few].sum() / 2))
            break
    else:  # no two rows differ in a single column
        expected = pairs * float(np.prod(agree))
    return bool(copies[few].sum() / 2 > expected + 3 * math.sqrt(expected))


def _pairs(n: int, within: Ints | None) -> float:
    sizes = np.zeros(1) if within is None else np.bincount(within).astype(float)
    return n * (n - 1) / 2 - float((sizes * (sizes - 1)).sum() / 2)


def _others(keys: Array, within: Ints | None) -> Ints:
    """(n,) how many other rows have the same key; rows of the same group do not count."""
    number = pd.factorize(keys)[0]
    same = np.bincount(number)[number]
    if within is None:
        return np.asarray(same - 1)
    both = pd.factorize(number * (int(within.max()) + 1) + within)[0]
    return np.asarray(same - np.bincount(both)[both])


def _ranks(column: pd.Series | Array) -> Ints:
    try:
        return np.asarray(pd.factorize(column, sort=True, use_na_sentinel=False)[0])
    except TypeError:  # values of several types, or lists
        known = pd.Series([v if isinstance(v, Hashable) else repr(v) for v in column], dtype=object)
        return np.asarray(pd.factorize(known, use_na_sentinel=False)[0])


def _without_redundant(X: Features, different_rows: int) -> Ints:
    """(n, p) the rank of each cell's value in its column, or its number where values have no order.

    Columns that repeat another under other names are left out, and one-hot columns become one category again: otherwise
    no two rows differ in a single column.

    Columns of many values, for the number of different rows, repeat each other where they are in the same or in the
    opposite order.
    """
    frame, different = as_frame(X), dict[bytes, Ints]()
    columns = np.asarray(X).T if frame is None else (frame.iloc[:, j] for j in range(frame.shape[1]))
    for column in map(_ranks, columns):
        rising = column if 2 * column[0] <= column.max() else column.max() - column
        many = 2 * column.max() > different_rows
        different[(rising if many else pd.factorize(column)[0]).tobytes()] = column
    kept: list[Ints] = []
    categories: list[Ints] = []
    for column in different.values():
        if column.max() != 1:
            kept.append(column)
            continue
        rare = column if 2 * column.sum() <= len(column) else 1 - column
        for category in categories[:MAX_CATEGORIES]:
            if not (category.astype(bool) & rare.astype(bool)).any():
                category += rare * (category.max() + 1)
                break
        else:
            categories.append(rare.copy())
    return np.stack([*kept, *categories], axis=1)


def _agreement(values: Ints, codes: Ints) -> float:
    """Share of pairs of one class that have the same value."""
    same, pairs = np.bincount(values * (int(codes.max()) + 1) + codes), np.bincount(codes)
    return float((same * (same - 1.0)).sum() / max(1.0, (pairs * (pairs - 1.0)).sum()))


def mixed(values: Ints) -> Array:
    """(n, p) a pseudo-random 64-bit number of each cell (the finalizer of Steele, Lea & Flood's SplitMix, 2014)."""
    z = values.astype(np.uint64) + (np.arange(values.shape[1], dtype=np.uint64) << np.uint64(32))
    z = z * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


@leak_check(L007="groups stand on both sides of a split")
def split_groups(data: Data) -> Iterator[Finding]:
    """Groups that some split trains on and tests."""
    groups = data.sample.groups
    if data.design is None or groups is None:
        return
    both: set[int] = set()
    splits = 0
    for f in range(data.design.n_fits):
        trained = groups[data.design.rows(slice(f, f + 1))[0] > 0]
        shared = np.intersect1d(trained, groups[data.design.tested(f)]).tolist()
        both.update(shared)
        splits += bool(shared)
    if both:
        yield Finding(
            "L007",
            f"Splits that train and test on cases of the same group: {splits} of {data.design.n_fits}, {len(both)} "
            f"of {int(groups.max()) + 1} groups. A model may recognize the group instead of the class.",
            "warning",
            groups=len(both),
            splits=splits,
        )


MAX_BATCHES = 20  # groups that are more numerous or smaller are patients, not batches
MIN_CASES = 10  # per batch, on average
CONFOUNDED_V = 0.3  # Cramér's V from which batch and class are called confounded


@leak_check(L010="the target depends on the batch")
def confounded_batches(data: Data) -> Iterator[Finding]:
    """Whether batches differ in their classes. Groups that are few and large are batches."""
    batch = data.batch if data.batch is not None else data.sample.groups
    number = 0 if batch is None else int(batch.max()) + 1
    given = data.batch is not None or (number <= MAX_BATCHES and data.sample.n >= MIN_CASES * number)
    if number < 2 or not given:
        return
    table = crosstab(batch, data.sample.codes).count
    test, v = chi2_contingency(table, correction=False), float(association(table))
    if test.pvalue < ALPHA and v > CONFOUNDED_V:
        yield Finding(
            "L010",
            f"The target depends on the batch (Cramér's V {v:.2f}). Test on batches that the model was not trained on.",
            "warning",
            cramers_v=v,
            p_value=max(float(test.pvalue), SMALLEST_P),
            pure=int((np.count_nonzero(table, axis=1) == 1).sum()),
        )
