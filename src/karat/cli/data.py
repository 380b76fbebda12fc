"""Tables from files: CSV, TSV, Parquet, or CSV from standard input."""

from __future__ import annotations

import csv
import io
import sys
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from karat.errors import InputError, Setting
from karat.result.note import Note, warn

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


def same_partition(feature: pd.Series, y: pd.Series) -> bool:
    """Whether a feature equals the target up to names (0/1 for no/yes)."""
    if feature.nunique() != y.nunique() or feature.isna().any():
        return False
    return len(pd.DataFrame({"feature": feature, "y": y}).drop_duplicates()) == int(y.nunique())


def columns(X: pd.DataFrame) -> str:
    """A line that lists the features; a warning where a column looks like an identifier or a misread number."""
    numbers = [str(c) for c in X.select_dtypes("number").columns]
    text = [c for c in X.columns if str(c) not in set(numbers)]
    for c in text:
        known = X[c].dropna().astype(str)
        as_numbers = pd.to_numeric(known, errors="coerce").notna()
        if 0.8 < as_numbers.mean() < 1:
            odd = known[~as_numbers].iloc[0]
            said = f"Column {c!r} is read as text because of values such as {odd!r}."
            warn(Note("text-column-numbers", said, "warning", column=str(c), value=odd))
        elif known.nunique() > max(20, 0.5 * len(known)):
            said = (
                f"Column {c!r} is text with {known.nunique()} different values in {len(known)} rows and looks like an "
            )
            fix = ("identifier or a date. Remove it, or use it as ", Setting("groups"), ".")
            warn(Note("text-column-many-values", (said, *fix), "warning", column=str(c), values=known.nunique()))
    parts = [f"{len(numbers)} numeric" + (f" ({', '.join(numbers)})" if 0 < len(numbers) <= 12 else "")]
    if text:
        parts.append(f"{len(text)} text ({', '.join(map(str, text[:12]))})")
    return f"Features: {'; '.join(parts)}"


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


def split(table: pd.DataFrame, target: str, groups: str | None) -> tuple[pd.DataFrame, pd.Series, pd.Series | None]:
    """Features, labels and groups; a feature that equals the target is an error."""
    y = column(table, target, "target")
    group = None if groups is None else column(table, groups, "groups")
    if groups == target:
        raise InputError("The groups are the target", param="groups")
    X = table.drop(columns=[c for c in (target, groups) if c is not None])
    if X.shape[1] == 0:
        raise InputError("There is no feature beside the target", got=f"columns {', '.join(table.columns)}")
    copies = [c for c in X.columns if same_partition(X[c], y)]
    if copies:
        raise InputError(
            f"Column {copies[0]!r} determines the target in every row",
            fix="Remove it; a model that sees the answer cannot be assessed",
        )
    return X, y, group
