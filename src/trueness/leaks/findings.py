"""Data: the columns of X as the checks read them, whatever X is; Finding: what a check found, with a stable code; Findings:
all of one call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from trueness.files.features import as_dates, date_format
from trueness.leaks.identifiers import OF_A_ROW, called_identifier, identifies, values_of_repeated
from trueness.result.columns import Column, Columns
from trueness.result.notes import Note
from trueness.result.shown import Result
from trueness.sample.design import Design
from trueness.sample.labels import LARGEST_EXACT
from trueness.sample.sample import Sample
from trueness.typing import Array, Features, Floats, Ints, Record

FAST_CELLS = 2_000_000  # cells of X that the fast mode reads; more rows are thinned out
FAST_ROWS = 200  # but never to fewer rows than this
ALPHA = 0.01  # chance that a check of all columns raises an alarm where they are noise
NAMED_COLUMNS = 5  # columns that a sentence lists
MIN_ROWS = 10  # fewer whole numbers are different by chance
HEAD_ROWS = 50  # rows that rule most columns out

Name = str | int


@dataclass(frozen=True, eq=False)
class Data:
    """Cases and columns. It is no Sample with more fields: it holds what only checks read of one, the columns of the rows
    that they look at, as numbers, dates and texts, converted once."""

    sample: Sample  # all cases; its X is as given
    rows: Ints  # cases that the checks of columns read: all, or a fixed random part in the fast mode
    names: tuple[Name, ...]  # names of the columns of `numbers`
    numbers: Floats  # (rows, k) numeric columns; NaN is missing
    dates: dict[Name, Floats] = field(default_factory=dict)  # dates as numbers
    texts: dict[Name, Array] = field(default_factory=dict)  # other columns as text, None where missing
    fast: bool = False  # whether expensive checks are left out
    X_test: Features = None  # of a test set, where one was given
    design: Design | None = None  # given splits
    batch: Ints | None = None  # batch of each case, as a number

    @cached_property
    def codes(self) -> Ints:
        """Class of each of the `rows`."""
        return self.sample.codes[self.rows]

    @cached_property
    def groups(self) -> Ints | None:
        """Group of each of the `rows`."""
        return None if self.sample.groups is None else self.sample.groups[self.rows]

    @cached_property
    def columns(self) -> dict[Name, Array]:
        """Columns but dates."""
        return {**dict(zip(self.names, self.numbers.T, strict=True)), **self.texts}

    @property
    def n_columns(self) -> int:
        """How many columns could raise an alarm by chance."""
        return len(self.names) + len(self.dates) + len(self.texts)

    @cached_property
    def missing(self) -> Array:
        """(k,) whether a numeric column has missing values."""
        return np.asarray(np.isnan(self.numbers.sum(axis=0)))  # infinite values of both signs count, too

    @cached_property
    def repeated(self) -> dict[Name, Ints]:
        """Columns that are called like an identifier, with several rows for most values, as numbers of the values; none
        that the groups contain."""
        found = {}
        for name, values in self.columns.items():
            different = values_of_repeated(name, values)
            labels = pd.factorize(values, use_na_sentinel=False)[0] if different else self.rows
            both = labels if self.groups is None else np.stack([labels, self.groups])
            if different and (self.groups is None or np.unique(both, axis=1).shape[1] > different):
                found[name] = labels
        return found

    @cached_property
    def identifiers(self) -> list[Name]:
        """Numeric columns that number or identify the rows."""
        if len(self.rows) < MIN_ROWS or not self.names:
            return []
        head = np.sort(self.numbers[:HEAD_ROWS], axis=0)
        whole = ~self.missing & (head == np.round(head)).all(axis=0)
        different = (head[1:] != head[:-1]).all(axis=0)
        called = np.array([called_identifier(name) or bool(OF_A_ROW.fullmatch(str(name))) for name in self.names])
        log_alpha = math.log(ALPHA / self.n_columns)
        possible = np.flatnonzero(whole & (different | called))
        found = {
            k: np.sort(self.numbers[:, k]).tobytes()  # the same numbers in another order: ranks
            for k in possible
            if identifies(self.numbers[:, k], log_alpha, called[k])
        }
        sets = list(found.values())
        alone = [self.names[k] for k, numbers in found.items() if called[k] or sets.count(numbers) == 1]
        return [name for name in alone if name not in self.repeated]


def data_of(sample: Sample, fast: bool = False, **given: Any) -> Data:
    """Read the columns of a sample; texts and sequences have none. `given` are further fields."""
    X, n = sample.X, sample.n
    shape: tuple[int, ...] = getattr(X, "shape", ())
    width = shape[1] if len(shape) == 2 else 0
    rows, most = np.arange(n), max(FAST_ROWS, FAST_CELLS // max(1, width))
    if fast and n > most:
        rows = np.sort(np.random.default_rng(0).choice(n, most, replace=False))  # the same rows in every call
    frame, some = as_frame(X), slice(None) if len(rows) == n else rows
    if not width:
        return Data(sample, rows, (), np.empty((len(rows), 0)), fast=fast, **given)
    if frame is None:
        cells = X[some].toarray() if hasattr(X, "tocsr") else np.asarray(X)[some]
        if cells.dtype.kind in "bf":
            return Data(sample, rows, tuple(range(width)), cells.astype(float, copy=False), fast=fast, **given)
        frame = pd.DataFrame(cells)
    else:
        frame = frame.iloc[some]
    kinds: dict[str, dict[Name, Array]] = {"date": {}, "text": {}, "": {}}
    numbers = []
    for k, column in enumerate(frame.columns):
        kind, values = _read(frame.iloc[:, k])
        name = int(column) if isinstance(column, (int, np.integer)) else str(column)
        if kind == "number":
            numbers.append((name, values))
        else:
            kinds[kind][name] = values
    table = np.column_stack([np.empty((len(rows), 0)), *(values for _, values in numbers)])
    return Data(sample, rows, tuple(n for n, _ in numbers), table, kinds["date"], kinds["text"], fast, **given)


def as_frame(X: Features) -> pd.DataFrame | None:
    """A pandas or polars table as a pandas one; None for anything else."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_dict") and hasattr(X, "columns"):  # polars
        return pd.DataFrame({name: X[name].to_numpy() for name in X.columns})
    return None


def exact(values: Array) -> Floats:
    """Numbers as floats. Of whole numbers that doubles would merge, as long identifiers, the difference from the
    smallest; their ranks where doubles would merge these differences, too.

    >>> exact(np.array([9 * 10**17 + 10, 9 * 10**17 + 3, 9 * 10**17 + 17])).tolist()
    [7.0, 0.0, 14.0]
    >>> exact(np.array([10**20 + 1, 10**20, None, 1], dtype=object)).tolist()
    [2.0, 1.0, nan, 0.0]
    """
    known = ~np.asarray(pd.isna(values))
    whole, numbers = values[known], np.where(known, values, np.nan).astype(float)
    merged = np.abs(numbers[known]).max(initial=0.0) >= LARGEST_EXACT
    if merged and all(isinstance(v, (int, np.integer)) for v in whole):
        low, high = int(whole.min()), int(whole.max())
        numbers[known] = whole - low if high - low < LARGEST_EXACT else pd.factorize(whole, sort=True)[0]
    return numbers


def _read(column: pd.Series) -> tuple[str, Array]:
    """What a column holds, "number", "date", "text" or "" for anything else, and its values; dates are seconds."""
    is_type = pd.api.types
    if is_type.is_complex_dtype(column):
        return "", np.empty(0)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return "number", exact(column.to_numpy())
    if is_type.is_timedelta64_dtype(column):
        return "number", column.dt.total_seconds().to_numpy(dtype=float)
    if not is_type.is_datetime64_any_dtype(column):
        values, known = column.to_numpy(dtype=object), column.notna().to_numpy()
        numbers = known.any() and all(isinstance(v, (int, float, np.number, np.bool_)) for v in values[known])
        if numbers or is_type.is_numeric_dtype(column):
            return "number", exact(values)
        text = pd.Series([str(v) if k else None for v, k in zip(values, known, strict=True)], dtype=object)
        form = date_format(text)
        if form is None:
            return "text", text.to_numpy()
        column = as_dates(text, form)
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert(None)
    stamps = column.to_numpy(dtype="datetime64[us]")
    return "date", np.asarray(np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64) / 1e6))


class Finding(Note):
    """A note of a check: its code is "L001" … and docs/checks has a page of that name.

    Examples
    --------
    >>> finding = Finding("L003", "Column 'id' numbers the rows.", "warning", columns=("id",))
    >>> finding.code, finding.severity, finding.columns, str(finding)
    ('L003', 'warning', ('id',), "Column 'id' numbers the rows. [L003]")
    """

    __slots__ = ()

    @property
    def columns(self) -> tuple[Name, ...]:
        """Columns of X that it is about: names, or numbers where columns have no names."""
        return tuple(self.data.get("columns", ()))

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


@dataclass(frozen=True)
class LeakCheck:
    """A declared check."""

    looks_for: Mapping[str, str]  # in words, by the code of the finding
    function: Callable[[Data], Iterable[Finding]]


def leak_check(**looks_for: str) -> Callable[[Callable[[Data], Iterable[Finding]]], LeakCheck]:
    """Function decorator: make a check of it, by the codes of its findings, each with what it looks for in words."""
    return lambda function: LeakCheck(looks_for, function)


def named(columns: Iterable[Name]) -> str:
    """ "'a', 3"; of many the first, "'a', 'b', …"."""
    words = list(map(repr, columns))
    return ", ".join([*words[:NAMED_COLUMNS], *["…"] * (len(words) > NAMED_COLUMNS)])


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """What `trueness.check` returns: a sequence of Finding, warnings first.

    Attributes
    ----------
    notes : tuple of Finding
        Warnings first, then in the order of codes.
    checked : tuple of str
        Codes of the checks that were made.
    about : str
        The data, e.g. "189 cases, 10 columns".
    """

    heading: ClassVar[str] = "Checks of {about}"
    template: ClassVar[str] = "Findings: {__len__}."
    footnote: ClassVar[str] = "trueness help CODE explains a code and how to fix or ignore it."
    columns: ClassVar[Columns] = {name: Column("") for name in ("code", "severity", "columns", "message")}

    notes: tuple[Finding, ...]
    checked: tuple[str, ...]
    about: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.notes)

    def __len__(self) -> int:
        return len(self.notes)

    def __getitem__(self, k: int) -> Finding:
        return self.notes[k]

    def rows(self) -> Iterable[Record]:
        return [{name: getattr(f, name) for name in self.columns} | {"message": str(f)} for f in self.notes]
