"""L003: a column numbers or identifies the rows. L005: rows have an order in time, and the class changes along it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
from scipy.stats import kruskal

from trueness.leaks.data import Data, Name
from trueness.leaks.findings import ALPHA, Finding, named
from trueness.result.digits import SMALLEST_P
from trueness.typing import Floats, Ints

MIN_ROWS = 10  # fewer whole numbers are different by chance
HEAD_ROWS = 50  # rows that rule most columns out
NAMES = re.compile(r"(unnamed: ?\d+|row ?names?|row\.names|row|index|(.*[_. ])?id|id[_. ].*|nr|no)", re.IGNORECASE)
FIX = (
    "Random splits train on the future of the cases that they test. If the model is to predict later cases, test it on "
    "later ones; in Python, plan=TimeSeriesSplit() does so."
)
MIN_VALUES = 10  # fewer different values in ascending order may be a sorted category


def numbered_rows(data: Data) -> Iterator[Finding]:
    """Identifiers and row numbers among the features; a warning where they are associated with the class."""
    columns = tuple(identifiers(data))
    if not columns:
        return
    p = [association(data.number(name), data.codes) for name in columns]
    sorted_with = tuple(name for name, each in zip(columns, p, strict=True) if each * data.n_columns < ALPHA)
    for chosen, severity in ((sorted_with, "warning"), (tuple(c for c in columns if c not in sorted_with), "info")):
        if chosen:
            one = len(chosen) == 1
            known = "It goes along with the class, as where rows are sorted, and a model can read the class from it. "
            yield Finding(
                "L003",
                f"{named(chosen)} number{'s' if one else ''} or identif{'ies' if one else 'y'} the rows. "
                f"{known if severity == 'warning' else ''}Leave {'it' if one else 'them'} out.",
                "warning" if severity == "warning" else "info",
                columns=chosen,
                p_value=[each for name, each in zip(columns, p, strict=True) if name in chosen],
            )


def identifiers(data: Data) -> list[Name]:
    """Numeric columns that number or identify the rows."""
    if len(data.rows) < MIN_ROWS or not data.names:
        return []
    head = np.sort(data.numbers[:HEAD_ROWS], axis=0)
    whole = ~data.missing & (head == np.round(head)).all(axis=0)
    different = (head[1:] != head[:-1]).all(axis=0)
    called = np.array([isinstance(name, str) and NAMES.fullmatch(name) is not None for name in data.names])
    return [
        data.names[k]
        for k in np.flatnonzero(whole & (different | called))
        if _identifies(data.numbers[:, k], data.n_columns, bool(called[k]))
    ]


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


def drift(data: Data) -> Iterator[Finding]:
    """Dates, and columns by which the rows are sorted, with a change of the class along them."""
    if len(data.rows) < MIN_ROWS:
        return
    dated = tuple(n for n, v in data.dates.items() if association(v, data.codes) * data.n_columns < ALPHA)
    if dated:
        yield Finding(
            "L005",
            f"The class changes with time (c{named(dated)[1:]}). {FIX}",
            "warning",
            columns=dated,
        )
    skipped = set(identifiers(data))
    before, after = data.numbers[:-1], data.numbers[1:]
    in_order = tuple(
        data.names[k]
        for k in np.flatnonzero((before <= after).all(axis=0) | (before >= after).all(axis=0))
        if data.names[k] not in skipped
        and len(np.unique(data.numbers[:, k])) >= MIN_VALUES
        and association(data.numbers[:, k], data.codes) * data.n_columns < ALPHA
    )
    if in_order:
        yield Finding(
            "L005",
            f"The rows are sorted by c{named(in_order)[1:]}, and the class changes along it. If that is time: {FIX}",
            "info",
            columns=in_order,
        )
