"""Tables from files: CSV, TSV, Parquet, or CSV from standard input."""

from __future__ import annotations

import csv
import io
import sys
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from karat.errors import InputError

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]  # not "None", which may be a label


def read_table(source: str) -> pd.DataFrame:
    """The table of a CSV, TSV or Parquet file, or of CSV from standard input ("-")."""
    if source == "-":
        return _text(sys.stdin.read(), ",", "standard input")
    path = Path(source)
    if not path.exists():
        raise InputError("There is no such file", got=source)
    if path.is_dir():
        raise InputError("This is a folder, not a file", got=source)
    if path.suffix.lower() in (".parquet", ".pq"):
        return _parquet(path)
    separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    try:
        return _text(path.read_text(encoding="utf-8-sig"), separator, source)
    except UnicodeDecodeError as error:
        raise InputError("The file is not text", got=f"{source}: {error.reason}", fix="Save it as UTF-8 CSV") from None
    except OSError as error:
        raise InputError("The file cannot be read", got=f"{source}: {error.strerror}") from None


def _text(text: str, separator: str, name: str) -> pd.DataFrame:
    if not text.strip():
        raise InputError("The table is empty", got=name)
    first = text.split("\n", 1)[0]
    if separator not in first:  # a file may be separated otherwise than its name says
        separator = max((",", ";", "\t"), key=first.count)
    header = next(csv.reader(io.StringIO(text), delimiter=separator))
    twice = sorted({c for c in header if header.count(c) > 1})
    if twice:
        raise InputError("Two columns have the same name", got=", ".join(map(repr, twice)), fix="Rename one of them")
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, keep_default_na=False, na_values=MISSING)
    except (pd.errors.ParserError, ValueError) as error:
        raise InputError("The table cannot be read", got=f"{name}: {error}") from None
    if table.empty:
        raise InputError("The table has a header but no rows", got=name)
    return table


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError:
        raise InputError("Parquet files need pyarrow", fix="Run pip install 'karat[parquet]'") from None
    except (OSError, ValueError) as error:
        raise InputError("The Parquet file cannot be read", got=f"{path}: {error}") from None
    if table.empty:
        raise InputError("The table has no rows", got=str(path))
    for name in table.columns[[isinstance(t, pd.api.extensions.ExtensionDtype) for t in table.dtypes]]:
        if pd.api.types.is_bool_dtype(table[name]) or pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype("float64")  # NA becomes NaN, which is imputed
    return table


def column(table: pd.DataFrame, name: str, param: str) -> pd.Series:
    """One column of a table; an error of the option `param` lists the columns where there is no such one."""
    if name not in table.columns:
        near = get_close_matches(name, [str(c).strip() for c in table.columns], n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise InputError(
            f"There is no column {name!r}",
            param=param,
            fix=f"{hint}Columns: {', '.join(repr(str(c)) for c in table.columns)}",
        )
    return table[name]
