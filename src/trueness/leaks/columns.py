"""Checks of columns. L001: one determines the target. L002: nearly. L003: one numbers or identifies the rows. L004, L012:
text columns. L005: rows have an order in time, and the target changes along it. L009: standardized columns."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import gammaln
from scipy.stats import kruskal, norm, rankdata

from trueness.checks import quietly
from trueness.files.numbers import several_units
from trueness.leaks.copies import copied
from trueness.leaks.findings import ALPHA, Data, Finding, Name, leak_check, named
from trueness.leaks.repeats import are_groups, called_identifier, repeated
from trueness.result.notes import Severity
from trueness.result.words import SMALLEST_P
from trueness.sample.labels import listed
from trueness.typing import Array, Floats, Ints

SUSPICIOUS = 0.99  # AUC of a column alone that is too good to be true
NEARLY_ALL = 0.9  # share of the cases in the large ones of several classes
FLIPPED = 0.04  # share of exceptions up to which values name the class, as of a copy of the target with some flips
MANY_VALUES = 20  # a text column with no more different values than this is a category
POSTAL = re.compile(r"\d{4,6}(-\d{4})?|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}")  # a region, from which features can be made
SHARE_OF_NUMBERS = 0.8  # of a text column, above which the rest are probably misread
FEWER_NUMBERS, FEW_WORDS = 0.5, 3  # the same where the rest are a few words, as codes of missing values are
TOLERANCE = 1e-3  # of a standard error; mean and SD of a sample are both within it of 0 and 1 in about 1 of 10⁶ columns


@leak_check(L001="a column determines the target", L002="a column alone nearly determines the target")
def determining(data: Data) -> Iterator[Finding]:
    """Columns that determine the target, and columns whose AUC alone exceeds .99; of several classes also those that do so
    among the large ones.

    Both are judged against chance: under independence the probability of such a column among all columns is at most
    ALPHA, so that few cases with thousands of noise columns raise no alarm. Copies of rows count once: their values
    agree with their class in every column.
    """
    large = _large_classes(data.codes)
    tests = 1 if large is None else 2
    found = _beside_copies(data, tests)
    yield from _said(data, found)
    if large is not None:
        among = _of_rows(data, np.isin(data.codes, large))
        more = {name: how for name, how in _beside_copies(among, tests).items() if name not in found}
        classes = listed(data.sample.classes[large].tolist())
        yield from _said(among, more, f" among the cases of classes {classes}")


def _large_classes(codes: Ints) -> Ints | None:
    """The first two or more of the classes, by size, that hold nearly all cases, where the next has half as many cases or
    fewer; None where there are none.

    >>> _large_classes(np.repeat([0, 1, 2], [60, 4, 36])), _large_classes(np.repeat([0, 1, 2], [60, 10, 30]))
    (array([0, 2]), array([0, 2]))
    >>> _large_classes(np.repeat([0, 1], 50)), _large_classes(np.repeat([0, 1, 2], 30))
    (None, None)
    """
    sizes = np.bincount(codes)
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    held, sizes = np.cumsum(sizes[order]), sizes[order]
    for k in range(2, len(order)):
        if held[k - 1] >= NEARLY_ALL * held[-1] and 2 * sizes[k] <= sizes[k - 1]:
            return np.asarray(np.sort(order[:k]))
    return None


def _beside_copies(data: Data, tests: int) -> dict[Name, tuple[float, str]]:
    found = _determining(data, tests)
    return _determining(_without_copies(data), tests) if found and copied(data.sample) else found


def _said(data: Data, found: dict[Name, tuple[float, str]], among: str = "") -> Iterator[Finding]:
    markers = {name for name, (_, how) in found.items() if how == "order" and _may_be_marker(data, name)}
    exact = tuple(name for name, (auc, _) in found.items() if auc == 1 and name not in markers)
    if exact:
        yield Finding(
            "L001",
            f"Columns that alone determine the target{among}: {named(exact)}. Leave out what is a copy of the "
            "target, defines it or is recorded after it; pass a column that identifies patients or sites as groups=.",
            "warning",
            columns=exact,
            how=[found[name][1] for name in exact],
        )
    kinds: tuple[tuple[Severity, bool], ...] = (("warning", False), ("info", True))
    for severity, honest in kinds:
        nearly = tuple(name for name in found if name not in exact and (name in markers) == honest)
        if nearly:
            best = math.floor(1000 * max(found[name][0] for name in nearly)) / 1000
            yield Finding(
                "L002",
                f"Columns that alone nearly determine the target{among} (AUC up to {best:.3f}): "
                f"{named(nearly)}. Check that they are known before the target and not derived from it.",
                severity,
                columns=nearly,
                auc=[found[name][0] for name in nearly],
            )


def are_measured(values: Floats) -> bool:
    """Whether nearly all values are different, as of a measurement."""
    return bool(len(np.unique(values)) >= 0.9 * len(values))


def _may_be_marker(data: Data, name: Name) -> bool:
    """Whether a column may be a strong honest marker: nearly all values differ, and the classes are 3.5 to 6 SD apart.

    The halves of one normal distribution, which a threshold makes, are 2.7 SD apart; a copy of the target more than 6.
    """
    present, codes = np.unique(data.codes, return_inverse=True)
    if name not in data.names or len(present) != 2:
        return False
    values = data.number(name)
    if not np.isfinite(values).all() or not are_measured(values):
        return False
    zero, one = values[codes == 0], values[codes == 1]
    apart = abs(one.mean() - zero.mean()) / math.sqrt((zero.var() + one.var()) / 2 + SMALLEST_P)
    return bool(3.5 < apart < 6)


def _determining(data: Data, tests: int) -> dict[Name, tuple[float, str]]:
    """Columns with their AUC, or 1 less the share of exceptions, and how they determine the target; in so many `tests`
    of each column."""
    found: dict[Name, tuple[float, str]] = {}
    skipped = set(identifiers(data))
    columns = tests * data.n_columns
    for name, auc in _separating(data, columns):
        if name not in skipped:
            found[name] = auc, "order"
    groups = None if data.sample.groups is None else data.sample.groups[data.rows]
    for name, labels in _levels(data):
        errors = impure(*_once_a_group(labels, data.codes, groups), columns)
        if errors is not None and name not in skipped and found.get(name, (0.0, ""))[0] < 1:
            found[name] = 1 - errors, "values"
    return found


def _once_a_group(labels: Ints, codes: Ints, groups: Ints | None) -> tuple[Ints, Ints]:
    """Each value and class of a group once: what is constant in a patient does not name the class of many cases."""
    if groups is None:
        return labels, codes
    kept = np.unique(np.stack([groups, labels, codes]), axis=1, return_index=True)[1]
    return pd.factorize(labels[kept])[0], codes[kept]


def _without_copies(data: Data) -> Data:
    """The first of the rows that agree in all columns and in the class."""
    sample = data.sample
    assert sample.alike is not None
    kinds = (sample.alike * sample.n_classes + sample.codes)[data.rows]
    return _of_rows(data, np.sort(np.unique(kinds, return_index=True)[1]))


def _of_rows(data: Data, keep: Array) -> Data:
    """Some of the rows."""
    return replace(
        data,
        rows=data.rows[keep],
        numbers=data.numbers[keep],
        dates={name: values[keep] for name, values in data.dates.items()},
        texts={name: values[keep] for name, values in data.texts.items()},
    )


def _separating(data: Data, columns: int) -> Iterator[tuple[Name, float]]:
    """Numeric columns and dates that order the classes with an AUC above SUSPICIOUS, beyond chance."""
    codes = data.codes
    for block in data.blocks():
        names, whole = data.names[block], ~data.missing[block]
        candidates = np.ones(len(names), dtype=bool)
        candidates[whole] = _may_separate(data.numbers[:, block][:, whole], codes)
        for k in np.flatnonzero(candidates):
            auc = separation(data.numbers[:, block][:, k], codes, columns)
            if auc is not None:
                yield names[k], auc
    for name, values in data.dates.items():
        auc = separation(values, codes, columns)
        if auc is not None:
            yield name, auc


def _may_separate(values: Floats, codes: Ints) -> Array:
    """(k,) False for columns whose classes overlap too much, by the ranks' sum of squares between classes.

    For two classes it is (2 AUC − 1)² of its maximum, .96 at an AUC of .99.
    """
    n = len(codes)
    ranks = rankdata(values, axis=0) - (n + 1) / 2
    sizes = np.bincount(codes)
    sizes, present = sizes[sizes > 0], np.flatnonzero(sizes)
    sums = np.stack([ranks[codes == c].sum(axis=0) for c in present])
    between = (sums**2 / sizes[:, None]).sum(axis=0)
    most = (n**3 - (sizes.astype(float) ** 3).sum()) / 12
    return np.asarray(between >= 0.9 * most)


def separation(values: Floats, codes: Ints, columns: int) -> float | None:
    """The smallest AUC of neighbouring classes, ordered by mean rank; None up to SUSPICIOUS or where it may be chance.

    >>> separation(np.arange(40.0), np.repeat([0, 1], 20), columns=1)
    1.0
    """
    known = ~np.isnan(values)
    values, codes = values[known], codes[known]
    present, codes = np.unique(codes, return_inverse=True)
    if len(present) < 2 or 2 * known.sum() < len(known):
        return None
    ranks = rankdata(values)
    sizes = np.bincount(codes)
    order = np.argsort(np.bincount(codes, ranks) / sizes)
    smallest, chance = 1.0, math.lgamma(len(present) + 1) - _log_orders(sizes)
    for low, high in pairwise(order):
        of_high = codes[(codes == low) | (codes == high)] == high
        auc, log_p = _auc(values[(codes == low) | (codes == high)], of_high)
        if auc < smallest:
            smallest, chance = auc, log_p
    return smallest if smallest > SUSPICIOUS and chance + math.log(columns) < math.log(ALPHA) else None


def _auc(values: Floats, positive: Array) -> tuple[float, float]:
    """AUC and the logarithm of its p-value.

    The normal approximation without a correction for ties: in the far tail its p-values are larger than the exact ones.
    """
    n1 = int(positive.sum())
    n0 = len(positive) - n1
    ranks = rankdata(values)[positive].sum()
    auc = (ranks - n1 * (n1 + 1) / 2) / (n0 * n1)
    z = (auc - 0.5) * math.sqrt(12 * n0 * n1 / (n0 + n1 + 1))
    return float(auc), math.log(2) + float(norm.logsf(z))


def _levels(data: Data) -> Iterator[tuple[Name, Ints]]:
    """Columns with repeated values as numbers of the value; columns with missing values as missing or not."""
    n = len(data.rows)
    for block in data.blocks():
        values = np.sort(data.numbers[:, block], axis=0)
        repeats = (values[1:] == values[:-1]).sum(axis=0)
        for k in np.flatnonzero((2 * repeats >= n) & (repeats <= n - 2)):
            yield data.names[block][k], pd.factorize(data.numbers[:, block][:, k], use_na_sentinel=False)[0]
    for k in np.flatnonzero(data.missing):
        yield data.names[k], np.isnan(data.numbers[:, k]).astype(np.intp)
    for name, texts in data.texts.items():
        yield name, pd.factorize(texts, use_na_sentinel=False)[0]
        yield name, np.asarray(pd.isna(texts)).astype(np.intp)


def impure(labels: Ints, codes: Ints, columns: int, exceptions: float = FLIPPED) -> float | None:
    """Share of cases that are not of the commonest class among those with the same value; None where it is more than
    `exceptions` of the cases or a quarter of those outside the largest class, or where it may be chance.

    Values that occur once are left out. With n cases of class sizes n_c in L values, e of them exceptions, at most
    Cᴸ · (n choose e) · Cᵉ of the n!/∏ n_c! orders of the labels are as pure, which bounds the probability under
    independence.

    >>> impure(np.arange(40) // 8, (np.arange(40) // 8) % 2, columns=1)
    0.0
    """
    values, classes = int(labels.max()) + 1, int(codes.max()) + 1
    table = np.bincount(labels * classes + codes, minlength=values * classes).reshape(values, classes)
    table = table[table.sum(axis=1) > 1]
    n, sizes = int(table.sum()), table.sum(axis=0)
    if 2 * n < len(labels) or len(table) < 2:
        return None
    errors, others = n - int(table.max(axis=1).sum()), n - int(sizes.max())
    if errors > min(exceptions * n, others / 4):
        return None
    chosen = _log_orders(np.array([errors, n - errors]))
    orders = (len(table) + errors) * math.log(np.count_nonzero(sizes)) + chosen - _log_orders(sizes)
    return errors / n if orders + math.log(columns) < math.log(ALPHA) else None


def _log_orders(sizes: Ints) -> float:
    """log n!/∏ n_c!, the number of orders of the labels."""
    return float(gammaln(sizes.sum() + 1) - gammaln(sizes + 1).sum())


@leak_check(L004="a text column has very many values")
def many_values(data: Data) -> Iterator[Finding]:
    """Text columns with so many values that each would become a feature of its own."""
    found: dict[Severity, dict[Name, int]] = {"warning": {}, "info": {}}
    for name, texts in data.texts.items():
        known = texts[~np.asarray(pd.isna(texts))]
        values = len(pd.unique(known))
        if name in repeated(data):
            continue  # L018
        if values > max(MANY_VALUES, 0.5 * len(known)) and not _numbers_among(known) and not several_units(known):
            found["info" if all(POSTAL.fullmatch(v) for v in known) else "warning"][name] = values
    for severity, of_columns in found.items():
        if of_columns:
            yield Finding(
                "L004",
                f"Columns of text with nearly as many values as rows: {named(tuple(of_columns))}. Leave out names, "
                "identifiers and dates, use such a column as groups=, or extract features from the text.",
                severity,
                columns=tuple(of_columns),
                values=list(of_columns.values()),
            )


@leak_check(L012="numbers are read as text")
def misread_numbers(data: Data) -> Iterator[Finding]:
    """Text columns of which nearly all values are numbers, or numbers with several units."""
    found: dict[Name, str] = {}
    for name, texts in data.texts.items():
        known = texts[~np.asarray(pd.isna(texts))]
        odd = _numbers_among(known)
        if odd:
            found[name] = odd
        elif units := several_units(known):
            yield Finding(
                "L012",
                f"Column {name!r} is read as text because its numbers have several units: {listed(units)}. Convert "
                "them to one unit.",
                "warning",
                columns=(name,),
                units=units,
            )
    if found:
        columns = tuple(found)
        yield Finding(
            "L012",
            f"Columns of numbers that are read as text because of values such as {next(iter(found.values()))!r}: "
            f"{named(columns)}. Mark these values as missing or correct them.",
            "warning",
            columns=columns,
            values=list(found.values()),
        )


def _numbers_among(known: Array) -> str:
    """A value that is no number where nearly all others are; "" otherwise."""
    if not len(known):
        return ""
    as_numbers = pd.to_numeric(pd.Series(known), errors="coerce").notna().to_numpy()
    least = FEWER_NUMBERS if len(set(known[~as_numbers])) <= FEW_WORDS else SHARE_OF_NUMBERS
    return str(known[~as_numbers][0]) if least < as_numbers.mean() < 1 else ""


@leak_check(L009="columns look standardized on all rows")
def standardized(data: Data) -> Iterator[Finding]:
    """Columns with a mean of 0 and a standard deviation of 1 over all rows."""
    n = len(data.rows)
    if n < MIN_ROWS or n < data.sample.n or not data.names:
        return
    with quietly():  # columns without values
        mean, sd = np.nanmean(data.numbers, axis=0), np.nanstd(data.numbers, axis=0)
        near = TOLERANCE / np.sqrt(n)
        one = (np.abs(sd - 1) < near) | (np.abs(sd * np.sqrt(n / (n - 1)) - 1) < near)
    columns = tuple(data.names[k] for k in np.flatnonzero((np.abs(mean) < near) & one))
    if columns:
        yield Finding(
            "L009",
            f"Columns that look standardized on all rows, test cases included: {named(columns)}. Put all "
            "preprocessing into a Pipeline.",
            "info",
            columns=columns,
        )


MIN_ROWS = 10  # fewer whole numbers are different by chance
HEAD_ROWS = 50  # rows that rule most columns out
NAMES = re.compile(r"(unnamed: ?\d+|row ?names?|row\.names|row|index|id[_. ].*|nr|no)", re.IGNORECASE)
FIX = "If the model is to predict later cases, test it on later ones: plan=TimeSeriesSplit() does so."
MIN_VALUES = 10  # fewer different values in ascending order may be a sorted category


@leak_check(L003="a column numbers or identifies the rows")
def numbered_rows(data: Data) -> Iterator[Finding]:
    """Identifiers and row numbers among the features; a warning where they are associated with the class."""
    columns = tuple(identifiers(data))
    if not columns:
        return
    p = [
        max(
            SMALLEST_P,
            min(1.0, 2 * min(association(data.number(name), data.codes), few_runs(data.number(name), data.codes))),
        )
        for name in columns
    ]
    sorted_with = tuple(name for name, each in zip(columns, p, strict=True) if each * data.n_columns < ALPHA)
    others = tuple(c for c in columns if c not in sorted_with)
    kinds: tuple[tuple[tuple[Name, ...], Severity, str], ...] = (
        (sorted_with, "warning", " and go along with the target"),
        (others, "info", ""),
    )
    for chosen, severity, along in kinds:
        if chosen:
            yield Finding(
                "L003",
                f"Columns that number or identify the rows{along}: {named(chosen)}. Leave them out.",
                severity,
                columns=chosen,
                p_value=[each for name, each in zip(columns, p, strict=True) if name in chosen],
            )


def few_runs(values: Floats, codes: Ints) -> float:
    """p-value of no fewer runs of equal classes than these, in the order of the values, if the order is random: where
    classes come in stretches a model can read them from the number of a row, also where none is more frequent at the end.
    Normal approximation with the moments of Mood (1940, Annals of Mathematical Statistics 11)."""
    known = ~np.isnan(values)
    of = codes[known][np.argsort(values[known], kind="stable")]
    n, sizes = float(len(of)), np.bincount(of).astype(float)
    squares, cubes = float((sizes**2).sum()), float((sizes**3).sum())
    expected = (n * (n + 1) - squares) / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1)) if n > 1 else 0.0
    runs = 1 + int(np.count_nonzero(of[1:] != of[:-1]))
    return float(norm.cdf((runs + 0.5 - expected) / math.sqrt(variance))) if variance > 0 else 1.0


def identifiers(data: Data) -> list[Name]:
    """Numeric columns that number or identify the rows."""
    if "identifiers" not in data.known:
        data.known["identifiers"] = [name for name in _identifiers(data) if name not in repeated(data)]
    return data.known["identifiers"]


def _identifiers(data: Data) -> list[Name]:
    if len(data.rows) < MIN_ROWS or not data.names:
        return []
    head = np.sort(data.numbers[:HEAD_ROWS], axis=0)
    whole = ~data.missing & (head == np.round(head)).all(axis=0)
    different = (head[1:] != head[:-1]).all(axis=0)
    called = np.array([called_identifier(n) or (isinstance(n, str) and bool(NAMES.fullmatch(n))) for n in data.names])
    found = [
        k
        for k in np.flatnonzero(whole & (different | called))
        if _identifies(data.numbers[:, k], data.n_columns, bool(called[k]))
    ]
    sets = [np.sort(data.numbers[:, k]).tobytes() for k in found]  # the same numbers in another order: ranks
    return [data.names[k] for k, held in zip(found, sets, strict=True) if called[k] or sets.count(held) == 1]


def _identifies(values: Floats, columns: int, called: bool) -> bool:
    """Whether whole numbers are all different where chance would repeat some, or mostly different and named as such.

    n independent draws from R whole numbers are all different with probability at most exp(−n(n − 1)/2R); equal
    probabilities make it largest.
    """
    if not (values == np.round(values)).all():
        return False
    n, low, high = len(values), values.min(), values.max()
    different = len(np.unique(values))
    if called and 2 * different > n:
        return True
    if different < n:
        return False
    steps = np.diff(values)
    if (steps == steps[0]).all():
        return True
    return bool(-n * (n - 1) / (2 * (high - low + 1)) + math.log(columns) < math.log(ALPHA))


def association(values: Floats, codes: Ints) -> float:
    """p-value of Kruskal and Wallis for the values of the classes; 1 where there is nothing to compare."""
    known = ~np.isnan(values)
    parts = [values[known & (codes == c)] for c in np.unique(codes)]
    parts = [part for part in parts if len(part)]
    if len(parts) < 2 or (values[known] == values[known][0]).all():
        return 1.0
    return max(float(kruskal(*parts).pvalue), SMALLEST_P)


@leak_check(L005="the target changes with time")
def drift(data: Data) -> Iterator[Finding]:
    """Dates, and columns by which the rows are sorted, with a change of the class along them."""
    if len(data.rows) < MIN_ROWS:
        return
    dated = tuple(n for n, v in data.dates.items() if association(v, data.codes) * data.n_columns < ALPHA)
    if dated:
        yield Finding(
            "L005",
            f"The target changes with time (columns {named(dated)}). {FIX}",
            "warning",
            columns=dated,
        )
    skipped = {*identifiers(data), *repeated(data)}
    before, after = data.numbers[:-1], data.numbers[1:]
    in_order = tuple(
        data.names[k]
        for k in np.flatnonzero((before <= after).all(axis=0) | (before >= after).all(axis=0))
        if data.names[k] not in skipped
        and len(np.unique(data.numbers[:, k])) >= MIN_VALUES
        and association(data.numbers[:, k], data.codes) * data.n_columns < ALPHA
        and not are_groups(data, data.names[k])
    )
    if in_order:
        yield Finding(
            "L005",
            f"The rows are sorted by columns along which the target changes: {named(in_order)}. {FIX}",
            "info",
            columns=in_order,
        )
