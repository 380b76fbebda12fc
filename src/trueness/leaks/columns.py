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
from trueness.files.numbers import numbers_among
from trueness.leaks.copies import beyond_chance
from trueness.leaks.findings import ALPHA, MIN_ROWS, Data, Finding, Name, leak_check, named
from trueness.result.notes import Severity
from trueness.result.words import SMALLEST_P
from trueness.typing import Array, Floats, Ints

SUSPICIOUS = 0.99  # AUC of a column alone that is too good to be true
LONELY, OTHERS = 0.98, 0.9  # the same where all other columns are below
BLOCK_CELLS = 1_000_000  # cells that are sorted at a time
FLIPPED = 0.04  # share of exceptions up to which values name the class, as of a copy of the target with some flips
MEASURED = 0.9  # share of different values among those of a measurement
MANY_VALUES = 20  # a text column with no more different values than this is a category
POSTAL = re.compile(r"\d{4,6}(-\d{4})?|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}")  # a region, from which features can be made
SHARE_OF_NUMBERS = 0.8  # of a text column, above which the rest are probably misread
FEWER_NUMBERS, FEW_WORDS = 0.5, 3  # the same where the rest are a few words, as codes of missing values are
TOLERANCE = 1e-3  # of a standard error; mean and SD of a sample are both within it of 0 and 1 in about 1 of 10⁶ columns


@leak_check(L001="a column determines the target", L002="a column alone nearly determines the target")
def determining(data: Data) -> Iterator[Finding]:
    """Columns that determine the target, and columns whose AUC alone exceeds .99, or .98 where all others are below .9.

    Both are judged against chance: under independence the probability of such a column among all columns is at most
    ALPHA, so that few cases with thousands of noise columns raise no alarm. Copies of rows count once: their values
    agree with their class in every column.
    """
    sample, found = data.sample, _determining(data)
    if found and sample.alike is not None and beyond_chance(sample.X, sample.codes, sample.alike, within=None):
        kinds = (sample.alike * sample.n_classes + sample.codes)[data.rows]
        first = np.sort(np.unique(kinds, return_index=True)[1])
        dates, texts = ({name: v[first] for name, v in of.items()} for of in (data.dates, data.texts))
        data = replace(data, rows=data.rows[first], numbers=data.numbers[first], dates=dates, texts=texts)
        found = _determining(data)
    markers = {name for name, (auc, how) in found.items() if how == "order" and _may_be_marker(data, name, auc)}
    exact = tuple(name for name, (auc, _) in found.items() if auc == 1 and name not in markers)
    if exact:
        yield Finding(
            "L001",
            f"Columns that alone determine the target: {named(exact)}. Leave out what is a copy of the "
            "target, defines it or is recorded after it; pass a column that identifies patients or sites as groups=.",
            "warning",
            columns=exact,
            how=[found[name][1] for name in exact],
        )
    kinds_of: dict[Severity, set[Name]] = {"warning": {*found} - markers - {*exact}, "info": markers}
    for severity, some in kinds_of.items():
        nearly = tuple(name for name in found if name in some)
        if nearly:
            best = math.floor(1000 * max(found[name][0] for name in nearly)) / 1000
            yield Finding(
                "L002",
                f"Columns that alone nearly determine the target (AUC up to {best:.3f}): "
                f"{named(nearly)}. Check that they are known before the target and not derived from it.",
                severity,
                columns=nearly,
                auc=[found[name][0] for name in nearly],
            )


def _may_be_marker(data: Data, name: Name, auc: float) -> bool:
    """Whether a column may be a strong honest marker: nearly all values differ, and the classes are 3.5 to 6 SD apart,
    or its AUC is no more than .99, whatever its values.

    The halves of one normal distribution, which a threshold makes, are 2.7 SD apart; a copy of the target more than 6.
    """
    present, codes = np.unique(data.codes, return_inverse=True)
    values = data.columns.get(name, np.array([np.nan]))  # of dates nothing is known
    if auc <= SUSPICIOUS:
        return True
    if len(present) != 2 or not np.isfinite(values).all() or len(np.unique(values)) < MEASURED * len(values):
        return False
    zero, one = values[codes == 0], values[codes == 1]
    apart = abs(one.mean() - zero.mean()) / math.sqrt((zero.var() + one.var()) / 2 + SMALLEST_P)
    return bool(3.5 < apart < 6)


def _determining(data: Data) -> dict[Name, tuple[float, str]]:
    """Columns with their AUC, or 1 less the share of exceptions, and how they determine the target, by their order or by
    their values, or by being missing."""
    codes, n, names = data.codes, len(data.rows), data.names
    ordered, levels, strengths = dict[Name, Array](), list[tuple[Name, Array]](), list[float]()
    present, sizes = np.unique(codes, return_counts=True)
    most = (n**3 - (sizes.astype(float) ** 3).sum()) / 12
    step = max(1, BLOCK_CELLS // max(1, n))
    for start in range(0, len(names), step):
        values, missing = data.numbers[:, start : start + step], data.missing[start : start + step]
        # Of two classes the ranks' sum of squares between them is (2 AUC − 1)² of its maximum, .96 at an AUC of .99.
        ranks = rankdata(values, axis=0) - (n + 1) / 2
        between = sum(ranks[codes == c].sum(axis=0) ** 2 / size for c, size in zip(present, sizes, strict=True))
        ordered |= {names[start + k]: values[:, k] for k in np.flatnonzero(missing | (between >= 0.9 * most))}
        strengths += (np.sqrt(between / most) / 2 + 0.5).tolist()
        values = np.sort(values, axis=0)
        repeats = (values[1:] == values[:-1]).sum(axis=0)
        some = start + np.flatnonzero((2 * repeats >= n) & (repeats <= n - 2))
        levels += [(names[k], data.numbers[:, k]) for k in some]
    levels += [(names[k], np.isnan(data.numbers[:, k])) for k in np.flatnonzero(data.missing)]
    levels += [(name, of) for name, texts in data.texts.items() for of in (texts, pd.isna(texts))]
    found: dict[Name, tuple[float, str]] = {}
    near = [auc for auc in strengths if auc > OTHERS]
    alone = len(present) == 2 and min(near, default=0) > LONELY and len(near) < len(strengths)
    least = LONELY if alone else SUSPICIOUS
    for name, values in (ordered | data.dates).items():
        auc, chance = separation(values, codes)
        if auc > least and chance + math.log(data.n_columns) < math.log(ALPHA) and name not in data.identifiers:
            found[name] = auc, "order"
    for name, values in levels:
        labels, classes = pd.factorize(values, use_na_sentinel=False)[0], codes
        if data.groups is not None:  # each value and class of a group once: a patient's constants name no class
            kept = np.unique(np.stack([data.groups, labels, codes]), axis=1, return_index=True)[1]
            labels, classes = pd.factorize(labels[kept])[0], codes[kept]
        errors = impure(labels, classes, data.n_columns)
        if errors is not None and name not in data.identifiers and found.get(name, (0.0, ""))[0] < 1:
            found[name] = 1 - errors, "values"
    return found


def separation(values: Floats, codes: Ints) -> tuple[float, float]:
    """The smallest AUC of neighbouring classes, ordered by mean rank, and the log of a bound of its probability under
    independence; 0 and 0 where there is nothing to compare.

    >>> separation(np.arange(40.0), np.repeat([0, 1], 20))[0]
    1.0
    """
    known = ~np.isnan(values)
    values, codes = values[known], codes[known]
    present, codes = np.unique(codes, return_inverse=True)
    if len(present) < 2 or 2 * known.sum() < len(known):
        return 0.0, 0.0
    ranks = rankdata(values)
    sizes = np.bincount(codes)
    order = np.argsort(np.bincount(codes, ranks) / sizes)
    smallest, chance = 1.0, math.lgamma(len(present) + 1) - _log_orders(sizes)
    for low, high in pairwise(order):
        both = (codes == low) | (codes == high)
        n0, n1 = sizes[low], sizes[high]
        auc = (rankdata(values[both])[codes[both] == high].sum() - n1 * (n1 + 1) / 2) / (n0 * n1)
        if auc < smallest:  # without a correction for ties normal p-values are larger than exact ones in the far tail
            z = (auc - 0.5) * math.sqrt(12 * n0 * n1 / (n0 + n1 + 1))
            smallest, chance = float(auc), math.log(2) + float(norm.logsf(z))
    return smallest, chance


def impure(labels: Ints, codes: Ints, columns: int) -> float | None:
    """Share of cases that are not of the commonest class among those with the same value; None where it is more than
    FLIPPED of the cases or a quarter of those outside the largest class, or where it may be chance.

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
    if errors > min(FLIPPED * n, others / 4):
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
        if name not in data.repeated and values > max(MANY_VALUES, 0.5 * len(known)) and not _numbers_among(known):
            found["info" if all(POSTAL.fullmatch(v) for v in known) else "warning"][name] = values
    for severity, of_columns in found.items():
        if of_columns:
            yield Finding(
                "L004",
                f"Columns of text with nearly as many values as rows: {named(of_columns)}. Leave out names, "
                "identifiers and dates, use such a column as groups=, or extract features from the text.",
                severity,
                columns=tuple(of_columns),
                values=list(of_columns.values()),
            )


@leak_check(L012="numbers are read as text")
def misread_numbers(data: Data) -> Iterator[Finding]:
    """Text columns of which nearly all values are numbers."""
    odd = {name: _numbers_among(texts[~np.asarray(pd.isna(texts))]) for name, texts in data.texts.items()}
    found = {name: value for name, value in odd.items() if value}
    if found:
        yield Finding(
            "L012",
            f"Columns of numbers that are read as text because of values such as {next(iter(found.values()))!r}: "
            f"{named(found)}. Mark these values as missing or correct them.",
            "warning",
            columns=tuple(found),
            values=list(found.values()),
        )


def _numbers_among(known: Array) -> str:
    """A value that is no number where nearly all others are; "" otherwise."""
    if not len(known):
        return ""
    as_numbers = numbers_among(pd.Series(known)).to_numpy()
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


FIX = "If the model is to predict later cases, test it on later ones: plan=TimeSeriesSplit() does so."
MIN_VALUES = 10  # fewer different values in ascending order may be a sorted category


@leak_check(L003="a column numbers or identifies the rows")
def numbered_rows(data: Data) -> Iterator[Finding]:
    """Identifiers and row numbers among the features; a warning where they are associated with the class."""
    p: dict[Name, float] = {}
    for name in data.identifiers:
        both = (test(data.columns[name], data.codes) for test in (association, few_runs))
        p[name] = min(1.0, max(SMALLEST_P, 2 * min(both)))
    kinds: dict[Severity, str] = {"warning": " and go along with the target", "info": ""}
    for severity, how in kinds.items():
        chosen = tuple(name for name in p if (p[name] * data.n_columns < ALPHA) == bool(how))
        if chosen:
            yield Finding(
                "L003",
                f"Columns that number or identify the rows{how}: {named(chosen)}. Leave them out.",
                severity,
                columns=chosen,
                p_value=[p[name] for name in chosen],
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
    before, after = data.numbers[:-1], data.numbers[1:]
    groups = None if data.groups is None else pd.factorize(data.groups)[0].tolist()
    in_order = tuple(
        data.names[k]
        for k in np.flatnonzero((before <= after).all(axis=0) | (before >= after).all(axis=0))
        if data.names[k] not in (*data.identifiers, *data.repeated)
        and len(np.unique(data.numbers[:, k])) >= MIN_VALUES
        and association(data.numbers[:, k], data.codes) * data.n_columns < ALPHA
        and pd.factorize(data.numbers[:, k])[0].tolist() != groups
    )
    if in_order:
        yield Finding(
            "L005",
            f"The rows are sorted by columns along which the target changes: {named(in_order)}. {FIX}",
            "info",
            columns=in_order,
        )
