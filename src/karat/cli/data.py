"""Tables from files: CSV, TSV, Parquet, or CSV from standard input."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pandas as pd

from karat.errors import InputError


def read_table(source: str) -> pd.DataFrame:
    """The table behind a path or "-", or an error that says what is wrong with it."""
    if source == "-":
        return _text(sys.stdin.read(), ",", "standard input")
    path = Path(source)
    if not path.exists():
        raise InputError("there is no such file", got=source)
    if path.is_dir():
        raise InputError("this is a folder, not a table", got=source)
    if path.suffix.lower() in (".parquet", ".pq"):
        return _parquet(path)
    separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    try:
        return _text(path.read_text(encoding="utf-8-sig"), separator, source)
    except UnicodeDecodeError as error:
        raise InputError("the file is not text", got=f"{source}: {error.reason}", do="Save it as UTF-8 CSV") from None


def _text(text: str, separator: str, name: str) -> pd.DataFrame:
    if not text.strip():
        raise InputError("the table is empty", got=name)
    header = next(csv.reader(io.StringIO(text), delimiter=separator))
    twice = sorted({c for c in header if header.count(c) > 1})
    if twice:
        raise InputError("two columns have the same name", got=", ".join(map(repr, twice)), do="Rename one of them")
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator)
    except (pd.errors.ParserError, ValueError) as error:
        raise InputError("the table cannot be read", got=f"{name}: {error}") from None
    if table.empty:
        raise InputError("the table has a header and no rows", got=name)
    return table


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError:
        raise InputError("reading Parquet needs pyarrow", do="pip install 'karat[parquet]'") from None
    except (OSError, ValueError) as error:
        raise InputError("the Parquet file cannot be read", got=f"{path}: {error}") from None
    if table.empty:
        raise InputError("the table has no rows", got=str(path))
    return table


def column(table: pd.DataFrame, name: str, what: str) -> pd.Series:
    """One column, or an error that lists the columns there are."""
    if name not in table.columns:
        raise InputError(f"there is no {what} column {name!r}", do=f"Columns: {', '.join(map(str, table.columns))}")
    return table[name]


def split(table: pd.DataFrame, target: str, groups: str | None) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups; a feature that is the target in disguise is an error."""
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    if groups == target:
        raise InputError("the groups are the target", got=target)
    X = table.drop(columns=[c for c in (target, groups) if c is not None])
    if X.shape[1] == 0:
        raise InputError("there is no feature left beside the target", got=f"columns {', '.join(table.columns)}")
    copies = [c for c in X.columns if (X[c].astype(str) == y.astype(str)).all()]
    if copies:
        raise InputError(
            "the target is also a feature",
            got=f"column {copies[0]!r} equals the target in every row",
            do="Drop it: a model that sees the answer proves nothing",
        )
    return X, y, group
