"""Data: the columns of X as the checks read them, whatever X is; Finding: what a check found, with a stable code; Findings:
all of one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from trueness.files.features import as_dates, date_format
from trueness.result.notes import Note
from trueness.result.shown import Page, Result
from trueness.sample.design import Design
from trueness.sample.labels import LARGEST_EXACT
from trueness.sample.sample import Sample, are_texts
from trueness.typing import Array, Features, Floats, Ints, Record

FAST_CELLS = 2_000_000  # cells of X that the fast mode reads; more rows are thinned out
FAST_ROWS = 200  # but never to fewer rows than this
BLOCK_CELLS = 1_000_000  # cells that are sorted at a time

Name = str | int
Columns = tuple[tuple[Name, ...], Floats, dict[Name, Floats], dict[Name, Array]]
"""Names of the numeric columns and their values, dates, and texts."""


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
    fixed_rule: bool = False  # whether the cases are a test set of a rule that is not trained on them
    halves: bool = False  # whether the classes are numbers below and above their median
    known: dict[str, list[Name]] = field(default_factory=dict, init=False)  # what several checks ask for

    @cached_property
    def codes(self) -> Ints:
        """Class of each of the `rows`."""
        return self.sample.codes[self.rows]

    @property
    def n_columns(self) -> int:
        """How many columns could raise an alarm by chance."""
        return len(self.names) + len(self.dates) + len(self.texts)

    def blocks(self) -> Iterator[slice]:
        """Blocks of columns of `numbers`."""
        step = max(1, BLOCK_CELLS // max(1, len(self.rows)))
        for start in range(0, len(self.names), step):
            yield slice(start, start + step)

    @cached_property
    def missing(self) -> Array:
        """(k,) whether a numeric column has missing values."""
        return np.asarray(np.isnan(self.numbers.sum(axis=0)))  # infinite values of both signs count, too

    def number(self, name: Name) -> Floats:
        """The values of a numeric column."""
        return np.asarray(self.numbers[:, self.names.index(name)])


def data_of(
    sample: Sample,
    *,
    fast: bool = False,
    X_test: Features = None,
    design: Design | None = None,
    batch: Ints | None = None,
    fixed_rule: bool = False,
    halves: bool = False,
) -> Data:
    """Read the columns of a sample."""
    width = _width(sample.X)
    rows = _rows(sample.n, width) if fast else np.arange(sample.n)
    some = None if len(rows) == sample.n else rows
    columns: Columns = _columns(sample.X, some) if width else ((), np.empty((len(rows), 0)), {}, {})
    return Data(sample, rows, *columns, fast, X_test, design, batch, fixed_rule, halves)


def _width(X: Features) -> int:
    """Number of columns; 0 for texts and for anything that is no table."""
    if X is None or are_texts(X):
        return 0
    try:
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
    except ValueError:  # rows of different lengths
        return 0
    return int(shape[1]) if len(shape) == 2 else 0


def _rows(n: int, columns: int) -> Ints:
    most = max(FAST_ROWS, FAST_CELLS // max(1, columns))
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))  # the same rows in every call


def _columns(X: Features, some: Ints | None) -> Columns:
    """Of `some` rows, or of all."""
    if hasattr(X, "tocsr"):
        return _plain((X if some is None else X[some]).toarray())
    frame = as_frame(X)
    if frame is None:
        X = np.asarray(X)
        if X.dtype.kind in "biuf":
            return _plain(X if some is None else X[some])
        frame = pd.DataFrame(X)
    if some is not None:
        frame = frame.iloc[some]
    return _of_frame(frame)


def as_frame(X: Features) -> pd.DataFrame | None:
    """A pandas or polars table as a pandas one; None for anything else."""
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_dict") and hasattr(X, "columns"):  # polars
        return pd.DataFrame({name: X[name].to_numpy() for name in X.columns})
    return None


def _plain(X: Array) -> Columns:
    numbers = X.astype(float, copy=False)
    if X.dtype.kind in "iu" and X.size and np.abs(numbers).max() >= LARGEST_EXACT:
        numbers = np.column_stack([exact(column) for column in X.T])
    return tuple(range(X.shape[1])), numbers, {}, {}


def exact(values: Array) -> Floats:
    """Numbers as floats. Of whole numbers that doubles would merge, as long identifiers, the difference from the
    smallest; their ranks where doubles would merge these differences, too.

    >>> exact(np.array([9 * 10**17 + 10, 9 * 10**17 + 3, 9 * 10**17 + 17])).tolist()
    [7.0, 0.0, 14.0]
    >>> exact(np.array([10**20 + 1, 10**20, None, 1], dtype=object)).tolist()
    [2.0, 1.0, nan, 0.0]
    """
    known = ~np.asarray(pd.isna(values))
    whole = values[known]
    numbers = np.where(known, values, np.nan).astype(float)
    if (
        not len(whole)
        or np.abs(numbers[known]).max() < LARGEST_EXACT
        or not all(isinstance(v, (int, np.integer)) for v in whole)
    ):
        return numbers
    low, high = int(whole.min()), int(whole.max())
    numbers[known] = whole - low if high - low < LARGEST_EXACT else pd.factorize(whole, sort=True)[0]
    return numbers


def _of_frame(frame: pd.DataFrame) -> Columns:
    names = [c if isinstance(c, str) else int(c) if isinstance(c, (int, np.integer)) else str(c) for c in frame.columns]
    plain = np.array([isinstance(t, np.dtype) and t.kind in "biuf" for t in frame.dtypes], dtype=bool)
    found = [(names[k], *_read(frame.iloc[:, k])) for k in np.flatnonzero(~plain)]
    more = [(name, values) for name, kind, values in found if kind == "number"]
    of_plain = frame.loc[:, plain].to_numpy(dtype=float)
    for k, name in enumerate(np.flatnonzero(plain)):
        if frame.dtypes.iloc[name].kind in "iu" and np.abs(of_plain[:, k]).max(initial=0.0) >= LARGEST_EXACT:
            of_plain[:, k] = exact(frame.iloc[:, name].to_numpy())
    numbers = np.column_stack([of_plain, *(values for _, values in more)])
    number_names = (*(name for name, is_plain in zip(names, plain, strict=True) if is_plain), *(n for n, _ in more))
    dates = {name: values for name, kind, values in found if kind == "date"}
    texts = {name: values for name, kind, values in found if kind == "text"}
    return number_names, numbers, dates, texts


def _read(column: pd.Series) -> tuple[Literal["number", "date", "text", "other"], Array]:
    """What a column holds, and its values: numbers, seconds of dates, or text."""
    if pd.api.types.is_complex_dtype(column):
        return "other", np.empty(0)
    if pd.api.types.is_datetime64_any_dtype(column):
        return "date", _seconds(column)
    if pd.api.types.is_numeric_dtype(column):
        if pd.api.types.is_integer_dtype(column):
            return "number", exact(column.to_numpy(dtype=object, na_value=None))
        return "number", column.to_numpy(dtype=float, na_value=np.nan)
    if pd.api.types.is_timedelta64_dtype(column):
        return "number", column.dt.total_seconds().to_numpy(dtype=float)
    values = column.to_numpy(dtype=object)
    known = ~np.asarray(pd.isna(column))
    if known.any() and all(isinstance(v, (int, float, np.number, np.bool_)) for v in values[known]):
        return "number", exact(values)
    text = np.array([str(v) if k else None for v, k in zip(values, known, strict=True)], dtype=object)
    form = date_format(pd.Series(text, dtype=object))
    return ("text", text) if form is None else ("date", _seconds(as_dates(pd.Series(text), form)))


def _seconds(column: pd.Series) -> Floats:
    stamps = column.dt.tz_convert(None) if getattr(column.dtype, "tz", None) is not None else column
    values = stamps.to_numpy(dtype="datetime64[us]")
    return np.asarray(np.where(np.isnat(values), np.nan, values.astype(np.int64) / 1e6))


ALPHA = 0.01  # chance that a check of all columns raises an alarm where they are noise
NAMED_COLUMNS = 5  # columns that a sentence lists


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
    def columns(self) -> tuple[str | int, ...]:
        """Columns of X that it is about: names, or numbers where columns have no names."""
        return tuple(self.data.get("columns", ()))

    def __str__(self) -> str:
        return f"{super().__str__()} [{self.code}]"

    def to_dict(self) -> Record:
        return {**super().to_dict(), "columns": list(self.columns)}


@dataclass(frozen=True)
class LeakCheck:
    """A declared check."""

    looks_for: Mapping[str, str]  # in words, by the code of the finding
    function: Callable[[Data], Iterable[Finding]]


def leak_check(**looks_for: str) -> Callable[[Callable[[Data], Iterable[Finding]]], LeakCheck]:
    """Function decorator: make a check of it, by the codes of its findings, each with what it looks for in words."""
    return lambda function: LeakCheck(looks_for, function)


def named(columns: tuple[str | int, ...]) -> str:
    """ "'a', 3"; of many the first, "'a', 'b', …"."""
    return ", ".join([*map(repr, columns[:NAMED_COLUMNS]), *["…"] * (len(columns) > NAMED_COLUMNS)])


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """What `trueness.check` returns: a sequence of Finding, warnings first.

    Attributes
    ----------
    found : tuple of Finding
        Warnings first, then in the order of codes.
    checked : tuple of str
        Codes of the checks that were made.
    about : str
        The data, e.g. "189 cases, 10 columns".
    """

    found: tuple[Finding, ...]
    checked: tuple[str, ...]
    about: str = ""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, k: int) -> Finding:
        return self.found[k]

    def frame(self) -> pd.DataFrame:
        """One row per finding: `code`, `severity`, `columns`, `message`."""
        rows = [(f.code, f.severity, f.columns, str(f)) for f in self.found]
        return pd.DataFrame(rows, columns=["code", "severity", "columns", "message"])

    def to_dict(self) -> Record:
        return {"about": self.about, "checked": list(self.checked), "findings": [f.to_dict() for f in self.found]}

    def page(self, level: float | None = None) -> Page:
        return Page(
            title=f"{len(self.checked)} checks of {self.about}",
            answer=f"Findings: {len(self.found)}.",
            notes=self.found,
            footer="trueness help CODE explains a code and how to fix or ignore it.",
        )
